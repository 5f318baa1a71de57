/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the rails of the nodes: which devices they are, which of them a pair uses, and what all of
 * two nodes have together.
 */
#include "config.h"
#include "mesh/mesh_root.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/dev.h"
#include "util/err.h"
#include "util/must.h"

/* The same device twice would be measured with itself. */
static int add(struct mesh_rails *rails, const char *name, size_t len)
{
	char *own = rails->names[rails->n];

	if (rails->n == MESH_RAILS_MAX)
		return err_option(-EINVAL, "--rails", "there are more than %u devices; give some of them by -d",
				  MESH_RAILS_MAX);
	if (!len || len >= sizeof(rails->names[0]))
		return err_option(-EINVAL, "-d (--device)", "\"%.*s\" is no name of a device",
				  (int)len, name);
	snprintf(own, sizeof(rails->names[0]), "%.*s", (int)len, name);
	for (uint32_t i = 0; i < rails->n; i++)
		if (!strcmp(rails->names[i], own))
			return err_option(-EINVAL, "-d (--device)", "names %s twice", own);
	rails->n++;
	return 0;
}

static int read_list(struct mesh_rails *rails, const char *list)
{
	int rc = 0;

	for (const char *p = list; !rc; p++) {
		const size_t len = strcspn(p, ",");

		rc = add(rails, p, len);
		p += len;
		if (!*p)
			break;
	}
	return rc;
}

static int by_name(const void *a, const void *b)
{
	return strverscmp(a, b);
}

/* All that have an active port. */
static int find_active(struct mesh_rails *rails, const struct cfg *given)
{
	struct ibv_device **list;
	struct cfg cfg = *given;
	int n, rc = dev_list(&list, &n);

	if (rc)
		return rc;
	for (int i = 0; i < n && !rc; i++) {
		cfg.device = ibv_get_device_name(list[i]);
		if (!dev_check(&(struct dev_request){ .cfg = &cfg, .side = SIDE_CLIENT }))
			rc = add(rails, cfg.device, strlen(cfg.device));
	}
	if (list)
		ibv_free_device_list(list);
	if (rc)
		return rc;
	if (!rails->n)
		return err_option(-ENODEV, "--rails", "no device of this node has an active port");
	err_clear();
	qsort(rails->names, rails->n, sizeof(rails->names[0]), by_name);
	return 0;
}

int mesh_rails_read(struct mesh *m)
{
	const struct cfg *cfg = &m->cfg;

	if (cfg->rails && cfg->peer_device)
		return err_set(-EINVAL, "--rails excludes --peer-device: both nodes have the same devices");
	if (cfg->rails)
		return cfg->device ? read_list(&m->rails, cfg->device) :
				     find_active(&m->rails, cfg);
	m->rails.n = 1;
	if (cfg->device && strchr(cfg->device, ','))
		return err_option(-EINVAL, "-d (--device)", "%s: several devices need --rails",
				  cfg->device);
	return 0;
}

void mesh_rails_choose(const struct mesh *m, struct cfg *cfg, const struct schedule_rails *of)
{
	if (!m->cfg.rails)
		return;
	cfg->device = m->rails.names[of->from];
	cfg->peer_device = m->rails.names[of->to];
}

/* Each lane has places of its own for its threads, on both nodes. */
void mesh_rails_beside(const struct mesh *m, struct cfg *cfg, uint32_t lane,
		       char text[NEIGHBOURS_TEXT])
{
	struct neighbours all = { .own = lane, .n = schedule_lanes(m->schedule) };

	if (all.n == 1)
		return;
	for (uint32_t i = 0; i < all.n; i++)
		snprintf(all.devices[i], NEIGHBOURS_NAME, "%s", m->rails.names[i]);
	affinity_neighbours_text(&all, text, NEIGHBOURS_TEXT);
	cfg->neighbours[SIDE_CLIENT] = cfg->neighbours[SIDE_SERVER] = text;
}

/* ---- totals of all rails */

/* A row of a round. */
struct measured {
	const struct row *row;
	const struct mesh_where *where;
	bool counted;             /* in a total */
};

static int by_client(const void *a, const void *b)
{
	const struct measured *x = a, *y = b;

	if (x->where->client != y->where->client)
		return x->where->client < y->where->client ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* What the rail has beside this row: that of the same point, else why it has none. */
static struct measured *find(struct measured *of, uint32_t n, const struct row *like, uint32_t rail)
{
	struct measured *found = NULL;

	for (uint32_t i = 0; i < n; i++) {
		const struct row *row = of[i].row;

		if (of[i].where->rails.from != rail)
			continue;
		if (row->size_bytes == like->size_bytes && row->direction == like->direction)
			return &of[i];
		if (row->status != RESULT_OK)
			found = &of[i];
	}
	return found;
}

/* The pair of each rail has the name of its device: the slowest one is told by it. */
static void tell_total(struct mesh_root *r, struct measured *of, uint32_t n, uint32_t first,
		       uint32_t cell)
{
	struct row *rows = must_calloc(r->lanes, sizeof(*rows)), total;
	uint32_t rail = 0;

	for (; rail < r->lanes; rail++) {
		struct measured *one = find(of, n, of[first].row, rail);

		if (!one)
			break;
		one->counted = true;
		rows[rail] = *one->row;
		memcpy(rows[rail].pair, rows[rail].device, ROW_NAME);
	}
	if (rail == r->lanes) {
		mesh_total(&total, rows, rail, true);
		memcpy(total.pair, of[first].row->pair, ROW_NAME);
		total.mesh_round = of[first].where->round;
		results_row(&r->results, &total);
		mesh_rows_keep(r, &total, of[first].where, cell);
	}
	free(rows);
}

/* Rows of two nodes. One that is not ok counts where others of its rail are absent. */
static void tell_totals(struct mesh_root *r, struct measured *of, uint32_t n, uint32_t cell)
{
	for (uint32_t i = 0; i < n; i++)
		if (!of[i].counted && of[i].row->status == RESULT_OK)
			tell_total(r, of, n, i, cell);
	for (uint32_t i = 0; i < n; i++)
		if (!of[i].counted && of[i].row->status != RESULT_OK)
			tell_total(r, of, n, i, cell);
}

void mesh_rails_flush(struct mesh_root *r, uint32_t cell)
{
	struct measured *all;
	uint32_t n = 0, end;

	if (r->lanes == 1)
		return;
	all = must_calloc(r->rows.n, sizeof(*all));
	for (uint32_t i = 0; i < r->rows.n; i++)
		if (!r->rows.where[i].attempt)
			all[n++] = (struct measured){ &r->rows.rows[i], &r->rows.where[i], false };
	if (n)
		qsort(all, n, sizeof(*all), by_client);
	for (uint32_t i = 0; i < n; i = end) {
		for (end = i; end < n && all[end].where->client == all[i].where->client;)
			end++;
		tell_totals(r, &all[i], end - i, cell);
	}
	free(all);
}
