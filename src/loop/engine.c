/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Functions and table are made from the same rows of kinds.def, so they cannot disagree. Built with
 * -fno-ipa-icf so that a profile names the loop that ran, not a twin of the same code.
 */
#include "config.h"

#include "loop/engine.h"

#include "loop/engine_rows.h"

#define K(T, O, C) KS(T, O, C, NONE)

#define KIND(T, O, C) \
	LOOP(tx, T, O, C, loops_stream(w, K(T, O, C), LOOPS_TX)) \
	LOOP(rx, T, O, C, loops_stream(w, K(T, O, C), LOOPS_RX)) \
	LOOP(both, T, O, C, loops_stream(w, K(T, O, C), LOOPS_BOTH)) \
	LOOP(ping, T, O, C, CLOCKED(loops_ping, K(T, O, C))) \
	LOOP(pong, T, O, C, loops_pong(w, K(T, O, C))) \
	LOOP(probe, T, O, C, CLOCKED(loops_probe, K(T, O, C)))
#include "config/kinds.def"
#undef KIND

static engine_loop *const table[TP_COUNT][OP_COUNT][CM_COUNT][ROLE_COUNT] = {
#define KIND(T, O, C) \
	[TP_##T][OP_##O][CM_##C] = { \
		[ROLE_STREAM_TX] = NAME(tx, T, O, C), \
		[ROLE_STREAM_RX] = RECV(O, NAME(rx, T, O, C)), \
		[ROLE_STREAM_BOTH] = RECV(O, NAME(both, T, O, C)), \
		[ROLE_PING] = PINGS(O, NAME(ping, T, O, C)), \
		[ROLE_PONG] = PINGS(O, NAME(pong, T, O, C)), \
		[ROLE_PROBE] = PROBES(O, NAME(probe, T, O, C)), \
	},
#include "config/kinds.def"
#undef KIND
};

engine_loop *engine_find(struct kind k, enum role role)
{
	if (k.sharing != SHARING_NONE)
		return engine_find_shared(k, role);
	return table[kind_loops(k.tp)][k.op][k.cm][role];
}
