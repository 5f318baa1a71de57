/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The loops that sample latency, compiled once more: each sample is also kept (kept.h). So the
 * loops of engine.c have no part of it.
 */
#include "config.h"

#include "loop/engine.h"

#include "loop/loops_lat.h"
#include "loop/loops_paced.h"

#define K(T, O, S) \
	((struct loops_kind){ .tp = TP_##T, .op = OP_##O, .sharing = SHARING_##S, .kept = true })
#define NAME(body, T, O) kept_##body##_##T##_##O
#define LOOP(body, T, O, call) \
	static int NAME(body, T, O)(struct worker *w) { return call; }
#define CLOCKED(body, k) (clock_counter_on ? body(w, k, true) : body(w, k, false))

#define KIND(T, O) \
	LOOP(ping, T, O, CLOCKED(loops_ping, K(T, O, NONE))) \
	LOOP(probe, T, O, CLOCKED(loops_probe, K(T, O, NONE))) \
	LOOP(ping_srq, T, O, CLOCKED(loops_ping, K(T, O, SRQ))) \
	LOOP(paced_ping, T, O, loops_ping_paced(w, K(T, O, NONE))) \
	LOOP(paced_probe, T, O, loops_probe_paced(w, K(T, O, NONE))) \
	LOOP(paced_ping_srq, T, O, loops_ping_paced(w, K(T, O, SRQ)))
#include "options/kinds.def"
#undef KIND

/* As in engine.c: what a row does not need is not instantiated. */
enum {
#define OPCODE(O, NAME, FAMILY, CODE, ACCESS, RECEIVE, ...) \
	TAKES_RECV_##O = RECEIVE_##RECEIVE != RECEIVE_NOTHING, \
	RESPONSE_##O = ACCESS_TAKES_RESPONSE(ACCESS_##ACCESS),
#include "options/opcodes.def"
#undef OPCODE
};

/* By paced. */
static engine_loop *const table[2][TP_COUNT][OP_COUNT][SHARING_COUNT] = {
#define LOOPS(T, O, paced) \
	[SHARING_NONE] = RESPONSE_##O ? NAME(paced##probe, T, O) : NAME(paced##ping, T, O), \
	[SHARING_SRQ] = TAKES_RECV_##O ? NAME(paced##ping_srq, T, O) : NULL,
#define KIND(T, O) \
	[0][TP_##T][OP_##O] = { LOOPS(T, O, ) }, \
	[1][TP_##T][OP_##O] = { LOOPS(T, O, paced_) },
#include "options/kinds.def"
#undef KIND
};

engine_loop *engine_find_kept(struct kind k, bool paced)
{
	return table[paced][kind_loops(k.tp)][k.op][k.sharing];
}
