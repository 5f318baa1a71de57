/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Chooses a cpu for each measuring thread. It must not bind anything. enum
 * criterion has the order in which two cpus are compared.
 */
#include "config.h"
#include "topo/topo_placement.h"

#include <errno.h>
#include <string.h>

#include "util/err.h"
#include "util/text.h"

#define UNKNOWN_DISTANCE 1000u /* farther than every distance of ACPI SLIT, which has 8 bits */
#define MAX_SPEED 1000000u     /* hwloc numbers the kinds of cpus from 0 */

/* The first criterion in which two cpus differ decides. */
enum criterion {
	SHARED,       /* another thread of this test uses the core, or even the cpu */
	DISTANCE,     /* from the HCA; reversed with --pin far */
	KIND,         /* slower kind of cpu */
	VECTOR,       /* with events: the core serves no completion vector */
	HOUSEKEEPING, /* not isolated */
	INTERRUPTS,   /* polling: the core serves an interrupt of the HCA */
	NUMBER,       /* logical number */
	CRITERIA
};

/* A smaller value is better. */
struct cost {
	uint32_t v[CRITERIA];
};

/* ---- the cost of a cpu */

static hwloc_obj_t core_of(const struct topo *t, hwloc_obj_t pu)
{
	hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(t->hw, HWLOC_OBJ_CORE, pu);

	return core ? core : pu;
}

static uint32_t distance_of(const struct topo_choice *c, uint32_t cpu)
{
	uint32_t d;

	if (!c->hca->known || hwloc_bitmap_isset(c->hca->cpus, cpu))
		return 0;
	d = topo_hca_distance(c->hca, c->t, topo_node_of_cpu(c->t, cpu));
	return d == TOPO_NONE ? UNKNOWN_DISTANCE : d;
}

static struct cost cost_of(const struct topo_choice *c, hwloc_obj_t pu)
{
	hwloc_const_cpuset_t core = core_of(c->t, pu)->cpuset;
	const uint32_t distance = distance_of(c, pu->os_index);
	struct cost cost = { {
		[SHARED] = (uint32_t)hwloc_bitmap_intersects(core, c->used) +
			   (uint32_t)hwloc_bitmap_isset(c->used, pu->os_index),
		[DISTANCE] = c->pin == TOPO_PIN_FAR ? UINT32_MAX - distance : distance,
		[KIND] = MAX_SPEED - (uint32_t)topo_cpu_speed(c->t->hw, pu->cpuset),
		[HOUSEKEEPING] = !hwloc_bitmap_isset(c->t->isolated, pu->os_index),
		[NUMBER] = pu->logical_index,
	} };

	if (c->request->events)
		cost.v[VECTOR] = !hwloc_bitmap_intersects(core, c->vector_cpus);
	else
		cost.v[INTERRUPTS] = (uint32_t)hwloc_bitmap_intersects(core, c->irq_cpus);
	return cost;
}

static bool is_better(const struct cost *a, const struct cost *b)
{
	for (int i = 0; i < CRITERIA; i++)
		if (a->v[i] != b->v[i])
			return a->v[i] < b->v[i];
	return false;
}

/* The best cpu of a set that may be used and is not chosen yet, and its cost; NULL: none. */
static hwloc_obj_t best_in(const struct topo_choice *c, hwloc_const_cpuset_t within,
			   struct cost *best_cost)
{
	hwloc_obj_t pu = NULL, best = NULL;

	while ((pu = hwloc_get_next_obj_by_type(c->t->hw, HWLOC_OBJ_PU, pu))) {
		struct cost cost;

		if (!hwloc_bitmap_isset(within, pu->os_index) ||
		    !hwloc_bitmap_isset(c->t->usable, pu->os_index) ||
		    hwloc_bitmap_isset(c->chosen, pu->os_index))
			continue;
		cost = cost_of(c, pu);
		if (!best || is_better(&cost, best_cost)) {
			best = pu;
			*best_cost = cost;
		}
	}
	return best;
}

/* Thread i starts with set i (the list repeats); if that set is full, the next set is tried. */
static hwloc_obj_t best_of_sets(const struct topo_choice *c, uint32_t i, struct cost *cost)
{
	for (uint32_t k = 0; k < c->cpu_sets.n; k++) {
		hwloc_obj_t pu = best_in(c, c->cpu_sets.sets[(i + k) % c->cpu_sets.n].cpus, cost);

		if (pu)
			return pu;
	}
	return NULL;
}

/* ---- the place of a thread */

/*
 * A completion vector that the core serves; without one, the threads use the vectors in turn, also
 * those that nobody knows: ep_open() takes the number modulo what the device has.
 */
static uint32_t choose_vector(const struct topo_irqs *irqs, hwloc_obj_t core, uint32_t i)
{
	uint32_t n = 0, own = TOPO_NONE;

	for (uint32_t k = 0; k < irqs->n; k++) {
		const struct topo_irq *irq = &irqs->irqs[k];

		if (irq->vector == TOPO_NONE)
			continue;
		n = irq->vector >= n ? irq->vector + 1 : n;
		if (own == TOPO_NONE && hwloc_bitmap_intersects(irq->cpus, core->cpuset))
			own = irq->vector;
	}
	return own != TOPO_NONE ? own : n ? i % n : i;
}

static void set_place(struct topo_place *place, struct topo_choice *c, hwloc_obj_t pu,
		      uint32_t i)
{
	hwloc_obj_t core = core_of(c->t, pu);

	place->cpu = pu->os_index;
	place->core = core->logical_index;
	place->node = topo_node_of_cpu(c->t, place->cpu);
	place->vector = choose_vector(&c->hca->irqs, core, i);
	hwloc_bitmap_set(c->chosen, place->cpu);
	hwloc_bitmap_set(c->used, place->cpu);
}

static void add_reasons(struct topo_place *place, const struct topo_choice *c,
			const struct cost *cost)
{
	const struct topo_hca *hca = c->hca;
	char *why = place->reason;

	if (c->pin == TOPO_PIN_SPEC)
		text_add(why, TOPO_TEXT_MAX, ", ", "as requested");
	else if (hwloc_bitmap_isset(hca->cpus, place->cpu))
		text_add(why, TOPO_TEXT_MAX, ", ", "near %s", hca->name);
	else if (c->pin == TOPO_PIN_FAR)
		text_add(why, TOPO_TEXT_MAX, ", ", "farthest from %s", hca->name);
	else
		text_add(why, TOPO_TEXT_MAX, ", ", "no available core is nearer to %s", hca->name);
	if (cost->v[SHARED])
		text_add(why, TOPO_TEXT_MAX, ", ", "shares its core with another thread");
	if (hwloc_bitmap_isset(c->t->isolated, place->cpu))
		text_add(why, TOPO_TEXT_MAX, ", ", "isolated");
	if (c->request->events && hca->irqs.n && !cost->v[VECTOR])
		text_add(why, TOPO_TEXT_MAX, ", ", "serves completion vector %u", place->vector);
	if (!c->request->events && hca->irqs.n)
		text_add(why, TOPO_TEXT_MAX, ", ", cost->v[INTERRUPTS] ?
			 "also serves interrupts of %s" : "no interrupts of %s", hca->name);
}

/* The part of the machine that a thread may be bound in, for error messages. */
static const char *name_of_scope(const struct topo_choice *c)
{
	switch (c->pin) {
	case TOPO_PIN_NEAR:
		return "the HCA's NUMA nodes";
	case TOPO_PIN_FAR:
		return "the farthest NUMA nodes";
	case TOPO_PIN_SPEC:
		return c->request->pin;
	case TOPO_PIN_AUTO:
	case TOPO_PIN_NONE:
		break;
	}
	return "this machine";
}

static int refuse(const struct topo_choice *c)
{
	const struct topo_request *r = c->request;
	const uint32_t n = topo_count_common(c->t->usable, c->within);
	char usable[TOPO_TEXT_MAX], has[TOPO_TEXT_MAX];

	topo_list_text(c->t->usable, usable, sizeof(usable));
	topo_list_text(c->within, has, sizeof(has));
	if (!n)
		return err_set(
			-EINVAL,
			"%s %s: the cpus of %s are %s, but this process may run only on cpus %s",
			r->pin_label, r->pin, name_of_scope(c), has[0] ? has : "none", usable);
	return err_set(
		-EINVAL,
		"%s %s: %u threads need one cpu each, but only %u cpus of %s are usable (this process may run on cpus %s)",
		r->pin_label, r->pin, r->threads, n, name_of_scope(c), usable);
}

int topo_cpu_choose(struct topo_place *place, struct topo_choice *c, uint32_t i)
{
	struct cost cost;
	hwloc_obj_t pu = c->pin == TOPO_PIN_SPEC ? best_of_sets(c, i, &cost) :
						   best_in(c, c->within, &cost);

	if (!pu)
		return refuse(c);
	set_place(place, c, pu, i);
	add_reasons(place, c, &cost);
	return 0;
}

/* ---- the request */

static void find_irq_cpus(struct topo_choice *c)
{
	const struct topo_irqs *irqs = &c->hca->irqs;

	for (uint32_t i = 0; i < irqs->n; i++) {
		hwloc_bitmap_or(c->irq_cpus, c->irq_cpus, irqs->irqs[i].cpus);
		if (irqs->irqs[i].vector != TOPO_NONE)
			hwloc_bitmap_or(c->vector_cpus, c->vector_cpus, irqs->irqs[i].cpus);
	}
}

/* The cpus of the farthest nodes that have a usable cpu and no cpu near the HCA. */
static void find_far_cpus(struct topo_choice *c)
{
	hwloc_obj_t node = NULL;
	uint32_t most = 0;

	while ((node = hwloc_get_next_obj_by_type(c->t->hw, HWLOC_OBJ_NUMANODE, node))) {
		uint32_t d;

		if (!hwloc_bitmap_intersects(node->cpuset, c->t->usable) ||
		    hwloc_bitmap_intersects(node->cpuset, c->hca->cpus))
			continue;
		d = distance_of(c, (uint32_t)hwloc_bitmap_first(node->cpuset));
		if (d > most)
			hwloc_bitmap_zero(c->within);
		if (d >= most)
			hwloc_bitmap_or(c->within, c->within, node->cpuset);
		most = d > most ? d : most;
	}
}

/* Each object of a SPEC needs a usable cpu: "pu:0-3" is refused if one of them is not usable. */
static int find_spec_cpus(struct topo_choice *c)
{
	const struct topo_request *r = c->request;
	int rc = topo_spec_resolve(&c->cpu_sets, c->t, c->hca, r->pin_label, r->pin);
	char usable[TOPO_TEXT_MAX];

	for (uint32_t i = 0; !rc && i < c->cpu_sets.n; i++) {
		const struct topo_set *set = &c->cpu_sets.sets[i];

		hwloc_bitmap_or(c->within, c->within, set->cpus);
		if (!hwloc_bitmap_intersects(set->cpus, c->t->usable))
			rc = err_set(-EINVAL, "%s %s: this process may not run on %s; allowed cpus: %s",
				     r->pin_label, r->pin, set->text,
				     topo_list_text(c->t->usable, usable, sizeof(usable)));
	}
	return rc;
}

int topo_cpu_resolve(struct topo_choice *c)
{
	const struct topo_request *r = c->request;

	find_irq_cpus(c);
	if (c->pin == TOPO_PIN_SPEC)
		return find_spec_cpus(c);
	if ((c->pin == TOPO_PIN_NEAR || c->pin == TOPO_PIN_FAR) && !c->hca->known)
		return err_set(-EINVAL, "%s %s: %s", r->pin_label, r->pin, c->hca->reason);
	if (c->pin == TOPO_PIN_FAR)
		find_far_cpus(c);
	else
		hwloc_bitmap_copy(c->within, c->pin == TOPO_PIN_NEAR ? c->hca->cpus :
				  hwloc_topology_get_topology_cpuset(c->t->hw));
	if (c->pin == TOPO_PIN_FAR && hwloc_bitmap_iszero(c->within))
		return err_set(-EINVAL, "%s far: all cpus that this process may use are near %s",
			       r->pin_label, c->hca->name);
	return 0;
}
