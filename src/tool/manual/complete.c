/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns what shells complete, made from the tables, and how each shell has it: see manual.h. */
#include "config.h"
#include "manual/manual.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "commands/commands.h"
#include "objects/measure.h"
#include "options/perftest.h"
#include "row/row.h"
#include "util/err.h"

/* What follows an option. */
enum kind_of_value {
	VALUE_NONE,
	VALUE_WORDS,  /* one of words */
	VALUE_LIST,   /* some of words, with commas */
	VALUE_FILE,
	VALUE_FOLDER,
	VALUE_DEVICE, /* an RDMA device of this node */
	VALUE_TEXT    /* nothing that is known here */
};

#define WORDS_TEXT 8192

struct option {
	const char *key;        /* names the option among those of its table */
	char letter;            /* 0: none */
	char names[2][64];      /* long names; the second may be "" */
	char value_name[FIELD_TEXT_MAX];
	char help[OPTIONS_TEXT];
	enum kind_of_value kind;
	char words[WORDS_TEXT]; /* with a blank between them */
};

/* ---- options */

static void add_word(struct option *o, const char *word)
{
	const size_t len = strlen(o->words);

	snprintf(o->words + len, sizeof(o->words) - len, "%s%s", len ? " " : "", word);
}

static void add_words(struct option *o, const char *const *words)
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

/* What stands for the value in the help says what it is. */
static void by_value_name(struct option *o, const char *name)
{
	if (strstr(name, "FILE"))
		o->kind = VALUE_FILE;
	else if (!strncmp(name, "DIR", 3))
		o->kind = VALUE_FOLDER;
	else if (!strncmp(name, "COLUMN", 6) || !strncmp(name, "TEST", 4))
		o->kind = VALUE_LIST;
	for (size_t i = 0; i < row_table.n && !strncmp(name, "COLUMN", 6); i++)
		if (row_table.rows[i].flags & FIELD_COLUMN)
			add_word(o, row_table.rows[i].name);
	if (!strncmp(name, "TEST", 4))
		add_words(o, kind_test_names);
}

/* The values of an option that takes one. */
static void set_value(struct option *o, const struct field *f)
{
	const enum cfg_row row = (enum cfg_row)(f - options_table.rows);
	char number[24];

	o->kind = VALUE_TEXT;
	if (f->names) {
		o->kind = VALUE_LIST;
		add_words(o, f->names);
		return;
	}
	if (row == CFG_ROW_device || row == CFG_ROW_peer_device) {
		o->kind = VALUE_DEVICE;
		return;
	}
	if (row == CFG_ROW_only) {
		o->kind = VALUE_LIST;
		for (uint32_t i = 0; i < measure_n; i++)
			add_word(o, measure_table[i].name);
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
		o->kind = VALUE_LIST;
	else
		by_value_name(o, o->value_name);
}

/* Row i of options.def. */
static void get_ours(size_t i, struct option *o)
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

/* Row i of perftest.def, as the drop-in programs take it. */
static void get_theirs(size_t i, struct option *o)
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
	o->kind = VALUE_TEXT;
	if (p->value == PERFTEST_WORD && p->words) {
		o->kind = VALUE_WORDS;
		for (const struct perftest_word *w = p->words; w->theirs; w++)
			if (!ours || w->ours)
				add_word(o, w->theirs);
	} else if (ours && p->row == CFG_ROW_device) {
		o->kind = VALUE_DEVICE;
	} else if (strstr(p->name, "file")) {
		o->kind = VALUE_FILE;
	}
}

/* ---- programs */

/* A command of verbench, or the drop-in program of a test. */
struct program {
	const char *prefix, *name;
	const struct command *cmd;   /* NULL: a drop-in program */
	enum test test;
	const char *operands;        /* "file host": what they are; "" it takes none */
};

static const char *operands_of(const struct command *cmd)
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
	if (cmd->usage && (cmd->options == OPTIONS_TEST || cmd->options == OPTIONS_SETUP ||
			   cmd->options == OPTIONS_CHECK))
		return "host";
	return "";
}

/* Program i, the commands first; false: there are not so many. */
static bool program_at(size_t i, struct program *program)
{
	const struct command *cmd;
	size_t n = 0;

	while ((cmd = commands_at(n)) && n < i)
		n++;
	if (cmd) {
		*program = (struct program){ "", cmd->name, cmd, cmd->test, operands_of(cmd) };
		return true;
	}
	if (!kind_test_names[i - n])
		return false;
	*program = (struct program){
		"ib_", kind_test_names[i - n], NULL, (enum test)(i - n), "host",
	};
	return true;
}

static bool takes(const struct program *program, size_t i)
{
	if (program->cmd)
		return program->cmd->usage && options_concern(&options_table.rows[i],
							      program->cmd->options,
							      program->test);
	return perftest_options[i].drop < PERFTEST_IDLE &&
	       perftest_has_effect(&perftest_options[i], program->test);
}

/* Calls put for each option that the program takes; n counts them from 0. */
static void each_option(FILE *out, const struct program *program,
			void (*put)(FILE *out, const struct option *option, size_t n))
{
	const size_t n_options = program->cmd ? options_table.n : perftest_n_options;
	struct option option;

	for (size_t i = 0, n = 0; i < n_options; i++) {
		if (!takes(program, i))
			continue;
		if (program->cmd)
			get_ours(i, &option);
		else
			get_theirs(i, &option);
		put(out, &option, n++);
	}
}

/* The functions of a shell that tell what follows an option: of ours, and of perftest's. */
static void put_all(FILE *out, const char *const names[2],
		    void (*put)(FILE *out, const struct option *option))
{
	struct option option;

	fprintf(out, "\n%s\n{\n\tcase $1 in\n", names[0]);
	for (size_t i = 0; i < options_table.n; i++) {
		get_ours(i, &option);
		put(out, &option);
	}
	fprintf(out, "\tesac\n}\n\n%s\n{\n\tcase $1 in\n", names[1]);
	for (size_t i = 0; i < perftest_n_options; i++) {
		get_theirs(i, &option);
		if (perftest_options[i].drop < PERFTEST_IDLE)
			put(out, &option);
	}
	fprintf(out, "\tesac\n}\n");
}

void complete_programs(FILE *out)
{
	struct program p;

	for (size_t i = 0; program_at(i, &p); i++)
		if (!p.cmd || p.cmd->has_program)
			fprintf(out, "%s%s%s", i ? " " : "", p.cmd ? "vb_" : p.prefix, p.name);
}

/* ---- bash: functions of one "case" each */

/* "-d,--device": the ways to write an option. */
static void put_names(FILE *out, const struct option *o, const char *between)
{
	if (o->letter)
		fprintf(out, "-%c%s", o->letter, between);
	fprintf(out, "--%s", o->names[0]);
	if (o->names[1][0])
		fprintf(out, "%s--%s", between, o->names[1]);
}

static void put_value(FILE *out, const struct option *o)
{
	static const char *const kinds[] = {
		[VALUE_NONE] = "flag", [VALUE_WORDS] = "words", [VALUE_LIST] = "list",
		[VALUE_FILE] = "file", [VALUE_FOLDER] = "folder", [VALUE_DEVICE] = "device",
		[VALUE_TEXT] = "text",
	};

	fputc('\t', out);
	put_names(out, o, " | ");
	fprintf(out, ") echo '%s%s%s' ;;\n", kinds[o->kind], o->words[0] ? " " : "", o->words);
}

static void put_ways(FILE *out, const struct option *o, size_t n)
{
	fputs(n ? " " : "", out);
	put_names(out, o, ",");
}

void complete_bash(FILE *out)
{
	static const char *const values[] = {
		"_verbench_value()\t# option", "_verbench_ib_value()\t# option",
	};
	struct program p;

	fprintf(out, "_verbench_commands='");
	for (size_t i = 0; program_at(i, &p) && p.cmd; i++)
		fprintf(out, "%s%s", i ? " " : "", p.name);
	fprintf(out, "'\n\n_verbench_options()\t# command\n{\n\tcase $1 in\n");
	for (size_t i = 0; program_at(i, &p); i++) {
		if (p.cmd && !p.cmd->usage)
			continue;
		fprintf(out, "\t%s%s) echo '", p.prefix, p.name);
		each_option(out, &p, put_ways);
		fprintf(out, "' ;;\n");
	}
	fprintf(out, "\tesac\n}\n");
	put_all(out, values, put_value);
	fprintf(out, "\n_verbench_operands()\t# command\n{\n\tcase $1 in\n\tib_*) echo host ;;\n");
	for (size_t i = 0; program_at(i, &p) && p.cmd; i++)
		if (p.operands[0])
			fprintf(out, "\t%s) echo '%s' ;;\n", p.name, p.operands);
	fprintf(out, "\tesac\n}\n");
}

/* ---- zsh: specs of _arguments (zshcompsys(1)), one or more per option */

/* Inside of single quotes; special: what needs a backslash there. */
static void put_quoted(FILE *out, const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\'", out);
		else if (strchr(special, *text))
			fputc('\\', out);
		fputc(*text, out);
	}
}

/* ":NAME: action": what follows the option. */
static void put_action(FILE *out, const struct option *o)
{
	static const char *const actions[] = {
		[VALUE_WORDS] = " compadd -",
		[VALUE_LIST] = " _verbench_list",
		[VALUE_FILE] = "_files",
		[VALUE_FOLDER] = "_files -/",
		[VALUE_DEVICE] = " _verbench_devices",
		[VALUE_TEXT] = " ",
	};

	if (o->kind == VALUE_NONE)
		return;
	fputc(':', out);
	put_quoted(out, o->value_name, ":\\");
	fprintf(out, ":%s%s%s", actions[o->kind], o->words[0] ? " " : "", o->words);
}

/* '(-d --device)--device=[help]:NAME:action' */
static void put_spec(FILE *out, const struct option *o, const char *name)
{
	const bool letter = name[1] != '-';

	fprintf(out, "\t\t'(");
	if (o->letter)
		fprintf(out, "-%c ", o->letter);
	fprintf(out, "--%s", o->names[0]);
	if (o->names[1][0])
		fprintf(out, " --%s", o->names[1]);
	fprintf(out, ")%s%s", name, o->kind == VALUE_NONE ? "" : letter ? "+" : "=");
	if (o->help[0]) {
		fputc('[', out);
		put_quoted(out, o->help, "[]\\");
		fputc(']', out);
	}
	put_action(out, o);
	fprintf(out, "'\n");
}

static void put_specs(FILE *out, const struct option *o)
{
	char name[sizeof(o->names[0]) + 2];

	fprintf(out, "\t%s) specs+=(\n", o->key);
	if (o->letter) {
		snprintf(name, sizeof(name), "-%c", o->letter);
		put_spec(out, o, name);
	}
	for (int i = 0; i < 2 && o->names[i][0]; i++) {
		snprintf(name, sizeof(name), "--%s", o->names[i]);
		put_spec(out, o, name);
	}
	fprintf(out, "\t) ;;\n");
}

static void put_key(FILE *out, const struct option *o, size_t n)
{
	(void)n;
	fprintf(out, " %s", o->key);
}

void complete_zsh(FILE *out)
{
	static const char *const specs[] = {
		"_verbench_spec()\t# key", "_verbench_ib_spec()\t# key",
	};
	struct program p;

	fprintf(out, "_verbench_commands=(\n");
	for (size_t i = 0; program_at(i, &p) && p.cmd; i++) {
		fprintf(out, "\t'");
		put_quoted(out, p.name, ":\\");
		fputc(':', out);
		put_quoted(out, p.cmd->help, ":\\");
		fprintf(out, "'\n");
	}
	fprintf(out, ")\n\n# Sets keys, the options of a command, and operands.\n"
		     "_verbench_takes()\t# command\n{\n\tcase $1 in\n");
	for (size_t i = 0; program_at(i, &p); i++) {
		fprintf(out, "\t%s%s)\n\t\toperands=(%s)\n\t\tkeys=(", p.prefix, p.name, p.operands);
		each_option(out, &p, put_key);
		fprintf(out, ") ;;\n");
	}
	fprintf(out, "\tesac\n}\n");
	put_all(out, specs, put_specs);
}
