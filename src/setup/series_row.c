/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the figures of a row; see series.h and docs/method.md, "Cost of setting up". */
#include "config.h"
#include "setup/series.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "util/err.h"

#define USAGE_LEAST_NS 100000000u /* less CPU time cannot be divided by ticks */

static void fill_where(struct setup_row *row, const struct setup_run *run)
{
	const struct limits *own = &run->dev->limits, *peer = run->peer_limits;
	const time_t now = time(NULL);
	struct tm tm;

	snprintf(row->host, sizeof(row->host), "%s", own->host);
	snprintf(row->peer_host, sizeof(row->peer_host), "%s", peer->host);
	snprintf(row->device, sizeof(row->device), "%s", own->device);
	snprintf(row->peer_device, sizeof(row->peer_device), "%s", peer->device);
	snprintf(row->driver, sizeof(row->driver), "%s", own->driver);
	snprintf(row->peer_driver, sizeof(row->peer_driver), "%s", peer->driver);
	snprintf(row->firmware, sizeof(row->firmware), "%s", own->firmware);
	snprintf(row->link_layer, sizeof(row->link_layer), "%s",
		 limits_link_name(own));
	row->port = own->port;
	row->emulated = own->emulated;
	if (gmtime_r(&now, &tm))
		strftime(row->time, sizeof(row->time), "%Y-%m-%dT%H:%M:%SZ", &tm);
}

static void emit(struct setup_run *run, struct setup_row *row)
{
	run->not_ok |= !strcmp(row->status, setup_status_names[SETUP_FAILED]) ||
		       !strcmp(row->status, setup_status_names[SETUP_INCOMPLETE]);
	fill_where(row, run);
	run->sink->row(run->sink->arg, row);
}

static void fill_times(struct setup_row *row, const struct series *s, double ns_per_tick)
{
	const struct histogram *h = &s->ticks;

	row->first_ns = (double)s->first_ticks * ns_per_tick;
	if (!row->operations)
		return;
	row->min_ns = (double)h->min * ns_per_tick;
	row->max_ns = (double)h->max * ns_per_tick;
	row->mean_ns = histogram_mean(h) * ns_per_tick;
	row->stdev_ns = histogram_stdev(h) * ns_per_tick;
	if (!histogram_quantile(h, 50, 100, &row->p50_ns))
		row->p50_ns *= ns_per_tick;
	if (!histogram_quantile(h, 99, 100, &row->p99_ns))
		row->p99_ns *= ns_per_tick;
	if (row->mean_ns > 0 && isnan(row->rate_per_s))
		row->rate_per_s = (double)row->objects * 1e9 / row->mean_ns;
}

static void fill_cpu(struct setup_row *row, const struct series *s, const struct pace *pace)
{
	const uint64_t used_ns = pace->user_ns + pace->system_ns;
	double cpu_ns;

	row->cpu_clock_ns = pace->run->cpu_clock_ns;
	if (!row->operations)
		return;
	cpu_ns = (double)s->cpu_ns / (double)row->operations - row->cpu_clock_ns;
	row->cpu_ns = cpu_ns > 0 ? cpu_ns : 0;
	if (used_ns < USAGE_LEAST_NS)
		return;
	row->system_ns = row->cpu_ns * (double)pace->system_ns / (double)used_ns;
	row->user_ns = row->cpu_ns - row->system_ns;
}

void series_row(const struct series *s, const struct pace *pace, const struct setup_row *what)
{
	const struct clock_anchor now = clock_anchor();
	const double ns_per_tick = clock_ns_per_tick(pace->run->origin, &now);
	struct setup_row row = *what;

	setup_row_status(&row, pace->rc ? SETUP_INCOMPLETE : SETUP_OK,
			 pace->rc ? err_text() : NULL);
	snprintf(row.clock, sizeof(row.clock), "%s", clock_name());
	row.clock_ns = pace->run->clock_ticks * ns_per_tick;
	if (s->calls) {
		row.operations = s->calls - 1;
		fill_times(&row, s, ns_per_tick);
		fill_cpu(&row, s, pace);
	}
	emit(pace->run, &row);
}

void series_row_without(struct setup_run *run, const struct setup_row *what,
			enum setup_status status, const char *reason)
{
	struct setup_row row = *what;

	setup_row_status(&row, status, reason ? reason : err_text());
	row.operations = 0;
	emit(run, &row);
}

int series_room(const struct setup_run *run, uint32_t qps)
{
	const struct limits *own = &run->dev->limits, *peer = run->peer_limits;
	const struct limits *least = own->max_qps < peer->max_qps ? own : peer;

	if (qps > least->max_qps)
		return err_set(-EOPNOTSUPP, "%s of %s has at most %" PRIu32 " QPs", least->device,
			       least->host, least->max_qps);
	if (qps > peer->allowed_qps)
		return err_set(-EOPNOTSUPP,
			       "--max-qps %" PRIu32 " of the server's owner: --qps %" PRIu32,
			       peer->allowed_qps, qps);
	return 0;
}

int series_errno(int returned)
{
	if (returned > 0)
		return returned;
	return errno ? errno : EIO;
}

enum setup_status series_fault(const char *operation, uint64_t done, int err)
{
	err_set(-err, "%s failed after %" PRIu64 " calls: %s", operation, done, strerror(err));
	if (done)
		return SETUP_FAILED;
	switch (err) {
	case EOPNOTSUPP:
	case ENOSYS:
	case EPROTONOSUPPORT:
		return SETUP_UNSUPPORTED;
	default:
		return SETUP_FAILED;
	}
}
