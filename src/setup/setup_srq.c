/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the measurement of shared receive queues; see measure.h. */
#include "config.h"
#include "setup/measure.h"

#include "setup/series.h"

static const uint32_t entries_of[] = { 256, 4096 };

struct wanted {
	struct ibv_pd *pd;
	uint32_t entries;
};

static void *open_srq(void *arg)
{
	const struct wanted *w = arg;
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = w->entries, .max_sge = 1 } };

	return ibv_create_srq(w->pd, &attr);
}

static int close_srq(void *srq)
{
	return ibv_destroy_srq(srq);
}

static int measure(struct setup_run *run, struct ibv_pd *pd, uint32_t entries)
{
	const struct ibv_device_attr *attr = &run->dev->attr;
	struct wanted wanted = { .pd = pd, .entries = entries };
	const struct pair pair = {
		.make = "ibv_create_srq",
		.destroy = "ibv_destroy_srq",
		.open = open_srq,
		.close = close_srq,
		.arg = &wanted,
	};
	char text[160] = "";
	struct setup_row row;

	setup_row_init(&row);
	snprintf(row.measurement, sizeof(row.measurement), "srq");
	row.entries = entries;
	if (attr->max_srq <= 0)
		snprintf(text, sizeof(text), "the device has no shared receive queues");
	else if (entries > (uint32_t)attr->max_srq_wr)
		snprintf(text, sizeof(text), "%s has at most %d entries", run->dev->limits.device,
			 attr->max_srq_wr);
	return pair_measure(run, &row, &pair, text[0] ? text : NULL);
}

static int measure_all(struct setup_run *run, struct ibv_pd *pd)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof(entries_of) / sizeof(entries_of[0]); i++)
		rc = measure(run, pd, entries_of[i]);
	return rc;
}

int setup_srq(struct setup_run *run)
{
	return setup_with_pd(run, measure_all);
}
