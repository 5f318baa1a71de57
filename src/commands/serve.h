/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The server: one loop that accepts connections, and one process for each session. Verbs objects
 * are opened in the child after the fork; the parent never touches verbs.
 */
#ifndef SERVE_H
#define SERVE_H

#include "config/cfg.h"
#include "commands/serve_processes.h"

/*
 * Returns the exit status (enum command_exit). After signals_init(). Port 0: any; the log line
 * "waiting for a client" names it.
 */
int serve_run(const struct cfg *cfg, enum serve_for how_many);

/*
 * The same for one client, but printer prints its session, and nothing is logged that is no error.
 */
int serve_one(const struct cfg *cfg, const struct serve_printer *printer);

#endif
