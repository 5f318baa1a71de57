/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Choosing and taking the places of one side's threads; see affinity.h. Called by session and point. */
#include "config.h"
#include "host/affinity.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"
#include "host/affinity_own.h"

/* ---- choosing */

static struct topo_wish wish_of(const struct cfg *test, enum side side)
{
	const bool client = side == SIDE_CLIENT;

	return (struct topo_wish){
		.pin = client ? test->pin : test->peer_pin,
		.mem = client ? test->mem : test->peer_mem,
		.pin_label = client ? "--pin" : "--peer-pin",
		.mem_label = client ? "--mem" : "--peer-mem",
		.threads = affinity_threads(test),
		.events = test->completion != CM_POLL,
	};
}

/*
 * On one host the client's threads come first. The server works out which cpus these are: it is the
 * same machine, and the options are the client's own.
 */
static hwloc_bitmap_t taken_by_client(const struct affinity_plan *s, const struct cfg *test,
				      const struct limits *client)
{
	const struct topo_wish wish = wish_of(test, SIDE_CLIENT);
	hwloc_bitmap_t taken = hwloc_bitmap_alloc();
	struct topo_placement places;
	struct topo_hca hca;

	topo_hca_find(&hca, &s->topo, client->device, client->netdev);
	if (taken && !topo_pick(&places, &s->topo, &hca, &wish)) {
		for (uint32_t i = 0; i < places.n; i++)
			if (places.places[i].cpu != TOPO_NONE)
				hwloc_bitmap_set(taken, places.places[i].cpu);
		topo_placement_free(&places);
	}
	topo_hca_close(&hca);
	err_clear();
	return taken;
}

static bool asks_for_nothing(const struct topo_wish *wish)
{
	return (!strcmp(wish->pin, "auto") || !strcmp(wish->pin, "none")) &&
	       !strcmp(wish->mem, "auto");
}

/* Without a topology of this machine nothing can be had but what needs none. */
static int without_topology(struct affinity_plan *s, const struct topo_wish *wish, const char *why)
{
	char text[ERR_TEXT_MAX];

	snprintf(text, sizeof(text), "%s", why);
	if (!asks_for_nothing(wish))
		return err_set(-EINVAL, "%s %s, %s %s: %.300s", wish->pin_label, wish->pin,
			       wish->mem_label, wish->mem, text);
	if (strcmp(wish->pin, "none"))
		snprintf(s->note, sizeof(s->note), "%.120s; threads are not bound", text);
	return 0;
}

static void set_note(struct affinity_plan *s)
{
	const struct topo_place *p = &s->places.places[0];
	char mem[32] = "";

	if (p->mem_node != TOPO_NONE)
		snprintf(mem, sizeof(mem), ", memory numa %u", p->mem_node);
	if (s->places.note[0])
		snprintf(s->note, sizeof(s->note), "%s", s->places.note);
	else if (p->cpu != TOPO_NONE && s->places.n == 1)
		snprintf(s->note, sizeof(s->note), "bound to cpu %u, core %u, numa %u%s: %s",
			 p->cpu, p->core, p->node, mem, p->why);
	else if (p->cpu != TOPO_NONE)
		snprintf(s->note, sizeof(s->note), "%u threads bound from cpu %u, core %u, numa %u"
			 "%s on; first: %s", s->places.n, p->cpu, p->core, p->node, mem, p->why);
}

int affinity_open(struct affinity_plan *s, const struct cfg *test, enum side side,
	      const struct limits *const limits[2])
{
	const struct limits *self = limits[side], *client = limits[SIDE_CLIENT];
	struct topo_wish wish = wish_of(test, side);
	hwloc_bitmap_t taken = NULL;
	int rc;

	*s = (struct affinity_plan){ 0 };
	if (topo_open(&s->topo))
		return without_topology(s, &wish, err_text());
	if (!s->topo.here) {
		topo_close(&s->topo);
		return without_topology(s, &wish, "HWLOC_XMLFILE describes another machine");
	}
	s->loaded = true;
	topo_hca_find(&s->hca, &s->topo, self->device, self->netdev);
	if (side == SIDE_SERVER && !strcmp(self->host, client->host))
		taken = taken_by_client(s, test, client);
	wish.taken = taken;
	rc = topo_pick(&s->places, &s->topo, &s->hca, &wish);
	hwloc_bitmap_free(taken);
	if (rc)
		affinity_close(s);
	else
		set_note(s);
	return rc;
}

void affinity_close(struct affinity_plan *s)
{
	if (s->loaded) {
		topo_placement_free(&s->places);
		topo_hca_close(&s->hca);
		topo_close(&s->topo);
	}
	*s = (struct affinity_plan){ 0 };
}

const struct topo_place *affinity_place(const struct affinity_plan *s, uint32_t thread)
{
	return s && s->loaded && thread < s->places.n ? &s->places.places[thread] : NULL;
}

uint32_t affinity_vector(const struct affinity_plan *s, uint32_t thread)
{
	const struct topo_place *p = affinity_place(s, thread);

	return p ? p->vector : 0;
}

/* ---- taking */

static int remember(struct affinity_before *b, hwloc_topology_t hw)
{
	b->hw = hw;
	b->cpus = hwloc_bitmap_alloc();
	b->nodes = hwloc_bitmap_alloc();
	if (!b->cpus || !b->nodes)
		return err_set(-ENOMEM, "out of memory for a thread's binding");
	if (hwloc_get_cpubind(hw, b->cpus, HWLOC_CPUBIND_THREAD))
		return err_set(-errno, "ask for the thread's cpus: %s", strerror(errno));
	if (hwloc_get_membind(hw, b->nodes, &b->policy,
			      HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET))
		b->policy = HWLOC_MEMBIND_DEFAULT;
	return 0;
}

static int bind_cpu(const struct affinity_plan *s, const struct topo_place *p)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc(), got = hwloc_bitmap_alloc();
	int rc = 0;

	hwloc_bitmap_only(set, p->cpu);
	if (hwloc_set_cpubind(s->topo.hw, set, HWLOC_CPUBIND_THREAD | HWLOC_CPUBIND_STRICT))
		rc = err_set(-errno, "bind a thread to cpu %u: %s", p->cpu, strerror(errno));
	else if (!hwloc_get_cpubind(s->topo.hw, got, HWLOC_CPUBIND_THREAD) &&
		 !hwloc_bitmap_isequal(set, got))
		rc = err_set(-EIO, "bind a thread to cpu %u: it is not bound there", p->cpu);
	hwloc_bitmap_free(set);
	hwloc_bitmap_free(got);
	return rc;
}

/*
 * Where the policy cannot be set (containers may forbid the call), memory of the thread's own node
 * is what it gets anyway, by touching it first.
 */
static int bind_memory(const struct affinity_plan *s, const struct topo_place *p)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	int rc = 0;

	hwloc_bitmap_only(set, p->mem_node);
	if (hwloc_set_membind(s->topo.hw, set, HWLOC_MEMBIND_BIND,
			      HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_STRICT |
				      HWLOC_MEMBIND_BYNODESET) && p->mem_node != p->node)
		rc = err_set(-errno, "bind memory to NUMA node %u: %s", p->mem_node,
			     strerror(errno));
	hwloc_bitmap_free(set);
	return rc;
}

int affinity_take(struct affinity_before *before, const struct affinity_plan *s, uint32_t thread)
{
	const struct topo_place *p = affinity_place(s, thread);
	int rc = 0;

	if (before)
		*before = (struct affinity_before){ 0 };
	if (!p || (p->cpu == TOPO_NONE && p->mem_node == TOPO_NONE))
		return 0;
	if (before)
		rc = remember(before, s->topo.hw);
	if (!rc && p->cpu != TOPO_NONE)
		rc = bind_cpu(s, p);
	if (!rc && p->mem_node != TOPO_NONE)
		rc = bind_memory(s, p);
	if (rc && before)
		affinity_leave(before);
	return rc;
}

void affinity_leave(struct affinity_before *b)
{
	if (b->hw && b->cpus && !hwloc_bitmap_iszero(b->cpus)) {
		/* what cannot be restored was possible a moment ago: nothing better can be done */
		if (hwloc_set_cpubind(b->hw, b->cpus, HWLOC_CPUBIND_THREAD))
			errno = 0;
		if (hwloc_set_membind(b->hw, b->nodes, b->policy,
				      HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET))
			errno = 0;
	}
	hwloc_bitmap_free(b->cpus);
	hwloc_bitmap_free(b->nodes);
	*b = (struct affinity_before){ 0 };
}

int affinity_check_memory(const struct affinity_plan *s, uint32_t thread, const void *base,
			  size_t len)
{
	const struct topo_place *p = affinity_place(s, thread);
	struct affinity_pages pages;
	char on[64];
	int rc = 0;

	if (!p || p->mem_node == TOPO_NONE)
		return 0;
	affinity_pages_ask(&pages, base, len);
	if (pages.asked && !hwloc_bitmap_iszero(pages.nodes) &&
	    (hwloc_bitmap_weight(pages.nodes) != 1 ||
	     !hwloc_bitmap_isset(pages.nodes, p->mem_node)))
		rc = err_set(-EIO, "memory was asked of NUMA node %u, and is on %s", p->mem_node,
			     topo_list_text(pages.nodes, on, sizeof(on)));
	affinity_pages_free(&pages);
	return rc;
}
