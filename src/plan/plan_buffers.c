/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The buffers of the plan: the footprint of each point, and the kind of pages. Called by
 * plan_resolve().
 */
#include "config.h"
#include "plan/plan_steps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/err.h"
#include "plan/layout.h"

#define FOOTPRINT_REASON \
	"a buffer for each request in flight, 8 KiB at least, to 8 MiB per QP; of many QPs, fewer"

static int choose_footprint(struct plan *plan, const struct cfg *cfg, struct point *point)
{
	const uint64_t least = walk_least_bytes(plan, point);

	point->footprint_bytes = cfg->footprint_bytes;
	if (cfg->footprint_bytes == CFG_AUTO64)
		point->footprint_bytes = walk_auto_bytes(plan, point);
	if (point->footprint_bytes < least)
		return err_set(-EINVAL,
			       "--footprint %" PRIu64 " does not hold a message of %" PRIu64 " bytes for each of %u QPs: %" PRIu64 " at least",
			       point->footprint_bytes, point->size_bytes, plan->work.qps, least);
	return 0;
}

static uint64_t most_bytes(const struct plan *plan)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < plan->n_points; i++) {
		struct layout lay;

		layout_resolve(&lay, plan, &plan->points[i]);
		if (lay.total_bytes > most)
			most = lay.total_bytes;
	}
	return most;
}

/* Hugepages that are free now may be in use later: then mem_open() fails. */
static int check_hugepages(const struct plan *plan, const struct limits *lim, bool shared_host)
{
	const struct hugepages h = { .page_bytes = lim->hugepage_bytes,
				     .free = lim->hugepages_free };
	/* a mapping for each thread; on one host both sides use the same hugepages */
	uint64_t bytes = most_bytes(plan), maps = plan->work.threads * (shared_host ? 2u : 1u);

	if (h.page_bytes && maps > 1)
		bytes = hugepages_pages(bytes, h.page_bytes) * h.page_bytes;
	bytes *= maps;
	if (h.page_bytes && hugepages_pages(bytes, h.page_bytes) <= h.free)
		return 0;
	return hugepages_refuse(-EINVAL, lim->host, bytes, &h);
}

static int choose_hugepages(struct plan *plan, const struct plan_input *in)
{
	const struct limits *client = in->client, *server = in->server;
	const bool one_host = !strcmp(client->host, server->host);
	int rc;

	plan->work.hugepages = (enum hugepages_use)in->cfg->hugepages;
	/* the emulated HCA shares ordinary memory between processes */
	if (plan->work.hugepages == HUGEPAGES_AUTO && (client->emulated || server->emulated))
		plan->work.hugepages = HUGEPAGES_OFF;
	if (plan->work.hugepages != HUGEPAGES_ON)
		return 0;
	rc = check_hugepages(plan, client, one_host);
	return rc ? rc : check_hugepages(plan, server, one_host);
}

static void note_buffers(struct plan *plan, const struct cfg *cfg)
{
	const uint64_t first = plan->points[0].footprint_bytes;
	const uint64_t last = plan->points[plan->n_points - 1].footprint_bytes;

	if (cfg->walk == WALK_AUTO && plan->work.walk == WALK_SAME)
		plan_note(plan, "walk same: the last byte of one buffer counts the rounds");
	else if (cfg->footprint_bytes == CFG_AUTO64 && plan->work.walk != WALK_SAME &&
		 first == last)
		plan_note(plan, "footprint %" PRIu64 " bytes: " FOOTPRINT_REASON, first);
	else if (cfg->footprint_bytes == CFG_AUTO64 && plan->work.walk != WALK_SAME)
		plan_note(plan, "footprint %" PRIu64 " to %" PRIu64 " bytes: " FOOTPRINT_REASON,
			  first, last);
	if (cfg->hugepages == HUGEPAGES_AUTO && plan->work.hugepages == HUGEPAGES_OFF)
		plan_note(plan, "hugepages off: the emulated HCA shares ordinary pages only");
}

int plan_resolve_buffers(struct plan *plan, const struct plan_input *in)
{
	int rc = 0;

	for (uint32_t i = 0; i < plan->n_points && !rc; i++)
		rc = choose_footprint(plan, in->cfg, &plan->points[i]);
	if (!rc)
		rc = choose_hugepages(plan, in);
	if (!rc)
		note_buffers(plan, in->cfg);
	return rc;
}
