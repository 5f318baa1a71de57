/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The versions of verbench, rdma-core and hwloc, and the providers that are installed. */
#ifndef VERSION_H
#define VERSION_H

struct command;
struct command_line;

/* What --version and "verbench version" print. */
void version_print(void);

/* The command "version". */
int version_command(const struct command *cmd, const struct command_line *line);

#endif
