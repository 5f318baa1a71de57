/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The options as text for people: the lines of --help and the lists of the man page. Called by the
 * commands and by genman. All of it comes from options.def.
 */
#include "config.h"
#include "config/options.h"

#include <string.h>

#define COLUMNS 100
#define INDENT 30
#define LINE_MAX_TEXT 1024

/* "BYTES", "RC|UC|UD"; "" for an option without a value. Returns text. */
static const char *value_name(const struct field *f, char *text, size_t size)
{
	const bool fixed = f->flags & FIELD_ALIAS && f->def;
	size_t len = 0;

	snprintf(text, size, "%s", f->arg && !fixed ? f->arg : "");
	for (int i = 0; !fixed && !f->arg && f->names && f->names[i] && len < size; i++)
		len += (size_t)snprintf(text + len, size - len, "%s%s", i ? "|" : "", f->names[i]);
	return text;
}

/* The help with range and default. */
static const char *describe(const struct field *f, char *text, size_t size)
{
	char range[FIELD_TEXT_MAX] = "";
	const char *def = f->flags & FIELD_ALIAS ? NULL : f->def;

	if (!f->names) /* else the names stand in place of the value */
		field_range(f, range, sizeof(range));
	if (def)
		snprintf(text, size, "%s [%s%sdefault %s]", f->help, range, range[0] ? ", " : "",
			 def);
	else if (range[0])
		snprintf(text, size, "%s [%s]", f->help, range);
	else
		snprintf(text, size, "%s", f->help);
	return text;
}

/* Words of text from column col on, wrapped to COLUMNS, continued at INDENT. */
static void wrap(FILE *out, const char *text, int col)
{
	if (col > INDENT - 2) {
		fputc('\n', out);
		col = 0;
	}
	while (*text) {
		int len = (int)strcspn(text, " ");

		if (col > INDENT && col + 1 + len > COLUMNS) {
			fputc('\n', out);
			col = 0;
		}
		if (col < INDENT)
			col += fprintf(out, "%*s", INDENT - col, "");
		else
			col += fprintf(out, " ");
		col += fprintf(out, "%.*s", len, text);
		text += len;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}

static void help_row(FILE *out, const struct field *f)
{
	char name[FIELD_TEXT_MAX], value[FIELD_TEXT_MAX], text[LINE_MAX_TEXT];
	int col = f->letter ? fprintf(out, "  -%c, --", f->letter) : fprintf(out, "      --");

	value_name(f, value, sizeof(value));
	col += fprintf(out, "%s%s%s", field_option(f, name, sizeof(name)), value[0] ? " " : "",
		       value);
	wrap(out, describe(f, text, sizeof(text)), col);
}

void options_help(FILE *out, enum options_command command, enum test test)
{
	const char *group = NULL;

	for (size_t i = 0; i < options_table.n; i++) {
		const struct field *f = &options_table.rows[i];

		if (f->group)
			group = f->group;
		if (!options_takes(f, command) ||
		    (command == OPTIONS_TEST && f->tests && !(f->tests >> test & 1)))
			continue;
		if (group)
			fprintf(out, "\n%s:\n", group);
		group = NULL;
		help_row(out, f);
	}
}

void options_man(FILE *out)
{
	char name[FIELD_TEXT_MAX], value[FIELD_TEXT_MAX], text[LINE_MAX_TEXT];

	for (size_t i = 0; i < options_table.n; i++) {
		const struct field *f = &options_table.rows[i];

		if (f->group)
			fprintf(out, "%s.Ss %s\n.Bl -tag -width Ds\n", i ? ".El\n" : "", f->group);
		fprintf(out, ".It ");
		if (f->letter)
			fprintf(out, "Fl %c , ", f->letter);
		value_name(f, value, sizeof(value));
		fprintf(out, "Fl \\-%s%s%s\n%s\n", field_option(f, name, sizeof(name)),
			value[0] ? " Ar " : "", value, describe(f, text, sizeof(text)));
	}
	fprintf(out, ".El\n");
}
