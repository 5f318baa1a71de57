/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder serve: the server of "verbench serve" and of a test without a host, its processes.
 *
 * This header: the server: one loop that accepts connections, and one process for each session.
 * Verbs objects are opened in the child after the fork; the parent never touches verbs.
 */
#ifndef SERVE_H
#define SERVE_H

#include "command/command.h"
#include "config/cfg.h"
#include "serve/serve_processes.h"

/*
 * Returns the exit status (enum command_exit). After signals_init(). Port 0: any; the log line
 * "waiting for a client" names it.
 */
int serve_run(const struct cfg *cfg, enum serve_for how_many);

/*
 * The same for one client, but printer prints its session, and nothing is logged that is no error.
 */
int serve_one(const struct cfg *cfg, const struct serve_printer *printer);

/* The command "serve". */
int serve_command(const struct command *cmd, const struct command_line *line);

#endif
