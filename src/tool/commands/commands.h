/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room commands: the subcommands that have no room of their own, and the table of all of them.
 *
 * This header: the table of subcommands. A new one is a row in commands.c, its function here, and
 * its file.
 */
#ifndef COMMANDS_H
#define COMMANDS_H

#include <stdbool.h>
#include <stdio.h>

#include "frame/command.h"

/* The commands in their order, from 0; NULL: there are not so many. */
const struct command *commands_at(size_t i);

/* NULL: there is no such command. */
const struct command *commands_find(const char *name);

/* As above, but an error names what is no command. */
const struct command *commands_need(const char *name);

/* Usage of "verbench" and one line for each command. */
void commands_print(FILE *out);

/* The functions of the rows. */
int test_command(const struct command *cmd, const struct command_line *line);
int test_pingpong(const struct command *cmd, const struct command_line *line);
int copy_command(const struct command *cmd, const struct command_line *line);
int setup_command(const struct command *cmd, const struct command_line *line);
void setup_help(FILE *out);
int list_command(const struct command *cmd, const struct command_line *line);
int commands_key(const struct command *cmd, const struct command_line *line);
int mesh_command(const struct command *cmd, const struct command_line *line);
int topology_place(const struct command *cmd, const struct command_line *line);
int commands_help(const struct command *cmd, const struct command_line *line);
int commands_version(const struct command *cmd, const struct command_line *line);
int commands_perftest_path(const struct command *cmd, const struct command_line *line);

/*
 * Measures what cfg asks for against the server on cfg->host, and reports it. Returns the exit
 * status. After command_start(). test.c
 */
int test_client(const struct cfg *cfg);

/*
 * list --topology: prints where each RDMA device is in the machine, or the machine as XML. With
 * HWLOC_XMLFILE it is the machine of that file, and verbs is not asked. Returns the exit status; an
 * error is logged. topology.c
 */
int topology_list(FILE *out, bool as_xml);

/* What is printed to out goes to standard output at the end, its lines folded to the screen. */
struct commands_screen {
	FILE *out;
	char *text;
	size_t len;
};

void commands_screen_open(struct commands_screen *screen);
void commands_screen_close(struct commands_screen *screen);

#endif
