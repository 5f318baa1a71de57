/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Ways through a topology; see topology.h. */
#include "config.h"
#include "config/topology.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* The pipe from one switch over that uplink; UINT32_MAX: it does not begin there. */
static uint32_t pipe_from(const struct topology *t, uint32_t uplink, uint32_t from, uint32_t *to)
{
	const struct topology_uplink *u = &t->uplink[uplink];
	const uint32_t second = from == u->end[1];

	if (from != u->end[second])
		return UINT32_MAX;
	*to = u->end[!second];
	return 2 * uplink + second;
}

/*
 * The ways over one uplink, or else over two, in the order of their lines; stops at the way of that
 * number. Returns how many there are before it.
 */
static uint32_t count_ways(const struct topology *t, const uint32_t ends[2], uint32_t stop,
			   struct topology_way *way)
{
	uint32_t n = 0, to, last;

	for (uint32_t i = 0; i < t->n_uplinks; i++) {
		way->n = 1;
		way->pipe[0] = pipe_from(t, i, ends[0], &to);
		if (way->pipe[0] != UINT32_MAX && to == ends[1] && n++ == stop)
			return stop;
	}
	if (n)
		return n;
	for (uint32_t i = 0; i < t->n_uplinks; i++) {
		way->n = 2;
		way->pipe[0] = pipe_from(t, i, ends[0], &to);
		for (uint32_t j = 0; way->pipe[0] != UINT32_MAX && j < t->n_uplinks; j++) {
			way->pipe[1] = pipe_from(t, j, to, &last);
			if (way->pipe[1] != UINT32_MAX && last == ends[1] && n++ == stop)
				return stop;
		}
	}
	return n;
}

bool topology_way(const struct topology *t, const struct topology_end *from,
		  const struct topology_end *to, uint32_t label, struct topology_way *way)
{
	const uint32_t ends[2] = {
		t->node[from->node].leaf[from->dev], t->node[to->node].leaf[to->dev],
	};
	const uint32_t flow[] = { from->node, from->dev, to->node, to->dev, label };
	const uint64_t choice = topology_hash(TOPOLOGY_HASH, flow, sizeof(flow)) >> 32;
	uint32_t ways;

	*way = (struct topology_way) { 0 };
	if (!t->node[from->node].name[0] || !t->node[to->node].name[0])
		return false;
	if (ends[0] == ends[1])
		return true;
	ways = count_ways(t, ends, UINT32_MAX, way);
	if (!ways) {
		way->n = 0;
		return false;
	}
	count_ways(t, ends, (uint32_t)(choice % ways), way);
	return true;
}

/* Sets of switches. */
struct neighbours {
	bool is_leaf[TOPOLOGY_SWITCHES];
	bool of[TOPOLOGY_SWITCHES][TOPOLOGY_SWITCHES];
};

static bool are_joined(const struct neighbours *n, uint32_t a, uint32_t b)
{
	bool joined = a == b || n->of[a][b];

	for (uint32_t i = 0; i < TOPOLOGY_SWITCHES && !joined; i++)
		joined = n->of[a][i] && n->of[b][i];
	return joined;
}

static void find_neighbours(const struct topology *t, struct neighbours *n)
{
	for (uint32_t i = 0; i < t->n_uplinks; i++) {
		const uint16_t *end = t->uplink[i].end;

		if (end[0] == TOPOLOGY_BUS)
			continue;
		n->of[end[0]][end[1]] = n->of[end[1]][end[0]] = true;
	}
	for (uint32_t i = 0; i < SETTINGS_NODES; i++)
		for (uint32_t dev = 0; t->node[i].name[0] && dev < SETTINGS_DEVS; dev++)
			n->is_leaf[t->node[i].leaf[dev]] = true;
}

static int check_all(const struct topology *t, const struct neighbours *n, const char *path)
{
	for (uint32_t a = 0; a < t->n_switches; a++) {
		for (uint32_t b = 0; b < a; b++) {
			if (!n->is_leaf[a] || !n->is_leaf[b] || are_joined(n, a, b))
				continue;
			fprintf(stderr, "softhca: %s: no way between %s and %s, which have nodes: there must be an uplink between both, or from each of them to the same switch\n",
				path, t->switch_name[b], t->switch_name[a]);
			return -EINVAL;
		}
	}
	return 0;
}

int topology_check(const struct topology *t, const char *path)
{
	struct neighbours *n = calloc(1, sizeof(*n));
	int rc = n ? 0 : -ENOMEM;

	if (n) {
		find_neighbours(t, n);
		rc = check_all(t, n, path);
		free(n);
	}
	return rc;
}
