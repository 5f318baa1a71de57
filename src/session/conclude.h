/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* How a plan ended, and which message about it the peer gets. */
#ifndef CONCLUDE_H
#define CONCLUDE_H

#include <stdbool.h>

#include "session/points.h"

/* Is rc a refusal? Before the plan is agreed, what is invalid is the plan. */
bool conclude_refuses(bool started, int rc);

/*
 * rc: what agree_*() or points_*() returned. Sends refuse or abort where the peer does not know
 * the error yet; err_text() stays the same. *alive: another message can follow on the connection.
 */
enum session_end conclude_plan(const struct points *p, int rc, bool *alive);

/*
 * The same for an rc that is an error. agrees: one for each of peers. started: the plan was agreed,
 * so nothing is refused.
 */
enum session_end conclude_error(const struct agree *agrees, const struct peers *peers, int rc,
				bool started, bool *alive);

#endif
