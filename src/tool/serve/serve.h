/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room serve: the server of "verbench serve" and of a test without a host, its processes.
 *
 * This header: the server: one loop that accepts connections, and one process for each session.
 * Verbs objects are opened in the child after the fork; the parent never touches verbs.
 */
#ifndef SERVE_H
#define SERVE_H

#include "frame/command.h"
#include "options/cfg.h"
#include "serve/serve_child.h"

/*
 * Returns the exit status (enum command_exit). After signals_init(). Port 0: any; the log line
 * "waiting for a client" names it. printer: prints the session of the one client, and only errors
 * are logged; or NULL.
 */
int serve_run(const struct cfg *cfg, enum serve_for how_many, const struct serve_printer *printer);

/* The command "serve". */
int serve_command(const struct command *cmd, const struct command_line *line);

#endif
