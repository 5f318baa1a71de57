/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns messages that are gathered; see gather.h. */
#include "config.h"
#include "tree/gather.h"

#include <stdlib.h>
#include <string.h>

#include "util/clock.h"
#include "util/must.h"

struct gather_group {
	json_t *msg;   /* without its list; owned, as the list */
	json_t *ranks;
};

void gather_add(struct gather *g, json_t *msg)
{
	json_t *ranks = json_incref(json_object_get(msg, "ranks"));

	(void)json_object_del(msg, "ranks");
	for (uint32_t i = 0; i < g->n; i++) {
		if (!json_equal(g->groups[i].msg, msg))
			continue;
		(void)json_array_extend(g->groups[i].ranks, ranks);
		json_decref(ranks);
		json_decref(msg);
		return;
	}
	if (!g->n)
		g->since_ns = clock_ns();
	g->groups = must_realloc(g->groups, g->n + 1u, sizeof(*g->groups));
	g->groups[g->n++] = (struct gather_group){ msg, ranks };
}

json_t *gather_take(struct gather *g)
{
	struct gather_group first;

	if (!g->n)
		return NULL;
	first = g->groups[0];
	memmove(g->groups, g->groups + 1, --g->n * sizeof(*g->groups));
	(void)json_object_set_new(first.msg, "ranks", first.ranks);
	return first.msg;
}

uint64_t gather_due_ns(const struct gather *g)
{
	return g->n ? g->since_ns + GATHER_NS : UINT64_MAX;
}

void gather_free(struct gather *g)
{
	json_t *msg;

	while ((msg = gather_take(g)))
		json_decref(msg);
	free(g->groups);
	g->groups = NULL;
}
