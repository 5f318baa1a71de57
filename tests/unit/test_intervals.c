/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * intervals: cuts through loops that have not ended, whose counters are set by hand. The intervals
 * add up to the whole whenever threads begin, pause and end; a cut changes nothing of a loop.
 */
#include "config.h"
#include "worker/intervals.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/clock.h"

#define THREADS 2
#define QPS 3

/* Workers as their loops leave them on the way; ticks are nanoseconds. */
struct fixture {
	struct plan plan;
	struct ep ep;
	struct clock_anchor origin;
	struct worker_setup setup[THREADS];
	struct workers workers;
	struct intervals intervals;
	struct result sum; /* of the intervals so far */
	uint64_t arrivals; /* the intervals' messages in the window of the receiver, in sum */
};

static void *zeroed(size_t bytes)
{
	void *lines = aligned_alloc(STATE_ALIGN, bytes);

	assert_non_null(lines);
	return memset(lines, 0, bytes);
}

static void open_workers(struct fixture *f, enum test test, uint32_t n)
{
	memset(f, 0, sizeof(*f));
	f->plan = (struct plan){ .work.threads = n, .work.qps = QPS, .work.test = test,
				 .work.kind = { .tp = TP_UC, .op = OP_SEND_IMM, .cm = 0 } };
	f->origin = (struct clock_anchor){ clock_ticks(), clock_ns(), 0 };
	assert_int_equal(workers_open(&f->workers, n), 0);
	for (uint32_t i = 0; i < n; i++) {
		struct worker_run *run = &f->workers.runs[i];
		struct worker_fixed *fixed = &run->worker.fixed;

		f->setup[i] = (struct worker_setup){
			.ep = &f->ep, .plan = &f->plan, .origin = &f->origin, .thread = i
		};
		run->in = &f->setup[i];
		run->thread = pthread_self();
		fixed->n_qps = QPS;
		fixed->sends = fixed->receives = true;
		fixed->sqs = zeroed(QPS * sizeof(struct send_queue));
		fixed->rqs = zeroed(QPS * sizeof(struct recv_queue));
		fixed->peers = zeroed(QPS * sizeof(struct peer));
		fixed->wake_fd = fixed->note_fd = -1;
		run->t0 = clock_ticks();
	}
	result_clear(&f->sum);
}

static uint64_t arrivals(const struct result *r)
{
	return r->received > r->rx_before ? r->received - r->rx_before : 0;
}

static void add(struct fixture *f, const struct result *one)
{
	result_add(&f->sum, one);
	f->arrivals += arrivals(one);
	f->sum.tx_window_ns += one->tx_window_ns;
	f->sum.rx_window_ns += one->rx_window_ns;
}

static struct result cut(struct fixture *f)
{
	struct result one;

	intervals_cut(&f->intervals, &one);
	add(f, &one);
	return one;
}

/* Ends the loops, and compares what the intervals add up to with the whole. */
static void end(struct fixture *f)
{
	struct result_detail detail;
	struct result all, one;

	for (uint32_t i = 0; i < f->workers.n; i++) {
		struct worker_run *run = &f->workers.runs[i];

		if (!run->t1)
			run->t1 = clock_ticks();
		if (!run->cpu_known)
			run->cpu_ns = clock_ns() - f->origin.ns;
		run->cpu_known = true;
		run->after = (struct clock_anchor){ clock_ticks(), clock_ns(), 0 };
		atomic_store(&run->ended, true);
	}
	assert_int_equal(workers_result(&f->workers, &all, &detail), 0);
	intervals_rest(&f->intervals, &all, &one);
	add(f, &one);
	assert_int_equal(f->sum.sent, all.sent);
	assert_int_equal(f->sum.received, all.received);
	assert_true(f->sum.duplicated == all.duplicated);
	assert_int_equal(f->sum.tx_outside, all.tx_outside);
	assert_int_equal(f->arrivals, arrivals(&all));
	assert_int_equal(f->sum.tx_window_ns, all.tx_window_ns);
	assert_int_equal(f->sum.rx_window_ns, all.rx_window_ns);
	assert_int_equal(f->sum.polls, all.polls);
	assert_int_equal(f->sum.events, all.events);
	result_detail_free(&detail);
	intervals_close(&f->intervals);
	intervals_close(&f->intervals);
	workers_close(&f->workers);
}

static void sends(struct fixture *f, uint32_t thread, uint64_t n)
{
	f->workers.runs[thread].worker.fixed.sqs[n % QPS].done += n;
	f->workers.runs[thread].worker.live.polls += n;
}

static void receives(struct fixture *f, uint32_t thread, uint64_t n)
{
	struct worker *w = &f->workers.runs[thread].worker;

	if (!w->live.received)
		w->live.rx_t0 = clock_ticks();
	w->live.received += n;
	w->fixed.peers[n % QPS].received += n;
}

/* The loop has looked around, and found nothing new. */
static void idles(struct fixture *f, uint32_t thread)
{
	struct worker *w = &f->workers.runs[thread].worker;

	w->idle.received = w->live.received;
	w->idle.since_ns = clock_ns();
	w->idle.since_ticks = clock_ticks();
}

static void test_streams(void **state)
{
	struct result one, before;
	struct fixture f;

	(void)state;
	open_workers(&f, TEST_SEND_BW, THREADS);
	assert_int_equal(intervals_open(&f.intervals, &f.workers), 0);
	one = cut(&f); /* nothing yet: no window either */
	assert_int_equal(one.sent + one.received + one.tx_window_ns + one.rx_window_ns, 0);

	sends(&f, 0, 100);
	one = cut(&f);
	assert_int_equal(one.sent, 100);
	assert_int_equal(one.polls, 100);
	assert_true(one.tx_window_ns > 0 && one.tx_window_ns <= clock_ticks() - f.origin.ticks);
	assert_int_equal(one.rx_window_ns, 0);
	assert_true(one.voluntary_switches == 0 && isnan(one.qp_sent.index));

	/* the other thread began before the first one: its window is added when it has a message */
	f.workers.runs[1].t0 = f.workers.runs[0].t0 - 1000;
	sends(&f, 1, 7);
	receives(&f, 1, 50);
	f.workers.runs[1].worker.fixed.peers[1].duplicated = 4;
	one = cut(&f);
	assert_int_equal(one.sent, 7);
	assert_int_equal(one.received, 50);
	assert_int_equal(one.duplicated, 4);
	assert_true(one.tx_window_ns >= 1000 && one.rx_window_ns > 0);

	/* nothing comes: the window of the receiver ends with the last arrival */
	idles(&f, 1);
	cut(&f);
	one = cut(&f);
	assert_int_equal(one.rx_window_ns, 0);
	assert_true(one.tx_window_ns > 0);
	receives(&f, 1, 1);
	one = cut(&f);
	assert_true(one.rx_window_ns > 0 && one.received == 1);

	/* one thread has posted its last: the window is open until the other has */
	f.workers.runs[0].worker.live.tx_t1 = clock_ticks();
	sends(&f, 1, 3);
	one = cut(&f);
	assert_true(one.sent == 3 && one.tx_window_ns > 0);
	f.workers.runs[1].worker.live.tx_t1 = clock_ticks();
	before = cut(&f);
	one = cut(&f);
	assert_true(before.tx_window_ns > 0);
	assert_int_equal(one.sent + one.tx_window_ns, 0);
	end(&f);
}

/* A loop finds after the first cut that its window began before it. */
static void test_late_window(void **state)
{
	struct fixture f;
	struct result one;
	struct worker *w;

	(void)state;
	open_workers(&f, TEST_WRITE_BW, 1);
	w = &f.workers.runs[0].worker;
	w->fixed.timed = true;
	w->live.cut = (struct state_cut){ .open = UINT64_MAX, .stop = UINT64_MAX,
					  .close = UINT64_MAX };
	assert_int_equal(intervals_open(&f.intervals, &f.workers), 0);
	w->live.tx_t0 = clock_ticks();
	sends(&f, 0, 100);
	one = cut(&f);
	assert_int_equal(one.sent - one.tx_outside, 0);
	assert_int_equal(one.tx_window_ns, 0);
	w->live.cut.open = 10;
	sends(&f, 0, 50);
	one = cut(&f);
	assert_int_equal(one.sent, 50);
	assert_int_equal(one.tx_outside, 0);
	assert_true(one.tx_window_ns > 0);
	sends(&f, 0, 5);
	w->live.cut.close = 152;
	w->live.tx_t1 = clock_ticks();
	one = cut(&f);
	assert_int_equal(one.sent - one.tx_outside, 2);
	end(&f);
	assert_int_equal(f.sum.tx_outside, 103);
}

/* A loop that is behind finds nothing for the first time after two cuts. */
static void test_late_first_empty_poll(void **state)
{
	struct fixture f;
	struct result one;
	struct worker *w;

	(void)state;
	open_workers(&f, TEST_SEND_BW, 1);
	w = &f.workers.runs[0].worker;
	w->fixed.recv_depth = 5;
	w->live.rx_before = UINT64_MAX;
	assert_int_equal(intervals_open(&f.intervals, &f.workers), 0);
	receives(&f, 0, 10);
	one = cut(&f);
	assert_int_equal(arrivals(&one), 0); /* all may have waited, 5 receives of each QP */
	receives(&f, 0, 90);
	one = cut(&f);
	assert_int_equal(arrivals(&one), 85);
	receives(&f, 0, 10);
	w->live.rx_before = w->live.received;
	w->live.rx_t0 = clock_ticks();
	receives(&f, 0, 3);
	one = cut(&f);
	assert_int_equal(arrivals(&one), 13);
	assert_true(one.rx_window_ns > 0);
	receives(&f, 0, 2);
	end(&f);
	assert_int_equal(f.arrivals, 100);
}

/*
 * What a tick is in nanoseconds is measured anew at each cut. Where the first cut made the ticks
 * too long, the window of the point is not shorter than what was told, and has what came after it.
 */
static void test_clock_rate_changes(void **state)
{
	struct result_detail detail;
	struct result all, told, rest;
	struct worker_run *run;
	struct fixture f;
	uint64_t after;

	(void)state;
	clock_counter_on = true;
	if (!clock_ticks()) {
		clock_counter_on = false;
		skip(); /* a machine without a counter */
	}
	open_workers(&f, TEST_SEND_BW, 1);
	assert_int_equal(intervals_open(&f.intervals, &f.workers), 0);
	run = f.workers.runs;
	/* a session of a second, the loop half of it; at the cut ticks look 10 % longer */
	f.origin.ticks -= 1000000000;
	f.origin.ns -= 1100000000;
	run->t0 = f.origin.ticks + 500000000;
	sends(&f, 0, 10);
	told = cut(&f);
	assert_true(told.tx_window_ns > 0);
	after = clock_ticks() + 1000;
	sends(&f, 0, 1);
	run->t1 = after;
	run->cpu_known = true;
	run->after = (struct clock_anchor){ after, f.origin.ns + 1000000000, 0 };
	atomic_store(&run->ended, true);
	assert_int_equal(workers_result(&f.workers, &all, &detail), 0);
	assert_true(all.tx_window_ns < told.tx_window_ns);
	intervals_rest(&f.intervals, &all, &rest);
	assert_true(rest.tx_window_ns > 0);
	assert_int_equal(told.tx_window_ns + rest.tx_window_ns, all.tx_window_ns);
	result_detail_free(&detail);
	intervals_close(&f.intervals);
	workers_close(&f.workers);
	clock_counter_on = false;
}

/* A thread that was not there yet, and CPU time of one that is. */
static void test_cpu(void **state)
{
	struct fixture f;
	struct result one;

	(void)state;
	open_workers(&f, TEST_SEND_BW, THREADS);
	assert_int_equal(intervals_open(&f.intervals, &f.workers), 0);
	f.workers.runs[1].t0 = 0;
	sends(&f, 1, 9);
	one = cut(&f);
	assert_int_equal(one.sent, 0);
	assert_true(one.cpu_ns > 0); /* of this thread, since it began */
	f.workers.runs[0].cpu0_ns = UINT64_MAX; /* later than now: nothing, not less than nothing */
	one = cut(&f);
	assert_int_equal(one.cpu_ns, 0);
	f.workers.runs[1].t0 = clock_ticks();
	assert_int_equal(cut(&f).sent, 9);
	end(&f);
}

/* A cut between the end of the loop and that of its thread, which goes on using time. */
static void test_cpu_of_the_end(void **state)
{
	struct worker_run *run;
	struct fixture f;

	(void)state;
	open_workers(&f, TEST_SEND_BW, 1);
	assert_int_equal(intervals_open(&f.intervals, &f.workers), 0);
	run = f.workers.runs;
	run->cpu_ns = 5;
	run->t1 = clock_ticks();
	run->cpu_known = true;
	assert_int_equal(cut(&f).cpu_ns, 5);
	assert_int_equal(cut(&f).cpu_ns, 0);
	end(&f);
}

static void test_latency(void **state)
{
	struct fixture f;
	struct worker *w;
	struct result one;
	uint64_t samples = 0;

	(void)state;
	open_workers(&f, TEST_READ_LAT, 1);
	f.plan.work.kind.op = OP_READ;
	w = &f.workers.runs->worker;
	w->fixed.sends = w->fixed.receives = false;
	w->histogram = malloc(sizeof(*w->histogram));
	assert_non_null(w->histogram);
	histogram_reset(w->histogram);
	assert_int_equal(intervals_open(&f.intervals, &f.workers), 0);
	for (uint64_t k = 1; k <= 3; k++) {
		for (int i = 0; i < 30; i++)
			histogram_record(w->histogram, 100 * k);
		atomic_store(&w->live.progress, 30 * k);
		w->fixed.sqs[0].done = 30 * k;
		one = cut(&f);
		samples += one.lat.samples;
		assert_int_equal(one.sent, 30);
		assert_int_equal(one.lat.samples, 30);
		/* of this interval alone */
		assert_true(one.lat.p50_ns == 100.0 * (double)k);
		assert_true(one.lat.min_ns == one.lat.max_ns);
		assert_true(one.lat.mean_ns == one.lat.p50_ns && isnan(one.lat.p99_ns));
	}
	assert_int_equal(samples, histogram_count(w->histogram));
	end(&f);
}

/* 1 to 1000 ticks, each a hundred times: enough samples for all percentiles. */
static void test_percentiles(void **state)
{
	struct histogram *h = malloc(sizeof(*h));
	struct result_lat lat;
	struct fixture f;

	(void)state;
	open_workers(&f, TEST_READ_LAT, 1);
	assert_non_null(h);
	histogram_reset(h);
	for (uint64_t i = 0; i < 100000; i++)
		histogram_record(h, 1 + i % 1000);
	worker_latency(f.workers.runs, &lat, h, 1);
	assert_int_equal(lat.samples, 100000);
	assert_true(lat.p50_ns == 500 && lat.p90_ns == 900 && lat.p99_ns == 990);
	assert_true(lat.p99_9_ns == 999 && lat.p99_99_ns == 1000);
	assert_true(lat.min_ns == 1 && lat.max_ns == 1000 && lat.mean_ns == 500.5);
	/* half of a round trip, and ticks that are no nanoseconds */
	f.workers.runs->worker.fixed.pingpong = true;
	worker_latency(f.workers.runs, &lat, h, 4);
	assert_true(lat.p50_ns == 1000 && lat.p99_99_ns == 2000 && lat.min_ns == 2);
	assert_int_equal(intervals_open(&f.intervals, &f.workers), 0);
	end(&f);
	free(h);
}

static void test_passive(void **state)
{
	struct intervals i;
	struct workers none;
	struct result one, all;

	(void)state;
	assert_int_equal(workers_open(&none, 0), 0);
	assert_int_equal(intervals_open(&i, &none), 0);
	intervals_cut(&i, &one);
	assert_int_equal(one.sent + one.tx_window_ns + one.cpu_ns, 0);
	result_clear(&all);
	intervals_rest(&i, &all, &one);
	assert_int_equal(one.sent, 0);
	intervals_close(&i);
	workers_close(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_streams), cmocka_unit_test(test_late_window),
		cmocka_unit_test(test_late_first_empty_poll),
		cmocka_unit_test(test_clock_rate_changes),
		cmocka_unit_test(test_cpu),
		cmocka_unit_test(test_cpu_of_the_end),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_percentiles),
		cmocka_unit_test(test_passive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
