/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Chooses the places of all threads of a request; see topo_placement.h. affinity.c and
 * commands/place.c call it. It must not bind anything.
 */
#include "config.h"
#include "topo/topo_placement.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"
#include "topo/topo_cpu.h"
#include "topo/topo_mem.h"

/* How one request is placed. */
struct placing {
	struct topo_cpu_choice cpu;
	struct topo_mem_choice mem;
	const char *unbound;         /* why the threads are not bound; NULL: they are bound */
};

static int place_thread(struct placing *p, struct topo_place *place, uint32_t i)
{
	const struct topo_hca *hca = p->cpu.hca;
	const uint32_t n = p->cpu.request->first + i;
	int rc = 0;

	topo_place_init(place);
	place->vector = n;
	if (p->unbound)
		topo_place_add_reason(place, "%s", p->unbound);
	else
		rc = topo_cpu_choose(place, &p->cpu, n);
	if (!rc)
		rc = topo_mem_choose(place, &p->mem, n);
	if (!rc && hca->known) {
		place->distance = topo_hca_distance(hca, p->cpu.t, place->node);
		place->mem_distance = topo_hca_distance(hca, p->cpu.t, place->mem_node);
		if (place->cpu != TOPO_NONE)
			place->near = topo_hca_near(hca, place->node, place->mem_node);
	}
	return rc;
}

static int place_all(struct placing *p, struct topo_placement *out)
{
	const struct topo_request *request = p->cpu.request;
	const struct topo_hca *hca = p->cpu.hca;
	const bool unknown = p->cpu.pin == TOPO_PIN_AUTO && !hca->known;
	int rc = 0;

	if (unknown) {
		snprintf(out->note, sizeof(out->note), "threads are not bound: %.120s",
			 hca->reason);
		p->unbound = hca->reason;
	} else if (p->cpu.pin == TOPO_PIN_NONE) {
		p->unbound = "as requested";
	}
	if (p->unbound && !strcmp(request->mem, "local"))
		rc = err_set(
			-EINVAL,
			"%s local: the threads are not bound%s%s, so they have no local NUMA node",
			request->mem_label, unknown ? ": " : "", unknown ? hca->reason : "");
	for (uint32_t i = 0; !rc && i < out->n; i++)
		rc = place_thread(p, &out->places[i], i);
	return rc;
}

int topo_placement_choose(struct topo_placement *out, const struct topo *t,
			  const struct topo_hca *hca, const struct topo_request *request)
{
	struct placing p = { .unbound = NULL };
	int rc;

	*out = (struct topo_placement){ .n = request->threads };
	out->places = calloc(request->threads ? request->threads : 1, sizeof(*out->places));
	if (!out->places)
		return err_set(-ENOMEM, "no memory for the placement of %u threads",
			       request->threads);
	rc = topo_cpu_open(&p.cpu, t, hca, request);
	if (!rc)
		rc = topo_mem_open(&p.mem, t, hca, request);
	if (!rc)
		rc = place_all(&p, out);
	topo_cpu_close(&p.cpu);
	topo_mem_close(&p.mem);
	if (rc)
		topo_placement_free(out);
	return rc;
}

void topo_placement_free(struct topo_placement *p)
{
	free(p->places);
	*p = (struct topo_placement){ 0 };
}
