/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Open loop on the fake: every kind, polled, by events and hybrid; exact counts, a sample of each
 * message.
 */
#include "config.h"

#include "fake.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "options/options.h"

static void assert_sampled(const struct fake *f, enum side side, uint64_t n)
{
	const struct fake_side *s = &f->sides[side];

	assert_int_equal(s->rc, 0);
	assert_int_equal(s->result.status, RESULT_OK);
	assert_int_equal(s->result.sent, n);
	assert_int_equal(s->result.intended, n);
	assert_int_equal(s->result.unsent, 0);
	assert_int_equal(s->result.response.samples, n - s->result.lost);
	assert_int_equal(s->result.service.samples, n - s->result.lost);
	assert_true(s->result.response.min_ns >= s->result.service.min_ns);
	/* a closed loop's figures are of other times */
	assert_int_equal(s->result.lat.samples, 0);
}

static void run(struct fake_spec *spec)
{
	const uint64_t n = spec->messages * (spec->qps ? spec->qps : 1);
	struct fake *f = fake_open(spec);

	fake_run(f);
	fake_assert_clean(f);
	assert_sampled(f, SIDE_CLIENT, n);
	if (spec->bidir && f->sides[SIDE_SERVER].has_worker)
		assert_sampled(f, SIDE_SERVER, n);
	fake_close(f);
}

static bool has_latency(struct kind k)
{
	return !kind_refusal(fake_latency_test(k), k);
}

static void test_streams(void **state)
{
	static const uint32_t counts[] = { 1, 16, 203 };

	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS * 3; i++) {
		struct fake_spec spec = { .kind = fake_kinds[i / 3],
					  .test = fake_stream_test(fake_kinds[i / 3]),
					  .messages = counts[i % 3],
					  .qps = 1 + i % 5,
					  .signal_interval = 1,
					  .rate_milli = i % 2 ? 100000000 : 5000000000,
					  .poisson = i % 4 < 2,
					  .extended = i % 7 == 0,
					  .seed = i };

		run(&spec);
	}
}

static void test_latencies(void **state)
{
	static const uint32_t counts[] = { 1, 15, 103 };

	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS * 3; i++) {
		struct fake_spec spec = { .kind = fake_kinds[i / 3],
					  .test = fake_latency_test(fake_kinds[i / 3]),
					  .messages = counts[i % 3],
					  .qps = 1 + i % 3,
					  .signal_interval = 1,
					  .rate_milli = i % 2 ? 100000000 : 5000000000,
					  .poisson = i % 4 < 2,
					  .seed = i };

		if (kind_is_silent(spec.kind.op) && kind_is_lossy(spec.kind.tp))
			spec.qps = 1;
		if (has_latency(spec.kind))
			run(&spec);
	}
}

static void test_both_ways(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS; i++) {
		struct fake_spec spec = { .kind = fake_kinds[i],
					  .test = fake_stream_test(fake_kinds[i]),
					  .messages = 203,
					  .qps = 1 + i % 3,
					  .signal_interval = 1,
					  .bidir = true,
					  .rate_milli = i % 2 ? 100000000 : 5000000000,
					  .seed = i };

		if (kind_takes_recv(spec.kind.op))
			run(&spec);
	}
}

static void test_shared(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS * 3; i++) {
		struct fake_spec spec = { .kind = fake_kinds[i / 3],
					  .messages = 203,
					  .qps = 3,
					  .signal_interval = 1,
					  .bidir = i % 3 == 1,
					  .rate_milli = 1000000000,
					  .poisson = i % 2,
					  .seed = i };

		spec.test = i % 3 == 2 ? fake_latency_test(spec.kind) : fake_stream_test(spec.kind);
		spec.kind.sharing = SHARING_SRQ;
		if (kind_takes_recv(spec.kind.op) && !kind_has_halves(spec.kind.tp))
			run(&spec);
	}
}

/* One in ten is lost: it has no sample, and the next message is posted all the same. */
static enum fake_fate lose(const struct fake_msg *msg, void *arg)
{
	(void)arg;
	return msg->from == SIDE_CLIENT && msg->number % 10 == 3 ? FAKE_LOST : FAKE_ARRIVES;
}

static void test_lost(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS; i++) {
		struct fake_spec spec = { .kind = fake_kinds[i],
					  .test = fake_latency_test(fake_kinds[i]),
					  .messages = 100,
					  .signal_interval = 1,
					  .rate_milli = 1000000 };
		struct fake *f;

		if (!kind_is_lossy(spec.kind.tp) || !has_latency(spec.kind))
			continue;
		f = fake_open(&spec);
		f->fate = lose;
		f->loss_ns = 5000000;
		fake_run(f);
		assert_int_equal(f->sides[SIDE_CLIENT].result.lost, 10);
		assert_sampled(f, SIDE_CLIENT, 100);
		/* 5 ms: four messages were due meanwhile */
		assert_true(f->sides[SIDE_CLIENT].result.response.max_ns > 3e6);
		assert_true(f->sides[SIDE_CLIENT].result.backlog_max >= 4);
		fake_close(f);
	}
}

/* Stopped while it waits for the next message, and while there is a backlog. */
struct stopping {
	enum state_stop how;
	uint64_t at;
};

static void stop_at(struct fake *f, void *arg)
{
	struct stopping *s = arg;
	struct worker_run *run = &f->sides[SIDE_CLIENT].run;

	if (s->at == UINT64_MAX || run->worker.fixed.sqs->posted < s->at)
		return;
	s->at = UINT64_MAX;
	worker_stop(run, s->how);
}

static void test_stops(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS * 8; i++) {
		const struct kind k = fake_kinds[i / 8];
		struct stopping s = { i % 2 ? STATE_LEAVE : STATE_FINISH, 33 };
		struct fake_spec spec = { .kind = k,
					  .test = i % 4 < 2 ? fake_stream_test(k) :
							      fake_latency_test(k),
					  .by_time = true,
					  .signal_interval = 1,
					  .rate_milli = i % 8 < 4 ? 1000000 : 50000000000 };
		const struct fake_side *c;
		struct fake *f;

		if (i % 4 >= 2 && !has_latency(k))
			continue;
		f = fake_open(&spec);
		f->tick = stop_at;
		f->arg = &s;
		fake_run(f);
		c = &f->sides[SIDE_CLIENT];
		assert_int_equal(c->rc, i % 2 ? -ECANCELED : 0);
		if (!(i % 2)) {
			assert_true(c->result.sent >= 33);
			assert_int_equal(c->result.intended, c->result.sent + c->result.unsent);
			assert_int_equal(c->result.response.samples, c->result.sent);
		}
		fake_close(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_latencies),
		cmocka_unit_test(test_both_ways),
		cmocka_unit_test(test_shared),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_stops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
