/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The pair beside an incast: launchers give ranks in the order of switches, so rank is distance. */
#include "config.h"
#include "schedule/schedule.h"

#include <stdlib.h>

#include "util/must.h"

enum does { DOES_NOTHING, DOES_SEND, DOES_RECEIVE };

/* What each node does in the round; free it. */
static enum does *look(const struct schedule *s, uint32_t round)
{
	const uint32_t n = schedule_nodes(s);
	enum does *does = must_calloc(n, sizeof(*does));

	for (uint32_t node = 0; node < n; node++) {
		const uint32_t to = schedule_target(s, round, node);

		if (to == SCHEDULE_NONE)
			continue;
		does[node] = DOES_SEND;
		does[to] = DOES_RECEIVE;
	}
	return does;
}

/* How far is the next one that does this? */
static uint32_t distance(const enum does *does, uint32_t n, uint32_t node, enum does what)
{
	for (uint32_t far = 1; far < n; far++)
		if ((node >= far && does[node - far] == what) ||
		    (node + far < n && does[node + far] == what))
			return far;
	return n;
}

/* Of those that are this, but for one, the next to one that does that. */
static uint32_t nearest(const enum does *does, uint32_t n, enum does is, enum does to, uint32_t but)
{
	uint32_t best = SCHEDULE_NONE, least = n + 1;

	for (uint32_t node = 0; node < n; node++) {
		uint32_t far;

		if (does[node] != is || node == but)
			continue;
		far = distance(does, n, node, to);
		if (far < least) {
			least = far;
			best = node;
		}
	}
	return best;
}

struct schedule_victim schedule_victim(const struct schedule *s, uint32_t round)
{
	const uint32_t n = schedule_nodes(s);
	enum does *does = look(s, round);
	struct schedule_victim v = { SCHEDULE_NONE, SCHEDULE_NONE };

	/* the receivers are few, so the choice of a node near to one of them is the first */
	v.to = nearest(does, n, DOES_NOTHING, DOES_RECEIVE, SCHEDULE_NONE);
	v.from = nearest(does, n, DOES_NOTHING, DOES_SEND, v.to);
	if (v.from == SCHEDULE_NONE) {
		v.from = v.to;
		v.to = nearest(does, n, DOES_SEND, DOES_RECEIVE, SCHEDULE_NONE);
	}
	if (v.from == SCHEDULE_NONE || v.to == SCHEDULE_NONE)
		v.from = v.to = SCHEDULE_NONE;
	free(does);
	return v;
}
