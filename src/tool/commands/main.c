/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Finds the command by the name of the program (vb_send_bw) or by its first word (verbench
 * send_bw), or the drop-in program by its name (ib_send_bw), runs it, flushes standard output and
 * exits. Must not know what a command does.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "frame/command.h"
#include "commands/commands.h"
#include "perftest/dropin.h"
#include "util/log.h"
#include "util/standard.h"

/* "verbench" and a word that is not a command. */
static int run_word(const char *word)
{
	if (!word) {
		commands_print(stderr);
		return COMMAND_REFUSED;
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
		commands_print(stdout);
		return COMMAND_OK;
	}
	if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
		program_version();
		return COMMAND_OK;
	}
	commands_need(word); /* says that it is none */
	return COMMAND_REFUSED;
}

static int dispatch(int argc, char **argv)
{
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	const char *name = slash ? slash + 1 : argc ? argv[0] : "";
	const struct command *cmd = strncmp(name, "vb_", 3) ? NULL : commands_find(name + 3);
	struct command_line line = { .argc = argc, .argv = argv, .all = argv };
	enum test test;

	if (dropin_find(name, &test))
		return dropin_main(name, test, argc, argv);
	if (cmd && cmd->has_program) {
		log_name(name);
		return cmd->run(cmd, &line);
	}
	cmd = argc > 1 ? commands_find(argv[1]) : NULL;
	if (!cmd)
		return run_word(argc > 1 ? argv[1] : NULL);
	line.argc--;
	line.argv++;
	return cmd->run(cmd, &line);
}

int main(int argc, char **argv)
{
	int status;

	if (standard_open())
		return COMMAND_FAILED;
	status = dispatch(argc, argv);

	/* results that did not reach the disk are no success */
	if (fflush(stdout) || ferror(stdout)) {
		log_error("standard output: not everything could be written");
		return status ? status : COMMAND_FAILED;
	}
	return status;
}
