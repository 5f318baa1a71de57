/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the lists of man pages: see manual.h. Source: mandoc_char(7), roff(7) of mandoc 1.14.
 */
#include "config.h"
#include "manual/manual.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "commands/commands.h"
#include "limits/limits.h"
#include "objects/measure.h"
#include "objects/setup_row.h"
#include "place/machine.h"
#include "row/row.h"
#include "util/err.h"

#define COLUMNS 78

/* ---- text as input of mdoc(7) */

/* Characters that roff takes for others are written by their names. */
static void put_literal(FILE *out, char c)
{
	static const char special[] = "\\-^~`";
	static const char *const names[] = { "\\e", "\\-", "\\(ha", "\\(ti", "\\(ga" };
	const char *at = strchr(special, c);

	if (at)
		fputs(names[at - special], out);
	else
		fputc(c, out);
}

/* One word or argument: '-' stays what it is when the page is copied to a command line. */
static void put_name(FILE *out, const char *word)
{
	while (*word)
		put_literal(out, *word++);
}

/* Does an option begin at p, which begins the text or has c before it? */
static bool begins_option(const char *p, char c)
{
	if (*p != '-' || (isalnum((unsigned char)c) || c == '-' || c == '_'))
		return false;
	return isalpha((unsigned char)p[1]) || (p[1] == '-' && isalpha((unsigned char)p[2]));
}

static size_t option_length(const char *p)
{
	size_t len = 2;

	while (p[1] == '-' && (isalnum((unsigned char)p[len]) || (p[len] == '-' &&
							isalpha((unsigned char)p[len + 1]))))
		len++;
	return len;
}

static void put_bold(FILE *out, const char *text, size_t len)
{
	fputs("\\fB", out);
	for (size_t i = 0; i < len; i++)
		put_literal(out, text[i]);
	fputs("\\fR", out);
}

/* *before: the character before the word, in the text. */
static void put_word(FILE *out, const char *word, size_t len)
{
	char before = ' ';

	for (size_t i = 0; i < len; i++) {
		const char *quote = word[i] == '`' ? memchr(word + i + 1, '`', len - i - 1) : NULL;

		if (quote) {
			put_bold(out, word + i + 1, (size_t)(quote - word) - i - 1);
			i = (size_t)(quote - word);
		} else if (begins_option(word + i, before)) {
			put_bold(out, word + i, option_length(word + i));
			i += option_length(word + i) - 1;
		} else if (word[i] == '-') {
			fputc('-', out); /* a hyphen */
		} else {
			put_literal(out, word[i]);
		}
		before = word[i];
	}
}

/* Up to the next blank that is not between backquotes. */
static size_t word_length(const char *text)
{
	size_t len = 0;
	bool quoted = false;

	for (; text[len] && (quoted || text[len] != ' '); len++)
		quoted ^= text[len] == '`';
	return quoted ? strcspn(text, " ") : len;
}

/*
 * A paragraph of text as lines that roff does not take for anything else: a sentence begins a line,
 * options and what stands between backquotes are bold.
 */
static void put_text(FILE *out, const char *text)
{
	bool ends = false; /* the last word ended a sentence */
	size_t col = 0;

	while (*text) {
		const size_t len = word_length(text);

		if (col && (col + 1 + len > COLUMNS || (ends && isupper((unsigned char)*text)))) {
			fputc('\n', out);
			col = 0;
		} else if (col) {
			fputc(' ', out);
			col++;
		}
		if (!col && (*text == '.' || *text == '\''))
			fputs("\\&", out);
		put_word(out, text, len);
		ends = len > 1 && text[len - 1] == '.';
		col += len;
		text += len;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}

/* ---- lists */

static void begin_list(FILE *out, const char *how)
{
	fprintf(out, ".Bl -tag -width %s\n", how);
}

static void end_list(FILE *out)
{
	fputs(".El\n", out);
}

static void put_item(FILE *out, const char *macro, const char *name, const char *text)
{
	fprintf(out, ".It %s ", macro);
	put_name(out, name);
	fputc('\n', out);
	put_text(out, text);
}

static void put_option(FILE *out, const struct field *f)
{
	char name[FIELD_TEXT_MAX], value[FIELD_TEXT_MAX], text[OPTIONS_TEXT];

	fprintf(out, ".It ");
	if (f->letter)
		fprintf(out, "Fl %c , ", f->letter);
	fprintf(out, "Fl \\-");
	put_name(out, field_option(f, name, sizeof(name)));
	if (options_value_name(f, value, sizeof(value))[0]) {
		fprintf(out, " Ar ");
		put_name(out, value);
	}
	fputc('\n', out);
	put_text(out, options_describe(f, text, sizeof(text)));
}

static void put_options(FILE *out, const struct command *cmd)
{
	const char *group = NULL, *end = "";

	for (size_t i = 0; i < options_table.n; i++) {
		const struct field *f = &options_table.rows[i];

		if (f->group)
			group = f->group;
		if (!options_concern(f, cmd->options, cmd->test))
			continue;
		if (group)
			fprintf(out, "%s.Ss %s\n.Bl -tag -width Ds\n", end, group);
		group = NULL;
		end = ".El\n";
		put_option(out, f);
	}
	fputs(end, out);
}

static void put_commands(FILE *out, bool tests)
{
	const struct command *cmd;

	begin_list(out, "compare-completion -compact");
	for (size_t i = 0; (cmd = commands_at(i)); i++)
		if (cmd->has_program == tests)
			put_item(out, "Cm", cmd->name, cmd->help);
	end_list(out);
}

/* The fields with this flag. */
static void put_fields(FILE *out, const struct field_table *table, unsigned flag)
{
	begin_list(out, "Ds");
	for (size_t i = 0; i < table->n; i++) {
		const struct field *f = &table->rows[i];

		if (!(f->flags & flag))
			continue;
		fprintf(out, ".It Li %s Pq %s%s%s\n", f->name, field_type_name(f),
			f->unit ? " , " : "", f->unit ? f->unit : "");
		put_text(out, f->help);
	}
	end_list(out);
}

/* The keys of an object that is part of the document and in no row. */
static void put_details(FILE *out, const struct field_table *table)
{
	for (size_t i = 0; i < table->n; i++)
		if (table->rows[i].flags & FIELD_DETAIL)
			fprintf(out, ".Li %s\n", table->rows[i].name);
}

bool lists_print(FILE *out, const char *name, const struct command *cmd)
{
	if (!strcmp(name, "tests") || !strcmp(name, "commands")) {
		put_commands(out, !strcmp(name, "tests"));
	} else if (!strcmp(name, "columns") || !strcmp(name, "setup-columns")) {
		put_fields(out, strcmp(name, "columns") ? &setup_row_table : &row_table, FIELD_COLUMN);
	} else if (!strcmp(name, "limits") || !strcmp(name, "machine")) {
		put_fields(out, strcmp(name, "limits") ? &machine_table : &limits_table, FIELD_WIRE);
	} else if (!strcmp(name, "document")) {
		begin_list(out, "Ds");
		for (size_t i = 0; i < row_n_document; i++)
			put_item(out, "Li", row_document[i].key, row_document[i].meaning);
		put_item(out, "Li", "points.threads",
			 "one object per thread of this side, none on a side without a loop; its keys, with `qp_sent` and `qp_received` by queue pair:");
		put_details(out, &result_table);
		put_details(out, &affinity_report_table);
		end_list(out);
	} else if (!strcmp(name, "measurements")) {
		begin_list(out, "cms -compact");
		for (uint32_t i = 0; i < measure_n; i++)
			put_item(out, "Cm", measure_table[i].name, measure_table[i].help);
		end_list(out);
	} else if (!strcmp(name, "options") && cmd) {
		put_options(out, cmd);
	} else {
		return false;
	}
	return true;
}

/* ---- softhca(1) */

/*
 * From the help in the script softhca: one text serves both. In the help "  NAME=VALUE  text"
 * describes a variable, "    word  text" below it a part of its value, and a line that begins
 * further to the right goes on with the one or with the other, by its column.
 */
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
		put_text(list->out, list->text);
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

		put_name(list->out, one);
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
