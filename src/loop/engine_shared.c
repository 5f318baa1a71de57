/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The loops of kinds with a shared receive queue, as engine.c has the others: an object of its own,
 * so that a profile tells them apart and both are compiled at the same time.
 */
#include "config.h"

#include "loop/engine_rows.h"

#define SRQ(T, O, C) KS(T, O, C, SRQ)
#define ONE(T, O, C) KS(T, O, C, ONE_QP)

/* The sending side of a test with one QP has a kind without it: plan_side_kind(). */
#define KIND(T, O, C) \
	LOOP(tx_srq, T, O, C, loops_stream(w, SRQ(T, O, C), LOOPS_TX)) \
	LOOP(rx_srq, T, O, C, loops_stream(w, SRQ(T, O, C), LOOPS_RX)) \
	LOOP(both_srq, T, O, C, loops_stream(w, SRQ(T, O, C), LOOPS_BOTH)) \
	LOOP(ping_srq, T, O, C, CLOCKED(loops_ping, SRQ(T, O, C))) \
	LOOP(pong_srq, T, O, C, loops_pong(w, SRQ(T, O, C))) \
	LOOP(rx_one, T, O, C, loops_stream(w, ONE(T, O, C), LOOPS_RX)) \
	LOOP(pong_one, T, O, C, loops_pong(w, ONE(T, O, C)))
#include "config/kinds.def"
#undef KIND

enum {
#define TRANSPORT(T, NAME, SENDER, RELIABLE, NAMES, ...) \
	IS_DATAGRAM_##T = NAMES_##NAMES == NAMES_QP,
#include "config/transports.def"
#undef TRANSPORT
};
#define RECV_ONE(T, O, f) (TAKES_RECV_##O && IS_DATAGRAM_##T ? f : NULL)

static engine_shared_loop *const table[TP_COUNT][OP_COUNT][CM_COUNT][SHARING_COUNT][ROLE_COUNT] = {
#define KIND(T, O, C) \
	[TP_##T][OP_##O][CM_##C] = { \
		[SHARING_SRQ] = { \
			[ROLE_STREAM_TX] = RECV(O, NAME(tx_srq, T, O, C)), \
			[ROLE_STREAM_RX] = RECV(O, NAME(rx_srq, T, O, C)), \
			[ROLE_STREAM_BOTH] = RECV(O, NAME(both_srq, T, O, C)), \
			[ROLE_PING] = RECV(O, NAME(ping_srq, T, O, C)), \
			[ROLE_PONG] = RECV(O, NAME(pong_srq, T, O, C)), \
		}, \
		[SHARING_ONE_QP] = { \
			[ROLE_STREAM_RX] = RECV_ONE(T, O, NAME(rx_one, T, O, C)), \
			[ROLE_PONG] = RECV_ONE(T, O, NAME(pong_one, T, O, C)), \
		}, \
	},
#include "config/kinds.def"
#undef KIND
};

engine_shared_loop *engine_find_shared(struct kind k, enum role role)
{
	return table[kind_loops(k.tp)][k.op][k.cm][k.sharing][role];
}
