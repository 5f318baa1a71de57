/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Chooses the NUMA node for the memory of a thread that has its cpu already; see topo_mem.h. Called
 * by topo_placement.c. It must not bind anything.
 */
#include "config.h"
#include "topo/topo_mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"

static bool mem_allowed(const struct topo *t, uint32_t node)
{
	return topo_node_obj(t, node) &&
	       hwloc_bitmap_isset(hwloc_topology_get_allowed_nodeset(t->hw), node);
}

/* The allowed node nearest to the node of the cpu; TOPO_NONE: no node is allowed. */
static uint32_t nearest_mem(const struct topo *t, uint32_t node)
{
	uint32_t best = TOPO_NONE, least = TOPO_NONE;
	hwloc_obj_t obj = NULL;

	if (mem_allowed(t, node))
		return node;
	while ((obj = hwloc_get_next_obj_by_type(t->hw, HWLOC_OBJ_NUMANODE, obj))) {
		uint32_t d = topo_distance(t, node, obj->os_index);

		if (mem_allowed(t, obj->os_index) && (best == TOPO_NONE || d < least)) {
			best = obj->os_index;
			least = d;
		}
	}
	return best;
}

static int refuse_mem(const struct topo_mem_choice *c, uint32_t node)
{
	const struct topo_request *r = c->request;
	char allowed[TOPO_TEXT_MAX];

	topo_list_text(hwloc_topology_get_allowed_nodeset(c->t->hw), allowed, sizeof(allowed));
	if (!topo_node_obj(c->t, node))
		return err_set(
			-EINVAL,
			"%s %s: there is no NUMA node %u; this process may use memory of NUMA nodes %s",
			r->mem_label, r->mem, node, allowed);
	return err_set(
		-EINVAL,
		"%s %s: this process may not use memory of NUMA node %u; allowed NUMA nodes: %s",
		r->mem_label, r->mem, node, allowed);
}

static int explicit_mem(const struct topo_mem_choice *c, struct topo_place *place, uint32_t node)
{
	if (!mem_allowed(c->t, node))
		return refuse_mem(c, node);
	place->mem_node = node;
	return 0;
}

static int device_mem(const struct topo_mem_choice *c, struct topo_place *place)
{
	const struct topo_hca *hca = c->hca;

	if (!hca->known)
		return err_set(-EINVAL, "%s device: %s", c->request->mem_label, hca->reason);
	if (place->node != TOPO_NONE && hwloc_bitmap_isset(hca->nodes, place->node))
		return explicit_mem(c, place, place->node);
	return explicit_mem(c, place, hca->node);
}

int topo_mem_choose(struct topo_place *place, const struct topo_mem_choice *c, uint32_t i)
{
	const char *mem = c->request->mem;

	if (c->sets.n) {
		const struct topo_set *set = &c->sets.sets[i % c->sets.n];
		int node = hwloc_bitmap_first(set->nodes);

		if (place->node != TOPO_NONE && hwloc_bitmap_isset(set->nodes, place->node))
			node = (int)place->node;
		if (node < 0)
			return err_set(-EINVAL, "%s %s: %s has no NUMA node with memory",
				       c->request->mem_label, mem, set->text);
		return explicit_mem(c, place, (uint32_t)node);
	}
	if (!strcmp(mem, "device"))
		return device_mem(c, place);
	if (strcmp(mem, "auto") && strcmp(mem, "local"))
		return explicit_mem(c, place, (uint32_t)strtoul(mem, NULL, 10));
	if (place->node == TOPO_NONE)
		return 0;
	if (!strcmp(mem, "local") && !mem_allowed(c->t, place->node))
		return refuse_mem(c, place->node);
	place->mem_node = nearest_mem(c->t, place->node);
	if (place->mem_node != place->node)
		topo_place_add_reason(place, "no memory of NUMA node %u is allowed", place->node);
	return 0;
}

int topo_mem_open(struct topo_mem_choice *c, const struct topo *t, const struct topo_hca *hca,
		  const struct topo_request *request)
{
	*c = (struct topo_mem_choice){ .t = t, .hca = hca, .request = request };
	if (!strchr(request->mem, ':'))
		return 0;
	return topo_spec_resolve(&c->sets, t, hca, request->mem_label, request->mem);
}

void topo_mem_close(struct topo_mem_choice *c)
{
	topo_spec_free(&c->sets);
}
