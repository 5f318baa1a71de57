/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The options as text for people: the lines of --help, and the words from which src/tool/manual
 * generates man pages. All of it comes from options.def.
 */
#include "config.h"
#include "options/options.h"

#include <string.h>

#define COLUMNS 80
#define INDENT 26

const char *options_value_name(const struct field *f, char *text, size_t size)
{
	const bool fixed = f->flags & FIELD_ALIAS && f->def;
	size_t len = 0;

	snprintf(text, size, "%s", f->arg && !fixed ? f->arg : "");
	for (int i = 0; !fixed && !f->arg && f->names && f->names[i] && len < size; i++)
		len += (size_t)snprintf(text + len, size - len, "%s%s", i ? "|" : "", f->names[i]);
	return text;
}

const char *options_describe_short(const struct field *f, char *text, size_t size)
{
	const char *def = f->flags & FIELD_ALIAS ? NULL : f->def;
	const int len = (int)strcspn(f->help, ";");

	if (f->chosen)
		snprintf(text, size, "%.*s [default: %s]", len, f->help, f->chosen);
	else if (def && strcmp(def, "none"))
		snprintf(text, size, "%.*s [default %s]", len, f->help, def);
	else
		snprintf(text, size, "%.*s", len, f->help);
	return text;
}

const char *options_describe(const struct field *f, char *text, size_t size)
{
	char range[FIELD_TEXT_MAX] = "";
	const char *def = f->flags & FIELD_ALIAS ? NULL : f->def;
	size_t len = (size_t)snprintf(text, size, "%s", f->help);

	if (f->chosen && len < size)
		len += (size_t)snprintf(text + len, size - len, "; %s: %s%s%s",
					def ? "auto" : "default", f->chosen, f->more ? "; " : "",
					f->more ? f->more : "");
	if (!f->names) /* else the names replace the value */
		field_range(f, range, sizeof(range));
	if (def && len < size)
		snprintf(text + len, size - len, " [%s%sdefault %s]", range, range[0] ? ", " : "",
			 def);
	else if (range[0] && len < size)
		snprintf(text + len, size - len, " [%s]", range);
	return text;
}

/* Words of text from column col on, wrapped at COLUMNS, continued at INDENT. */
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

static void help_row(FILE *out, const struct field *f, bool all)
{
	char name[FIELD_TEXT_MAX], value[FIELD_TEXT_MAX], text[OPTIONS_TEXT];
	int col = f->letter ? fprintf(out, "  -%c, --", f->letter) : fprintf(out, "      --");

	options_value_name(f, value, sizeof(value));
	col += fprintf(out, "%s%s%s", field_option(f, name, sizeof(name)), value[0] ? " " : "",
		       value);
	if (all)
		options_describe(f, text, sizeof(text));
	else
		options_describe_short(f, text, sizeof(text));
	wrap(out, text, col);
}

bool options_concern(const struct field *f, enum options_command command, enum test test)
{
	return options_takes(f, command) &&
	       (command != OPTIONS_TEST || !f->tests || f->tests >> test & 1);
}

/* The names of the options that the short help leaves out. */
static void help_others(FILE *out, enum options_command command, enum test test)
{
	char name[FIELD_TEXT_MAX];
	int col = 0;

	for (size_t i = 0; i < options_table.n; i++) {
		const struct field *f = &options_table.rows[i];
		int len;

		if (f->flags & FIELD_DAILY || !options_concern(f, command, test))
			continue;
		if (!col)
			fprintf(out, "\nMore options, which --help-all explains:\n");
		if (!col)
			col = 1;
		len = (int)strlen(field_option(f, name, sizeof(name)));
		if (col > 1 && col + 3 + len > COLUMNS) {
			fputc('\n', out);
			col = 1;
		}
		col += fprintf(out, "%s--%s", col > 1 ? " " : "  ", name);
	}
	if (col)
		fputc('\n', out);
}

/* The row with the default that the command has. */
static struct field own_row(const struct field *f, const char *own)
{
	struct field row = *f;

	if (own) {
		row.def = own;
		row.chosen = NULL;
	}
	return row;
}

void options_help(FILE *out, enum options_command command, enum test test, bool all,
		  char *const defaults[])
{
	const char *group = NULL, *last = "";

	for (size_t i = 0; i < options_table.n; i++) {
		const struct field *f = &options_table.rows[i];
		const struct field row = own_row(f, defaults[i]);

		if (f->group && strcmp(f->group, last))
			group = last = f->group;
		if (!options_concern(f, command, test) || (!all && !(f->flags & FIELD_DAILY)))
			continue;
		if (group)
			fprintf(out, "\n%s:\n", group);
		group = NULL;
		help_row(out, &row, all);
	}
	if (!all)
		help_others(out, command, test);
}
