/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Binds threads and memory; see affinity_bind.h. Called before the measured loop by the session and
 * the worker. It must not choose a place.
 */
#include "config.h"
#include "host/affinity_bind.h"

#include <errno.h>
#include <string.h>

#include "util/err.h"
#include "host/affinity_pages.h"

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
		rc = save(saved, plan->topo.hw);
	if (!rc && p->cpu != TOPO_NONE)
		rc = bind_cpu(plan->topo.hw, p);
	if (!rc && p->mem_node != TOPO_NONE)
		rc = bind_memory(plan->topo.hw, p);
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

int affinity_bind_check(const struct affinity_plan *plan, uint32_t thread, const void *base,
			size_t len)
{
	const struct topo_place *p = affinity_place(plan, thread);
	struct affinity_pages pages;
	char on[64];
	int rc = 0;

	if (!p || p->mem_node == TOPO_NONE)
		return 0;
	affinity_pages_find(&pages, base, len);
	if (affinity_pages_elsewhere(&pages, p->mem_node))
		rc = err_set(-EIO, "memory is on NUMA nodes %s instead of NUMA node %u",
			     topo_list_text(pages.nodes, on, sizeof(on)), p->mem_node);
	affinity_pages_free(&pages);
	return rc;
}
