/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Option tables as text for people: the lines of --help and the lists of the man page. Called by
 * opts.c; what stands there comes from the rows and nowhere else.
 */
#include "config.h"
#include "config/opt.h"

#include <string.h>

#define COLUMNS 100
#define INDENT 30
#define LINE_MAX_TEXT 512

static void value_name(const struct opt *o, char *text, size_t size)
{
	size_t len = 0;

	text[0] = '\0';
	if (o->arg)
		snprintf(text, size, "%s", o->arg);
	for (int i = 0; !o->arg && o->names && o->names[i] && len < size; i++)
		len += (size_t)snprintf(text + len, size - len, "%s%s", i ? "|" : "", o->names[i]);
}

/* The help of a row with its range and default, or "" for what it has not. */
static void describe(const struct opt *o, char *text, size_t size)
{
	char range[OPT_TEXT_MAX];

	opt_range(o, range, sizeof(range));
	if (o->names)
		range[0] = '\0'; /* the names stand in place of the argument */
	if (!range[0] && !o->def)
		snprintf(text, size, "%s", o->help);
	else if (!o->def)
		snprintf(text, size, "%s [%s]", o->help, range);
	else
		snprintf(text, size, "%s [%s%sdefault %s]", o->help, range, range[0] ? ", " : "",
			 o->def);
}

/* Words of text from column at on, wrapped to COLUMNS, continued at INDENT. */
static void wrap(FILE *out, const char *text, int at)
{
	int col = at;

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

static void help_row(FILE *out, const struct opt *o)
{
	char arg[OPT_TEXT_MAX], text[LINE_MAX_TEXT];
	int col;

	value_name(o, arg, sizeof(arg));
	describe(o, text, sizeof(text));
	col = o->letter ? fprintf(out, "  -%c, --%s", o->letter, o->name) :
			  fprintf(out, "      --%s", o->name);
	if (arg[0])
		col += fprintf(out, " %s", arg);
	wrap(out, text, col);
}

void opt_help(FILE *out, const struct opt_table *t, opt_set shown)
{
	const char *group = NULL;

	for (size_t i = 0; i < t->n; i++) {
		if (t->rows[i].group)
			group = t->rows[i].group;
		if (!(shown >> i & 1))
			continue;
		if (group)
			fprintf(out, "\n%s:\n", group);
		group = NULL;
		help_row(out, &t->rows[i]);
	}
}

void opt_help_man(FILE *out, const struct opt_table *t)
{
	char arg[OPT_TEXT_MAX], text[LINE_MAX_TEXT];

	for (size_t i = 0; i < t->n; i++) {
		const struct opt *o = &t->rows[i];

		if (o->group)
			fprintf(out, "%s.Ss %s\n.Bl -tag -width Ds\n", i ? ".El\n" : "", o->group);
		value_name(o, arg, sizeof(arg));
		describe(o, text, sizeof(text));
		fprintf(out, ".It ");
		if (o->letter)
			fprintf(out, "Fl %c , ", o->letter);
		fprintf(out, "Fl \\-%s", o->name);
		if (arg[0])
			fprintf(out, " Ar %s", arg);
		fprintf(out, "\n%s\n", text);
	}
	fprintf(out, ".El\n");
}
