/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Options and the limits of both sides into a plan. Pure. */
#ifndef PLAN_RESOLVE_H
#define PLAN_RESOLVE_H

#include "plan/plan.h"
#include "plan/plan_resolve.h"

/*
 * Fills *plan, for one test after another of a connection. -EINVAL if it cannot be run, with an
 * error message: the value, the range, the device that sets it. Never changes a value that the user
 * gave.
 */
int plan_resolve(struct plan *plan, const struct cfg *cfg, const struct limits *client,
		 const struct limits *server) __attribute__((warn_unused_result));

#endif
