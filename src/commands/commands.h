/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder commands: one file per subcommand, and the table of all of them.
 *
 * This header: the table of subcommands. A new one is a row in commands.c, its function here, and
 * its file.
 */
#ifndef COMMANDS_H
#define COMMANDS_H

#include <stdio.h>

#include "command/command.h"

/* The commands in their order, from 0; NULL: there are not so many. */
const struct command *commands_at(size_t i);

/* NULL: there is no such command. */
const struct command *commands_find(const char *name);

/* As above, but an error names what is no command. */
const struct command *commands_need(const char *name);

/* Usage of "verbench" and one line for each command. */
void commands_print(FILE *out);

/* The functions of the rows, each in the file of that name. */
int test_command(const struct command *cmd, const struct command_line *line);
int pingpong_command(const struct command *cmd, const struct command_line *line);
int copy_command(const struct command *cmd, const struct command_line *line);
int setup_command(const struct command *cmd, const struct command_line *line);
void setup_help(FILE *out);
int list_command(const struct command *cmd, const struct command_line *line);
int key_command(const struct command *cmd, const struct command_line *line);
int place_command(const struct command *cmd, const struct command_line *line);
int commands_help(const struct command *cmd, const struct command_line *line);
int version_command(const struct command *cmd, const struct command_line *line);
int perftest_path_command(const struct command *cmd, const struct command_line *line);

#endif
