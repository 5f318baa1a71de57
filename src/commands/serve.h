/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Listening: one accept loop, a process per session (verbs objects are opened after the fork, the
 * parent never touches verbs).
 */
#ifndef SERVE_H
#define SERVE_H

#include <stdbool.h>

#include "config/cfg.h"

/*
 * One client: the first that says hello and sends a plan; the server leaves with its session's
 * status. Many: until SIGINT or SIGTERM; at most 16 sessions at a time.
 */
enum serve_for { SERVE_ONE_CLIENT, SERVE_MANY };

/*
 * Exit status of the program (design section 9). After signals_init(). Port 0: any, named in the
 * waiting line.
 */
int serve_run(const struct cfg *cfg, enum serve_for how_many);

#endif
