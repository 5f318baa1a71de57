/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Chooses the places of all threads of a request, and the NUMA node for the memory of each; see
 * topo_placement.h. It must not bind anything.
 */
#include "config.h"
#include "topo/topo_placement.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"
#include "util/text.h"

/* ---- memory */

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

static bool is_in(hwloc_const_nodeset_t nodes, uint32_t node)
{
	return node != TOPO_NONE && hwloc_bitmap_isset(nodes, node);
}

static int take_mem(const struct topo_choice *c, struct topo_place *place, uint32_t node)
{
	const struct topo_request *r = c->request;
	char allowed[TOPO_TEXT_MAX];

	place->mem_node = node;
	if (mem_allowed(c->t, node))
		return 0;
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

/* For a place that has its cpu and node already (TOPO_NONE: the thread is not bound). */
static int choose_mem(struct topo_place *place, const struct topo_choice *c, uint32_t i)
{
	const char *mem = c->request->mem;
	const struct topo_hca *hca = c->hca;

	if (c->mem_sets.n) {
		const struct topo_set *set = &c->mem_sets.sets[i % c->mem_sets.n];

		if (hwloc_bitmap_iszero(set->nodes))
			return err_set(-EINVAL, "%s %s: %s has no NUMA node with memory",
				       c->request->mem_label, mem, set->text);
		return take_mem(c, place, is_in(set->nodes, place->node) ? place->node :
				(uint32_t)hwloc_bitmap_first(set->nodes));
	}
	if (!strcmp(mem, "device") && !hca->known)
		return err_set(-EINVAL, "%s device: %s", c->request->mem_label, hca->reason);
	if (!strcmp(mem, "device"))
		return take_mem(c, place, is_in(hca->nodes, place->node) ? place->node : hca->node);
	if (strcmp(mem, "auto") && strcmp(mem, "local"))
		return take_mem(c, place, (uint32_t)strtoul(mem, NULL, 10));
	if (place->node == TOPO_NONE)
		return 0;
	if (!strcmp(mem, "local"))
		return take_mem(c, place, place->node);
	place->mem_node = nearest_mem(c->t, place->node);
	if (place->mem_node != place->node)
		text_add(place->reason, TOPO_TEXT_MAX, ", ",
			 "no memory of NUMA node %u is allowed", place->node);
	return 0;
}

/* ---- all threads */

static int place_thread(struct topo_choice *c, struct topo_place *place, uint32_t i)
{
	const uint32_t n = c->request->first + i;
	int rc = 0;

	*place = (struct topo_place){
		.cpu = TOPO_NONE, .core = TOPO_NONE, .node = TOPO_NONE, .mem_node = TOPO_NONE,
		.distance = TOPO_NONE, .mem_distance = TOPO_NONE, .vector = n,
	};
	if (c->unbound)
		text_add(place->reason, TOPO_TEXT_MAX, ", ", "%s", c->unbound);
	else
		rc = topo_cpu_choose(place, c, n);
	if (!rc)
		rc = choose_mem(place, c, n);
	place->distance = topo_hca_distance(c->hca, c->t, place->node);
	place->mem_distance = topo_hca_distance(c->hca, c->t, place->mem_node);
	if (place->cpu != TOPO_NONE)
		place->near = topo_hca_near(c->hca, place->node, place->mem_node);
	return rc;
}

static int place_all(struct topo_choice *c, struct topo_placement *out)
{
	const struct topo_hca *hca = c->hca;
	const bool unknown = c->pin == TOPO_PIN_AUTO && !hca->known;
	int rc = 0;

	if (unknown) {
		snprintf(out->note, sizeof(out->note), "threads are not bound: %.120s",
			 hca->reason);
		c->unbound = hca->reason;
	} else if (c->pin == TOPO_PIN_NONE) {
		c->unbound = "as requested";
	}
	if (c->unbound && !strcmp(c->request->mem, "local"))
		rc = err_set(
			-EINVAL,
			"%s local: the threads are not bound%s%s, so they have no local NUMA node",
			c->request->mem_label, unknown ? ": " : "", unknown ? hca->reason : "");
	for (uint32_t i = 0; !rc && i < out->n; i++)
		rc = place_thread(c, &out->places[i], i);
	return rc;
}

static int choose(struct topo_choice *c, struct topo_placement *out)
{
	const struct topo_request *r = c->request;
	int rc = 0;

	out->places = calloc(r->threads ? r->threads : 1, sizeof(*out->places));
	if (!out->places || !c->used || !c->chosen || !c->irq_cpus || !c->vector_cpus || !c->within)
		return err_set(-ENOMEM, "no memory for the placement of %u threads", r->threads);
	rc = topo_cpu_resolve(c);
	if (!rc && strchr(r->mem, ':'))
		rc = topo_spec_resolve(&c->mem_sets, c->t, c->hca, r->mem_label, r->mem);
	return rc ? rc : place_all(c, out);
}

int topo_placement_choose(struct topo_placement *out, const struct topo *t,
			  const struct topo_hca *hca, const struct topo_request *request)
{
	struct topo_choice c = {
		.t = t, .hca = hca, .request = request, .pin = topo_spec_pin(request->pin),
		.used = request->busy ? hwloc_bitmap_dup(request->busy) : hwloc_bitmap_alloc(),
		.chosen = hwloc_bitmap_alloc(),
		.irq_cpus = hwloc_bitmap_alloc(),
		.vector_cpus = hwloc_bitmap_alloc(),
		.within = hwloc_bitmap_alloc(),
	};
	int rc;

	*out = (struct topo_placement){ .n = request->threads };
	rc = choose(&c, out);
	topo_spec_free(&c.cpu_sets);
	topo_spec_free(&c.mem_sets);
	hwloc_bitmap_free(c.used);
	hwloc_bitmap_free(c.chosen);
	hwloc_bitmap_free(c.irq_cpus);
	hwloc_bitmap_free(c.vector_cpus);
	hwloc_bitmap_free(c.within);
	if (rc)
		topo_placement_free(out);
	return rc;
}

void topo_placement_free(struct topo_placement *p)
{
	free(p->places);
	*p = (struct topo_placement){ 0 };
}
