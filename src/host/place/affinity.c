/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Chooses the places of one side's threads, and binds threads and memory to them. */
#include "config.h"
#include "place/affinity.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/err.h"
#include "util/text.h"

/* ---- sessions at the same time */

static int refuse_neighbours(const char *text)
{
	return err_set(-EINVAL, "neighbours \"%.40s\": expected NUMBER:DEVICE,DEVICE,... of up to %d devices",
		       text, NEIGHBOURS_MAX);
}

/* Names are of sysfs: no path leads out of it. */
static bool take_name(char *name, const char *text, size_t len)
{
	if (len >= NEIGHBOURS_NAME || (len && text[0] == '.'))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("_-.:", text[i]))
			return false;
	memcpy(name, text, len);
	name[len] = '\0';
	return true;
}

int affinity_neighbours_parse(struct neighbours *all, const char *text)
{
	const char *p;
	size_t len;

	memset(all, 0, sizeof(*all));
	all->n = 1;
	if (!text || !text[0])
		return 0;
	len = strspn(text, "0123456789");
	if (!len || len > 2 || text[len] != ':')
		return refuse_neighbours(text);
	for (size_t i = 0; i < len; i++)
		all->own = all->own * 10 + (uint32_t)(text[i] - '0');
	all->n = 0;
	for (p = text + len + 1;; p += len + 1) {
		len = strcspn(p, ",");
		if (all->n == NEIGHBOURS_MAX || !take_name(all->devices[all->n++], p, len))
			return refuse_neighbours(text);
		if (!p[len])
			break;
	}
	return all->own < all->n ? 0 : refuse_neighbours(text);
}

const char *affinity_neighbours_text(const struct neighbours *all, char *text, size_t size)
{
	snprintf(text, size, "%u:", all->own);
	for (uint32_t i = 0; i < all->n; i++)
		text_add(text, size, i ? "," : "", "%s", all->devices[i]);
	return text;
}

static void add_places(hwloc_bitmap_t busy, const struct topo *t, const struct topo_hca *hca,
		       const struct topo_request *request)
{
	struct topo_placement placement;

	if (topo_placement_choose(&placement, t, hca, request)) {
		err_clear();
		return;
	}
	for (uint32_t i = 0; i < placement.n; i++)
		if (placement.places[i].cpu != TOPO_NONE)
			hwloc_bitmap_set(busy, placement.places[i].cpu);
	topo_placement_free(&placement);
}

void affinity_neighbours_cpus(hwloc_bitmap_t busy, const struct topo *t,
			      const struct affinity_side *side, const struct neighbours *all,
			      uint32_t n)
{
	struct topo_request one = side->request;
	char netdev[NEIGHBOURS_NAME];

	for (uint32_t i = 0; i < n; i++) {
		const char *device = all->devices[i];
		const bool own = !device[0] || !strcmp(device, side->device);
		struct topo_hca hca;

		one.first = i * one.threads;
		one.busy = busy;
		topo_hca_find(&hca, t, own ? side->device : device,
			      own ? side->netdev :
				    topo_hca_netdev(t, device, netdev, sizeof(netdev)));
		add_places(busy, t, &hca, &one);
		topo_hca_close(&hca);
	}
}

/*
 * The cpus that others on this machine choose before this session, for the caller to free. All
 * sessions of the peer's side are before those of this side.
 */
static int find_busy(hwloc_bitmap_t busy, const struct affinity_plan *plan,
		     const struct affinity_request *r, uint32_t *number)
{
	struct neighbours all;
	int rc = r->peer ? affinity_neighbours_parse(&all, r->peer->neighbours) : 0;

	if (!rc && r->peer)
		affinity_neighbours_cpus(busy, plan->machine, r->peer, &all, all.n);
	if (!rc)
		rc = affinity_neighbours_parse(&all, r->own.neighbours);
	if (rc)
		return rc;
	affinity_neighbours_cpus(busy, plan->machine, &r->own, &all, all.own);
	*number = all.own;
	return 0;
}

/* Without a topology of this machine, no thread is bound. */
static int open_without_topology(struct affinity_plan *plan, const struct topo_request *r,
				 const char *reason)
{
	const bool none = !strcmp(r->pin, "none");
	char text[ERR_TEXT_MAX];

	snprintf(text, sizeof(text), "%s", reason);
	if ((!none && strcmp(r->pin, "auto")) || strcmp(r->mem, "auto"))
		return err_set(-EINVAL, "%s %s, %s %s: %.300s", r->pin_label, r->pin,
			       r->mem_label, r->mem, text);
	if (!none)
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
	struct topo_request wanted = request->own.request;
	hwloc_bitmap_t busy = hwloc_bitmap_alloc();
	uint32_t number = 0;
	int rc;

	if (!busy)
		return err_set(-ENOMEM, "no memory for the placement of %u threads", wanted.threads);
	rc = find_busy(busy, plan, request, &number);
	wanted.first = number * wanted.threads;
	wanted.busy = busy;
	if (!rc)
		rc = topo_placement_choose(&plan->placement, plan->machine, &plan->hca, &wanted);
	hwloc_bitmap_free(busy);
	return rc;
}

int affinity_open(struct affinity_plan *plan, const struct affinity_request *request)
{
	const struct affinity_side *own = &request->own;
	char text[64];
	int rc;

	if (!plan->machine && topo_open(&plan->own))
		return open_without_topology(plan, &own->request, err_text());
	if (!plan->machine && !plan->own.this_host) {
		snprintf(text, sizeof(text), "%s describes another machine", plan->own.source);
		topo_close(&plan->own);
		return open_without_topology(plan, &own->request, text);
	}
	if (!plan->machine)
		plan->machine = &plan->own;
	plan->loaded = true;
	topo_hca_find(&plan->hca, plan->machine, own->device, own->netdev);
	rc = choose(plan, request);
	if (rc)
		affinity_end(plan);
	else
		set_note(plan);
	return rc;
}

void affinity_end(struct affinity_plan *plan)
{
	if (plan->loaded) {
		topo_placement_free(&plan->placement);
		topo_hca_close(&plan->hca);
	}
	plan->hca = (struct topo_hca){ .node = TOPO_NONE };
	plan->loaded = false;
	plan->note[0] = '\0';
}

void affinity_close(struct affinity_plan *plan)
{
	affinity_end(plan);
	if (plan->machine == &plan->own)
		topo_close(&plan->own);
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

/* ---- binding */

static int save(struct affinity_saved *s, hwloc_topology_t hw)
{
	s->hw = hw;
	s->cpus = hwloc_bitmap_alloc();
	s->nodes = hwloc_bitmap_alloc();
	if (!s->cpus || !s->nodes)
		return err_set(-ENOMEM, "no memory for the binding of a thread");
	if (hwloc_get_cpubind(hw, s->cpus, HWLOC_CPUBIND_THREAD))
		return err_set(-errno, "cannot get the cpus of a thread: %s", strerror(errno));
	if (hwloc_get_membind(hw, s->nodes, &s->policy,
			      HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET))
		s->policy = HWLOC_MEMBIND_DEFAULT;
	return 0;
}

static int bind_cpu(hwloc_topology_t hw, const struct topo_place *p)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc(), got = hwloc_bitmap_alloc();
	int rc = 0;

	if (!set || !got || hwloc_bitmap_only(set, p->cpu))
		rc = err_set(-ENOMEM, "no memory for the binding of a thread");
	else if (hwloc_set_cpubind(hw, set, HWLOC_CPUBIND_THREAD | HWLOC_CPUBIND_STRICT))
		rc = err_set(-errno, "cannot bind a thread to cpu %u: %s", p->cpu, strerror(errno));
	else if (!hwloc_get_cpubind(hw, got, HWLOC_CPUBIND_THREAD) &&
		 !hwloc_bitmap_isequal(set, got))
		rc = err_set(-EIO, "cannot bind a thread to cpu %u: the kernel did not bind it",
			     p->cpu);
	hwloc_bitmap_free(set);
	hwloc_bitmap_free(got);
	return rc;
}

/*
 * A container may forbid to set a memory policy. For memory of the thread's own node this is no
 * error: the default policy of the kernel takes that node at the first touch of a page.
 */
static int bind_memory(hwloc_topology_t hw, const struct topo_place *p)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	int rc = 0;

	if (!set || hwloc_bitmap_only(set, p->mem_node))
		rc = err_set(-ENOMEM, "no memory for the binding of a thread");
	else if (hwloc_set_membind(hw, set, HWLOC_MEMBIND_BIND,
			      HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_STRICT |
				      HWLOC_MEMBIND_BYNODESET) && p->mem_node != p->node)
		rc = err_set(-errno, "cannot bind memory to NUMA node %u: %s", p->mem_node,
			     strerror(errno));
	hwloc_bitmap_free(set);
	return rc;
}

int affinity_bind(struct affinity_saved *saved, const struct affinity_plan *plan, uint32_t thread)
{
	const struct topo_place *p = affinity_place(plan, thread);
	int rc = 0;

	if (saved)
		*saved = (struct affinity_saved){ 0 };
	if (!p || (p->cpu == TOPO_NONE && p->mem_node == TOPO_NONE))
		return 0;
	if (saved)
		rc = save(saved, plan->machine->hw);
	if (!rc && p->cpu != TOPO_NONE)
		rc = bind_cpu(plan->machine->hw, p);
	if (!rc && p->mem_node != TOPO_NONE)
		rc = bind_memory(plan->machine->hw, p);
	if (rc && saved)
		affinity_restore(saved);
	return rc;
}

void affinity_restore(struct affinity_saved *saved)
{
	if (saved->hw && saved->cpus && !hwloc_bitmap_iszero(saved->cpus)) {
		/* the binding was allowed before; if it is not allowed now, nothing helps */
		if (hwloc_set_cpubind(saved->hw, saved->cpus, HWLOC_CPUBIND_THREAD))
			errno = 0;
		if (hwloc_set_membind(saved->hw, saved->nodes, saved->policy,
				      HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET))
			errno = 0;
	}
	hwloc_bitmap_free(saved->cpus);
	hwloc_bitmap_free(saved->nodes);
	*saved = (struct affinity_saved){ 0 };
}
