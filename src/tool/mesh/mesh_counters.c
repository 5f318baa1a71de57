/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the counters beside a verdict: what the port of a node counted that may explain it. */
#include "config.h"
#include "mesh/mesh_root.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "device/counters.h"
#include "util/must.h"
#include "util/text.h"

#define NAMES 8u /* that are named */

/* Traffic, and what the network says to senders, is on good ports, too. */
static bool is_error(const char *name)
{
	switch (counters_class_of(name)) {
	case COUNTERS_RETRANSMISSIONS:
	case COUNTERS_SEQUENCE:
	case COUNTERS_RETRY_EXCEEDED:
	case COUNTERS_DISCARDS:
	case COUNTERS_ERRORS:
	case COUNTERS_LINK:
		return true;
	default:
		return false;
	}
}

char *mesh_counters_errors(const char *list)
{
	struct counters_item item;
	char *kept = NULL;

	while ((list = counters_next(list, &item)))
		if (is_error(item.name) && item.delta)
			must_appendf(&kept, "%s%s=%" PRIu64, kept ? " " : "", item.name,
				     item.delta);
	return kept;
}

static void add(struct counters_item *sums, uint32_t *n, const char *list)
{
	struct counters_item item;

	while ((list = counters_next(list, &item))) {
		uint32_t i = 0;

		while (i < *n && strcmp(sums[i].name, item.name) != 0)
			i++;
		if (i == NAMES)
			continue;
		if (i == *n)
			sums[(*n)++] = item;
		else
			sums[i].delta += item.delta;
	}
}

void mesh_counters_tell(const struct mesh_root *r, const struct mesh_counters_of *of, char *text,
			size_t size)
{
	struct counters_item sums[NAMES];
	uint32_t n = 0;

	for (size_t i = 0; i < r->n_figures; i++) {
		const struct mesh_figure *f = &r->figures[i];

		if (f->cell != of->cell || f->size_bytes != of->size_bytes)
			continue;
		if (f->where.client == of->node && f->where.rails.from == of->rail &&
		    f->counted[0])
			add(sums, &n, f->counted[0]);
		if (f->where.server == of->node && f->where.rails.to == of->rail &&
		    f->counted[1])
			add(sums, &n, f->counted[1]);
	}
	for (uint32_t i = 0; i < n; i++)
		text_add(text, size, i ? ", " : "; its port counted ", "%s %" PRIu64, sums[i].name,
			 sums[i].delta);
}
