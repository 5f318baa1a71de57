/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Ending a stream from outside, at any moment: STATE_FINISH drains to an exact count whose last
 * request is signalled, also in the middle of lists and intervals and without credit; STATE_LEAVE
 * is obeyed at once. Test by time is the same with no number of messages.
 */
#include "config.h"

#include "fake.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define N(a) (sizeof(a) / sizeof((a)[0]))

struct stop {
	enum state_stop how;
	uint64_t after; /* messages of all QPs posted by the client */
	bool done;
	uint64_t posted; /* per QP then, the most */
	uint64_t at_ns;
};

static void stop_after(struct fake *f, void *arg)
{
	struct stop *stop = arg;
	uint64_t posted = 0;

	for (uint32_t i = 0; i < f->plan.work.qps; i++) {
		uint64_t n = f->sides[SIDE_CLIENT].qps[i].data_posted;

		posted += n;
		if (!stop->done && n > stop->posted)
			stop->posted = n;
	}
	if (stop->done || posted < stop->after)
		return;
	stop->done = true;
	stop->at_ns = f->now_ns;
	for (int i = 0; i < 2; i++)
		if (f->sides[i].has_worker && f->sides[i].run.worker.fixed.sends)
			worker_stop(&f->sides[i].run, stop->how);
}

static const struct {
	uint32_t depth, post_list, signal_interval, recv_depth, qps;
} shapes[] = {
	{ 16, 1, 1, 32, 1 },	{ 7, 1, 4, 32, 3 },   { 128, 16, 32, 512, 2 },
	{ 100, 1, 100, 17, 3 }, { 64, 16, 4, 20, 1 }, { 128, 1, 100, 2, 2 },
	{ 128, 3, 99, 8, 8 },	{ 7, 7, 1, 8, 2 },
};

static struct fake_spec spec_of(struct kind k, uint32_t shape)
{
	return (struct fake_spec){ .kind = k,
				   .test = fake_stream_test(k),
				   .depth = shapes[shape].depth,
				   .post_list = shapes[shape].post_list,
				   .signal_interval = shapes[shape].signal_interval,
				   .recv_depth = shapes[shape].recv_depth,
				   .qps = shapes[shape].qps };
}

static struct fake *run_stopped(const struct fake_spec *spec, struct stop *stop)
{
	struct fake *f = fake_open(spec);

	f->tick = stop_after;
	f->arg = stop;
	f->rate = 1 + (uint32_t)(spec->seed % 9);
	fake_run(f);
	return f;
}

static void assert_finished(const struct fake *f, const struct stop *stop)
{
	uint64_t sent = f->sides[0].result.sent + f->sides[1].result.sent;
	uint64_t received = f->sides[0].result.received + f->sides[1].result.received;

	assert_int_equal(f->sides[0].rc, 0);
	assert_int_equal(f->sides[1].rc, 0);
	if (kind_takes_recv(f->plan.work.kind.op))
		assert_int_equal(received, sent);
	/* one request more at most, on top of the turn that was under way */
	for (uint32_t i = 0; i < f->plan.work.qps; i++)
		assert_true(f->sides[0].qps[i].data_posted <=
			    stop->posted + f->plan.work.depth + 17);
	assert_true(f->sides[0].result.tx_window_ns > 0);
	assert_true(f->sides[0].result.tx_outside < f->sides[0].result.sent ||
		    !f->sides[0].result.sent);
}

static void test_finish(void **state)
{
	static const uint64_t after[] = { 0, 1, 50, 503, 2000 };

	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS * N(shapes) * N(after); i++) {
		struct fake_spec spec =
			spec_of(fake_kinds[i / N(after) / N(shapes)], i / N(after) % N(shapes));
		struct stop stop = { .how = STATE_FINISH, .after = after[i % N(after)] };
		struct fake *f;

		spec.by_time = i % 3;
		spec.messages = 600;
		spec.bidir = i / N(after) % 2;
		spec.seed = i;
		f = run_stopped(&spec, &stop);
		fake_assert_clean(f);
		assert_finished(f, &stop);
		fake_close(f);
	}
}

/* Told to finish before the first request: nothing is sent, and both sides end. */
static void test_finish_at_once(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS; i++) {
		struct fake_spec spec = spec_of(fake_kinds[i], 0);
		struct fake *f;

		spec.by_time = true;
		f = fake_open(&spec);
		worker_stop(&f->sides[SIDE_CLIENT].run, STATE_FINISH);
		fake_run(f);
		fake_assert_clean(f);
		assert_int_equal(f->sides[SIDE_CLIENT].rc, 0);
		assert_int_equal(f->sides[SIDE_SERVER].rc, 0);
		assert_int_equal(f->sides[SIDE_CLIENT].result.sent, 0);
		assert_int_equal(f->sides[SIDE_CLIENT].result.tx_window_ns, 0);
		assert_int_equal(f->sides[SIDE_SERVER].result.received, 0);
		assert_int_equal(f->sides[SIDE_SERVER].result.rx_window_ns, 0);
		fake_close(f);
	}
}

static void test_leave(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS * N(shapes); i++) {
		struct fake_spec spec = spec_of(fake_kinds[i / N(shapes)], i % N(shapes));
		struct stop stop = { .how = STATE_LEAVE, .after = 300 };
		const struct fake_side *c;
		struct fake *f;

		spec.by_time = true;
		spec.seed = i;
		f = run_stopped(&spec, &stop);
		c = &f->sides[SIDE_CLIENT];
		assert_string_equal(f->violation, "");
		assert_int_equal(c->rc, -ECANCELED);
		assert_int_equal(c->result.status, RESULT_INCOMPLETE);
		assert_true(f->now_ns - stop.at_ns < 5000000);
		for (uint32_t q = 0; q < spec.qps; q++)
			assert_int_equal(c->run.worker.fixed.sqs[q].done, c->qps[q].data_done);
		fake_close(f);
	}
}

/* A sleeper, or a sender without credit, leaves without waiting for its tick. */
static void leave_later(struct fake *f, void *arg)
{
	struct stop *stop = arg;

	if (stop->done || f->now_ns < 3000000000u)
		return;
	stop->done = true;
	stop->at_ns = f->now_ns;
	worker_stop(&f->sides[SIDE_SERVER].run, STATE_LEAVE);
}

static void test_leave_idle(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS; i++) {
		struct fake_spec spec = spec_of(fake_kinds[i], 0);
		struct stop stop = { .how = STATE_LEAVE };
		struct fake *f;

		if (!kind_takes_recv(spec.kind.op))
			continue;
		spec.messages = 100;
		f = fake_open(&spec);
		f->mute = true;
		/* over UC and UD it goes on saying that it is idle, to a sender that has ended */
		f->overrun = kind_is_lossy(spec.kind.tp);
		atomic_store(&f->sides[SIDE_SERVER].run.worker.control.recv_target, UINT64_MAX);
		f->tick = leave_later;
		f->arg = &stop;
		fake_run(f);
		fake_assert_clean(f);
		assert_int_equal(f->sides[SIDE_SERVER].rc, -ECANCELED);
		assert_int_equal(f->sides[SIDE_SERVER].result.received, 100);
		assert_true(f->now_ns - stop.at_ns < 5000000);
		fake_close(f);
	}
}

/*
 * A link with a long delay: nothing moves before the first message is through, and again while the
 * queue drains.
 */
#define DELAY_NS 1000000u
#define STEP_NS 8000u /* longer than a completion needs, shorter than the queue */

struct delay {
	/* the first completion was seen, the loop was stopped; 0: not yet */
	uint64_t first_ns, stop_ns;
	uint64_t done;              /* at the stop */
	/* for so long the loop has no processor when the first completion comes; it was so */
	uint64_t lost_ns;
	bool lost;
};

static void delayed(struct fake *f, void *arg)
{
	const uint64_t done = f->sides[SIDE_CLIENT].qps[0].data_done;
	struct delay *delay = arg;

	if (!delay->lost && f->sides[SIDE_CLIENT].scq.put) {
		f->now_ns += delay->lost_ns;
		delay->lost = true;
	}
	if (!delay->first_ns && done)
		delay->first_ns = f->now_ns;
	if (!delay->stop_ns && done >= 3000) {
		worker_stop(&f->sides[SIDE_CLIENT].run, STATE_FINISH);
		delay->stop_ns = f->now_ns;
		delay->done = done;
	}
	f->rate = f->now_ns >= DELAY_NS;
	if (delay->stop_ns && f->now_ns > delay->stop_ns + STEP_NS)
		f->rate = f->now_ns > delay->stop_ns + DELAY_NS;
}

/* The window by time has neither the first delay nor the drain in it. */
static void test_window_by_time(void **state)
{
	static const uint32_t signals[] = { 1, 4, 16 };

	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS * N(signals); i++) {
		struct fake_spec spec = spec_of(fake_kinds[i / N(signals)], 0);
		/* then the next completion opens the window */
		struct delay delay = { .lost_ns = i % 2 ? DELAY_NS : 0 };
		const struct result *r;
		struct fake *f;

		spec.depth = 64;
		spec.recv_depth = kind_takes_recv(spec.kind.op) ? 512 : 0;
		spec.signal_interval = signals[i % N(signals)];
		spec.by_time = true;
		f = fake_open(&spec);
		f->tick = delayed;
		f->arg = &delay;
		fake_run(f);
		fake_assert_clean(f);
		r = &f->sides[SIDE_CLIENT].result;
		assert_in_range(r->tx_window_ns, delay.stop_ns - delay.first_ns - STEP_NS,
				delay.stop_ns - delay.first_ns + STEP_NS);
		assert_in_range(r->sent - r->tx_outside,
				delay.done - (delay.lost_ns ? 4u : 2u) * spec.signal_interval,
				delay.done + spec.signal_interval);
		fake_close(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finish),
		cmocka_unit_test(test_finish_at_once),
		cmocka_unit_test(test_leave),
		cmocka_unit_test(test_leave_idle),
		cmocka_unit_test(test_window_by_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
