/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The width of the terminal, and line wrapping. */
#include "config.h"
#include "util/text.h"

#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define SCREEN_LINE 4096 /* a longer line is not wrapped */

int screen_columns(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || size.ws_col < SCREEN_COLUMNS)
		return SCREEN_COLUMNS;
	return size.ws_col;
}

int screen_line_columns(FILE *out)
{
	struct winsize size;

	return ioctl(fileno(out), TIOCGWINSZ, &size) ? SCREEN_UNLIMITED : screen_columns();
}

void screen_wrap(FILE *out, const char *text, struct screen_place place)
{
	bool begins = true; /* of the line: no blank before the word */
	int col = place.col;

	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		const int len = (int)strcspn(text, " ");

		if (col > place.indent && col + !begins + len > place.width) {
			fprintf(out, "\n%*s", place.indent, "");
			col = place.indent;
			begins = true;
		}
		col += fprintf(out, "%s%.*s", begins ? "" : " ", len, text);
		begins = false;
		text += len;
	}
	putc('\n', out);
}

void screen_fold(FILE *out, const char *text, int width)
{
	const char *next;

	for (; *text; text = next) {
		const size_t len = strcspn(text, "\n");
		const int deep = (int)strspn(text, " ");
		char line[SCREEN_LINE];

		next = text + len + (text[len] == '\n');
		if ((int)len <= width || len >= sizeof(line)) {
			fprintf(out, "%.*s\n", (int)len, text);
			continue;
		}
		memcpy(line, text, len);
		line[len] = '\0';
		fprintf(out, "%*s", deep, "");
		screen_wrap(out, line, (struct screen_place){ deep, deep + 4, width });
	}
}
