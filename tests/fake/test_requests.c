/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Requests with flags, and without payload, on the fake: fake_post.c holds each against the plan.
 * Nobody who waits for solicited completions sleeps through one (fake_sched.c looks at every
 * sleep), and none are sent in vain.
 */
#include "config.h"

#include "fake.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "decide/plan.h"

static void run(const struct fake_spec *spec)
{
	struct fake *f = fake_open(spec);
	const uint32_t qps = spec->qps ? spec->qps : 1;

	f->rate = 1 + fake_random(f, 40);
	fake_run(f);
	fake_assert_clean(f);
	for (int i = 0; i < 2; i++) {
		const struct fake_side *s = &f->sides[i];

		assert_int_equal(s->rc, 0);
		assert_int_equal(s->result.status, RESULT_OK);
		assert_int_equal(s->result.lost_events, 0);
	}
	assert_int_equal(f->sides[SIDE_CLIENT].result.sent, spec->messages * qps);
	if (kind_takes_recv(spec->kind.op))
		assert_int_equal(f->sides[SIDE_SERVER].result.received, spec->messages * qps);
	fake_close(f);
}

static void test_fence(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 4 * FAKE_KINDS; i++) {
		const struct kind k = fake_kinds[i / 4];
		const enum test tests[] = { fake_stream_test(k), fake_latency_test(k) };
		const struct fake_spec spec = {
			.kind = k, .test = tests[i & 1], .messages = 201, .fence = true,
			.extended = i & 2, .inline_bytes = i & 2 ? 64 : 0, .seed = i,
		};

		if (k.tp == TP_RC && !kind_refusal(spec.test, k))
			run(&spec);
	}
}

/* Of no payload: all tests but those that look at its last byte. */
static void test_empty(void **state)
{
	uint32_t ran = 0;

	(void)state;
	for (uint32_t i = 0; i < 4 * FAKE_KINDS; i++) {
		const struct kind k = fake_kinds[i / 4];
		const enum test tests[] = { fake_stream_test(k), fake_latency_test(k) };
		const struct fake_spec spec = {
			.kind = k, .test = tests[i & 1], .messages = 201, .empty = true,
			.extended = i & 2, .inline_bytes = i & 2 ? 64 : 0, .qps = 1 + i % 3,
			.post_list = i & 1 ? 1 : 4, .signal_interval = i & 1 ? 0 : 4, .seed = i,
		};
		const struct plan plan = { .work.pattern = kind_pattern(spec.test, k.op),
					   .work.kind = k };

		if (kind_is_atomic(k.op) || plan_marks_payload(&plan) || kind_refusal(spec.test, k))
			continue;
		run(&spec);
		ran++;
	}
	assert_true(ran > FAKE_KINDS);
}

/* Of any interval that the plan allows, in any list, with any last message. */
static void test_solicited(void **state)
{
	static const uint32_t every[] = { 1, 2, 3, 5, 16, 21 }, lists[] = { 1, 2, 8 };
	uint32_t ran = 0;

	(void)state;
	for (uint32_t i = 0; i < 36 * FAKE_KINDS; i++) {
		const struct kind k = fake_kinds[i / 36];
		const struct fake_spec spec = {
			.kind = k, .test = fake_stream_test(k), .messages = 200 + i % 17,
			.solicited = every[i % 6], .post_list = lists[i / 6 % 3],
			.signal_interval = i & 1 ? 8 : lists[i / 6 % 3], .qps = 1 + i / 18 % 2,
			.bidir = i / 6 % 5 == 4, .extended = i % 7 == 6, .seed = i,
		};

		if (k.cm == CM_POLL || k.tp != TP_RC || !kind_takes_recv(k.op))
			continue;
		run(&spec);
		ran++;
	}
	assert_int_equal(ran, 36 * 6);
}

/* One event for each that is solicited, at most. */
static void test_events(void **state)
{
	const struct fake_spec spec = {
		.kind = { .tp = TP_RC, .op = OP_SEND, .cm = CM_EVENT }, .test = TEST_SEND_BW,
		.messages = 2000, .solicited = 20, .seed = 1,
	};
	struct fake *f = fake_open(&spec);

	(void)state;
	f->rate = 1;
	fake_run(f);
	fake_assert_clean(f);
	assert_in_range(f->sides[SIDE_SERVER].rcq.events_got, 1, 100);
	assert_int_equal(f->sides[SIDE_SERVER].result.received, 2000);
	fake_close(f);
}

static void test_latency(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS; i++) {
		const struct kind k = fake_kinds[i];
		const struct fake_spec spec = {
			.kind = k, .test = fake_latency_test(k), .messages = 300, .solicited = 1,
			.seed = i,
		};

		if (k.cm != CM_POLL && kind_takes_recv(k.op))
			run(&spec);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fence),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_solicited),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_latency),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
