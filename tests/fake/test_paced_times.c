/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Open loop on the fake, with exact time: what it measures against what is known of a queue with
 * one server. Time goes from event to event, so every figure is the same on every machine.
 */
#include "config.h"

#include "fake.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define US 1000u
#define MS 1000000u
#define S_NS 1000000000u

/* A server that takes one request after the other, and stands still now and then. */
struct server {
	uint64_t takes_ns;         /* for each request */
	uint64_t stall_ns, every_ns; /* it stands still at the begin of each period; 0: never */
	uint64_t free_ns;          /* when it has done all that it has */
	uint64_t stop_ns;          /* when the run is stopped; 0: by count */
	uint64_t begin_ns;
};

static uint64_t serve(struct fake *f, uint64_t now_ns, void *arg)
{
	struct server *s = arg;
	uint64_t at = now_ns > s->free_ns ? now_ns : s->free_ns;

	(void)f;
	if (s->every_ns && at % s->every_ns < s->stall_ns)
		at += s->stall_ns - at % s->every_ns;
	s->free_ns = at + s->takes_ns;
	return s->free_ns;
}

static void stop(struct fake *f, void *arg)
{
	struct server *s = arg;

	if (!s->begin_ns)
		s->begin_ns = f->now_ns;
	if (s->stop_ns && f->now_ns - s->begin_ns >= s->stop_ns) {
		s->stop_ns = 0;
		worker_stop(&f->sides[SIDE_CLIENT].run, STATE_FINISH);
	}
}

/* Runs it, and closes all but the result. */
static struct result run(struct fake_spec *spec, struct server *server)
{
	struct fake *f = fake_open(spec);
	struct result result;

	f->serve = serve;
	f->tick = stop;
	f->arg = server;
	fake_run(f);
	fake_assert_clean(f);
	assert_int_equal(f->sides[SIDE_CLIENT].rc, 0);
	result = f->sides[SIDE_CLIENT].result;
	fake_close(f);
	return result;
}

static struct fake_spec read_spec(enum test test, uint64_t rate_per_s)
{
	return (struct fake_spec){ .kind = { .tp = TP_RC, .op = OP_READ, .cm = CM_POLL },
				   .test = test,
				   .rate_milli = rate_per_s * 1000 };
}

static void assert_within(double value, double expected, double share)
{
	if (!(fabs(value - expected) <= expected * share))
		fail_msg("%g instead of %g, +-%g %%", value, expected, share * 100);
}

/*
 * M/D/1 at half load: a mean of 1.5 S (Pollaczek-Khinchine: S + rho S / (2 (1 - rho))) and a 99th
 * percentile of 4.33 S (the distribution of the wait of M/D/1: Erlang 1909).
 */
static void test_half_load(void **state)
{
	static const enum test tests[] = { TEST_READ_LAT, TEST_READ_BW };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct server server = { .takes_ns = 200 * US };
		struct fake_spec spec = read_spec(tests[i], 2500);
		struct result r;

		spec.poisson = true;
		spec.messages = 50000;
		r = run(&spec, &server);
		assert_int_equal(r.response.samples, 50000);
		assert_within(r.response.mean_ns, 300 * US, 0.02);
		assert_within(r.response.p99_ns, 866 * US, 0.05);
		assert_int_equal(r.intended, 50000);
		assert_int_equal(r.unsent, 0);
		assert_int_equal(r.saturated, 0);
		assert_int_equal(r.late_posts, 0);
		assert_true(r.late.max_ns < 100);
		/* one under way: the wait is in the response time only */
		if (tests[i] == TEST_READ_LAT)
			assert_within(r.service.p99_ns, 200 * US, 0.002);
		else
			assert_within(r.service.mean_ns, r.response.mean_ns, 0.001);
	}
}

/* All gaps equal and no queue: each message takes what the server takes. */
static void test_no_queue(void **state)
{
	struct server server = { .takes_ns = 50 * US };
	struct fake_spec spec = read_spec(TEST_READ_BW, 10000);
	struct result r;

	(void)state;
	spec.messages = 20000;
	r = run(&spec, &server);
	assert_within(r.response.max_ns, 50 * US, 0.005);
	assert_within(r.service.mean_ns, 50 * US, 0.005);
	assert_int_equal(r.backlog_max, 0);
	/* the first is due at once: 19999 gaps, without drift */
	assert_within((double)r.tx_window_ns, 19999 * 100. * US + 50 * US + 20 * US, 1e-5);
}

/*
 * Of 100 ms in each second a tenth of the messages sees something: their response times are spread
 * evenly over the stall, so the 99th percentile is 90 ms. A closed loop posts one message into it.
 */
static void test_stall(void **state)
{
	struct server server = { .takes_ns = 10 * US, .stall_ns = 100 * MS, .every_ns = S_NS };
	struct fake_spec spec = read_spec(TEST_READ_LAT, 10000);
	struct result r;

	(void)state;
	spec.messages = 50000;
	r = run(&spec, &server);
	assert_true(r.response.p99_ns > 85. * MS && r.response.p99_ns < 95. * MS);
	assert_within(r.service.p99_ns, 10 * US, 0.1);
	assert_within((double)r.backlog_max, 1000, 0.01);
	assert_int_equal(r.saturated, 0);
	server = (struct server){ .takes_ns = 10 * US, .stall_ns = 100 * MS, .every_ns = S_NS };
	spec.rate_milli = 0;
	r = run(&spec, &server);
	assert_within(r.lat.p99_ns, 10 * US, 0.1);
}

/* 5000 per second are carried. By count and by time; twice and a tenth more than that, and less. */
static void test_saturated(void **state)
{
	static const struct { uint64_t rate; bool saturated; } cases[] = {
		{ 10000, true }, { 5500, true }, { 4900, false }, { 4000, false },
	};

	(void)state;
	for (int i = 0; i < 16; i++) {
		const uint64_t rate = cases[i / 4].rate;
		struct server server = { .takes_ns = 200 * US, .stop_ns = i % 2 ? 2ull * S_NS : 0 };
		struct fake_spec spec = read_spec(i % 4 < 2 ? TEST_READ_BW : TEST_READ_LAT, rate);
		struct result r;

		spec.by_time = i % 2;
		spec.messages = i % 2 ? 0 : 2 * rate;
		r = run(&spec, &server);
		assert_int_equal(r.saturated, cases[i / 4].saturated);
		assert_within((double)r.intended, 2. * (double)rate, 0.001);
		assert_int_equal(r.sent, r.intended - r.unsent);
		assert_true(i % 2 || !r.unsent);
		if (r.saturated)
			assert_within((double)r.backlog_max, 2. * ((double)rate - 5000), 0.05);
		else
			assert_true(r.backlog_max <= 1);
	}
}

/* The parts of the exponential distribution: mean 1, nearly variance 1, and none above 9.4. */
static void test_gaps(void **state)
{
	double sum = 0, squares = 0;

	(void)state;
	for (uint32_t i = 0; i < PACE_BINS; i++) {
		const double mean = pace_bin_mean(i, PACE_BINS);

		/* between the quantiles that it lies between */
		assert_true(mean > -log(1 - (double)i / PACE_BINS));
		assert_true(i + 1 == PACE_BINS || mean < -log(1 - (i + 1.) / PACE_BINS));
		sum += mean;
		squares += mean * mean;
	}
	assert_within(sum / PACE_BINS, 1, 1e-12);
	assert_within(squares / PACE_BINS - 1, 1, 0.0005);
	assert_true(pace_bin_mean(PACE_BINS - 1, PACE_BINS) < 9.4);
}

/* The backlog at any time, beside the messages that are due by then, one by one. */
static void test_behind(void **state)
{
	struct pace *p = calloc(1, sizeof(*p));

	(void)state;
	assert_non_null(p);
	for (int i = 0; i < 4; i++) {
		const struct pace_spec spec = { .gap_ns = 3.7, .ns_per_tick = 0.4, .first = 0.5,
						.poisson = i % 2, .seed = 7,
						.total = i < 2 ? UINT64_MAX : 5000 };
		struct pace_series s;
		uint64_t now;

		assert_int_equal(pace_open(p, &spec), 0);
		pace_start(p);
		s = p->next;
		now = p->start - 10;
		for (uint64_t step = 0; step < 3000; step++) {
			for (now += step % 50; s.due <= now && s.count < spec.total; s.count++)
				pace_step(p, &s);
			pace_behind(p, now);
			assert_int_equal(p->due.count, s.count);
			assert_int_equal(p->backlog_max, s.count);
		}
		assert_true(p->end ? s.count == 5000 && p->backlog_end == 5000 : i < 2);
		pace_close(p);
	}
	free(p);
}

/* Stalls at the end of a point are no saturation: before them all was posted when it was due. */
static void test_stall_at_the_end(void **state)
{
	struct server server = { .takes_ns = 10 * US, .stall_ns = 100 * MS, .every_ns = S_NS,
				 .stop_ns = S_NS + 90 * MS };
	struct fake_spec spec = read_spec(TEST_READ_LAT, 10000);
	struct result r;

	(void)state;
	spec.by_time = true;
	r = run(&spec, &server);
	assert_true(r.unsent > 800 && r.unsent < 1000);
	assert_int_equal(r.intended, r.sent + r.unsent);
	assert_int_equal(r.saturated, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_behind),
		cmocka_unit_test(test_half_load),
		cmocka_unit_test(test_no_queue),
		cmocka_unit_test(test_stall),
		cmocka_unit_test(test_saturated),
		cmocka_unit_test(test_stall_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
