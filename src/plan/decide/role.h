/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What each side of a test does. The plan resolves it once (plan->work.role); all other code calls
 * the functions below. loop/engine.h has a loop for each role.
 */
#ifndef ROLE_H
#define ROLE_H

#include <stdbool.h>

#include "options/kind.h"

enum role {
	ROLE_PASSIVE,     /* target of writes, reads and atomics: no loop */
	ROLE_STREAM_TX,
	ROLE_STREAM_RX,   /* only opcodes that take a receive */
	ROLE_STREAM_BOTH, /* likewise */
	ROLE_PING,
	ROLE_PONG,
	ROLE_PROBE,
	ROLE_COUNT
};

/* The role of a side. bidir: both sides send a stream. */
static inline enum role role_of(enum side side, enum pattern pattern, enum opcode op, bool bidir)
{
	if (pattern == PATTERN_PINGPONG)
		return side == SIDE_CLIENT ? ROLE_PING : ROLE_PONG;
	if (pattern == PATTERN_PROBE)
		return side == SIDE_CLIENT ? ROLE_PROBE : ROLE_PASSIVE;
	if (!kind_takes_recv(op))
		return side == SIDE_CLIENT || bidir ? ROLE_STREAM_TX : ROLE_PASSIVE;
	if (bidir)
		return ROLE_STREAM_BOTH;
	return side == SIDE_CLIENT ? ROLE_STREAM_TX : ROLE_STREAM_RX;
}

/* role[side] for both sides. */
static inline void role_resolve(enum role role[SIDE_COUNT], enum pattern pattern, enum opcode op,
				bool bidir)
{
	role[SIDE_CLIENT] = role_of(SIDE_CLIENT, pattern, op, bidir);
	role[SIDE_SERVER] = role_of(SIDE_SERVER, pattern, op, bidir);
}

static inline bool role_has_loop(enum role role)
{
	return role != ROLE_PASSIVE;
}

/* It sends messages at its own rate; it needs credits. */
static inline bool role_streams(enum role role)
{
	return role == ROLE_STREAM_TX || role == ROLE_STREAM_BOTH;
}

/* It receives messages at the sender's rate. */
static inline bool role_takes_stream(enum role role)
{
	return role == ROLE_STREAM_RX || role == ROLE_STREAM_BOTH;
}

/* It measures latencies. */
static inline bool role_samples(enum role role)
{
	return role == ROLE_PING || role == ROLE_PROBE;
}

static inline bool role_is_pingpong(enum role role)
{
	return role == ROLE_PING || role == ROLE_PONG;
}

/* It posts requests without waiting for one of the peer, so it knows when the test is finished. */
static inline bool role_initiates(enum role role)
{
	return role_streams(role) || role_samples(role);
}

/* It posts requests of the test's opcode; the other side is their target. */
static inline bool role_sends(enum role role)
{
	return role_initiates(role) || role == ROLE_PONG;
}

/* It detects and counts the arrival of each message. */
static inline bool role_receives(enum role role)
{
	return role_takes_stream(role) || role_is_pingpong(role);
}

#endif
