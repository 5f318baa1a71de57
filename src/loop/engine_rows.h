/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What engine.c and engine_shared.c make their functions and tables of; see loops.h. */
#ifndef ENGINE_ROWS_H
#define ENGINE_ROWS_H

#include "loop/loops_lat.h"
#include "loop/loops_stream.h"
#include "plan/role.h"

/* S: what is shared. */
#define KS(T, O, C, S) \
	((struct kind){ .tp = TP_##T, .op = OP_##O, .cm = CM_##C, .sharing = SHARING_##S })
#define NAME(body, T, O, C) body##_##T##_##O##_##C
#define LOOP(body, T, O, C, call) \
	static int NAME(body, T, O, C)(struct worker *w) { return call; }

/* The clock is chosen once, not twice a sample. */
#define CLOCKED(body, k) (clock_counter_on ? body(w, k, true) : body(w, k, false))

/*
 * kind_takes_recv() and kind_fetches() as constant expressions, so that the compiler does not
 * instantiate what a row does not need.
 */
enum {
#define OPCODE(O, NAME, FAMILY, CODE, ACCESS, RECEIVE, ...) \
	TAKES_RECV_##O = RECEIVE_##RECEIVE != RECEIVE_NOTHING, \
	FETCHES_##O = ACCESS_##ACCESS == ACCESS_READ || ACCESS_##ACCESS == ACCESS_ATOMIC,
#include "config/opcodes.def"
#undef OPCODE
};
#define RECV(O, f) (TAKES_RECV_##O ? f : NULL)
#define PINGS(O, f) (FETCHES_##O ? NULL : f)
#define PROBES(O, f) (FETCHES_##O ? f : NULL)

/* engine_shared.c: engine_find() of the kinds with a shared receive queue. */
typedef int engine_shared_loop(struct worker *worker);
engine_shared_loop *engine_find_shared(struct kind k, enum role role);

#endif
