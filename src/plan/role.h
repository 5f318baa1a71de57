/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What each side of a test does. The plan resolves it once (plan->work.role); all other code asks
 * the questions below. loop/engine.h has a loop for each role.
 */
#ifndef ROLE_H
#define ROLE_H

#include <stdbool.h>

#include "config/kind.h"

enum role {
	ROLE_PASSIVE,     /* target of writes, reads and atomics: no loop */
	ROLE_STREAM_TX,
	ROLE_STREAM_RX,   /* opcodes that take a receive only */
	ROLE_STREAM_BOTH, /* likewise */
	ROLE_PING,
	ROLE_PONG,
	ROLE_PROBE,
	ROLE_COUNT
};

/* role[side] for both sides. bidir: both sides send a stream. */
void role_resolve(enum role role[SIDE_COUNT], enum pattern pattern, enum opcode op, bool bidir);

/* The server does what the client would do, and the reverse. Not of a test with two directions. */
void role_swap(enum role role[SIDE_COUNT]);

static inline bool role_has_loop(enum role role)
{
	return role != ROLE_PASSIVE;
}

/* It sends messages at its own pace; credits are for these. */
static inline bool role_streams(enum role role)
{
	return role == ROLE_STREAM_TX || role == ROLE_STREAM_BOTH;
}

/* It receives messages at the other side's pace. */
static inline bool role_takes_stream(enum role role)
{
	return role == ROLE_STREAM_RX || role == ROLE_STREAM_BOTH;
}

/* Its samples are latencies. */
static inline bool role_samples(enum role role)
{
	return role == ROLE_PING || role == ROLE_PROBE;
}

static inline bool role_is_pingpong(enum role role)
{
	return role == ROLE_PING || role == ROLE_PONG;
}

/* It posts requests without waiting for one of the peer: it knows when the test is finished. */
static inline bool role_initiates(enum role role)
{
	return role_streams(role) || role_samples(role);
}

/* It posts requests of the test's opcode: the other side is their target. */
static inline bool role_sends(enum role role)
{
	return role_initiates(role) || role == ROLE_PONG;
}

/* It sees the arrival of each message, and counts them. */
static inline bool role_receives(enum role role)
{
	return role_takes_stream(role) || role_is_pingpong(role);
}

#endif
