/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the rows of the subcommands. Called by main.c. */
#include "config.h"
#include "commands/commands.h"

#include <string.h>

static const struct command rows[] = {
	{ "send_bw", test_command, OPTS_TEST, TEST_SEND_BW, "bandwidth of send" },
	{ "send_lat", test_command, OPTS_TEST, TEST_SEND_LAT, "latency of send" },
	{ "write_bw", test_command, OPTS_TEST, TEST_WRITE_BW, "bandwidth of RDMA write" },
	{ "write_lat", test_command, OPTS_TEST, TEST_WRITE_LAT, "latency of RDMA write" },
	{ "read_bw", test_command, OPTS_TEST, TEST_READ_BW, "bandwidth of RDMA read" },
	{ "read_lat", test_command, OPTS_TEST, TEST_READ_LAT, "latency of RDMA read" },
	{ "atomic_bw", test_command, OPTS_TEST, TEST_ATOMIC_BW,
	  "rate of compare-and-swap or fetch-and-add" },
	{ "atomic_lat", test_command, OPTS_TEST, TEST_ATOMIC_LAT,
	  "latency of compare-and-swap or fetch-and-add" },
	{ "serve", serve_command, OPTS_SERVE, TEST_SEND_BW,
	  "serve any number of clients and every test" },
	{ "list", list_command, OPTS_LIST, TEST_SEND_BW, "list the RDMA devices" },
	{ "place", place_command, OPTS_PLACE, TEST_SEND_BW,
	  "show where measuring threads and their memory would be" },
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

const struct command *commands_find(const char *name)
{
	for (size_t i = 0; i < N_ROWS; i++) {
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	}
	return NULL;
}

bool commands_has_program(const struct command *cmd)
{
	return cmd->options == OPTS_TEST;
}

void commands_print(FILE *out)
{
	fprintf(out, "Usage: verbench COMMAND [OPTIONS] [HOST]\n\n"
		     "Measures RDMA verbs between two nodes. Start \"verbench serve\" on one node. On the other node\n"
		     "start a test; HOST is the name of the first node.\n\nCommands:\n");
	for (size_t i = 0; i < N_ROWS; i++)
		fprintf(out, "  %-12s%s\n", rows[i].name, rows[i].help);
	fprintf(out, "\n\"verbench COMMAND --help\" prints the options of the command. vb_send_bw is another name of\n"
		     "\"verbench send_bw\", and so for every test.\n");
}
