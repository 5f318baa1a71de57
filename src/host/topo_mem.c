/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The memory of one thread, once its cpu is chosen. Called by topo_pick.c; pure like that. */
#include "config.h"
#include "host/topo.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"
#include "host/topo_own.h"

void topo_because(struct topo_place *place, const char *fmt, ...)
{
	size_t len = strlen(place->why);
	va_list ap;

	if (len)
		len += (size_t)snprintf(place->why + len, sizeof(place->why) - len, ", ");
	if (len >= sizeof(place->why))
		return;
	va_start(ap, fmt);
	vsnprintf(place->why + len, sizeof(place->why) - len, fmt, ap);
	va_end(ap);
}

static bool mem_allowed(const struct topo *t, uint32_t node)
{
	return topo_node_obj(t, node) &&
	       hwloc_bitmap_isset(hwloc_topology_get_allowed_nodeset(t->hw), node);
}

/* The nearest node to the cpu's that memory may come from; TOPO_NONE: none. */
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

static int refuse_mem(const struct topo_mem *m, uint32_t node)
{
	char may[TOPO_WHY];

	topo_list_text(hwloc_topology_get_allowed_nodeset(m->t->hw), may, sizeof(may));
	if (!topo_node_obj(m->t, node))
		return err_set(-EINVAL, "%s %s: there is no NUMA node %u; this process may use %s",
			       m->wish->mem_label, m->wish->mem, node, may);
	return err_set(-EINVAL, "%s %s: this process may not have memory of NUMA node %u, but of "
		       "%s", m->wish->mem_label, m->wish->mem, node, may);
}

static int explicit_mem(const struct topo_mem *m, struct topo_place *place, uint32_t node)
{
	if (!mem_allowed(m->t, node))
		return refuse_mem(m, node);
	place->mem_node = node;
	return 0;
}

static int device_mem(const struct topo_mem *m, struct topo_place *place)
{
	const struct topo_hca *hca = m->hca;

	if (!hca->known)
		return err_set(-EINVAL, "%s device: %s", m->wish->mem_label, hca->why);
	if (place->node != TOPO_NONE && hwloc_bitmap_isset(hca->nodes, place->node))
		return explicit_mem(m, place, place->node);
	return explicit_mem(m, place, hca->node);
}

int topo_mem_choose(struct topo_place *place, const struct topo_mem *m, uint32_t i)
{
	const char *mem = m->wish->mem;

	if (m->sets.n) {
		const struct topo_set *set = &m->sets.sets[i % m->sets.n];
		int node = hwloc_bitmap_first(set->nodes);

		if (place->node != TOPO_NONE && hwloc_bitmap_isset(set->nodes, place->node))
			node = (int)place->node;
		if (node < 0)
			return err_set(-EINVAL, "%s %s: %s has no memory", m->wish->mem_label, mem,
				       set->text);
		return explicit_mem(m, place, (uint32_t)node);
	}
	if (!strcmp(mem, "device"))
		return device_mem(m, place);
	if (strcmp(mem, "auto") && strcmp(mem, "local"))
		return explicit_mem(m, place, (uint32_t)strtoul(mem, NULL, 10));
	if (place->node == TOPO_NONE)
		return 0;
	if (!strcmp(mem, "local") && !mem_allowed(m->t, place->node))
		return refuse_mem(m, place->node);
	place->mem_node = nearest_mem(m->t, place->node);
	if (place->mem_node != place->node)
		topo_because(place, "no memory of its own node is allowed");
	return 0;
}
