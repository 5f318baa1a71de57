/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Single operations: their times, the cost of the stamps, the number of rounds, and the figures of
 * a row; see rounds.h and docs/method.md, "Cost of setting up".
 */
#include "config.h"
#include "objects/rounds.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "util/err.h"

#define CALIBRATIONS 1001u /* odd: the median is one of them */
#define AUTO_MOST 10000u
#define AUTO_LEAST 20u           /* a median needs them */
#define AUTO_NS 250000000u
#define AUTO_LATEST_NS 1000000000u
#define AUTO_SLOW 5u             /* of slow operations also after that */
#define ALIVE_NS 100000000u
#define USAGE_LEAST_NS 100000000u /* less CPU time cannot be divided by ticks */

void series_add_taken(struct series *s, const struct stamp *taken)
{
	if (!s->calls++) {
		s->first_ticks = taken->ticks;
		return;
	}
	histogram_record(&s->ticks, taken->ticks);
	s->cpu_ns += taken->cpu_ns;
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static double median(uint64_t *of)
{
	qsort(of, CALIBRATIONS, sizeof(*of), compare);
	return (double)of[CALIBRATIONS / 2];
}

void series_calibrate(struct setup_run *run)
{
	uint64_t ticks[CALIBRATIONS], cpu[CALIBRATIONS];

	for (uint32_t i = 0; i < CALIBRATIONS; i++) {
		const struct stamp begin = stamp_take(), taken = stamp_since(&begin);

		ticks[i] = taken.ticks;
		cpu[i] = taken.cpu_ns;
	}
	run->clock_ticks = median(ticks);
	run->cpu_clock_ns = median(cpu);
}

/* ---- the number of rounds */

static uint64_t ns_of(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_usec * 1000u;
}

/* The CPU time of the thread so far, divided by the kernel. */
static void read_usage(uint64_t *user_ns, uint64_t *system_ns)
{
	struct rusage usage = { 0 };

	getrusage(RUSAGE_THREAD, &usage);
	*user_ns = ns_of(&usage.ru_utime);
	*system_ns = ns_of(&usage.ru_stime);
}

struct schedule series_begin(struct setup_run *run, uint32_t operations)
{
	const bool automatic = run->options->operations == CFG_AUTO64;
	const uint64_t most = automatic ? AUTO_MOST : run->options->operations;
	struct schedule times = {
		.run = run,
		.limit = (most + operations - 1) / operations,
		.began_ns = clock_ns(),
	};

	times.until_ns = automatic ? times.began_ns + AUTO_NS : UINT64_MAX;
	times.latest_ns = automatic ? times.began_ns + AUTO_LATEST_NS : UINT64_MAX;
	read_usage(&times.user_ns, &times.system_ns);
	return times;
}

int series_alive(struct setup_run *run)
{
	const uint64_t now_ns = clock_ns();

	if (now_ns - run->checked_ns < ALIVE_NS)
		return 0;
	run->checked_ns = now_ns;
	return run->peer->alive(run->peer->arg);
}

bool series_more(struct schedule *times)
{
	const uint64_t now_ns = clock_ns();

	times->rc = series_alive(times->run);
	if (times->rc)
		return false;
	/* n counts the first round, which is none of the limit */
	if (times->n > times->limit || (times->n > AUTO_LEAST && now_ns >= times->until_ns) ||
	    (times->n > AUTO_SLOW && now_ns >= times->latest_ns))
		return false;
	times->n++;
	return true;
}

void series_end(struct schedule *times)
{
	uint64_t user_ns, system_ns;

	read_usage(&user_ns, &system_ns);
	times->user_ns = user_ns - times->user_ns;
	times->system_ns = system_ns - times->system_ns;
}

/* ---- rows */

static void put(char text[SETUP_ROW_NAME], const char *value)
{
	snprintf(text, SETUP_ROW_NAME, "%s", value);
}

static void fill_where(struct setup_row *row, const struct setup_run *run)
{
	const struct limits *own = &run->dev->limits, *peer = run->peer_limits;
	const time_t now = time(NULL);
	struct tm tm;

	put(row->host, own->host);
	put(row->peer_host, peer->host);
	put(row->device, own->device);
	put(row->peer_device, peer->device);
	put(row->driver, own->driver);
	put(row->peer_driver, peer->driver);
	put(row->firmware, own->firmware);
	put(row->link_layer, limits_link_name(own));
	row->port = own->port;
	row->emulated = own->emulated;
	if (gmtime_r(&now, &tm))
		strftime(row->time, sizeof(row->time), "%Y-%m-%dT%H:%M:%SZ", &tm);
}

static void emit(struct setup_run *run, struct setup_row *row)
{
	run->not_ok |= row->status == SETUP_FAILED || row->status == SETUP_INCOMPLETE;
	fill_where(row, run);
	run->row(run->row_arg, row);
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

static void fill_cpu(struct setup_row *row, const struct series *s, const struct schedule *times)
{
	const uint64_t used_ns = times->user_ns + times->system_ns;
	double cpu_ns;

	row->cpu_clock_ns = times->run->cpu_clock_ns;
	if (!row->operations)
		return;
	cpu_ns = (double)s->cpu_ns / (double)row->operations - row->cpu_clock_ns;
	row->cpu_ns = cpu_ns > 0 ? cpu_ns : 0;
	if (used_ns < USAGE_LEAST_NS)
		return;
	row->system_ns = row->cpu_ns * (double)times->system_ns / (double)used_ns;
	row->user_ns = row->cpu_ns - row->system_ns;
}

void series_row(const struct series *s, const struct schedule *times, const struct setup_row *what)
{
	const struct clock_anchor now = clock_anchor();
	const double ns_per_tick = clock_ns_per_tick(times->run->origin, &now);
	struct setup_row row = *what;

	setup_row_status(&row, times->rc ? SETUP_INCOMPLETE : SETUP_OK,
			 times->rc ? err_text() : NULL);
	put(row.clock, clock_name());
	row.clock_ns = times->run->clock_ticks * ns_per_tick;
	if (s->calls) {
		row.operations = s->calls - 1;
		fill_times(&row, s, ns_per_tick);
		fill_cpu(&row, s, times);
	}
	emit(times->run, &row);
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
	return returned > 0 ? returned : -err_code();
}

int series_failed(const struct setup_run *run, int returned, const char *what)
{
	const int err = series_errno(returned);

	return err_set(-err, "cannot %s on %s: %s", what, run->dev->limits.device, strerror(err));
}

enum setup_status series_fault(const char *operation, uint64_t done, int err)
{
	const bool lacking = err == EOPNOTSUPP || err == ENOSYS || err == EPROTONOSUPPORT;

	err_set(-err, "%s failed after %" PRIu64 " calls: %s", operation, done, strerror(err));
	return !done && lacking ? SETUP_UNSUPPORTED : SETUP_FAILED;
}
