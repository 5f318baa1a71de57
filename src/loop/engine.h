/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The measured loops, instantiated for every row of kinds.def, found by kind and role. */
#ifndef ENGINE_H
#define ENGINE_H

#include "config/kind.h"

struct worker;

enum engine_role {
	ENGINE_STREAM_TX,
	ENGINE_STREAM_RX,   /* opcodes that take a receive only */
	ENGINE_STREAM_BOTH, /* likewise */
	ENGINE_PING,
	ENGINE_PONG,
	ENGINE_PROBE,
	ENGINE_PASSIVE,     /* one-sided target: no loop */
	ENGINE_ROLES
};

/*
 * 0 when it ran to its end, -ECANCELED after STATE_LEAVE, else -EIO with worker->fail.
 * Timed region: the call.
 */
typedef int engine_loop(struct worker *worker);

/* NULL: no such loop (kind_refusal says why), or nothing to run (ENGINE_PASSIVE). */
engine_loop *engine_find(struct kind k, enum engine_role role);

/* Which role a side plays. */
enum engine_role engine_role(enum test test, struct kind k, enum side side, bool bidir);

#endif
