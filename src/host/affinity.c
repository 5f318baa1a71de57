/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Chooses the places of one side's threads; see affinity.h. Called by session/agree.c. It must
 * not bind anything.
 */
#include "config.h"
#include "host/affinity.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "host/neighbours.h"
#include "util/err.h"

static struct topo_request topo_request_of(const struct affinity_request *r,
					   const struct affinity_side *side)
{
	return (struct topo_request){
		.pin = side->pin,
		.mem = side->mem,
		.pin_label = side->pin_label,
		.mem_label = side->mem_label,
		.threads = r->threads,
		.events = r->events,
	};
}

/* They choose theirs by the same choice. */
static struct neighbours_side sessions_of(const struct affinity_request *r,
					  const struct affinity_side *side)
{
	return (struct neighbours_side){ side->device, side->netdev, topo_request_of(r, side) };
}

/*
 * The cpus that others on this machine choose before this session, for the caller to free. All
 * sessions of the peer's side are before those of this side.
 */
static int find_busy(hwloc_bitmap_t busy, const struct affinity_plan *plan,
		     const struct affinity_request *r, uint32_t *number)
{
	struct neighbours_side side;
	struct neighbours all;
	int rc = r->peer ? neighbours_parse(&all, r->peer->neighbours) : 0;

	if (!rc && r->peer) {
		side = sessions_of(r, r->peer);
		neighbours_cpus(busy, &plan->topo, &side, &all, all.n);
	}
	if (!rc)
		rc = neighbours_parse(&all, r->own.neighbours);
	if (rc)
		return rc;
	side = sessions_of(r, &r->own);
	neighbours_cpus(busy, &plan->topo, &side, &all, all.own);
	*number = all.own;
	return 0;
}

static bool needs_topology(const struct affinity_side *side)
{
	return (strcmp(side->pin, "auto") && strcmp(side->pin, "none")) ||
	       strcmp(side->mem, "auto");
}

/* Without a topology of this machine, no thread is bound. */
static int open_without_topology(struct affinity_plan *plan, const struct affinity_side *side,
				 const char *reason)
{
	char text[ERR_TEXT_MAX];

	snprintf(text, sizeof(text), "%s", reason);
	if (needs_topology(side))
		return err_set(-EINVAL, "%s %s, %s %s: %.300s", side->pin_label, side->pin,
			       side->mem_label, side->mem, text);
	if (strcmp(side->pin, "none"))
		snprintf(plan->note, sizeof(plan->note), "threads are not bound: %.120s", text);
	return 0;
}

static void set_note(struct affinity_plan *plan)
{
	const struct topo_placement *placement = &plan->placement;
	const struct topo_place *p = &placement->places[0];
	char mem[32] = "";

	if (p->mem_node != TOPO_NONE)
		snprintf(mem, sizeof(mem), ", memory numa %u", p->mem_node);
	if (placement->note[0])
		snprintf(plan->note, sizeof(plan->note), "%s", placement->note);
	else if (p->cpu != TOPO_NONE && placement->n == 1)
		snprintf(plan->note, sizeof(plan->note), "bound to cpu %u, core %u, numa %u%s: %s",
			 p->cpu, p->core, p->node, mem, p->reason);
	else if (p->cpu != TOPO_NONE)
		snprintf(plan->note, sizeof(plan->note),
			 "%u threads are bound; thread 0: cpu %u, core %u, numa %u%s: %s",
			 placement->n, p->cpu, p->core, p->node, mem, p->reason);
}

static int choose(struct affinity_plan *plan, const struct affinity_request *request)
{
	struct topo_request wanted = topo_request_of(request, &request->own);
	hwloc_bitmap_t busy = hwloc_bitmap_alloc();
	uint32_t number = 0;
	int rc;

	if (!busy)
		return err_set(-ENOMEM, "no memory for the placement of %u threads",
			       request->threads);
	rc = find_busy(busy, plan, request, &number);
	wanted.first = number * request->threads;
	wanted.busy = busy;
	if (!rc)
		rc = topo_placement_choose(&plan->placement, &plan->topo, &plan->hca, &wanted);
	hwloc_bitmap_free(busy);
	return rc;
}

int affinity_open(struct affinity_plan *plan, const struct affinity_request *request)
{
	const struct affinity_side *own = &request->own;
	char text[64];
	int rc;

	if (!plan->described && topo_open(&plan->topo))
		return open_without_topology(plan, own, err_text());
	plan->described = plan->topo.this_host;
	if (!plan->described) {
		snprintf(text, sizeof(text), "%s describes another machine", plan->topo.source);
		topo_close(&plan->topo);
		return open_without_topology(plan, own, text);
	}
	plan->loaded = true;
	topo_hca_find(&plan->hca, &plan->topo, own->device, own->netdev);
	rc = choose(plan, request);
	if (rc)
		affinity_end(plan);
	else
		set_note(plan);
	return rc;
}

void affinity_end(struct affinity_plan *plan)
{
	const struct affinity_plan kept = { .topo = plan->topo, .described = plan->described };

	if (plan->loaded) {
		topo_placement_free(&plan->placement);
		topo_hca_close(&plan->hca);
	}
	*plan = kept.described ? kept : (struct affinity_plan){ 0 };
}

void affinity_close(struct affinity_plan *plan)
{
	affinity_end(plan);
	if (plan->described)
		topo_close(&plan->topo);
	*plan = (struct affinity_plan){ 0 };
}

const struct topo_place *affinity_place(const struct affinity_plan *plan, uint32_t thread)
{
	return plan && plan->loaded && thread < plan->placement.n ?
		       &plan->placement.places[thread] : NULL;
}

uint32_t affinity_vector(const struct affinity_plan *plan, uint32_t thread)
{
	const struct topo_place *p = affinity_place(plan, thread);

	return p ? p->vector : thread;
}
