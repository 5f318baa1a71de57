/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns where the threads and the memory of each side are to be; see agree.h. */
#include "config.h"
#include "session/agree.h"

#include "plan/plan.h"

struct owner_place agree_place(const struct agree *a, enum side side)
{
	if (side == SIDE_SERVER)
		return owner_place(&a->test, agree_limits(a, SIDE_SERVER));
	return (struct owner_place){ .pin = a->test.pin, .mem = a->test.mem,
				     .pin_label = "--pin", .mem_label = "--mem" };
}

static struct affinity_side affinity_side_of(const struct agree *a, enum side side)
{
	const struct owner_place place = agree_place(a, side);

	return (struct affinity_side){
		.pin = place.pin,
		.mem = place.mem,
		.pin_label = place.pin_label,
		.mem_label = place.mem_label,
		.device = agree_limits(a, side)->device,
		.netdev = agree_limits(a, side)->netdev,
		.neighbours = a->test.neighbours[side],
	};
}

/* An emulated device is near to no cpu: that its threads are not bound says nothing. */
static void note_affinity(struct agree *a)
{
	const struct affinity_plan *affinity = &a->own->affinity;
	const struct topo_place *first = affinity_place(affinity, 0);
	const bool bound = first && first->cpu != TOPO_NONE;

	if (bound || a->own->dev.limits.emulated)
		plan_note(&a->plan, "%s", affinity->note);
	else
		plan_note_figures(&a->plan, "%s", affinity->note);
}

/* On one host the client chooses its cpus before the server. */
int agree_affinity(struct agree *a)
{
	const struct affinity_side client = affinity_side_of(a, SIDE_CLIENT);
	const bool one_host = limits_one_host(&a->own->dev.limits, &a->peer);
	const struct affinity_request request = {
		.own = affinity_side_of(a, a->side),
		.peer = a->side == SIDE_SERVER && one_host ? &client : NULL,
		.threads = a->test.threads,
		.events = a->test.completion != CM_POLL,
	};
	int rc = affinity_open(&a->own->affinity, &request);

	if (!rc && a->own->affinity.note[0])
		note_affinity(a);
	return rc;
}
