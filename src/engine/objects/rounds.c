/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The loop of all measurements, its times and its rows; see rounds.h. */
#include "config.h"
#include "objects/rounds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verbs/verbs_error.h"
#include "util/err.h"

/*
 * Calls under way that wait for the peer: as cm_links_client.c has; more could overrun the
 * management queues of the devices, whose losses cost a time-out of seconds.
 */
#define WINDOW 32u

struct step_times {
	struct series series;
	uint64_t wall_ticks, rounds; /* of all rounds but the first */
};

static bool stopped(const struct rounds *r)
{
	return r->rc || r->status != SETUP_OK;
}

int rounds_ask(struct rounds *r, enum setup_ask ask, struct setup_request *request)
{
	const struct setup_peer *peer = r->run->peer;

	if (!r->rc)
		r->rc = peer->ask(peer->arg, ask, request);
	return r->rc;
}

/* The call of object i has failed. */
static void fail(struct rounds *r, uint32_t step, uint32_t i, int err)
{
	const uint32_t n = r->steps[step].kind == STEP_EACH ? r->n : 1;
	const uint64_t done = r->warm ? r->times[step].series.calls + n - 1 : i;

	r->status = series_fault(r->steps[step].operation, done, err);
	if (!r->pinned_bytes || done || (err != EAGAIN && err != ENOMEM))
		return;
	r->status = SETUP_UNSUPPORTED;
	verbs_error_mr(-err, r->pinned_bytes);
}

/* keep: it is in the figures. */
static void add(struct rounds *r, uint32_t step, const struct stamp *taken, bool keep)
{
	if (keep)
		series_add_taken(&r->times[step].series, taken);
	r->sum.ticks += taken->ticks;
	r->sum.cpu_ns += taken->cpu_ns;
}

static void take_calls(struct rounds *r, uint32_t step)
{
	const uint32_t n = r->steps[step].kind == STEP_ONCE ? 1 : r->n;

	for (uint32_t i = 0; i < n && !stopped(r); i++) {
		struct stamp stamp, taken;
		int err;

		errno = 0;
		stamp = stamp_take();
		err = r->call(r, step, i);
		taken = stamp_since(&stamp);
		if (stopped(r))
			return;
		if (err) {
			fail(r, step, i, series_errno(err));
			return;
		}
		add(r, step, &taken, r->warm || !i);
		r->stamps++;
		if (r->many)
			r->rc = series_alive(r->run);
	}
}

static void begin(struct rounds *r, uint32_t step, uint32_t i)
{
	int err;

	errno = 0;
	r->begun_ticks[i] = clock_ticks();
	err = r->call(r, step, i);
	if (err && !stopped(r))
		fail(r, step, i, series_errno(err));
}

static void end(struct rounds *r, uint32_t step, bool first)
{
	const uint32_t i = r->await(r, step);
	struct stamp taken;

	if (stopped(r))
		return;
	taken = (struct stamp){ .ticks = clock_ticks() - r->begun_ticks[i] };
	add(r, step, &taken, r->warm || first);
}

/* The calls go out as the window allows, and each event makes room for the next one. */
static void take_events(struct rounds *r, uint32_t step)
{
	const uint64_t began_cpu_ns = stamp_cpu_ns();
	uint32_t started = 0, ended = 0;
	uint64_t cpu_ns;

	while (ended < r->n && !stopped(r)) {
		if (started < r->n && started - ended < WINDOW)
			begin(r, step, started++);
		else
			end(r, step, !ended++);
	}
	cpu_ns = stamp_cpu_ns() - began_cpu_ns;
	r->sum.cpu_ns += cpu_ns;
	r->stamps++;
	/* the CPU clock was read once for all, and the row subtracts it from each */
	if (r->warm)
		r->times[step].series.cpu_ns +=
			cpu_ns + (uint64_t)(r->run->cpu_clock_ns * (double)(r->n - 1));
}

/*
 * One object: the sum of the steps, without the time stamps between them. Many: the time from the
 * first step to the last one. CPU time is always the sum.
 */
static void take_whole(struct rounds *r, uint32_t step, uint64_t began_ticks)
{
	const uint64_t stamps_ns = (uint64_t)(r->run->cpu_clock_ns * (double)(r->stamps - 1));
	struct stamp taken = r->sum;

	if (r->many)
		taken.ticks = clock_ticks() - began_ticks;
	taken.cpu_ns -= stamps_ns < taken.cpu_ns ? stamps_ns : taken.cpu_ns;
	series_add_taken(&r->times[step].series, &taken);
}

static void run_round(struct rounds *r)
{
	const uint64_t round_ticks = clock_ticks();

	r->sum = (struct stamp){ 0 };
	r->stamps = 0;
	for (uint32_t step = 0; step < r->n_steps && !stopped(r); step++) {
		const uint64_t step_ticks = clock_ticks();

		if (r->steps[step].kind == STEP_WHOLE)
			take_whole(r, step, round_ticks);
		else if (r->steps[step].kind == STEP_EVENTS)
			take_events(r, step);
		else
			take_calls(r, step);
		if (!r->warm || stopped(r))
			continue;
		r->times[step].wall_ticks += clock_ticks() - step_ticks;
		r->times[step].rounds++;
	}
	r->warm = true;
}

struct setup_row rounds_row(const char *measurement)
{
	struct setup_row row;

	setup_row_init(&row);
	snprintf(row.measurement, sizeof(row.measurement), "%s", measurement);
	return row;
}

/* Does a call of the step stand for all objects? */
static bool is_common(const struct step *step)
{
	return step->kind == STEP_WHOLE || step->kind == STEP_ONCE;
}

static struct setup_row fill_row(const struct rounds *r, const struct step *step)
{
	struct setup_row row = r->row;

	snprintf(row.operation, sizeof(row.operation), "%s", step->operation);
	if (step->entries)
		row.entries = step->entries;
	if (!r->many)
		return row;
	snprintf(row.mode, sizeof(row.mode), "many");
	row.at_once = r->n;
	if (is_common(step))
		row.objects = r->n;
	return row;
}

static void write_row(const struct rounds *r, uint32_t i, const struct schedule *times)
{
	const struct step *step = &r->steps[i];
	const struct step_times *t = &r->times[i];
	const struct clock_anchor now = clock_anchor();
	struct setup_row row = fill_row(r, step);

	if (r->many && !is_common(step) && t->rounds)
		row.wall_ns = (double)t->wall_ticks / (double)t->rounds *
			      clock_ns_per_tick(r->run->origin, &now);
	/* they overlap, so the time of one says nothing about how many there are */
	if (step->kind == STEP_EVENTS && row.wall_ns > 0)
		row.rate_per_s = (double)r->n * 1e9 / row.wall_ns;
	series_row(&t->series, times, &row);
}

void rounds_without(struct rounds *r, enum setup_status status, const char *reason)
{
	for (uint32_t i = 0; i < r->n_steps; i++) {
		const struct setup_row row = fill_row(r, &r->steps[i]);

		if (!r->steps[i].silent)
			series_row_without(r->run, &row, status, reason);
	}
}

static int run_all(struct rounds *r)
{
	struct schedule times = series_begin(r->run, r->n);

	while (!stopped(r) && series_more(&times))
		run_round(r);
	series_end(&times);
	if (r->rc)
		times.rc = r->rc;
	if (r->status != SETUP_OK)
		rounds_without(r, r->status, NULL);
	for (uint32_t i = 0; r->status == SETUP_OK && i < r->n_steps; i++)
		if (!r->steps[i].silent)
			write_row(r, i, &times);
	return times.rc;
}

int rounds_run(struct rounds *r)
{
	int rc;

	r->times = calloc(r->n_steps, sizeof(*r->times));
	r->begun_ticks = calloc(r->n, sizeof(*r->begun_ticks));
	for (uint32_t i = 0; r->times && i < r->n_steps; i++)
		histogram_reset(&r->times[i].series.ticks);
	rc = r->times && r->begun_ticks ? run_all(r) :
		err_set(-ENOMEM, "no memory for the times of %s", r->row.measurement);
	free(r->times);
	free(r->begun_ticks);
	return rc;
}
