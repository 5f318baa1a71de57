/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room frame: what all subcommands share: their options, the way of results to outputs, the
 * exit status, and the start of the program.
 *
 * This header: a subcommand, and what all of them share: reading the options, starting what runs,
 * the exit status.
 */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdio.h>

#include "options/cfg.h"
#include "options/options.h"
#include "agree/session.h"
#include "read/condition.h"

/* Exit status of the program. */
enum command_exit {
	COMMAND_OK,       /* everything asked for was measured or printed */
	COMMAND_FAILED,   /* the run failed, or it is incomplete */
	COMMAND_REFUSED,  /* wrong usage, or a plan that cannot be run */
	COMMAND_UNEXPECTED, /* all was measured, and --expect is not met */
	COMMAND_UNSURE    /* all was measured, and the repeats do not show whether it is met */
};

struct command_line {
	int argc;         /* of the command: argv[0] is its name */
	char **argv;
	char **all;       /* argv of main(), to start the program again */
	const struct options_lists *lists; /* of the options of tests; NULL: they take none */
};

struct command {
	const char *name; /* "send_bw": the first word, or what follows "vb_" */
	/* Returns the exit status. Standard output is flushed by main(). */
	int (*run)(const struct command *cmd, const struct command_line *line);
	enum options_command options; /* the options that it takes */
	enum test test;   /* OPTIONS_TEST only */
	bool has_program; /* it also has a program name: vb_send_bw */
	const char *heading; /* in the list of commands, above this one; NULL: none */
	const char *help; /* one line */
	const char *usage; /* lines above the options in --help; "@" stands for name */
	void (*more_help)(FILE *out); /* lines between usage and options; NULL: none */
	/* sets texts by enum cfg_row, for free(): defaults other than those of the options */
	void (*defaults)(char *texts[]);
};

/*
 * Reads the options, prints --help or --version, and enters the emulated HCA when --soft is given.
 * True: *cfg is complete and the command goes on. False: *status is the exit status; an error was
 * printed. cfg's strings point into line.
 */
bool command_parse(const struct command *cmd, const struct command_line *line, struct cfg *cfg,
		   int *status) __attribute__((warn_unused_result));

/* Logs the error message of this thread, its options as they were typed. */
void command_error(const struct cfg *cfg);
/* Word i of the command, 0 is its name; NULL: there are not so many. */
const char *command_operand(const struct command_line *line, int i);

/* Usage and options of the command; all: also the options that few people need. */
void command_help(const struct command *cmd, bool all);

/* The usage of a command without options. */
void command_usage(const struct command *cmd);

/* Before anything is measured: clock and signals. 0, or the exit status; an error was printed. */
int command_start(void) __attribute__((warn_unused_result));

/* SESSION_NO_CLIENT and SESSION_PERFTEST are failures. */
int command_exit(enum session_end end);

/* After a measurement or a report: what came of --expect. */
int command_expected(enum expect_result result);

/* ---- program.c */

/*
 * --soft: starts this program again with the emulated HCA (libvb-softhca.so) preloaded. Returns 0
 * in the process that already runs with the library, else only on error: -errno with an error
 * message (-ENOENT: the library is not where it was installed or built). argv is main's.
 */
int program_enter_soft(char **argv) __attribute__((warn_unused_result));

/* Prints the versions of verbench, rdma-core and hwloc, and the providers that are installed. */
void program_version(void);

#endif
