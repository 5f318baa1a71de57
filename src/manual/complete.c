/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns what a shell completes, from the tables: see complete.h. */
#include "config.h"
#include "manual/complete.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "commands/commands.h"
#include "manual/manual.h"
#include "report/row.h"
#include "setup/measure.h"
#include "util/err.h"

const char *const complete_kind_names[] = {
	[COMPLETE_FLAG] = "flag",
	[COMPLETE_WORDS] = "words",
	[COMPLETE_LIST] = "list",
	[COMPLETE_FILE] = "file",
	[COMPLETE_FOLDER] = "folder",
	[COMPLETE_DEVICE] = "device",
	[COMPLETE_TEXT] = "text",
	NULL,
};

static void add_word(struct complete_option *o, const char *word)
{
	const size_t len = strlen(o->words);

	snprintf(o->words + len, sizeof(o->words) - len, "%s%s", len ? " " : "", word);
}

static void add_words(struct complete_option *o, const char *const *words)
{
	while (*words)
		add_word(o, *words++);
}

/* Values that have a name beside numbers or texts. */
static const struct {
	enum cfg_row row;
	const char *words;
} named_values[] = {
	{ CFG_ROW_pin, "auto near far none" },
	{ CFG_ROW_peer_pin, "auto near far none" },
	{ CFG_ROW_mem, "auto local device" },
	{ CFG_ROW_peer_mem, "auto local device" },
};

static void add_measurements(struct complete_option *o)
{
	o->kind = COMPLETE_LIST;
	for (uint32_t i = 0; i < measure_n; i++)
		add_word(o, measure_table[i].name);
}

static void add_columns(struct complete_option *o)
{
	o->kind = COMPLETE_LIST;
	for (size_t i = 0; i < row_table.n; i++)
		if (row_table.rows[i].flags & FIELD_COLUMN)
			add_word(o, row_table.rows[i].name);
}

/* What stands for the value in the help says what it is. */
static void by_value_name(struct complete_option *o, const char *name)
{
	if (strstr(name, "FILE"))
		o->kind = COMPLETE_FILE;
	else if (!strncmp(name, "DIR", 3))
		o->kind = COMPLETE_FOLDER;
	else if (!strncmp(name, "COLUMN", 6))
		add_columns(o);
	else if (!strncmp(name, "TEST", 4)) {
		o->kind = COMPLETE_LIST;
		add_words(o, kind_test_names);
	}
}

/* The values of an option that takes one. */
static void set_value(struct complete_option *o, const struct field *f)
{
	const enum cfg_row row = (enum cfg_row)(f - options_table.rows);
	char number[24];

	o->kind = COMPLETE_TEXT;
	if (f->names) {
		o->kind = COMPLETE_LIST;
		add_words(o, f->names);
		return;
	}
	if (row == CFG_ROW_device || row == CFG_ROW_peer_device) {
		o->kind = COMPLETE_DEVICE;
		return;
	}
	if (row == CFG_ROW_only) {
		add_measurements(o);
		return;
	}
	if (f->flags & (FIELD_AUTO | FIELD_NONE))
		add_word(o, f->flags & FIELD_AUTO ? "auto" : "none");
	for (uint64_t v = f->min; f->flags & FIELD_POW2 && v && v <= f->max; v *= 2) {
		snprintf(number, sizeof(number), "%" PRIu64, v);
		add_word(o, number);
	}
	for (size_t i = 0; i < FIELD_COUNT(named_values); i++)
		if (named_values[i].row == row)
			add_word(o, named_values[i].words);
	if (o->words[0])
		o->kind = COMPLETE_LIST;
	else
		by_value_name(o, o->value_name);
}

void complete_ours(size_t i, struct complete_option *o)
{
	const struct field *f = &options_table.rows[i];

	memset(o, 0, sizeof(*o));
	o->key = f->name;
	o->letter = f->letter;
	field_option(f, o->names[0], sizeof(o->names[0]));
	options_value_name(f, o->value_name, sizeof(o->value_name));
	options_describe_short(f, o->help, sizeof(o->help));
	if (o->value_name[0])
		set_value(o, f);
}

void complete_theirs(size_t i, struct complete_option *o)
{
	const struct perftest_option *p = &perftest_options[i];
	const bool ours = p->drop == PERFTEST_SETS;

	memset(o, 0, sizeof(*o));
	o->key = p->name;
	o->letter = p->letter;
	snprintf(o->names[0], sizeof(o->names[0]), "%s", p->name);
	snprintf(o->names[1], sizeof(o->names[1]), "%s", p->also ? p->also : "");
	if (ours)
		options_describe_short(&options_table.rows[p->row], o->help, sizeof(o->help));
	if (p->value == PERFTEST_FLAG)
		return;
	snprintf(o->value_name, sizeof(o->value_name), "VALUE");
	o->kind = COMPLETE_TEXT;
	if (p->value == PERFTEST_WORD && p->words) {
		o->kind = COMPLETE_WORDS;
		for (const struct perftest_word *w = p->words; w->theirs; w++)
			if (!ours || w->ours)
				add_word(o, w->theirs);
	} else if (ours && p->row == CFG_ROW_device) {
		o->kind = COMPLETE_DEVICE;
	} else if (strstr(p->name, "file")) {
		o->kind = COMPLETE_FILE;
	}
}

bool complete_takes_theirs(size_t i, enum test test)
{
	return perftest_options[i].drop != PERFTEST_NEVER &&
	       perftest_has_effect(&perftest_options[i], test);
}

bool complete_has_options(const struct command *cmd)
{
	return cmd->usage != NULL;
}

const char *complete_operands(const struct command *cmd)
{
	static const char *const operands[][2] = {
		{ "compare-completion", "host" },
		{ "copy", "file host" },
		{ "help", "command" },
		{ "key", "file" },
		{ "list", "xml" },
		{ "report", "file" },
		{ "run", "scenario file host" },
	};

	for (size_t i = 0; i < FIELD_COUNT(operands); i++)
		if (!strcmp(operands[i][0], cmd->name))
			return operands[i][1];
	if (complete_has_options(cmd) &&
	    (cmd->options == OPTIONS_TEST || cmd->options == OPTIONS_SETUP ||
	     cmd->options == OPTIONS_CHECK))
		return "host";
	return "";
}

static void put_programs(FILE *out)
{
	const struct command *cmd;

	for (size_t i = 0; (cmd = commands_at(i)); i++)
		if (cmd->has_program)
			fprintf(out, "%svb_%s", i ? " " : "", cmd->name);
	for (size_t i = 0; kind_test_names[i]; i++)
		fprintf(out, " ib_%s", kind_test_names[i]);
}

int complete_script(FILE *out, FILE *in, void (*tables)(FILE *))
{
	static const char programs[] = "@programs@";
	bool has_tables = false;
	char line[1024];

	while (fgets(line, sizeof(line), in)) {
		char *mark = strstr(line, programs);

		if (!strcmp(line, "#@tables@\n")) {
			tables(out);
			has_tables = true;
		} else if (mark) {
			fprintf(out, "%.*s", (int)(mark - line), line);
			put_programs(out);
			fputs(mark + strlen(programs), out);
		} else {
			fputs(line, out);
		}
	}
	if (!has_tables)
		return err_set(-EBADMSG, "no line \"#@tables@\" in the script of completion");
	return 0;
}
