/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Samples that are kept one by one, on the fake: they are those of the histogram, and those that
 * its clock made; the first ones where there are more than room; the memory for them.
 */
#include "config.h"

#include "fake.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "decide/plan_steps.h"

#define US 1000u
#define RATE_MILLI 5000000000u

static bool has_latency(struct kind k)
{
	return !kind_refusal(fake_latency_test(k), k);
}

static struct fake_spec spec_of(uint32_t i, bool open)
{
	struct fake_spec spec = { .kind = fake_kinds[i], .test = fake_latency_test(fake_kinds[i]),
				  .messages = 103, .kept = 1000, .qps = 1 + i % 3,
				  .rate_milli = open ? RATE_MILLI : 0, .seed = i };

	if (open)
		spec.signal_interval = 1;
	if (kind_is_silent(spec.kind.op) && kind_is_lossy(spec.kind.tp))
		spec.qps = 1;
	return spec;
}

static struct result_samples take(struct fake *f)
{
	struct result_samples s;

	worker_kept_take(&f->sides[SIDE_CLIENT].run, &s);
	return s;
}

static struct histogram *new_histogram(void)
{
	struct histogram *h = malloc(sizeof(*h));

	assert_non_null(h);
	histogram_reset(h);
	return h;
}

/* The buckets of number at, of step numbers of a sample. */
static void assert_same(const struct result_samples *s, uint64_t at, uint64_t step,
			const struct histogram *expected)
{
	struct histogram *h = new_histogram();

	for (uint64_t i = 0; i < s->n; i++)
		histogram_record(h, s->ticks[i * step + at]);
	assert_memory_equal(h->bucket, expected->bucket, sizeof(h->bucket));
	if (step == 1) {
		assert_int_equal(h->sum, expected->sum);
		assert_int_equal(h->max, expected->max);
	}
	free(h);
}

/* Each kind, closed and open. */
static void test_as_the_histogram(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 2 * FAKE_KINDS; i++) {
		struct fake_spec spec = spec_of(i / 2, i % 2);
		struct result_samples s;
		struct worker *w;
		struct fake *f;

		if (!has_latency(spec.kind))
			continue;
		f = fake_open(&spec);
		w = &f->sides[SIDE_CLIENT].run.worker;
		/* its pages are there, and none is of zeros that the loop would have to copy */
		for (uint64_t n = 0; n < spec.kept; n++)
			assert_int_equal(w->kept.samples[n], UINT64_MAX);
		fake_run(f);
		fake_assert_clean(f);
		s = take(f);
		assert_int_equal(s.n, spec.messages * spec.qps);
		assert_int_equal(s.measured, s.n);
		assert_int_equal(s.open, i % 2);
		if (s.open) {
			assert_same(&s, 0, 2, &w->pace->response);
			assert_same(&s, 1, 2, &w->pace->service);
		} else {
			assert_same(&s, 0, 1, w->histogram);
			assert_true(s.ns_per_tick == (w->fixed.pingpong ? 0.5 : 1));
		}
		free(s.ticks);
		fake_close(f);
	}
}

#define MESSAGES 500u

struct server {
	uint32_t n;
	uint64_t posted[MESSAGES], done[MESSAGES];
};

/* Each request takes another time. */
static uint64_t serve(struct fake *f, uint64_t now_ns, void *arg)
{
	struct server *s = arg;

	(void)f;
	assert_true(s->n < MESSAGES);
	s->posted[s->n] = now_ns;
	s->done[s->n] = now_ns + (1 + s->n * 7 % 13) * US;
	return s->done[s->n++];
}

/* Reads take what the clock says, to the step of the scheduler in which it is seen. */
static void assert_near(uint64_t ticks, uint64_t ns)
{
	assert_true(ticks >= ns && ticks <= ns + 2 * FAKE_ROUND_NS);
}

static void test_as_the_clock(void **state)
{
	(void)state;
	for (int open = 0; open < 2; open++) {
		/* 4 us apart: those that take longer delay the next ones */
		struct fake_spec spec = { .kind = { .tp = TP_RC, .op = OP_READ, .cm = CM_POLL },
					  .test = TEST_READ_LAT, .messages = MESSAGES,
					  .kept = MESSAGES, .rate_milli = open ? 250000000 : 0 };
		struct server server = { .n = 0 };
		struct fake *f = fake_open(&spec);
		struct result_samples s;
		const struct pace *pace = f->sides[SIDE_CLIENT].run.pace;

		f->serve = serve;
		f->arg = &server;
		fake_run(f);
		s = take(f);
		assert_int_equal(s.n, MESSAGES);
		for (uint32_t i = 0; i < MESSAGES && !open; i++)
			assert_near(s.ticks[i], server.done[i] - server.posted[i]);
		for (uint32_t i = 0; i < MESSAGES && open; i++) {
			assert_near(s.ticks[2 * i], server.done[i] - (pace->start + i * 4 * US));
			assert_near(s.ticks[2 * i + 1], server.done[i] - server.posted[i]);
		}
		free(s.ticks);
		fake_close(f);
	}
}

/* The first of more than there is room for, by any of the two bodies. */
static void test_more_than_room(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 2 * FAKE_KINDS; i++) {
		struct fake_spec spec = spec_of(i / 2, i % 2);
		const uint64_t numbers = i % 2 ? 2 : 1, all = spec.messages * spec.qps;
		struct result_samples s[2];

		if (!has_latency(spec.kind))
			continue;
		for (int k = 0; k < 2; k++) {
			struct fake *f;

			spec.kept = k ? 17 : all;
			f = fake_open(&spec);
			fake_run(f);
			s[k] = take(f);
			fake_close(f);
			assert_int_equal(s[k].n, spec.kept);
			assert_int_equal(s[k].measured, all);
		}
		assert_memory_equal(s[0].ticks, s[1].ticks, 17 * numbers * sizeof(uint64_t));
		free(s[0].ticks);
		free(s[1].ticks);
	}
}

/* Nothing of it in the loop that runs without it, nor on the side that answers. */
static void test_none(void **state)
{
	struct fake_spec spec = spec_of(0, false);

	(void)state;
	for (spec.kept = 0; spec.kept < 2; spec.kept++) {
		struct fake *f = fake_open(&spec);
		const struct kind kind = plan_side_kind(&f->plan, SIDE_CLIENT);
		const enum role *role = f->plan.work.role;
		struct result_samples s;

		assert_ptr_equal(f->sides[SIDE_CLIENT].run.loop,
				 spec.kept ? engine_find_kept(kind, false) :
					     engine_find(kind, role[SIDE_CLIENT], false));
		assert_ptr_equal(f->sides[SIDE_SERVER].run.loop,
				 engine_find(kind, role[SIDE_SERVER], false));
		fake_run(f);
		fake_assert_clean(f);
		s = take(f);
		assert_int_equal(s.ticks != NULL, spec.kept);
		free(s.ticks);
		assert_null(f->sides[SIDE_SERVER].run.worker.kept.samples);
		fake_close(f);
	}
}

/* It counts as memory of a plan; without a number of messages there is a most. */
static void test_plan(void **state)
{
	static const uint64_t messages[] = { 1, 1000, 0, UINT64_C(1) << 40 };

	(void)state;
	for (uint32_t i = 0; i < 8; i++) {
		struct fake_spec spec = spec_of(0, i % 2);
		struct fake *f = fake_open(&spec);
		struct plan *plan = &f->plan;
		struct point point = f->point;
		struct limits lim;
		uint64_t without, n;

		point.messages = messages[i / 2];
		n = point.messages ? point.messages * plan->work.qps : PLAN_KEPT_MOST;
		n = n < PLAN_KEPT_MOST ? n : PLAN_KEPT_MOST;
		assert_int_equal(plan_kept(plan, &point, SIDE_CLIENT), 0);
		without = plan_memory(plan, &point, SIDE_CLIENT);
		plan->work.keeps_samples = true;
		assert_int_equal(plan_kept(plan, &point, SIDE_CLIENT), n);
		assert_int_equal(plan_kept(plan, &point, SIDE_SERVER), 0);
		assert_int_equal(plan_memory(plan, &point, SIDE_CLIENT) - without,
				 n * (i % 2 ? 16 : 8));
		memset(&lim, 0xff, sizeof(lim));
		plan->n_points = 1;
		plan->points[0] = point;
		lim.max_total_bytes = without + n * (i % 2 ? 16 : 8);
		assert_int_equal(plan_owner(plan, &lim, SIDE_CLIENT), 0);
		lim.max_total_bytes--;
		assert_int_equal(plan_owner(plan, &lim, SIDE_CLIENT), -EINVAL);
		fake_close(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_the_histogram),
		cmocka_unit_test(test_as_the_clock),
		cmocka_unit_test(test_more_than_room),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_plan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
