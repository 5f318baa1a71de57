/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * workers, barrier, fairness: what several threads counted becomes one result, recomputed by hand;
 * threads start together, and none before it may. monitor_end: how long a point waits for its end.
 */
#include "config.h"
#include "worker/workers.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "point/monitor.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/fairness.h"
#include "util/barrier.h"

#define THREADS 3
#define QPS 2

/* ---- fairness */

static void test_fair(void **state)
{
	const double equal[] = { 7, 7, 7, 7 }, one[] = { 0, 0, 9, 0 }, none[] = { 0, 0 },
		     mixed[] = { 1, 2, 3 };
	struct fairness f;

	(void)state;
	f = fairness_of(equal, 4);
	assert_true(f.min == 7 && f.max == 7 && f.index == 1);
	f = fairness_of(one, 4);
	assert_true(f.min == 0 && f.max == 9 && f.index == 0.25);
	f = fairness_of(mixed, 3);
	assert_true(f.min == 1 && f.max == 3 && fabs(f.index - 36.0 / 42) < 1e-15);
	f = fairness_of(none, 2);
	assert_true(f.min == 0 && f.max == 0 && isnan(f.index));
	/* nothing is shared by one */
	assert_true(isnan(fairness_of(mixed, 1).index) && isnan(fairness_of(mixed, 1).min));
	assert_true(isnan(fairness_of(NULL, 0).index));
}

/* ---- sums */

static void test_add(void **state)
{
	struct result sum, a, b;

	(void)state;
	result_clear(&a);
	result_clear(&b);
	a.sent = 1, a.polls = 10, a.duplicated = 5, a.locks = 3, a.cpu_ns = 7;
	b.sent = 2, b.polls = 20, b.duplicated = 6, b.locks = 1, b.cpu_ns = 8;
	a.status = RESULT_INCOMPLETE;
	b.status = RESULT_FAILED;
	snprintf(b.reason, sizeof(b.reason), "it broke");
	result_clear(&sum);
	result_add(&sum, &a);
	result_add(&sum, &b);
	result_add(&sum, &a);
	assert_int_equal(sum.sent, 4);
	assert_int_equal(sum.polls, 40);
	assert_int_equal(sum.duplicated, 16);
	assert_true(sum.out_of_order == UINT64_MAX && sum.verified == UINT64_MAX);
	assert_int_equal(sum.locks, 1);
	assert_int_equal(sum.cpu_ns, 22);
	assert_int_equal(sum.status, RESULT_FAILED);
	assert_string_equal(sum.reason, "it broke");
}

/* A new counter is summed as well, unless its row says another rule. */
static void test_every_counter(void **state)
{
	struct result sum, one, none;
	uint32_t sums = 0;

	(void)state;
	result_clear(&sum);
	result_clear(&one);
	result_clear(&none);
	for (size_t i = 0; i < result_table.n; i++)
		if (result_table.rows[i].type == FIELD_U64)
			field_set_integer(&result_table.rows[i], &one, 3);
	result_add(&sum, &one);
	result_add(&sum, &one);
	for (size_t i = 0; i < result_table.n; i++) {
		const struct field *f = &result_table.rows[i];
		/* windows and their starts are of the whole side: workers.c */
		const uint64_t want = f->merge == FIELD_KEEP ? field_integer(f, &none) :
				      f->merge == FIELD_SUM ? 6 : 3;

		if (f->type != FIELD_U64)
			continue;
		sums += want == 6;
		if (field_integer(f, &sum) != want)
			fail_msg("%s is %u", f->name, (unsigned int)field_integer(f, &sum));
	}
	assert_int_equal(sums, 25);
}

/* Three workers that have ended, as a loop leaves them; ticks are nanoseconds. */
struct ended {
	struct plan plan;
	struct ep ep;
	struct clock_anchor origin;
	struct worker_setup setup[THREADS];
	struct workers workers;
};

static void *zeroed(size_t bytes)
{
	void *lines = aligned_alloc(STATE_ALIGN, bytes);

	assert_non_null(lines);
	return memset(lines, 0, bytes);
}

static void end_worker(struct ended *e, uint32_t i, uint64_t from, uint64_t to)
{
	struct worker_run *run = &e->workers.runs[i];

	e->setup[i] = (struct worker_setup){
		.ep = &e->ep, .plan = &e->plan, .origin = &e->origin, .thread = i
	};
	run->in = &e->setup[i];
	run->t0 = from - 1;
	run->t1 = to + 1;
	run->after = (struct clock_anchor){ to + 500, to + 500, 0 };
	run->cpu_ns = 100;
	run->worker.fixed.n_qps = QPS;
	run->worker.fixed.sqs = zeroed(QPS * sizeof(struct send_queue));
	run->worker.fixed.rqs = zeroed(QPS * sizeof(struct recv_queue));
	run->worker.fixed.peers = zeroed(QPS * sizeof(struct peer));
	run->worker.live.tx_t0 = from;
	run->worker.live.tx_t1 = to;
	run->worker.live.polls = 11;
	run->worker.fixed.wake_fd = run->worker.fixed.note_fd = -1;
	atomic_store(&run->ended, true);
}

static void open_ended(struct ended *e)
{
	memset(e, 0, sizeof(*e));
	e->plan = (struct plan){ .work.threads = THREADS,
				 .work.qps = QPS,
				 .work.kind = { .tp = TP_RC, .op = OP_WRITE, .cm = 0 } };
	e->origin = (struct clock_anchor){ 1, 1, 0 };
	assert_int_equal(workers_open(&e->workers, THREADS), 0);
	end_worker(e, 0, 1000, 3000);
	end_worker(e, 1, 1500, 5000);
	end_worker(e, 2, 900, 2900);
	for (uint32_t i = 0; i < THREADS; i++) {
		e->workers.runs[i].worker.fixed.sqs[0].done = 100 * (i + 1);
		e->workers.runs[i].worker.fixed.sqs[1].done = 50;
	}
}

static void receive(struct ended *e, uint32_t i, uint64_t n, uint64_t before, uint64_t from)
{
	struct worker *w = &e->workers.runs[i].worker;

	w->fixed.peers[0].received = w->live.received = n;
	w->fixed.recv_depth = 32;
	w->live.rx_before = before;
	w->live.rx_t0 = from;
	w->live.rx_t1 = 5000;
}

/*
 * One arrival opens the window of all threads. Of a thread that came late, what had waited is not
 * counted; of one that was never without work, as many messages as it had receives.
 */
static void test_arrivals(void **state)
{
	struct result_detail detail;
	struct result all;
	struct ended e;

	(void)state;
	open_ended(&e);
	e.plan.work.test = TEST_SEND_BW;
	receive(&e, 0, 100, 0, 1000);
	receive(&e, 1, 100, 60, 2000);
	receive(&e, 2, 100, UINT64_MAX, 0);
	assert_int_equal(workers_result(&e.workers, &all, &detail), 0);
	assert_int_equal(all.received, 300);
	assert_int_equal(detail.threads[0].rx_before, 1);
	assert_int_equal(detail.threads[1].rx_before, 61);
	assert_int_equal(detail.threads[2].rx_before, 32 * QPS);
	assert_int_equal(all.rx_before, 1 + 60 + 32 * QPS);
	assert_int_equal(detail.threads[1].rx_window_ns, 3000);
	/* from the begin of the loop that was never without work */
	assert_int_equal(all.rx_window_ns, 5000 - 899);
	assert_true(fabs(all.thread_rx.max - 99 * 1e9 / 4000) < 1);
	result_detail_free(&detail);
	/* a thread that saw no two arrivals has no rate, so the shares are not known */
	receive(&e, 1, 60, 60, 2000);
	assert_int_equal(workers_result(&e.workers, &all, &detail), 0);
	assert_int_equal(all.rx_before, 1 + 60 + 32 * QPS);
	assert_true(isnan(all.thread_rx.index));
	result_detail_free(&detail);
	workers_close(&e.workers);
}

static void test_window(void **state)
{
	struct result_detail detail;
	struct result all;
	struct ended e;

	(void)state;
	open_ended(&e);
	assert_true(workers_over(&e.workers));
	assert_false(workers_failed(&e.workers));
	assert_int_equal(workers_join(&e.workers), 0);
	assert_int_equal(workers_result(&e.workers, &all, &detail), 0);
	/* the first stamp of any, the last of any */
	assert_int_equal(all.tx_window_ns, 5000 - 900);
	assert_int_equal(all.rx_window_ns, 0);
	assert_int_equal(all.sent, 150 + 250 + 350);
	assert_int_equal(all.received, 0);
	assert_int_equal(all.polls, 33);
	assert_int_equal(all.cpu_ns, 300);
	assert_int_equal(all.status, RESULT_OK);
	assert_int_equal(detail.n_threads, THREADS);
	assert_int_equal(detail.n_qps, QPS);
	assert_int_equal(detail.threads[1].tx_window_ns, 3500);
	assert_int_equal(detail.threads[1].sent, 250);
	for (uint32_t i = 0; i < THREADS; i++) {
		assert_int_equal(detail.sent[i * QPS], 100 * (i + 1));
		assert_int_equal(detail.sent[i * QPS + 1], 50);
		assert_int_equal(detail.received[i * QPS], 0);
	}
	/* 100 50 200 50 300 50 */
	assert_true(all.qp_sent.min == 50 && all.qp_sent.max == 300);
	assert_int_equal(all.qp_sent.least, 1);
	assert_true(fabs(all.qp_sent.index - 750.0 * 750 / (6 * 147500.0)) < 1e-12);
	assert_true(isnan(all.qp_received.index) && isnan(all.thread_rx.index));
	assert_true(fabs(all.thread_tx.min - 250 / 3500e-9) < 1e-3);
	assert_true(fabs(all.thread_tx.max - 350 / 2000e-9) < 1e-3);
	result_detail_free(&detail);
	result_detail_free(&detail);
	workers_close(&e.workers);
	workers_close(&e.workers);
}

/* A thread that has counted nothing has no window; the one that failed is named. */
static void test_failed(void **state)
{
	struct result_detail detail;
	struct ibv_qp qp = { .qp_num = 0x77 };
	struct worker_run *run;
	struct result all;
	struct ended e;

	(void)state;
	open_ended(&e);
	run = &e.workers.runs[2];
	run->worker.fixed.sqs[0].done = run->worker.fixed.sqs[1].done = 0;
	run->worker.fixed.sqs[1].qp = run->worker.fixed.sqs[0].qp = &qp;
	run->worker.fail = (struct failure){
		.what = FAIL_WC, .qp = 1, .message = 42, .wc = { .status = IBV_WC_RETRY_EXC_ERR }
	};
	run->rc = -EIO;
	e.workers.runs[0].rc = -ECANCELED;
	assert_true(workers_failed(&e.workers));
	assert_int_equal(workers_join(&e.workers), -EIO);
	assert_int_equal(workers_result(&e.workers, &all, &detail), 0);
	assert_int_equal(all.tx_window_ns, 5000 - 1000);
	assert_int_equal(all.sent, 150 + 250);
	assert_int_equal(all.status, RESULT_FAILED);
	assert_non_null(strstr(all.reason, "write of message 42 failed on QP 0x000077 (6 of 6): "));
	assert_true(all.thread_tx.min == 0);
	result_detail_free(&detail);
	workers_close(&e.workers);
}

static void test_passive(void **state)
{
	struct result_detail detail;
	struct result all;
	struct workers workers;

	(void)state;
	assert_int_equal(workers_open(&workers, 0), 0);
	assert_int_equal(workers_create(&workers), 0);
	assert_int_equal(workers_start(&workers), 0);
	workers_stop(&workers, STATE_FINISH);
	assert_true(workers_over(&workers));
	assert_false(workers_failed(&workers));
	assert_int_equal(workers_join(&workers), 0);
	assert_int_equal(workers_result(&workers, &all, &detail), 0);
	assert_int_equal(all.sent + all.received + all.tx_window_ns + all.polls, 0);
	assert_true(all.duplicated == UINT64_MAX && all.verified == UINT64_MAX);
	assert_int_equal(detail.n_threads, 0);
	result_detail_free(&detail);
	workers_close(&workers);
}

/* ---- the barrier */

struct runner {
	struct barrier *barrier;
	_Atomic uint32_t *through;
	pthread_t thread;
};

static void *run(void *arg)
{
	struct runner *r = arg;

	barrier_pass(r->barrier);
	atomic_fetch_add(r->through, 1);
	return NULL;
}

static void start(struct runner *r, uint32_t n, struct barrier *barrier, _Atomic uint32_t *through)
{
	for (uint32_t i = 0; i < n; i++) {
		r[i] = (struct runner){ .barrier = barrier, .through = through };
		assert_int_equal(pthread_create(&r[i].thread, NULL, run, &r[i]), 0);
	}
}

static void test_barrier(void **state)
{
	_Atomic uint32_t through = 0;
	struct runner r[THREADS];
	struct barrier barrier;

	(void)state;
	assert_int_equal(barrier_init(&barrier, THREADS), 0);
	start(r, THREADS, &barrier, &through);
	assert_int_equal(atomic_load(&through), 0);
	assert_int_equal(barrier_open(&barrier), 0);
	assert_int_equal(atomic_load(&barrier.arrived), THREADS);
	for (uint32_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(r[i].thread, NULL), 0);
	assert_int_equal(atomic_load(&through), THREADS);
	barrier_close(&barrier);
	barrier_close(&barrier);
}

/* One thread could not be started: the others are not left waiting for it. */
static void test_barrier_abandoned(void **state)
{
	_Atomic uint32_t through = 0;
	struct runner r[THREADS];
	struct barrier barrier;

	(void)state;
	assert_int_equal(barrier_init(&barrier, THREADS), 0);
	start(r, THREADS - 1, &barrier, &through);
	barrier_abandon(&barrier);
	for (uint32_t i = 0; i < THREADS - 1; i++)
		assert_int_equal(pthread_join(r[i].thread, NULL), 0);
	assert_int_equal(atomic_load(&through), THREADS - 1);
	barrier_close(&barrier);
}

/*
 * A signal is lost: a pipe that nobody writes to stands for an eventfd whose write(2) fails. The
 * threads and who starts them go on all the same.
 */
static void test_barrier_without_signals(void **state)
{
	_Atomic uint32_t through = 0;
	struct runner r[THREADS];
	struct barrier barrier;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(barrier_init(&barrier, THREADS), 0);
	close(barrier.passed_fd);
	barrier.passed_fd = dup(fds[0]);
	start(r, THREADS, &barrier, &through);
	assert_int_equal(barrier_open(&barrier), 0);
	for (uint32_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(r[i].thread, NULL), 0);
	barrier_close(&barrier);
	assert_int_equal(atomic_load(&through), THREADS);

	assert_int_equal(barrier_init(&barrier, THREADS), 0);
	close(barrier.wake_fd);
	barrier.wake_fd = dup(fds[0]);
	start(r, THREADS, &barrier, &through);
	assert_int_equal(barrier_open(&barrier), -EBADF);
	assert_non_null(strstr(err_text(), "cannot wake the measuring threads"));
	barrier_abandon(&barrier);
	for (uint32_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(r[i].thread, NULL), 0);
	barrier_close(&barrier);
	close(fds[0]);
	close(fds[1]);
}

/* ---- the end of a point, whatever the peer says */

#define MS UINT64_C(1000000)

static void assert_ends(struct monitor *m, uint64_t at, const char *since)
{
	assert_int_equal(monitor_end_check(m, at - 1, false), 0);
	assert_int_equal(monitor_end_check(m, at, false), -ETIMEDOUT);
	assert_non_null(strstr(err_text(), since));
}

static void test_deadline(void **state)
{
	const struct plan plan = { .work = { .depth = 16, .recv_depth = 64, .qps = 2,
					     .threads = 1 },
				   .stall_timeout_ms = 1000 };
	/* 64 messages of 2 QPs at 100 MB/s */
	const uint64_t begin = 5000 * MS, drain = (1000 + 128) * MS;
	struct point point = { .size_bytes = 100000, .duration_ns = 3000 * MS };
	struct worker_run run = { .worker.fixed.quiet_ns = 70 * MS };
	struct workers none = { 0 }, one = { .runs = &run, .n = 1 };
	struct monitor_thread thread = { 0 };
	struct ctl ctl = { .peer = "b" }, *const list[] = { &ctl };
	const struct peers peers = { .ctl = list, .n = 1 };
	struct monitor m = { .to = &peers, .plan = &plan, .point = &point, .workers = &none,
			     .threads = &thread, .silence_ms = 700 };

	(void)state;
	/* the peer posts for a time */
	assert_int_equal(monitor_end_check(&m, begin, false), 0);
	assert_ends(&m, begin + 3000 * MS + 700 * MS + drain, "after it began");
	m.interrupted = true;
	assert_int_equal(monitor_end_check(&m, begin + 1, false), 0);
	assert_ends(&m, begin + 1 + drain, "after it was stopped");
	/* a count may take any time */
	m.interrupted = false;
	m.end = (struct monitor_end){ 0 };
	point.duration_ns = 0;
	assert_int_equal(monitor_end_check(&m, begin, false), 0);
	assert_int_equal(monitor_end_check(&m, UINT64_MAX - 1, false), 0);
	/* this side posts: from when it has, ten times as long as it took, and what is under way */
	m.end = (struct monitor_end){ 0 };
	m.initiates = true;
	m.workers = &one;
	assert_int_equal(monitor_end_check(&m, begin, false), 0);
	assert_int_equal(monitor_end_check(&m, begin + 9000 * MS, false), 0);
	thread.sent_reported = true;
	assert_int_equal(monitor_end_check(&m, begin + 20 * MS, false), 0);
	assert_ends(&m, begin + 220 * MS + drain + 70 * MS, "after the last message of this side");
	/* of a duration the time counts since its end */
	thread.sent_reported = false;
	m.end = (struct monitor_end){ 0 };
	assert_int_equal(monitor_end_check(&m, begin, false), 0);
	assert_int_equal(monitor_end_check(&m, begin + 3000 * MS, true), 0);
	atomic_store(&run.ended, true);
	assert_int_equal(monitor_end_check(&m, begin + 3002 * MS, false), 0);
	assert_ends(&m, begin + 3022 * MS + drain + 70 * MS, "after the last message of this side");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fair),	cmocka_unit_test(test_add),
		cmocka_unit_test(test_every_counter),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_arrivals),	cmocka_unit_test(test_failed),
		cmocka_unit_test(test_passive), cmocka_unit_test(test_barrier),
		cmocka_unit_test(test_barrier_abandoned),
		cmocka_unit_test(test_deadline),
		cmocka_unit_test(test_barrier_without_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
