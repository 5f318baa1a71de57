/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Chooses a cpu and a memory node for each measuring thread. A cpu is better than another by the
 * first of these in which they differ: nobody of ours on its core, nearer to the HCA (or farther,
 * when far was asked for), of a faster kind, on the core of a completion vector (events), isolated,
 * no interrupt of the HCA on its core (polling), the lower number. Pure; must not bind anything.
 */
#include "config.h"
#include "host/topo.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"
#include "host/topo_own.h"

enum pin { PIN_AUTO, PIN_NEAR, PIN_FAR, PIN_NONE, PIN_SPEC };

enum merit { SHARED, DISTANCE, KIND, VECTOR, HOUSEKEEPING, INTERRUPTS, NUMBER, MERITS };

/* How bad a cpu is, most important first. */
struct cost {
	uint32_t v[MERITS];
};

struct pick {
	const struct topo *t;
	const struct topo_hca *hca;
	const struct topo_wish *wish;
	enum pin pin;
	struct topo_sets pins;       /* of a SPEC; n 0: none */
	struct topo_mem mem;
	hwloc_bitmap_t given;        /* cpus given away */
	hwloc_bitmap_t used;         /* the same, and those of the other side */
	hwloc_bitmap_t irq_cpus, vector_cpus;
	hwloc_bitmap_t far_cpus;
};

static enum pin pin_of(const char *text)
{
	static const char *const words[] = { "auto", "near", "far", "none" };

	for (uint32_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(text, words[i]))
			return (enum pin)i;
	return PIN_SPEC;
}

/* ---- one cpu's worth */

static hwloc_obj_t core_of(const struct topo *t, hwloc_obj_t pu)
{
	hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(t->hw, HWLOC_OBJ_CORE, pu);

	return core ? core : pu;
}

static uint32_t rank_distance(const struct pick *p, uint32_t cpu)
{
	uint32_t d;

	if (!p->hca->known || hwloc_bitmap_isset(p->hca->cpus, cpu))
		return 0;
	d = topo_hca_distance(p->hca, p->t, topo_node_of_cpu(p->t, cpu));
	return d == TOPO_NONE ? 1000 : d;
}

static struct cost cost_of(const struct pick *p, hwloc_obj_t pu)
{
	hwloc_const_cpuset_t core = core_of(p->t, pu)->cpuset;
	const uint32_t distance = rank_distance(p, pu->os_index);
	struct cost c = { {
		[SHARED] = (uint32_t)hwloc_bitmap_intersects(core, p->used) +
			   (uint32_t)hwloc_bitmap_isset(p->used, pu->os_index),
		[DISTANCE] = p->pin == PIN_FAR ? UINT32_MAX - distance : distance,
		[KIND] = 1000000u - (uint32_t)topo_cpu_speed(p->t->hw, pu->cpuset),
		[HOUSEKEEPING] = !hwloc_bitmap_isset(p->t->isolated, pu->os_index),
		[NUMBER] = pu->logical_index,
	} };

	if (p->wish->events)
		c.v[VECTOR] = !hwloc_bitmap_intersects(core, p->vector_cpus);
	else
		c.v[INTERRUPTS] = (uint32_t)hwloc_bitmap_intersects(core, p->irq_cpus);
	return c;
}

static bool is_better(const struct cost *a, const struct cost *b)
{
	for (int i = 0; i < MERITS; i++)
		if (a->v[i] != b->v[i])
			return a->v[i] < b->v[i];
	return false;
}

/* NULL when every usable cpu of the set is given away. */
static hwloc_obj_t best_in(const struct pick *p, hwloc_const_cpuset_t within, struct cost *cost)
{
	hwloc_obj_t pu = NULL, best = NULL;

	while ((pu = hwloc_get_next_obj_by_type(p->t->hw, HWLOC_OBJ_PU, pu))) {
		struct cost c;

		if (!hwloc_bitmap_isset(within, pu->os_index) ||
		    !hwloc_bitmap_isset(p->t->usable, pu->os_index) ||
		    hwloc_bitmap_isset(p->given, pu->os_index))
			continue;
		c = cost_of(p, pu);
		if (!best || is_better(&c, cost)) {
			best = pu;
			*cost = c;
		}
	}
	return best;
}

/* ---- refusals */

static int none_left(const struct pick *p, const char *where, hwloc_const_cpuset_t within)
{
	hwloc_bitmap_t both = hwloc_bitmap_alloc();
	char may[TOPO_WHY], has[TOPO_WHY];
	int n;

	hwloc_bitmap_and(both, within, p->t->usable);
	n = hwloc_bitmap_weight(both);
	hwloc_bitmap_free(both);
	topo_list_text(p->t->usable, may, sizeof(may));
	topo_list_text(within, has, sizeof(has));
	if (!n)
		return err_set(-EINVAL, "%s %s: this process may run on cpus %s, and %s has %s",
			       p->wish->pin_label, p->wish->pin, may, where,
			       has[0] ? has : "none");
	return err_set(-EINVAL, "%s %s: %u threads, and %s has %d cpu%s for them (this process may "
		       "run on cpus %s)", p->wish->pin_label, p->wish->pin, p->wish->threads,
		       where, n, n == 1 ? "" : "s", may);
}

/* ---- the HCA's surroundings */

static void gather_irqs(struct pick *p)
{
	const struct topo_irqs *irqs = &p->hca->irqs;

	for (uint32_t i = 0; i < irqs->n; i++) {
		hwloc_bitmap_or(p->irq_cpus, p->irq_cpus, irqs->irqs[i].cpus);
		if (irqs->irqs[i].vector != TOPO_NONE)
			hwloc_bitmap_or(p->vector_cpus, p->vector_cpus, irqs->irqs[i].cpus);
	}
}

/* Of all nodes with cpus, those at the greatest distance. */
static void gather_far(struct pick *p)
{
	hwloc_obj_t node = NULL;
	uint32_t most = 0;

	while ((node = hwloc_get_next_obj_by_type(p->t->hw, HWLOC_OBJ_NUMANODE, node))) {
		uint32_t d;

		if (!hwloc_bitmap_intersects(node->cpuset, p->t->usable) ||
		    hwloc_bitmap_intersects(node->cpuset, p->hca->cpus))
			continue;
		d = rank_distance(p, (uint32_t)hwloc_bitmap_first(node->cpuset));
		if (d > most)
			hwloc_bitmap_zero(p->far_cpus);
		if (d >= most)
			hwloc_bitmap_or(p->far_cpus, p->far_cpus, node->cpuset);
		most = d > most ? d : most;
	}
}

/* ---- one thread's place */

static void take_siblings(struct topo_place *place, hwloc_obj_t core)
{
	unsigned cpu;

	hwloc_bitmap_foreach_begin(cpu, core->cpuset)
		if (cpu != place->cpu && place->n_siblings < TOPO_MAX_SIBLINGS)
			place->siblings[place->n_siblings++] = cpu;
	hwloc_bitmap_foreach_end();
}

/* The vector that this core serves, else the threads share them in turn. */
static uint32_t choose_vector(const struct pick *p, hwloc_obj_t core, uint32_t i)
{
	const struct topo_irqs *irqs = &p->hca->irqs;
	uint32_t n = 0, mine = TOPO_NONE;

	for (uint32_t k = 0; k < irqs->n; k++) {
		const struct topo_irq *irq = &irqs->irqs[k];

		if (irq->vector == TOPO_NONE)
			continue;
		n = irq->vector >= n ? irq->vector + 1 : n;
		if (core && mine == TOPO_NONE && hwloc_bitmap_intersects(irq->cpus, core->cpuset))
			mine = irq->vector;
	}
	return mine != TOPO_NONE ? mine : n ? i % n : 0;
}

static void explain(const struct pick *p, struct topo_place *place, const struct cost *cost)
{
	const struct topo_hca *hca = p->hca;

	if (p->pin == PIN_SPEC)
		topo_because(place, "as asked");
	else if (hwloc_bitmap_isset(hca->cpus, place->cpu))
		topo_because(place, "near %s", hca->name);
	else if (p->pin == PIN_FAR)
		topo_because(place, "farthest from %s", hca->name);
	else
		topo_because(place, "no core of its own is left nearer to %s", hca->name);
	if (cost->v[SHARED])
		topo_because(place, "shares its core");
	if (hwloc_bitmap_isset(p->t->isolated, place->cpu))
		topo_because(place, "isolated");
	if (p->wish->events && hca->irqs.n && !cost->v[VECTOR])
		topo_because(place, "serves completion vector %u", place->vector);
	if (!p->wish->events && hca->irqs.n)
		topo_because(place, cost->v[INTERRUPTS] ? "serves interrupts of %s too" :
						      "no interrupts of %s", hca->name);
}

static void sit(struct pick *p, struct topo_place *place, hwloc_obj_t pu, uint32_t i)
{
	hwloc_obj_t core = core_of(p->t, pu);

	place->cpu = pu->os_index;
	place->core = core->logical_index;
	place->node = topo_node_of_cpu(p->t, place->cpu);
	place->vector = choose_vector(p, core, i);
	take_siblings(place, core);
	hwloc_bitmap_set(p->given, place->cpu);
	hwloc_bitmap_set(p->used, place->cpu);
}

static const char *where_of(const struct pick *p)
{
	return p->pin == PIN_AUTO ? "this machine" : p->pin == PIN_NEAR ? "the HCA's node" :
	       p->pin == PIN_FAR ? "the farthest node" : p->wish->pin;
}

/* Thread i gets set i, over and over; where that is full, the next one that is not. */
static hwloc_obj_t best_of_sets(const struct pick *p, uint32_t i, struct cost *cost)
{
	for (uint32_t k = 0; k < p->pins.n; k++) {
		hwloc_obj_t pu = best_in(p, p->pins.sets[(i + k) % p->pins.n].cpus, cost);

		if (pu)
			return pu;
	}
	return NULL;
}

static int pick_cpu(struct pick *p, struct topo_place *place, uint32_t i)
{
	hwloc_const_cpuset_t within = hwloc_topology_get_topology_cpuset(p->t->hw);
	hwloc_bitmap_t all = NULL;
	struct cost cost;
	hwloc_obj_t pu;
	int rc;

	if (p->pin == PIN_NEAR)
		within = p->hca->cpus;
	else if (p->pin == PIN_FAR)
		within = p->far_cpus;
	pu = p->pin == PIN_SPEC ? best_of_sets(p, i, &cost) : best_in(p, within, &cost);
	if (pu) {
		sit(p, place, pu, i);
		explain(p, place, &cost);
		return 0;
	}
	if (p->pin == PIN_SPEC) {
		all = hwloc_bitmap_alloc();
		for (uint32_t k = 0; k < p->pins.n; k++)
			hwloc_bitmap_or(all, all, p->pins.sets[k].cpus);
		within = all;
	}
	rc = none_left(p, where_of(p), within);
	hwloc_bitmap_free(all);
	return rc;
}

/* ---- all threads */

/* Every object that was named must be of use: "pu:0-3" of which three are allowed is refused. */
static int check_sets(const struct pick *p)
{
	char may[TOPO_WHY];

	for (uint32_t i = 0; i < p->pins.n; i++) {
		if (hwloc_bitmap_intersects(p->pins.sets[i].cpus, p->t->usable))
			continue;
		topo_list_text(p->t->usable, may, sizeof(may));
		return err_set(-EINVAL, "%s %s: this process may not run on %s, but on cpus %s",
			       p->wish->pin_label, p->wish->pin, p->pins.sets[i].text, may);
	}
	return 0;
}

static int resolve_wish(struct pick *p)
{
	const struct topo_wish *w = p->wish;
	int rc = 0;

	if (p->pin == PIN_SPEC)
		rc = topo_spec_resolve(&p->pins, p->t, p->hca, w->pin_label, w->pin);
	if (!rc && strchr(w->mem, ':'))
		rc = topo_spec_resolve(&p->mem.sets, p->t, p->hca, w->mem_label, w->mem);
	if (!rc)
		rc = check_sets(p);
	if (!rc && (p->pin == PIN_NEAR || p->pin == PIN_FAR) && !p->hca->known)
		rc = err_set(-EINVAL, "%s %s: %s", w->pin_label, w->pin, p->hca->why);
	if (!rc && p->hca->known)
		gather_far(p);
	if (!rc && p->pin == PIN_FAR && hwloc_bitmap_iszero(p->far_cpus))
		rc = err_set(-EINVAL, "%s far: no cpu that this process may run on is on another "
			     "NUMA node than %s", w->pin_label, p->hca->name);
	return rc;
}

/* What is known of any place, bound or not. */
static void finish_place(const struct pick *p, struct topo_place *place)
{
	if (place->near == TOPO_UNKNOWN && p->hca->known) {
		place->distance = topo_hca_distance(p->hca, p->t, place->node);
		place->mem_distance = topo_hca_distance(p->hca, p->t, place->mem_node);
		if (place->cpu != TOPO_NONE)
			place->near = topo_near(p->hca, place->node, place->mem_node);
	}
}

static int pick_all(struct pick *p, struct topo_placement *out)
{
	const struct topo_wish *w = p->wish;
	const bool lost = p->pin == PIN_AUTO && !p->hca->known;
	const bool bound = p->pin != PIN_NONE && !lost;
	int rc = resolve_wish(p);

	if (!rc && lost)
		snprintf(out->note, sizeof(out->note), "%.120s; threads are not bound",
			 p->hca->why);
	if (!rc && !bound && !strcmp(w->mem, "local"))
		rc = err_set(-EINVAL, "%s local: the threads are not bound%s%s, so no node is "
			     "theirs", w->mem_label, lost ? ": " : "", lost ? p->hca->why : "");
	for (uint32_t i = 0; !rc && i < w->threads; i++) {
		struct topo_place *place = &out->places[i];

		if (bound)
			rc = pick_cpu(p, place, i);
		else
			topo_because(place, "%s", lost ? p->hca->why : "as asked");
		if (!rc)
			rc = topo_mem_choose(place, &p->mem, i);
		if (!rc)
			finish_place(p, place);
	}
	return rc;
}

static bool alloc_bitmaps(struct pick *p)
{
	p->used = p->wish->taken ? hwloc_bitmap_dup(p->wish->taken) : hwloc_bitmap_alloc();
	p->irq_cpus = hwloc_bitmap_alloc();
	p->vector_cpus = hwloc_bitmap_alloc();
	p->given = hwloc_bitmap_alloc();
	p->far_cpus = hwloc_bitmap_alloc();
	return p->used && p->irq_cpus && p->vector_cpus && p->given && p->far_cpus;
}

int topo_pick(struct topo_placement *out, const struct topo *t, const struct topo_hca *hca,
	      const struct topo_wish *wish)
{
	struct pick p = { .t = t, .hca = hca, .wish = wish, .pin = pin_of(wish->pin),
			  .mem = { .t = t, .hca = hca, .wish = wish } };
	int rc;

	*out = (struct topo_placement){ .n = wish->threads };
	out->places = calloc(wish->threads ? wish->threads : 1, sizeof(*out->places));
	rc = out->places && alloc_bitmaps(&p) ? 0 :
		err_set(-ENOMEM, "out of memory for the placement of %u threads", wish->threads);
	for (uint32_t i = 0; !rc && i < wish->threads; i++)
		out->places[i] = (struct topo_place){
			.cpu = TOPO_NONE, .core = TOPO_NONE, .node = TOPO_NONE,
			.mem_node = TOPO_NONE, .distance = TOPO_NONE, .mem_distance = TOPO_NONE,
			.vector = 0,
		};
	if (!rc) {
		gather_irqs(&p);
		rc = pick_all(&p, out);
	}
	topo_spec_free(&p.pins);
	topo_spec_free(&p.mem.sets);
	hwloc_bitmap_free(p.used);
	hwloc_bitmap_free(p.irq_cpus);
	hwloc_bitmap_free(p.vector_cpus);
	hwloc_bitmap_free(p.given);
	hwloc_bitmap_free(p.far_cpus);
	if (rc)
		topo_placement_free(out);
	return rc;
}

void topo_placement_free(struct topo_placement *p)
{
	free(p->places);
	*p = (struct topo_placement){ 0 };
}
