/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Names of the axes, the table made of kinds.def, and the reason for every kind that is not in it.
 * Called when options are read, before any device is opened; knows no verbs.
 */
#include "config.h"
#include "config/kind.h"

#include <stddef.h>

const char *const kind_transport_names[TP_COUNT + 1] = {
	[TP_RC] = "RC",
	[TP_UC] = "UC",
	[TP_UD] = "UD",
};

const char *const kind_opcode_names[OP_COUNT + 1] = {
	[OP_SEND] = "send",
	[OP_SEND_IMM] = "send_imm",
	[OP_WRITE] = "write",
	[OP_WRITE_IMM] = "write_imm",
	[OP_READ] = "read",
	[OP_CMP_SWAP] = "cmp_swap",
	[OP_FETCH_ADD] = "fetch_add",
};

const char *const kind_completion_names[CM_COUNT + 1] = {
	[CM_POLL] = "poll",
	[CM_EVENT] = "event",
	[CM_HYBRID] = "hybrid",
};

const char *const kind_test_names[TEST_COUNT + 1] = {
	[TEST_SEND_BW] = "send_bw",
	[TEST_SEND_LAT] = "send_lat",
	[TEST_WRITE_BW] = "write_bw",
	[TEST_WRITE_LAT] = "write_lat",
	[TEST_READ_BW] = "read_bw",
	[TEST_READ_LAT] = "read_lat",
	[TEST_ATOMIC_BW] = "atomic_bw",
	[TEST_ATOMIC_LAT] = "atomic_lat",
};

const char *const kind_pattern_names[] = {
	[PATTERN_STREAM] = "stream",
	[PATTERN_PINGPONG] = "pingpong",
	[PATTERN_PROBE] = "probe",
	NULL,
};

const char *const kind_side_names[] = {
	[SIDE_CLIENT] = "client",
	[SIDE_SERVER] = "server",
	NULL,
};

#define KIND(T, O, C) [TP_##T][OP_##O][CM_##C] = true,
static const bool exists[TP_COUNT][OP_COUNT][CM_COUNT] = {
#include "config/kinds.def"
};
#undef KIND

/* IBA vol. 1, table 35: which operations a transport service carries. */
static const char *const cell_refusal[TP_COUNT][OP_COUNT] = {
	[TP_UC][OP_READ] = "read over UC: UC has no responses, so nothing can be read; use RC",
	[TP_UC][OP_CMP_SWAP] =
		"cmp_swap over UC: UC has no responses to carry the old value; use RC",
	[TP_UC][OP_FETCH_ADD] =
		"fetch_add over UC: UC has no responses to carry the old value; use RC",
	[TP_UD][OP_WRITE] =
		"write over UD: a datagram names no memory of the target; use RC or UC",
	[TP_UD][OP_WRITE_IMM] =
		"write_imm over UD: a datagram names no memory of the target; use RC or UC, or "
		"send",
	[TP_UD][OP_READ] = "read over UD: a datagram has no response to carry the data; use RC",
	[TP_UD][OP_CMP_SWAP] =
		"cmp_swap over UD: a datagram has no response to carry the old value; use RC",
	[TP_UD][OP_FETCH_ADD] =
		"fetch_add over UD: a datagram has no response to carry the old value; use RC",
};

static bool opcode_fits(enum test test, enum opcode op)
{
	switch (test) {
	case TEST_SEND_BW:
	case TEST_SEND_LAT:
		return op == OP_SEND || op == OP_SEND_IMM;
	case TEST_WRITE_BW:
	case TEST_WRITE_LAT:
		return op == OP_WRITE || op == OP_WRITE_IMM;
	case TEST_READ_BW:
	case TEST_READ_LAT:
		return op == OP_READ;
	case TEST_ATOMIC_BW:
	case TEST_ATOMIC_LAT:
		return kind_is_atomic(op);
	case TEST_COUNT:
		break;
	}
	return false;
}

bool kind_test_is_lat(enum test test)
{
	return test == TEST_SEND_LAT || test == TEST_WRITE_LAT || test == TEST_READ_LAT ||
	       test == TEST_ATOMIC_LAT;
}

enum pattern kind_pattern(enum test test)
{
	if (!kind_test_is_lat(test))
		return PATTERN_STREAM;
	if (test == TEST_SEND_LAT || test == TEST_WRITE_LAT)
		return PATTERN_PINGPONG;
	return PATTERN_PROBE;
}

bool kind_exists(struct kind k)
{
	return (unsigned)k.tp < TP_COUNT && (unsigned)k.op < OP_COUNT &&
	       (unsigned)k.cm < CM_COUNT && exists[k.tp][k.op][k.cm];
}

const char *kind_refusal(enum test test, struct kind k)
{
	if ((unsigned)k.tp >= TP_COUNT || (unsigned)k.op >= OP_COUNT ||
	    (unsigned)k.cm >= CM_COUNT)
		return "no such transport, opcode or completion";
	if (!opcode_fits(test, k.op))
		return "the opcode is not one of this test";
	if (cell_refusal[k.tp][k.op])
		return cell_refusal[k.tp][k.op];
	/*
	 * Both ends of the ping-pong wait for the other's message, and must have an event to
	 * wait for.
	 */
	if (test == TEST_WRITE_LAT && k.op == OP_WRITE && k.cm != CM_POLL)
		return "write latency by events: the target of a plain write gets no completion to "
		  "wait for; use --imm (write_imm), or poll";
	return kind_exists(k) ? NULL : "not built: no row in kinds.def";
}
