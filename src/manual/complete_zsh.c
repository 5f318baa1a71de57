/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The tables of complete.zsh: specs of _arguments (zshcompsys(1)), one or more per option, and the
 * options of each command. Called by gendoc.
 */
#include "config.h"
#include "manual/manual.h"

#include <string.h>

#include "commands/commands.h"
#include "manual/complete.h"

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
static void put_action(FILE *out, const struct complete_option *o)
{
	static const char *const actions[] = {
		[COMPLETE_WORDS] = " compadd -",
		[COMPLETE_LIST] = " _verbench_list",
		[COMPLETE_FILE] = "_files",
		[COMPLETE_FOLDER] = "_files -/",
		[COMPLETE_DEVICE] = " _verbench_devices",
		[COMPLETE_TEXT] = " ",
	};

	if (o->kind == COMPLETE_FLAG)
		return;
	fputc(':', out);
	put_quoted(out, o->value_name, ":\\");
	fprintf(out, ":%s%s%s", actions[o->kind], o->words[0] ? " " : "", o->words);
}

/* '(-d --device)--device=[help]:NAME:action' */
static void put_spec(FILE *out, const struct complete_option *o, const char *name)
{
	const bool letter = name[1] != '-';

	fprintf(out, "\t\t'(");
	if (o->letter)
		fprintf(out, "-%c ", o->letter);
	fprintf(out, "--%s", o->names[0]);
	if (o->names[1][0])
		fprintf(out, " --%s", o->names[1]);
	fprintf(out, ")%s%s", name, o->kind == COMPLETE_FLAG ? "" : letter ? "+" : "=");
	if (o->help[0]) {
		fputc('[', out);
		put_quoted(out, o->help, "[]\\");
		fputc(']', out);
	}
	put_action(out, o);
	fprintf(out, "'\n");
}

static void put_specs(FILE *out, const struct complete_option *o)
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

static void put_commands(FILE *out)
{
	const struct command *cmd;

	fprintf(out, "_verbench_commands=(\n");
	for (size_t i = 0; (cmd = commands_at(i)); i++) {
		fprintf(out, "\t'");
		put_quoted(out, cmd->name, ":\\");
		fputc(':', out);
		put_quoted(out, cmd->help, ":\\");
		fprintf(out, "'\n");
	}
	fprintf(out, ")\n");
}

static void put_keys(FILE *out)
{
	const struct command *cmd;

	fprintf(out, "\n# Sets keys, the options of a command, and operands.\n"
		     "_verbench_takes()\t# command\n{\n\tcase $1 in\n");
	for (size_t c = 0; (cmd = commands_at(c)); c++) {
		fprintf(out, "\t%s)\n\t\toperands=(%s)\n\t\tkeys=(", cmd->name,
			complete_operands(cmd));
		for (size_t i = 0; i < options_table.n && complete_has_options(cmd); i++)
			if (options_concern(&options_table.rows[i], cmd->options, cmd->test))
				fprintf(out, " %s", options_table.rows[i].name);
		fprintf(out, ") ;;\n");
	}
	for (size_t t = 0; kind_test_names[t]; t++) {
		fprintf(out, "\tib_%s)\n\t\toperands=(host)\n\t\tkeys=(", kind_test_names[t]);
		for (size_t i = 0; i < perftest_n_options; i++)
			if (complete_takes_theirs(i, (enum test)t))
				fprintf(out, " %s", perftest_options[i].name);
		fprintf(out, ") ;;\n");
	}
	fprintf(out, "\tesac\n}\n");
}

static void put_tables(FILE *out)
{
	struct complete_option o;

	put_commands(out);
	put_keys(out);
	fprintf(out, "\n_verbench_spec()\t# key\n{\n\tcase $1 in\n");
	for (size_t i = 0; i < options_table.n; i++) {
		complete_ours(i, &o);
		put_specs(out, &o);
	}
	fprintf(out, "\tesac\n}\n\n_verbench_ib_spec()\t# key\n{\n\tcase $1 in\n");
	for (size_t i = 0; i < perftest_n_options; i++) {
		complete_theirs(i, &o);
		if (perftest_options[i].drop != PERFTEST_NEVER)
			put_specs(out, &o);
	}
	fprintf(out, "\tesac\n}\n");
}

int manual_zsh(FILE *out, FILE *in)
{
	return complete_script(out, in, put_tables);
}
