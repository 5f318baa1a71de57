/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder manual: the man pages and the completion of shells, made from the tables of options,
 * commands, columns and of perftest's options. Only the build runs it (src/gendoc.c); it is no part
 * of the program.
 *
 * This header: one man page from its template, docs/man/PAGE.in, or vb_test.1.in for the programs
 * of the tests. A template is mdoc(7). A line that begins with '@' stands for other lines:
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

#include <stdio.h>

/*
 * Prints the page ("vb_send_bw.1") from the templates in the folder. -errno with an error message:
 * no template of the page, or a line of it that is wrong.
 */
int manual_page(FILE *out, const char *folder, const char *page)
	__attribute__((warn_unused_result));

/*
 * Copies a script of completion from in to out, with its tables in place of the line "#@tables@".
 * -EBADMSG with an error message if it has no such line.
 */
int manual_bash(FILE *out, FILE *in) __attribute__((warn_unused_result));
int manual_zsh(FILE *out, FILE *in) __attribute__((warn_unused_result));

#endif
