/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Event mode on the fake: an event is a hint and no completion, a completion between the last
 * poll and the arming is not slept through (fake_sched.c looks at every sleep), every event is
 * acked (fake_close looks at that), a sleeper does not poll, and a poller never arms.
 */
#include "config.h"

#include "fake.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define MESSAGES 500u
#define SECOND_NS 1000000000u

static struct fake_spec spec_of(uint32_t i)
{
	const struct kind k = fake_kinds[i / 2];
	const enum test latency = fake_latency_test(k);

	return (struct fake_spec){ .kind = k,
				   .messages = MESSAGES,
				   .recv_depth = 16,
				   .test = i & 1 && !kind_refusal(latency, k) ?
						   latency :
						   fake_stream_test(k) };
}

static void assert_complete(const struct fake *f)
{
	const struct fake_side *c = &f->sides[SIDE_CLIENT], *s = &f->sides[SIDE_SERVER];

	assert_int_equal(c->rc, 0);
	assert_int_equal(s->rc, 0);
	assert_int_equal(c->result.sent, MESSAGES);
	if (kind_takes_recv(f->plan.work.kind.op))
		assert_int_equal(s->result.received, MESSAGES);
	if (f->plan.work.pattern != PATTERN_STREAM)
		assert_int_equal(c->result.lat.samples, MESSAGES);
	assert_int_equal(c->result.events, c->scq.events_got + c->rcq.events_got);
	assert_true(c->result.spurious_events <= c->result.events);
}

static void test_plain(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 2 * FAKE_KINDS; i++) {
		struct fake_spec spec = spec_of(i);
		struct fake *f = fake_open(&spec);

		f->rate = 1;
		fake_run(f);
		fake_assert_clean(f);
		assert_complete(f);
		for (int s = 0; s < 2; s++) {
			const bool slept = f->sides[s].naps;

			if (spec.kind.cm == CM_POLL)
				assert_false(slept || f->sides[s].scq.arms || f->sides[s].rcq.arms);
		}
		if (spec.kind.cm == CM_EVENT) {
			assert_true(f->sides[SIDE_CLIENT].result.events > 0);
			/* no completion, no event: at most one per completion taken */
			assert_true(f->sides[SIDE_CLIENT].scq.events_got <=
				    f->sides[SIDE_CLIENT].scq.got);
		}
		fake_close(f);
	}
}

static void test_spurious(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 4 * FAKE_KINDS; i++) {
		struct fake_spec spec = spec_of(i / 2);
		const struct fake_side *c;
		struct fake *f;

		if (spec.kind.cm != CM_EVENT)
			continue;
		f = fake_open(&spec);
		f->rate = 1;
		f->spurious_every = 1 + i % 2;
		fake_run(f);
		fake_assert_clean(f);
		assert_complete(f);
		c = &f->sides[SIDE_CLIENT];
		assert_true(c->result.spurious_events > 0);
		fake_close(f);
	}
}

static uint32_t passed(const struct fake_cq *cq, uint32_t event)
{
	return cq->events_due >= event;
}

/* The third of each CQ: its completion is found, the CQ armed again, and the worker knows of it. */
static void test_lost(void **state)
{
	uint32_t n = 0;

	(void)state;
	for (uint32_t i = 0; i < 2 * FAKE_KINDS; i++) {
		struct fake_spec spec = spec_of(i);
		struct fake *f;

		if (spec.kind.cm != CM_EVENT || kind_is_lossy(spec.kind.tp))
			continue;
		f = fake_open(&spec);
		f->rate = 1;
		f->lost_event = 3;
		fake_run(f);
		fake_assert_clean(f);
		assert_complete(f);
		for (int s = 0; s < 2; s++) {
			const struct fake_side *side = &f->sides[s];
			const uint32_t most = passed(&side->scq, 3) + passed(&side->rcq, 3);

			/* the last one may be followed by nothing that shows it */
			assert_true(side->result.lost_events <= most);
			assert_true(side->result.lost_events == most ||
				    side->scq.events_due + side->rcq.events_due < 20);
			n += side->result.lost_events > 0;
			if (most)
				assert_true(side->scq.events_due > 3 || side->rcq.events_due > 3);
		}
		fake_close(f);
	}
	assert_true(n > 0);
}

/* The third of each CQ comes after it was counted as lost. It was not lost. */
static void test_late(void **state)
{
	uint32_t n = 0;

	(void)state;
	for (uint32_t i = 0; i < 2 * FAKE_KINDS; i++) {
		struct fake_spec spec = spec_of(i);
		struct fake *f;

		if (spec.kind.cm != CM_EVENT || kind_is_lossy(spec.kind.tp))
			continue;
		f = fake_open(&spec);
		f->rate = 1;
		f->late_event = 3;
		fake_run(f);
		fake_assert_clean(f);
		assert_complete(f);
		for (int s = 0; s < 2; s++) {
			const struct fake_side *side = &f->sides[s];

			/* what came just before the CQ was armed again may hide it */
			assert_true(side->result.lost_events <= i % 2);
			n += passed(&side->scq, 3) + passed(&side->rcq, 3);
		}
		fake_close(f);
	}
	assert_true(n > 0);
}

/* A CQ that was armed once owes one event: a second one is spurious, even if both come at once. */
static void test_double(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 2 * FAKE_KINDS; i++) {
		struct fake_spec spec = spec_of(i);
		struct fake *f;

		if (spec.kind.cm != CM_EVENT)
			continue;
		f = fake_open(&spec);
		f->rate = 1;
		f->double_event = 1;
		fake_run(f);
		fake_assert_clean(f);
		assert_complete(f);
		for (int s = 0; s < 2; s++) {
			const struct fake_side *side = &f->sides[s];

			assert_true(side->result.spurious_events >=
				    passed(&side->scq, 1) + passed(&side->rcq, 1));
			assert_int_equal(side->result.lost_events, 0);
		}
		fake_close(f);
	}
}

/* Everything that is under way completes between the empty poll and the arming. */
static void test_rush_at_arm(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 2 * FAKE_KINDS; i++) {
		struct fake_spec spec = spec_of(i);
		struct fake *f;

		if (spec.kind.cm == CM_POLL)
			continue;
		f = fake_open(&spec);
		f->rush_at_arm = true;
		fake_run(f);
		fake_assert_clean(f);
		assert_complete(f);
		/* it never came to waiting for a tick of 20 ms */
		assert_true(f->now_ns - SECOND_NS < SECOND_NS);
		fake_close(f);
	}
}

struct monitor {
	uint64_t polls[2], naps[2];
	uint32_t marks;
};

/* Two marks a second apart, long after the last message; then the receiver learns the end. */
static void look(struct fake *f, void *arg)
{
	struct monitor *w = arg;
	const struct fake_side *s = &f->sides[SIDE_SERVER];

	if (w->marks < 2 && f->now_ns >= (3 + w->marks) * (uint64_t)SECOND_NS) {
		w->polls[w->marks] = s->polls;
		w->naps[w->marks++] = s->naps;
	}
	if (w->marks == 2)
		f->mute = false;
}

static void test_idle(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS; i++) {
		struct fake_spec spec = spec_of(2 * i);
		struct monitor w = { 0 };
		struct fake *f;

		if (spec.kind.cm != CM_EVENT || !kind_takes_recv(spec.kind.op))
			continue;
		f = fake_open(&spec);
		f->mute = true;
		/* over UC and UD it goes on saying that it is idle, to a sender that has ended */
		f->overrun = kind_is_lossy(spec.kind.tp);
		/* as if one more message had been announced that never comes */
		atomic_store(&f->sides[SIDE_SERVER].run.worker.control.recv_target, MESSAGES + 1);
		f->tick = look;
		f->arg = &w;
		fake_run(f);
		fake_assert_clean(f);
		assert_int_equal(w.marks, 2);
		/* a tick of 20 ms is 50 looks a second; UC and UD say that they are idle besides */
		assert_in_range(w.naps[1] - w.naps[0], 40, 110);
		assert_in_range(w.polls[1] - w.polls[0], 40, 400);
		fake_close(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_spurious),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_double),
		cmocka_unit_test(test_rush_at_arm),
		cmocka_unit_test(test_idle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
