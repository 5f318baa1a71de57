/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room manual: the man pages and the completion of shells, made from the tables of options,
 * commands, columns and of perftest's options. Only the build runs it (gendoc.c); it is no part of
 * the program.
 *
 * A man page is made from its template, docs/man/PAGE.in, or vb_test.1.in for the programs of the
 * tests. A template is mdoc(7). A line that begins with '@' stands for other lines:
 *
 *	@include FILE     the lines of FILE, of the same folder
 *	@only WORD ...    the lines until @end are there if the test has one of these words: send_bw
 *	                  has send_bw, send and bw
 *	@tests            the tests; @commands: the other commands
 *	@options          the options of the command of the page, with the headings of their groups
 *	@columns          the columns of rows; @setup-columns: of rows of setup
 *	@document         the keys of the JSON document
 *	@measurements     the measurements of setup
 *	@softhca FILE     the variables that the help in the script FILE describes
 *
 * In a line, @VERSION@ stands for the version, and in a page of a command @COMMAND@ for its name,
 * @TITLE@ for the name of the page in capitals, and @HELP@ for the one line of the command's help.
 */
#ifndef MANUAL_H
#define MANUAL_H

#include <stdbool.h>
#include <stdio.h>

#include "frame/command.h"

/* ---- lists.c: as input of mdoc(7) */

/*
 * The list of that name: tests, commands, columns, setup-columns, document, measurements, options.
 * cmd: of the options, with a heading for each group; NULL: the page is about no command. False:
 * there is no such list.
 */
bool lists_print(FILE *out, const char *name, const struct command *cmd);

/*
 * The variables of the emulated HCA from the help in its script. -errno with an error message: the
 * script cannot be read, or its help has no variable.
 */
int lists_softhca(FILE *out, const char *script) __attribute__((warn_unused_result));

/* ---- complete.c: what shells complete */

/* The tables in the scripts of completion: functions of one "case" each. */
void complete_bash(FILE *out);
void complete_zsh(FILE *out);

/* The names of the programs of tests and of the drop-in programs. */
void complete_programs(FILE *out);

#endif
