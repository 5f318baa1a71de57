/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the measurement of protection domains; see measure.h. */
#include "config.h"
#include "setup/measure.h"

#include <errno.h>
#include <string.h>

#include "setup/series.h"
#include "util/err.h"

static void *open_pd(void *ctx)
{
	return ibv_alloc_pd(ctx);
}

static int close_pd(void *pd)
{
	return ibv_dealloc_pd(pd);
}

int setup_pd(struct setup_run *run)
{
	const struct pair pair = {
		.make = "ibv_alloc_pd",
		.destroy = "ibv_dealloc_pd",
		.open = open_pd,
		.close = close_pd,
		.arg = run->dev->ctx,
	};
	struct setup_row row;

	setup_row_init(&row);
	snprintf(row.measurement, sizeof(row.measurement), "pd");
	return pair_measure(run, &row, &pair, NULL);
}

int setup_with_pd(struct setup_run *run, int (*measure)(struct setup_run *run, struct ibv_pd *pd))
{
	struct ibv_pd *pd;
	int rc;

	errno = 0;
	pd = ibv_alloc_pd(run->dev->ctx);
	if (!pd)
		return err_set(-series_errno(0), "cannot allocate PD on %s: %s",
			       run->dev->limits.device, strerror(series_errno(0)));
	rc = measure(run, pd);
	if (ibv_dealloc_pd(pd) && !rc)
		rc = err_set(-series_errno(0), "cannot free PD on %s: %s", run->dev->limits.device,
			     strerror(series_errno(0)));
	return rc;
}
