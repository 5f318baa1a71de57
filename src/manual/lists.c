/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the lists of man pages: see lists.h. Called by template.c. */
#include "config.h"
#include "manual/lists.h"

#include "commands/commands.h"
#include "manual/roff.h"
#include "report/row.h"
#include "setup/measure.h"
#include "setup/setup_row.h"

static void put_option(FILE *out, const struct field *f)
{
	char name[FIELD_TEXT_MAX], value[FIELD_TEXT_MAX], text[OPTIONS_TEXT];

	fprintf(out, ".It ");
	if (f->letter)
		fprintf(out, "Fl %c , ", f->letter);
	fprintf(out, "Fl \\-");
	roff_word(out, field_option(f, name, sizeof(name)));
	if (options_value_name(f, value, sizeof(value))[0]) {
		fprintf(out, " Ar ");
		roff_word(out, value);
	}
	fputc('\n', out);
	roff_text(out, options_describe(f, text, sizeof(text)));
}

void lists_options(FILE *out, const struct command *cmd)
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

	fprintf(out, ".Bl -tag -width compare-completion -compact\n");
	for (size_t i = 0; (cmd = commands_at(i)); i++) {
		if (cmd->has_program != tests)
			continue;
		fprintf(out, ".It Cm ");
		roff_word(out, cmd->name);
		fputc('\n', out);
		roff_text(out, cmd->help);
	}
	fprintf(out, ".El\n");
}

void lists_tests(FILE *out)
{
	put_commands(out, true);
}

void lists_commands(FILE *out)
{
	put_commands(out, false);
}

static void put_columns(FILE *out, const struct field_table *table)
{
	fprintf(out, ".Bl -tag -width Ds\n");
	for (size_t i = 0; i < table->n; i++) {
		const struct field *f = &table->rows[i];

		if (!(f->flags & FIELD_COLUMN))
			continue;
		fprintf(out, ".It Li %s Pq %s%s%s\n", f->name, field_type_name(f),
			f->unit ? " , " : "", f->unit ? f->unit : "");
		roff_text(out, f->help);
	}
	fprintf(out, ".El\n");
}

void lists_columns(FILE *out)
{
	put_columns(out, &row_table);
}

void lists_setup_columns(FILE *out)
{
	put_columns(out, &setup_row_table);
}

void lists_document(FILE *out)
{
	fprintf(out, ".Bl -tag -width Ds\n");
	for (size_t i = 0; i < row_n_document; i++) {
		fprintf(out, ".It Li %s\n", row_document[i].key);
		roff_text(out, row_document[i].meaning);
	}
	fprintf(out, ".El\n");
}

void lists_measurements(FILE *out)
{
	fprintf(out, ".Bl -tag -width cms -compact\n");
	for (uint32_t i = 0; i < measure_n; i++) {
		fprintf(out, ".It Cm %s\n", measure_table[i].name);
		roff_text(out, measure_table[i].help);
	}
	fprintf(out, ".El\n");
}
