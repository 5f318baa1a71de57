/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The role of each side, from what is measured. Called by plan_loops(). Pure. */
#include "config.h"

#include "plan/role.h"

static enum role role_of(enum pattern pattern, enum opcode op, bool bidir, bool client)
{
	switch (pattern) {
	case PATTERN_PINGPONG:
		return client ? ROLE_PING : ROLE_PONG;
	case PATTERN_PROBE:
		return client ? ROLE_PROBE : ROLE_PASSIVE;
	case PATTERN_STREAM:
		break;
	}
	if (!kind_takes_recv(op))
		return client || bidir ? ROLE_STREAM_TX : ROLE_PASSIVE;
	if (bidir)
		return ROLE_STREAM_BOTH;
	return client ? ROLE_STREAM_TX : ROLE_STREAM_RX;
}

void role_resolve(enum role role[SIDE_COUNT], enum pattern pattern, enum opcode op, bool bidir)
{
	role[SIDE_CLIENT] = role_of(pattern, op, bidir, true);
	role[SIDE_SERVER] = role_of(pattern, op, bidir, false);
}

void role_swap(enum role role[SIDE_COUNT])
{
	const enum role client = role[SIDE_CLIENT];

	role[SIDE_CLIENT] = role[SIDE_SERVER];
	role[SIDE_SERVER] = client;
}
