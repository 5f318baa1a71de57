/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * slices: readings of loops whose counters and time are set by hand: how many slices windows of any
 * length have, where the first begins, which counts are joined, what a latency test is measured by.
 */
#include "config.h"
#include "worker/slices.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/histogram.h"

#define MS UINT64_C(1000000)

static struct {
	struct plan plan;
	struct worker_setup setup;
	struct send_queue *sq;
	struct worker_run *run;
	struct workers workers;
	struct slices slices;
	uint64_t ticks; /* and nanoseconds: now */
	struct result all;
} f;

static int open_run(void **state)
{
	(void)state;
	memset(&f, 0, sizeof(f));
	f.plan.work.test = TEST_WRITE_BW;
	f.setup.plan = &f.plan;
	f.run = aligned_alloc(_Alignof(struct worker_run), sizeof(*f.run));
	f.sq = aligned_alloc(STATE_ALIGN, sizeof(*f.sq));
	assert_true(f.run && f.sq);
	memset(f.run, 0, sizeof(*f.run));
	memset(f.sq, 0, sizeof(*f.sq));
	f.run->in = &f.setup;
	f.run->worker.fixed.sqs = f.sq;
	f.run->worker.fixed.n_qps = 1;
	f.workers = (struct workers){ .runs = f.run, .n = 1 };
	f.ticks = 1000 * MS;
	f.run->t0 = f.ticks;
	slices_open(&f.slices, &f.workers, f.ticks);
	return 0;
}

static int close_run(void **state)
{
	(void)state;
	free(f.run->worker.histogram);
	free(f.run);
	free(f.sq);
	return 0;
}

/* The loop goes on for ms, with that many messages in each of them. */
static void go(uint32_t ms, uint32_t messages)
{
	for (uint32_t i = 0; i < ms; i++) {
		f.sq->done += messages;
		f.ticks += MS;
		slices_step(&f.slices, f.ticks, f.ticks);
	}
}

static struct steady ended(uint64_t step)
{
	f.run->t1 = f.ticks;
	result_clear(&f.all);
	f.all.rx_before = 0;
	slices_result(&f.slices, step, &f.all);
	return f.all.tx_slices;
}

static void test_any_length(void **state)
{
	static const uint32_t lengths_ms[] = { 45, 100, 256, 1000, 1037, 60000 };

	for (size_t i = 0; i < sizeof(lengths_ms) / sizeof(lengths_ms[0]); i++) {
		struct steady s;

		go(lengths_ms[i], 1000);
		s = ended(1);
		assert_in_range(s.slices, lengths_ms[i] < 256 ? lengths_ms[i] / 4 - 1 : 31, 64);
		assert_int_equal(s.unsteady, 0);
		assert_true(fabs(s.first_pct - 100) < 1e-6 && fabs(s.last_pct - 100) < 1e-6);
		assert_true(s.mild == 0 && s.severe == 0);
		close_run(state);
		open_run(state);
	}
}

static void test_too_short(void **state)
{
	(void)state;
	go(39, 1000);
	assert_int_equal(ended(1).slices, UINT64_MAX);
	/* a side without a loop, and one that has not begun */
	f.workers.n = 0;
	slices_open(&f.slices, &f.workers, f.ticks);
	assert_int_equal(f.slices.due_ns, UINT64_MAX);
	assert_int_equal(ended(1).slices, UINT64_MAX);
	f.slices = (struct slices){ 0 };
	assert_int_equal(ended(1).slices, UINT64_MAX);
}

/* A slow first third of the window; and a pause before it, which is not in it. */
static void test_slow_start(void **state)
{
	(void)state;
	go(100, 0);
	f.run->worker.live.tx_t0 = f.ticks;
	go(100, 500);
	go(200, 1000);
	assert_int_equal(ended(1).unsteady, 1);
	assert_true(fabs(f.all.tx_slices.first_pct - 60) < 3);
	assert_true(fabs(f.all.tx_slices.last_pct - 120) < 3);
}

/* The window begins shortly before a reading, which would close a very short slice. */
static void test_first_slice(void **state)
{
	(void)state;
	go(7, 0);
	f.run->worker.live.tx_t0 = f.ticks;
	go(101, 1000);
	/* readings at 8, 12, ... 108 ms: the first one closes no slice */
	assert_int_equal(ended(1).slices, 25);
	assert_int_equal(f.all.tx_slices.unsteady, 0);
}

/* A sender that counts 64 at a time, three times in 16 ms. */
static void test_steps(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 3 * 60; i++) {
		go(i % 3 ? 5 : 6, 0);
		f.sq->done += 64;
	}
	ended(64);
	assert_in_range(f.all.tx_slices.slices, STEADY_LEAST, 2 * STEADY_LEAST);
	assert_int_equal(f.all.tx_slices.unsteady, 0);
}

/* What arrives is of its own window. */
static void test_received(void **state)
{
	(void)state;
	f.run->worker.live.rx_t0 = f.ticks;
	for (uint32_t i = 0; i < 300; i++) {
		f.run->worker.live.received += i < 150 ? 1000 : 700;
		go(1, 1000);
	}
	assert_int_equal(ended(1).unsteady, 0);
	assert_int_equal(f.all.rx_slices.unsteady, 1);
	assert_true(f.all.rx_slices.first_pct > 110 && f.all.rx_slices.last_pct < 90);
}

/* Rounds per time in samples: pauses between them are not looked at. */
static void test_latency(void **state)
{
	struct histogram *h = malloc(sizeof(*h));

	(void)state;
	assert_non_null(h);
	histogram_reset(h);
	f.run->worker.histogram = h;
	f.plan.work.test = TEST_READ_LAT;
	for (uint32_t i = 0; i < 300; i++) {
		const uint32_t rounds = i < 150 ? 10 : 90;

		for (uint32_t k = 0; k < rounds; k++)
			histogram_record(h, 5000);
		atomic_fetch_add(&f.run->worker.live.progress, rounds);
		go(1, 0);
	}
	assert_int_equal(ended(1).unsteady, 0);
	assert_true(f.all.tx_slices.mild == 0 && f.all.tx_slices.severe == 0);
	for (uint32_t i = 0; i < 200; i++) {
		histogram_record(h, 6000);
		atomic_fetch_add(&f.run->worker.live.progress, 1);
		go(1, 0);
	}
	assert_int_equal(ended(1).unsteady, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_any_length, open_run, close_run),
		cmocka_unit_test_setup_teardown(test_too_short, open_run, close_run),
		cmocka_unit_test_setup_teardown(test_slow_start, open_run, close_run),
		cmocka_unit_test_setup_teardown(test_first_slice, open_run, close_run),
		cmocka_unit_test_setup_teardown(test_steps, open_run, close_run),
		cmocka_unit_test_setup_teardown(test_received, open_run, close_run),
		cmocka_unit_test_setup_teardown(test_latency, open_run, close_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
