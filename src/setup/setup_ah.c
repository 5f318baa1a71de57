/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the measurement of address handles to the server's port; see measure.h. On RoCE the first
 * one may wait for the address resolution of the network.
 */
#include "config.h"
#include "setup/measure.h"

#include <string.h>

#include "limits/gid.h"
#include "setup/series.h"

struct wanted {
	struct ibv_pd *pd;
	struct ibv_ah_attr path;
};

static void *open_ah(void *arg)
{
	struct wanted *w = arg;

	return ibv_create_ah(w->pd, &w->path);
}

static int close_ah(void *ah)
{
	return ibv_destroy_ah(ah);
}

/* False: the server's GID is not in its table. */
static bool fill_path(struct ibv_ah_attr *path, const struct setup_run *run)
{
	const struct plan_gid *gid = gid_find(run->peer_limits,
					      plan_gid_index(run->plan, SIDE_SERVER));
	struct ep_addr peer = { .lid = run->peer_limits->lid };
	const struct ep_attr_in in = {
		.plan = run->plan,
		.local = &run->dev->limits,
		.gid_index = plan_gid_index(run->plan, SIDE_CLIENT),
		.peer = &peer,
	};

	if (!gid)
		return false;
	memcpy(peer.gid, gid->raw, sizeof(peer.gid));
	*path = ep_attr_path(&in);
	return true;
}

static int measure(struct setup_run *run, struct ibv_pd *pd)
{
	struct wanted wanted = { .pd = pd };
	const struct pair pair = {
		.make = "ibv_create_ah",
		.destroy = "ibv_destroy_ah",
		.open = open_ah,
		.close = close_ah,
		.arg = &wanted,
	};
	const bool known = fill_path(&wanted.path, run);
	struct setup_row row;

	setup_row_init(&row);
	snprintf(row.measurement, sizeof(row.measurement), "ah");
	return pair_measure(run, &row, &pair, known ? NULL : "the GID of the server is unknown");
}

int setup_ah(struct setup_run *run)
{
	return setup_with_pd(run, measure);
}
