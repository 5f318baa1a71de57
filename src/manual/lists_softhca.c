/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The list of variables in softhca(1), from the help in the script softhca: one text serves both.
 * Called by template.c. In the help "  NAME=VALUE  text" describes a variable, "    word  text"
 * below it a part of its value, and a line that begins further to the right goes on with the one
 * or with the other, by its column.
 */
#include "config.h"
#include "manual/lists.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "manual/roff.h"
#include "util/err.h"

#define VARIABLE_COLUMN 2
#define PART_COLUMN 4
#define TEXT_COLUMN 23 /* of a variable; that of a part is beyond it */
#define PARAGRAPH 2048

/* The list that is being written, and the paragraph of it that is being read. */
struct list {
	FILE *out;
	size_t variables;
	bool parts;           /* inside of the list of parts */
	char text[PARAGRAPH];
};

static void flush_text(struct list *list)
{
	if (list->text[0])
		roff_text(list->out, list->text);
	list->text[0] = '\0';
}

static void add_text(struct list *list, const char *line)
{
	const size_t len = strlen(list->text);

	snprintf(list->text + len, sizeof(list->text) - len, "%s%s", len ? " " : "", line);
}

static void end_parts(struct list *list)
{
	flush_text(list);
	if (list->parts)
		fprintf(list->out, ".El\n");
	list->parts = false;
}

/* The word, and what follows the blanks behind it, if there are two or more. */
static void add_item(struct list *list, const char *macro, const char *line)
{
	const char *text = strstr(line, "  ");
	const size_t len = text ? (size_t)(text - line) : strcspn(line, " ");

	flush_text(list);
	fprintf(list->out, ".It %s ", macro);
	for (size_t i = 0; i < len; i++) {
		const char one[] = { line[i], '\0' };

		roff_word(list->out, one);
	}
	fputc('\n', list->out);
	add_text(list, line + len + strspn(line + len, " "));
}

static void add_line(struct list *list, const char *line)
{
	const size_t indent = strspn(line, " ");

	line += indent;
	if (indent == VARIABLE_COLUMN && isupper((unsigned char)*line)) {
		end_parts(list);
		if (!list->variables++)
			fprintf(list->out, ".Bl -tag -width Ds\n");
		add_item(list, "Ev", line);
	} else if (!list->variables || !indent) {
		return; /* the lines above the variables */
	} else if (indent == PART_COLUMN) {
		flush_text(list);
		if (!list->parts)
			fprintf(list->out, ".Bl -tag -width Ds\n");
		list->parts = true;
		add_item(list, "Li", line);
	} else {
		if (list->parts && indent <= TEXT_COLUMN) {
			end_parts(list);
			fprintf(list->out, ".Pp\n");
		}
		add_text(list, line);
	}
}

int lists_softhca(FILE *out, const char *script)
{
	struct list list = { .out = out };
	FILE *in = fopen(script, "r");
	bool help = false;
	char line[256];

	if (!in)
		return err_set(-errno, "%s: %s", script, strerror(errno));
	while (fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\n")] = '\0';
		if (help && !strcmp(line, "END"))
			break;
		if (help)
			add_line(&list, line);
		help |= strstr(line, "<<'END'") != NULL;
	}
	fclose(in);
	end_parts(&list);
	if (!list.variables)
		return err_set(-EBADMSG, "%s: its help describes no variable", script);
	fprintf(out, ".El\n");
	return 0;
}
