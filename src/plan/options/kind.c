/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The names of the axes, the combinations in kinds.def, and the error message for every kind that
 * cannot be run. Called when options are read, before any device is opened; knows no verbs.
 */
#include "config.h"
#include "options/kind.h"

#include <stddef.h>

const char *const kind_transport_names[TP_COUNT + 1] = {
#define TRANSPORT(T, NAME, ...) [TP_##T] = NAME,
#include "options/transports.def"
#undef TRANSPORT
};

const char *const kind_opcode_names[OP_COUNT + 1] = {
#define OPCODE(O, NAME, ...) [OP_##O] = NAME,
#include "options/opcodes.def"
#undef OPCODE
};

const char *const kind_completion_names[CM_COUNT + 1] = {
	[CM_POLL] = "poll",
	[CM_EVENT] = "event",
	[CM_HYBRID] = "hybrid",
};

const char *const kind_peer_completion_names[] = {
	[CM_POLL] = "poll", [CM_EVENT] = "event", [CM_HYBRID] = "hybrid", [CM_SAME] = "same", NULL
};

const char *const kind_sharing_names[SHARING_COUNT + 1] = {
	[SHARING_NONE] = "own",
	[SHARING_SRQ] = "srq",
	[SHARING_ONE_QP] = "one_qp",
};

const char *const kind_test_names[TEST_COUNT + 1] = {
#define TEST(T, NAME, ...) [TEST_##T] = NAME,
#include "options/tests.def"
#undef TEST
};

const char *const kind_bulk_names[] = {
	[FAMILY_SEND] = "send",
	[FAMILY_WRITE] = "write",
	[FAMILY_READ] = "read",
	NULL,
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

#define KIND(T, O) [TP_##T][OP_##O] = true,
static const bool exists[TP_COUNT][OP_COUNT] = {
#include "options/kinds.def"
};
#undef KIND

/* Why a transport does not support an opcode. A transport that supports all has no message. */
static const char *const no_response[TP_COUNT][OP_COUNT] = {
	[TP_UC] = {
#define OPCODE(O, NAME, ...) \
	[OP_##O] = NAME " over UC: UC has no responses; use RC",
#include "options/opcodes.def"
#undef OPCODE
	},
	[TP_UD] = {
#define OPCODE(O, NAME, ...) \
	[OP_##O] = NAME " over UD: a datagram has no response; use RC",
#include "options/opcodes.def"
#undef OPCODE
	},
	[TP_XRC] = {
#define OPCODE(O, NAME, ...) [OP_##O] = NAME " over XRC: no driver has it; use RC",
#include "options/opcodes.def"
#undef OPCODE
	},
	[TP_DC] = {
#define OPCODE(O, NAME, ...) [OP_##O] = NAME " over DC: no driver has it; use RC",
#include "options/opcodes.def"
#undef OPCODE
	},
};

static const char *const no_address[TP_COUNT][OP_COUNT] = {
	[TP_UD] = {
#define OPCODE(O, NAME, ...) \
	[OP_##O] = NAME " over UD: a datagram cannot address memory of the target; use RC or UC",
#include "options/opcodes.def"
#undef OPCODE
	},
};

bool kind_exists(struct kind k)
{
	return (unsigned)k.tp < TP_COUNT && (unsigned)k.op < OP_COUNT &&
	       (unsigned)k.cm < CM_COUNT && exists[kind_loops(k.tp)][k.op] &&
	       kind_carries(k.tp, k.op);
}

const char *kind_refusal(enum test test, struct kind k)
{
	if ((unsigned)k.tp >= TP_COUNT || (unsigned)k.op >= OP_COUNT ||
	    (unsigned)k.cm >= CM_COUNT)
		return "no such transport, opcode or completion";
	if (kind_opcodes[k.op].family != kind_family(test))
		return "the opcode does not belong to this test";
	if (!kind_carries(k.tp, k.op))
		return kind_takes_response(k.op) ? no_response[k.tp][k.op] : no_address[k.tp][k.op];
	/* Both sides of the ping-pong wait for the other's message, and need an event for it. */
	if (kind_test_is_lat(test) && kind_is_silent(k.op) && k.cm != CM_POLL)
		return "write latency by events: the target of a plain write gets no completion to wait for; use --imm (write_imm) or --completion poll";
	return kind_exists(k) ? NULL : "not built: no row in kinds.def";
}
