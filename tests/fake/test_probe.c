/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* probe on the fake: read and atomics one at a time, a sample of each, exact counts and words. */
#include "config.h"

#include "fake.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define N(a) (sizeof(a) / sizeof((a)[0]))

static bool probes(struct kind k)
{
	return k.op > OP_WRITE_IMM;
}

static void assert_probed(const struct fake *f, uint64_t n)
{
	const struct fake_side *c = &f->sides[SIDE_CLIENT];

	assert_int_equal(c->rc, 0);
	assert_int_equal(c->result.sent, n);
	assert_int_equal(c->result.lat.samples, n);
	assert_int_equal(c->result.received, 0);
	assert_true(c->result.lat.min_ns > 0);
	assert_true(c->result.lat.max_ns <= (double)c->result.tx_window_ns + 1);
	assert_false(f->sides[SIDE_SERVER].has_worker);
}

static void test_counts(void **state)
{
	static const uint32_t counts[] = { 1, 2, 15, 16, 17, 1000, 1003 };

	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS; i++) {
		if (!probes(fake_kinds[i]))
			continue;
		for (uint32_t n = 0; n < N(counts); n++) {
			struct fake_spec spec = { .kind = fake_kinds[i],
						  .test = fake_latency_test(fake_kinds[i]),
						  .messages = counts[n],
						  .footprint_bytes = n % 2 ? 5000 : 0,
						  .walk = WALK_SEQ + n % 3,
						  .seed = n };
			struct fake *f = fake_open(&spec);

			fake_run(f);
			fake_assert_clean(f);
			assert_probed(f, counts[n]);
			fake_close(f);
		}
	}
}

/* QPs in turn; of each auto's buffers, more than a stretch, fewer, one. */
static void test_many_qps(void **state)
{
	static const uint32_t qps[] = { 2, 3, 40 }, counts[] = { 1, 5, 37, 1003 };
	static const uint32_t footprints[] = { 0, 77, 3, 1 };

	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS * N(qps) * N(counts); i++) {
		const struct kind k = fake_kinds[i / (N(qps) * N(counts))];
		struct fake_spec spec = { .kind = k,
					  .test = fake_latency_test(k),
					  .messages = counts[i % N(counts)],
					  .qps = qps[i / N(counts) % N(qps)],
					  .walk = WALK_SEQ + i / 3 % 2,
					  .seed = i };
		struct fake *f;

		if (!probes(k))
			continue;
		spec.footprint_bytes =
			(uint64_t)footprints[i / 2 % N(footprints)] * 64 * spec.qps;
		f = fake_open(&spec);
		fake_run(f);
		fake_assert_clean(f);
		assert_probed(f, spec.messages * spec.qps);
		fake_close(f);
	}
}

struct stop {
	enum state_stop how;
	bool done;
};

static void stop_after(struct fake *f, void *arg)
{
	struct stop *stop = arg;

	if (stop->done || f->sides[SIDE_CLIENT].run.worker.fixed.sqs->posted < 33)
		return;
	stop->done = true;
	worker_stop(&f->sides[SIDE_CLIENT].run, stop->how);
}

static void test_stops(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 2 * FAKE_KINDS; i++) {
		const struct kind k = fake_kinds[i / 2];
		struct stop stop = { i % 2 ? STATE_FINISH : STATE_LEAVE, false };
		struct fake_spec spec = { .kind = k,
					  .test = fake_latency_test(k),
					  .by_time = true };
		const struct fake_side *c;
		struct fake *f;

		if (!probes(k))
			continue;
		f = fake_open(&spec);
		f->tick = stop_after;
		f->arg = &stop;
		fake_run(f);
		c = &f->sides[SIDE_CLIENT];
		/* at the latest to the end of the stretch that is under way */
		assert_true(c->result.sent >= 32 && c->result.sent <= 33 + plan_batch(&f->plan));
		if (stop.how == STATE_FINISH) {
			fake_assert_clean(f);
			assert_probed(f, c->result.sent);
		} else {
			assert_string_equal(f->violation, "");
			assert_int_equal(c->rc, -ECANCELED);
			assert_int_equal(c->result.lat.samples, c->result.sent);
		}
		fake_close(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_many_qps),
		cmocka_unit_test(test_stops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
