/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The measured loops, compiled for each row of kinds.def, found by kind and role. */
#ifndef ENGINE_H
#define ENGINE_H

#include "options/kind.h"
#include "decide/role.h"

struct worker;

/*
 * 0 when it ran to its end, -ECANCELED after STATE_LEAVE, else -EIO with worker->fail.
 * Timed region: the call.
 */
typedef int engine_loop(struct worker *worker);

/*
 * paced: of an open loop, if the role initiates; other roles have one loop. NULL: no such loop
 * (kind_refusal() has the reason), or nothing to run (ROLE_PASSIVE).
 */
engine_loop *engine_find(struct kind k, enum role role, bool paced);

/* Of a role that samples latency: the same loop, which also fills worker->kept. */
engine_loop *engine_find_kept(struct kind k, bool paced);

#endif
