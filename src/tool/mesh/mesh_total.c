/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the total of several pairs of a round. */
#include "config.h"
#include "mesh/mesh_root.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "device/counters.h"
#include "run/pairs.h"

#define COUNTERS 64 /* of a total: those of a list have room for fewer */

struct counted {
	struct counters_item items[COUNTERS];
	uint32_t n;
};

/* Sums are of ports that differ; else all have read one port, in windows that overlap. */
static void count(struct counted *all, const char *list, bool sum)
{
	struct counters_item item;

	while ((list = counters_next(list, &item))) {
		struct counters_item *own = all->items;

		while (own < all->items + all->n && strcmp(own->name, item.name))
			own++;
		if (own == all->items + COUNTERS)
			continue;
		if (own == all->items + all->n) {
			*own = item;
			all->n++;
		} else if (sum) {
			own->delta += item.delta;
		} else if (own->delta < item.delta) {
			own->delta = item.delta;
		}
	}
}

static void put_counters(const struct counted *all, char list[COUNTERS_TEXT])
{
	size_t len = 0;

	list[0] = '\0';
	for (uint32_t i = 0; i < all->n; i++) {
		char one[COUNTERS_NAME + 24];
		const int n = snprintf(one, sizeof(one), "%s%s=%" PRIu64, len ? " " : "",
				       all->items[i].name, all->items[i].delta);

		if (len + (size_t)n >= COUNTERS_TEXT)
			return;
		memcpy(list + len, one, (size_t)n + 1);
		len += (size_t)n;
	}
}

void mesh_total(struct row *total, struct row *rows, uint32_t n, bool apart)
{
	struct counted own = { .n = 0 }, peer = { .n = 0 };

	for (uint32_t i = 0; i < n; i++) {
		/* the clock of the root is that of all */
		rows[i].start_ns = rows[i].mesh_start_ns;
		rows[i].start_slack_ns = 0;
		count(&own, rows[i].device_counters, true);
		count(&peer, rows[i].peer_device_counters, apart);
	}
	pairs_rows_total(total, rows, n);
	put_counters(&own, total->device_counters);
	put_counters(&peer, total->peer_device_counters);
	total->mesh_attempt = total->mesh_start_ns = ROW_NONE;
	total->mesh_shared_pct = NAN;
}
