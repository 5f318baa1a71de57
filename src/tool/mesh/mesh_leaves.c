/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The leaves of the nodes of a run. */
#include "config.h"
#include "mesh/mesh_leaves.h"

#include <stdlib.h>

#include "util/log.h"
#include "util/must.h"
#include "wiring/wiring.h"

void mesh_leaves_find(struct mesh_leaves *l, struct mesh_root *r)
{
	const struct wiring *w = r->mesh->wiring;
	const struct mesh_rails *rails = &r->mesh->rails;

	*l = (struct mesh_leaves){ .wiring = w };
	if (!w)
		return;
	l->n = wiring_switches(w);
	l->leaf = must_calloc((size_t)r->n * rails->n, sizeof(*l->leaf));
	l->names = must_calloc(l->n, sizeof(*l->names));
	l->hops = must_calloc(l->n, sizeof(*l->hops));
	for (uint32_t i = 0; i < l->n; i++)
		l->names[i] = wiring_name(w, i);
	for (uint32_t i = 0; i < r->n * rails->n; i++) {
		const struct mesh_member *m = &r->members[i / rails->n];
		const char *rail = rails->names[i % rails->n];

		l->leaf[i] = wiring_leaf(w, m->node.name, *rail ? rail : m->device);
		if (l->leaf[i] == WIRING_NONE && m->state != MESH_GONE && !r->told_leaves)
			log_note("%s%s%s: %s does not say on which one switch it is: its pairs are judged apart",
				 m->node.name, *rail ? " " : "", rail, r->mesh->cfg.wiring);
	}
	r->told_leaves = true;
}

uint32_t mesh_leaves_class(const struct mesh_leaves *l, uint32_t a, uint32_t b)
{
	uint32_t **hops;

	if (!l->wiring || l->leaf[a] == WIRING_NONE || l->leaf[b] == WIRING_NONE)
		return 0;
	hops = &l->hops[l->leaf[a]];
	if (!*hops) {
		*hops = must_calloc(l->n, sizeof(**hops));
		wiring_hops(l->wiring, l->leaf[a], *hops);
	}
	return (*hops)[l->leaf[b]];
}

void mesh_leaves_drop(struct mesh_leaves *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		free(l->hops[i]);
	free(l->hops);
	free(l->names);
	free(l->leaf);
}
