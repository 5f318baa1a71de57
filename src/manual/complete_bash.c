/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The tables of complete.bash: functions of one "case" each. Called by gendoc. */
#include "config.h"
#include "manual/manual.h"

#include "commands/commands.h"
#include "manual/complete.h"

/* "-d,--device": the ways to write an option. */
static void put_names(FILE *out, const struct complete_option *o, const char *between)
{
	if (o->letter)
		fprintf(out, "-%c%s", o->letter, between);
	fprintf(out, "--%s", o->names[0]);
	if (o->names[1][0])
		fprintf(out, "%s--%s", between, o->names[1]);
}

static void put_value(FILE *out, const struct complete_option *o)
{
	fprintf(out, "\t");
	put_names(out, o, " | ");
	fprintf(out, ") echo '%s%s%s' ;;\n", complete_kind_names[o->kind], o->words[0] ? " " : "",
		o->words);
}

static void put_ours(FILE *out)
{
	const struct command *cmd;
	struct complete_option o;

	for (size_t c = 0; (cmd = commands_at(c)); c++) {
		if (!complete_has_options(cmd))
			continue;
		fprintf(out, "\t%s) echo '", cmd->name);
		for (size_t i = 0, n = 0; i < options_table.n; i++) {
			if (!options_concern(&options_table.rows[i], cmd->options, cmd->test))
				continue;
			complete_ours(i, &o);
			fprintf(out, "%s", n++ ? " " : "");
			put_names(out, &o, ",");
		}
		fprintf(out, "' ;;\n");
	}
}

static void put_theirs(FILE *out)
{
	struct complete_option o;

	for (size_t t = 0; kind_test_names[t]; t++) {
		fprintf(out, "\tib_%s) echo '", kind_test_names[t]);
		for (size_t i = 0, n = 0; i < perftest_n_options; i++) {
			if (!complete_takes_theirs(i, (enum test)t))
				continue;
			complete_theirs(i, &o);
			fprintf(out, "%s", n++ ? " " : "");
			put_names(out, &o, ",");
		}
		fprintf(out, "' ;;\n");
	}
}

static void put_operands(FILE *out)
{
	const struct command *cmd;

	fprintf(out, "\n_verbench_operands()\t# command\n{\n\tcase $1 in\n\tib_*) echo host ;;\n");
	for (size_t i = 0; (cmd = commands_at(i)); i++)
		if (complete_operands(cmd)[0])
			fprintf(out, "\t%s) echo '%s' ;;\n", cmd->name, complete_operands(cmd));
	fprintf(out, "\tesac\n}\n");
}

static void put_tables(FILE *out)
{
	const struct command *cmd;
	struct complete_option o;

	fprintf(out, "_verbench_commands='");
	for (size_t i = 0; (cmd = commands_at(i)); i++)
		fprintf(out, "%s%s", i ? " " : "", cmd->name);
	fprintf(out, "'\n\n_verbench_options()\t# command\n{\n\tcase $1 in\n");
	put_ours(out);
	put_theirs(out);
	fprintf(out, "\tesac\n}\n\n_verbench_value()\t# option\n{\n\tcase $1 in\n");
	for (size_t i = 0; i < options_table.n; i++) {
		complete_ours(i, &o);
		put_value(out, &o);
	}
	fprintf(out, "\tesac\n}\n\n_verbench_ib_value()\t# option\n{\n\tcase $1 in\n");
	for (size_t i = 0; i < perftest_n_options; i++) {
		complete_theirs(i, &o);
		if (perftest_options[i].drop != PERFTEST_NEVER)
			put_value(out, &o);
	}
	fprintf(out, "\tesac\n}\n");
	put_operands(out);
}

int manual_bash(FILE *out, FILE *in)
{
	return complete_script(out, in, put_tables);
}
