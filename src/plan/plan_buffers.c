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

static uint64_t bytes_of(const struct plan *plan, const struct point *point)
{
	struct layout lay;

	layout_resolve(&lay, plan, point);
	return lay.total_bytes;
}

/* How many pieces of the memory of a device a run takes: one per thread of each side on it. */
static uint64_t device_pieces(const struct plan *plan, const struct plan_input *in)
{
	const struct limits *client = in->client, *server = in->server;
	/* each process has its own emulated device */
	const bool shared = !client->emulated && limits_one_host(client, server) &&
			    !strcmp(client->device, server->device);

	return plan->work.threads * (shared ? UINT64_C(2) : 1);
}

/* Halves what auto would take until the device memory of both sides holds it. */
static void fit_device(const struct plan *plan, const struct plan_input *in, struct point *point,
		       uint64_t least)
{
	const uint64_t client = in->client->max_dm_bytes, server = in->server->max_dm_bytes;
	const uint64_t room = (client < server ? client : server) / device_pieces(plan, in);

	while (point->footprint_bytes > least && bytes_of(plan, point) > room) {
		const uint64_t half = point->footprint_bytes / 2;

		point->footprint_bytes = half > least ? half : least;
	}
}

static int check_device(const struct plan *plan, const struct plan_input *in,
			const struct limits *lim)
{
	const uint64_t pieces = device_pieces(plan, in);

	if (!lim->max_dm_bytes)
		return err_set(-EINVAL, "--buffers device: %s of %s has no device memory (max_dm_size 0); allowed: host, odp",
			       lim->device, lim->host);
	for (uint32_t i = 0; i < plan->n_points; i++) {
		const uint64_t bytes = bytes_of(plan, &plan->points[i]);

		if (bytes > lim->max_dm_bytes / pieces)
			return err_set(-EINVAL,
				       "--buffers device: messages of %" PRIu64 " bytes take %" PRIu64 " times %" PRIu64 " bytes of device memory; %s of %s has %" PRIu64 " (max_dm_size); lower --size, --qps, --threads or --footprint",
				       plan->points[i].size_bytes, pieces, bytes, lim->device,
				       lim->host, lim->max_dm_bytes);
	}
	return 0;
}

static int choose_footprint(struct plan *plan, const struct plan_input *in, struct point *point)
{
	const struct cfg *cfg = in->cfg;
	const uint64_t least = walk_least_bytes(plan, point);

	point->footprint_bytes = cfg->footprint_bytes;
	if (cfg->footprint_bytes == CFG_AUTO64) {
		point->footprint_bytes = walk_auto_bytes(plan, point);
		if (plan->work.buffers == BUFFERS_DEVICE)
			fit_device(plan, in, point, least);
	}
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
		const uint64_t bytes = bytes_of(plan, &plan->points[i]);

		if (bytes > most)
			most = bytes;
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
	const bool one_host = limits_one_host(client, server);
	int rc;

	plan->work.hugepages = (enum hugepages_use)in->cfg->hugepages;
	/* the emulated HCA shares ordinary memory between processes; a device has no hugepages */
	if (plan->work.hugepages == HUGEPAGES_AUTO &&
	    (client->emulated || server->emulated || plan->work.buffers == BUFFERS_DEVICE))
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
	const bool device = plan->work.buffers == BUFFERS_DEVICE;

	if (cfg->walk == WALK_AUTO && plan->work.walk == WALK_SAME)
		plan_note(plan, "walk same: the last byte of one buffer counts the rounds");
	else if (cfg->footprint_bytes == CFG_AUTO64 && plan->work.walk != WALK_SAME &&
		 first == last)
		plan_note(plan, "footprint %" PRIu64 " bytes: " FOOTPRINT_REASON, first);
	else if (cfg->footprint_bytes == CFG_AUTO64 && plan->work.walk != WALK_SAME)
		plan_note(plan, "footprint %" PRIu64 " to %" PRIu64 " bytes: " FOOTPRINT_REASON,
			  first, last);
	if (device && cfg->footprint_bytes == CFG_AUTO64)
		plan_note(plan, "footprint at most what device memory holds");
	if (cfg->hugepages == HUGEPAGES_AUTO && plan->work.hugepages == HUGEPAGES_OFF && !device)
		plan_note(plan, "hugepages off: the emulated HCA shares ordinary pages only");
}

int plan_resolve_buffers(struct plan *plan, const struct plan_input *in)
{
	int rc = 0;

	for (uint32_t i = 0; i < plan->n_points && !rc; i++)
		rc = choose_footprint(plan, in, &plan->points[i]);
	if (!rc && plan->work.buffers == BUFFERS_DEVICE)
		rc = check_device(plan, in, in->client);
	if (!rc && plan->work.buffers == BUFFERS_DEVICE)
		rc = check_device(plan, in, in->server);
	if (!rc)
		rc = choose_hugepages(plan, in);
	if (!rc)
		note_buffers(plan, in->cfg);
	return rc;
}
