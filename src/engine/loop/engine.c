/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Functions and table are made from the same rows of kinds.def, so they cannot disagree. Built with
 * -fno-ipa-icf so that a profile names the loop that ran, not a twin of the same code.
 */
#include "config.h"

#include "loop/engine.h"

#include "loop/loops_lat.h"
#include "loop/loops_paced.h"
#include "loop/loops_stream.h"

/* S: what is shared. */
#define K(T, O, S) \
	((struct loops_kind){ .tp = TP_##T, .op = OP_##O, .sharing = SHARING_##S })
#define NAME(body, T, O) body##_##T##_##O
#define LOOP(body, T, O, call) \
	static int NAME(body, T, O)(struct worker *w) { return call; }

/* The clock is chosen once, not twice a sample. */
#define CLOCKED(body, k) (clock_counter_on ? body(w, k, true) : body(w, k, false))

/* The sending side of a test with one QP has a kind without it: plan_side_kind(). */
#define KIND(T, O) \
	LOOP(tx, T, O, loops_stream(w, K(T, O, NONE), LOOPS_TX)) \
	LOOP(rx, T, O, loops_stream(w, K(T, O, NONE), LOOPS_RX)) \
	LOOP(both, T, O, loops_stream(w, K(T, O, NONE), LOOPS_BOTH)) \
	LOOP(ping, T, O, CLOCKED(loops_ping, K(T, O, NONE))) \
	LOOP(pong, T, O, loops_pong(w, K(T, O, NONE))) \
	LOOP(probe, T, O, CLOCKED(loops_probe, K(T, O, NONE))) \
	LOOP(tx_srq, T, O, loops_stream(w, K(T, O, SRQ), LOOPS_TX)) \
	LOOP(rx_srq, T, O, loops_stream(w, K(T, O, SRQ), LOOPS_RX)) \
	LOOP(both_srq, T, O, loops_stream(w, K(T, O, SRQ), LOOPS_BOTH)) \
	LOOP(ping_srq, T, O, CLOCKED(loops_ping, K(T, O, SRQ))) \
	LOOP(pong_srq, T, O, loops_pong(w, K(T, O, SRQ))) \
	LOOP(paced_tx, T, O, loops_stream_paced(w, K(T, O, NONE), LOOPS_TX)) \
	LOOP(paced_both, T, O, loops_stream_paced(w, K(T, O, NONE), LOOPS_BOTH)) \
	LOOP(paced_ping, T, O, loops_ping_paced(w, K(T, O, NONE))) \
	LOOP(paced_probe, T, O, loops_probe_paced(w, K(T, O, NONE))) \
	LOOP(paced_tx_srq, T, O, loops_stream_paced(w, K(T, O, SRQ), LOOPS_TX)) \
	LOOP(paced_both_srq, T, O, loops_stream_paced(w, K(T, O, SRQ), LOOPS_BOTH)) \
	LOOP(paced_ping_srq, T, O, loops_ping_paced(w, K(T, O, SRQ))) \
	LOOP(rx_one, T, O, loops_stream(w, K(T, O, ONE_QP), LOOPS_RX)) \
	LOOP(pong_one, T, O, loops_pong(w, K(T, O, ONE_QP)))
#include "options/kinds.def"
#undef KIND

/*
 * kind_takes_recv(), kind_takes_response() and kind_is_datagram() as constant expressions, so that
 * the compiler does not instantiate what a row does not need.
 */
enum {
#define OPCODE(O, NAME, FAMILY, CODE, ACCESS, RECEIVE, ...) \
	TAKES_RECV_##O = RECEIVE_##RECEIVE != RECEIVE_NOTHING, \
	RESPONSE_##O = ACCESS_TAKES_RESPONSE(ACCESS_##ACCESS),
#include "options/opcodes.def"
#undef OPCODE
#define TRANSPORT(T, NAME, SENDER, RELIABLE, NAMES, ...) \
	IS_DATAGRAM_##T = NAMES_##NAMES == NAMES_QP,
#include "options/transports.def"
#undef TRANSPORT
};
#define RECV(O, f) (TAKES_RECV_##O ? f : NULL)
#define RECV_ONE(T, O, f) (TAKES_RECV_##O && IS_DATAGRAM_##T ? f : NULL)
#define PINGS(O, f) (RESPONSE_##O ? NULL : f)
#define PROBES(O, f) (RESPONSE_##O ? f : NULL)

static engine_loop *const table[TP_COUNT][OP_COUNT][SHARING_COUNT][ROLE_COUNT] = {
#define KIND(T, O) \
	[TP_##T][OP_##O] = { \
		[SHARING_NONE] = { \
			[ROLE_STREAM_TX] = NAME(tx, T, O), \
			[ROLE_STREAM_RX] = RECV(O, NAME(rx, T, O)), \
			[ROLE_STREAM_BOTH] = RECV(O, NAME(both, T, O)), \
			[ROLE_PING] = PINGS(O, NAME(ping, T, O)), \
			[ROLE_PONG] = PINGS(O, NAME(pong, T, O)), \
			[ROLE_PROBE] = PROBES(O, NAME(probe, T, O)), \
		}, \
		[SHARING_SRQ] = { \
			[ROLE_STREAM_TX] = RECV(O, NAME(tx_srq, T, O)), \
			[ROLE_STREAM_RX] = RECV(O, NAME(rx_srq, T, O)), \
			[ROLE_STREAM_BOTH] = RECV(O, NAME(both_srq, T, O)), \
			[ROLE_PING] = RECV(O, NAME(ping_srq, T, O)), \
			[ROLE_PONG] = RECV(O, NAME(pong_srq, T, O)), \
		}, \
		[SHARING_ONE_QP] = { \
			[ROLE_STREAM_RX] = RECV_ONE(T, O, NAME(rx_one, T, O)), \
			[ROLE_PONG] = RECV_ONE(T, O, NAME(pong_one, T, O)), \
		}, \
	},
#include "options/kinds.def"
#undef KIND
};

/* Of the roles that initiate; a server with one QP never does. */
static engine_loop *const paced_table[TP_COUNT][OP_COUNT][SHARING_COUNT][ROLE_COUNT] = {
#define KIND(T, O) \
	[TP_##T][OP_##O] = { \
		[SHARING_NONE] = { \
			[ROLE_STREAM_TX] = NAME(paced_tx, T, O), \
			[ROLE_STREAM_BOTH] = RECV(O, NAME(paced_both, T, O)), \
			[ROLE_PING] = PINGS(O, NAME(paced_ping, T, O)), \
			[ROLE_PROBE] = PROBES(O, NAME(paced_probe, T, O)), \
		}, \
		[SHARING_SRQ] = { \
			[ROLE_STREAM_TX] = RECV(O, NAME(paced_tx_srq, T, O)), \
			[ROLE_STREAM_BOTH] = RECV(O, NAME(paced_both_srq, T, O)), \
			[ROLE_PING] = RECV(O, NAME(paced_ping_srq, T, O)), \
		}, \
	},
#include "options/kinds.def"
#undef KIND
};

engine_loop *engine_find(struct kind k, enum role role, bool paced)
{
	if (paced && role_initiates(role))
		return paced_table[kind_loops(k.tp)][k.op][k.sharing][role];
	return table[kind_loops(k.tp)][k.op][k.sharing][role];
}
