/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the measurement of completion queues: create and destroy by entries, resize; see measure.h.
 */
#include "config.h"
#include "setup/measure.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "setup/series.h"
#include "util/err.h"

#define RESIZE_SMALL 256
#define RESIZE_LARGE 4096

static const uint32_t entries_of[] = { 16, 256, 4096, 65536 };

struct wanted {
	struct ibv_context *ctx;
	int entries;
};

static void *open_cq(void *arg)
{
	const struct wanted *w = arg;

	return ibv_create_cq(w->ctx, w->entries, NULL, NULL, 0);
}

static int close_cq(void *cq)
{
	return ibv_destroy_cq(cq);
}

static struct setup_row row_of(uint64_t entries)
{
	struct setup_row row;

	setup_row_init(&row);
	snprintf(row.measurement, sizeof(row.measurement), "cq");
	row.entries = entries;
	return row;
}

/* Why the device cannot have a CQ of so many entries; NULL: it can. */
static const char *too_many(const struct setup_run *run, uint32_t entries, char *text, size_t size)
{
	if (entries <= run->dev->limits.max_cqe)
		return NULL;
	snprintf(text, size, "%s has at most %" PRIu32 " entries", run->dev->limits.device,
		 run->dev->limits.max_cqe);
	return text;
}

static int create(struct setup_run *run, uint32_t entries)
{
	struct wanted wanted = { .ctx = run->dev->ctx, .entries = (int)entries };
	const struct pair pair = {
		.make = "ibv_create_cq",
		.destroy = "ibv_destroy_cq",
		.open = open_cq,
		.close = close_cq,
		.arg = &wanted,
	};
	const struct setup_row row = row_of(entries);
	char text[160];

	return pair_measure(run, &row, &pair, too_many(run, entries, text, sizeof(text)));
}

/* By turns: to many entries, and back. */
static int resize_loop(struct setup_run *run, struct ibv_cq *cq, struct series *series[2])
{
	static const int entries[2] = { RESIZE_LARGE, RESIZE_SMALL };
	struct pace pace = pace_begin(run, 1);
	enum setup_status status = SETUP_OK;
	struct setup_row row;

	while (status == SETUP_OK && pace_more(&pace))
		for (uint32_t i = 0; status == SETUP_OK && i < 2; i++) {
			const struct stamp stamp = stamp_take();
			const int err = ibv_resize_cq(cq, entries[i]);

			if (err)
				status = series_fault("ibv_resize_cq", series[i]->calls,
						      series_errno(err));
			else
				series_add(series[i], &stamp);
		}
	pace_end(&pace);
	for (uint32_t i = 0; i < 2; i++) {
		row = row_of((uint64_t)entries[i]);
		snprintf(row.operation, sizeof(row.operation), "ibv_resize_cq");
		if (status == SETUP_OK)
			series_row(series[i], &pace, &row);
		else
			series_row_without(run, &row, status, NULL);
	}
	return pace.rc;
}

static int resize(struct setup_run *run)
{
	struct series *series[2] = { series_new(), series_new() };
	struct ibv_cq *cq;
	int rc = 0;

	errno = 0;
	cq = ibv_create_cq(run->dev->ctx, RESIZE_SMALL, NULL, NULL, 0);
	if (!series[0] || !series[1] || !cq)
		rc = err_set(-series_errno(0), "cannot create a CQ to resize on %s: %s",
			     run->dev->limits.device, strerror(series_errno(0)));
	else
		rc = resize_loop(run, cq, series);
	if (cq && ibv_destroy_cq(cq) && !rc)
		rc = err_set(-series_errno(0), "cannot destroy CQ on %s: %s",
			     run->dev->limits.device, strerror(series_errno(0)));
	free(series[0]);
	free(series[1]);
	return rc;
}

int setup_cq(struct setup_run *run)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof(entries_of) / sizeof(entries_of[0]); i++)
		rc = create(run, entries_of[i]);
	return rc ? rc : resize(run);
}
