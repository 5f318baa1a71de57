/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The notes below a table; see table.h. */
#include "config.h"
#include "table/table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

#define NOTE_TEXT (ROW_TEXT + ROW_NAME + 32)
#define MARK_TEXT 64

void footnotes_open(struct footnotes *f, const struct format_screen *screen)
{
	*f = (struct footnotes){ .screen = *screen };
}

/* The index of text in the list, added if it is new. No memory: a note is missing, no figure. */
static uint32_t remember(char ***texts, uint32_t *n, const char *text)
{
	char **more;

	for (uint32_t i = 0; i < *n; i++)
		if (!strcmp((*texts)[i], text))
			return i;
	more = realloc(*texts, (*n + 1) * sizeof(*more));
	if (!more)
		return UINT32_MAX;
	*texts = more;
	more[*n] = strdup(text);
	if (!more[*n])
		return UINT32_MAX;
	return (*n)++;
}

static void add(struct footnotes *f, const char *text)
{
	const uint32_t at = f->screen.quiet || f->n_marks == FOOTNOTES_ROW ?
				    UINT32_MAX : remember(&f->texts, &f->n, text);
	uint32_t i;

	if (at == UINT32_MAX)
		return;
	for (i = f->n_marks++; i && f->marks[i - 1] > at + 1; i--)
		f->marks[i] = f->marks[i - 1];
	f->marks[i] = at + 1;
}

void footnotes_add(struct footnotes *f, const char *fmt, ...)
{
	char text[NOTE_TEXT];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	add(f, text);
}

void footnotes_add_plain(struct footnotes *f, const char *fmt, ...)
{
	char text[NOTE_TEXT];
	va_list ap;

	if (f->screen.quiet)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	/* without memory the note is missing */
	(void)remember(&f->plain, &f->n_plain, text);
}

/* Bytes of the first n parts of a list. */
static size_t length_of(const char *list, uint32_t n)
{
	const char *end = list;

	while (n-- && end) {
		end = strstr(end, "; ");
		end = end && n ? end + 2 : end;
	}
	return end ? (size_t)(end - list) : strlen(list);
}

void footnotes_add_list(struct footnotes *f, const char *text)
{
	const size_t room = (size_t)f->screen.width - strlen("[99] ") - strlen(" (99 more: -v)");
	uint32_t parts = 1, shown;

	if (f->screen.verbose || f->screen.wide || strlen(text) + strlen("[99] ") <=
						   (size_t)f->screen.width) {
		add(f, text);
		return;
	}
	for (const char *at = text; (at = strstr(at, "; ")); at += 2)
		parts++;
	for (shown = parts; shown > 1 && length_of(text, shown) > room; shown--)
		continue;
	if (length_of(text, shown) > room)
		footnotes_add(f, "%.*s... (-v)", (int)room, text);
	else
		footnotes_add(f, "%.*s (%" PRIu32 " more: -v)", (int)length_of(text, shown), text,
			      parts - shown);
}

void footnotes_print_marks(FILE *out, struct footnotes *f, int col)
{
	char text[MARK_TEXT];
	int len = 0;

	for (uint32_t i = 0; i < f->n_marks; i++)
		len += snprintf(text + len, sizeof(text) - (size_t)len, "%s%" PRIu32,
				i ? "," : "[", f->marks[i]);
	/* the mark of a long row touches its last figure */
	if (f->n_marks)
		fprintf(out, "%s%s]", col + len + 2 <= f->screen.width ? " " : "", text);
	f->n_marks = 0;
}

void footnotes_print(FILE *out, const struct footnotes *f)
{
	if (f->n || f->n_plain)
		putc('\n', out);
	for (uint32_t i = 0; i < f->n_plain; i++)
		screen_wrap(out, f->plain[i], (struct screen_place){ 0, 3, f->screen.width });
	for (uint32_t i = 0; i < f->n; i++) {
		const int len = fprintf(out, "[%" PRIu32 "] ", i + 1);

		screen_wrap(out, f->texts[i], (struct screen_place){ len, len, f->screen.width });
	}
}

static void free_texts(char **texts, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		free(texts[i]);
	free(texts);
}

void footnotes_close(struct footnotes *f)
{
	free_texts(f->texts, f->n);
	free_texts(f->plain, f->n_plain);
}
