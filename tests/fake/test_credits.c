/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * UC and UD on the fake: messages and credit messages are lost, doubled, delayed. What came is
 * counted exactly, the sender never outruns the receives, a sender without credit comes back,
 * the receiver ends when the sender has and it has been quiet, and that quiet is not part of its
 * window.
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
#define MESSAGES 150u

/* Loses, doubles and delays by rules; counts what it did to messages of data. */
struct weather {
	struct fake *fake;
	uint32_t lose_percent, credits_percent; /* at random */
	uint64_t lose_from, lose_to; /* all messages in between */
	uint64_t twice, late; /* these; UINT64_MAX none */
	uint64_t lost, doubled, delayed;
};

static const struct weather fine = { .twice = UINT64_MAX, .late = UINT64_MAX };

static enum fake_fate decide(const struct fake_msg *msg, void *arg)
{
	struct weather *w = arg;

	if (msg->credit)
		return fake_random(w->fake, 100) < w->credits_percent ? FAKE_LOST : FAKE_ARRIVES;
	if ((msg->number >= w->lose_from && msg->number < w->lose_to) ||
	    fake_random(w->fake, 100) < w->lose_percent) {
		w->lost++;
		return FAKE_LOST;
	}
	if (msg->number == w->twice) {
		w->doubled++;
		return FAKE_TWICE;
	}
	if (msg->number == w->late) {
		w->delayed++;
		return FAKE_LATE;
	}
	return FAKE_ARRIVES;
}

static bool unreliable(struct kind k)
{
	return kind_is_lossy(k.tp) && kind_takes_recv(k.op);
}

static struct fake_spec spec_of(struct kind k)
{
	return (struct fake_spec){ .kind = k,
				   .test = fake_stream_test(k),
				   .messages = MESSAGES,
				   .depth = 16,
				   .recv_depth = 32,
				   .signal_interval = 4,
				   .qps = 2 };
}

static struct fake *open_in(const struct fake_spec *spec, struct weather *w)
{
	struct fake *f = fake_open(spec);

	w->fake = f;
	f->fate = decide;
	f->arg = w;
	return f;
}

static void assert_counts(const struct fake *f, const struct fake_spec *spec,
			  const struct weather *w)
{
	const bool imm = kind_has_imm(spec->kind.op);
	uint64_t sent = 0, received = 0, doubled = 0, delayed = 0;

	for (int i = 0; i < 2; i++) {
		const struct result *r = &f->sides[i].result;

		assert_int_equal(f->sides[i].rc, 0);
		sent += r->sent;
		received += r->received;
		doubled += imm ? r->duplicated : 0;
		delayed += imm ? r->out_of_order : 0;
	}
	assert_int_equal(sent, spec->messages * spec->qps * (1 + spec->bidir));
	/* without numbers a second arrival may be taken for the message that is still to come */
	assert_in_range(received, sent - w->lost + (imm ? w->doubled : 0),
			sent - w->lost + w->doubled);
	if (imm)
		assert_int_equal(doubled, w->doubled);
	if (imm)
		assert_int_equal(delayed, w->delayed);
}

static void run_in(const struct fake_spec *spec, struct weather *w)
{
	struct fake *f = open_in(spec, w);

	f->overrun = w->twice != UINT64_MAX;
	fake_run(f);
	fake_assert_clean(f);
	assert_counts(f, spec, w);
	fake_close(f);
}

static void test_fine_weather(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS; i++) {
		struct fake_spec spec = spec_of(fake_kinds[i]);
		struct weather w = fine;

		if (unreliable(spec.kind))
			run_in(&spec, &w);
	}
}

static void test_lost(void **state)
{
	static const struct {
		uint64_t from, to;
	} ranges[] = { { 0, 1 },
		       { 0, 32 },
		       { 0, MESSAGES },
		       { 1, 2 },
		       { 50, 90 },
		       { MESSAGES - 1, MESSAGES },
		       { MESSAGES - 40, MESSAGES },
		       { 1, MESSAGES } };

	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS * N(ranges); i++) {
		struct fake_spec spec = spec_of(fake_kinds[i / N(ranges)]);
		struct weather w = fine;

		if (!unreliable(spec.kind))
			continue;
		w.lose_from = ranges[i % N(ranges)].from;
		w.lose_to = ranges[i % N(ranges)].to;
		spec.bidir = i & 1;
		spec.seed = i;
		run_in(&spec, &w);
	}
}

static void test_random_loss(void **state)
{
	static const struct {
		uint32_t data, credits, recv_depth, post_list;
	} cases[] = { { 1, 0, 32, 1 }, { 10, 10, 32, 4 }, { 50, 50, 8, 7 }, { 0, 50, 32, 1 },
		      { 0, 80, 2, 1 }, { 90, 0, 17, 15 }, { 30, 30, 8, 2 } };

	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS * N(cases) * 2; i++) {
		const uint32_t c = i / 2 % N(cases);
		struct fake_spec spec = spec_of(fake_kinds[i / 2 / N(cases)]);
		struct weather w = fine;

		if (!unreliable(spec.kind))
			continue;
		w.lose_percent = cases[c].data;
		w.credits_percent = cases[c].credits;
		spec.recv_depth = cases[c].recv_depth;
		spec.post_list = cases[c].post_list;
		spec.signal_interval = spec.post_list;
		spec.bidir = i & 1;
		spec.seed = i;
		run_in(&spec, &w);
	}
}

static void test_twice_and_late(void **state)
{
	static const uint64_t at[] = { 0, 1, 75, MESSAGES - 2 };

	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS * N(at) * 2; i++) {
		struct fake_spec spec = spec_of(fake_kinds[i / 2 / N(at)]);
		struct weather w = fine;

		if (!unreliable(spec.kind))
			continue;
		if (i & 1)
			w.twice = at[i / 2 % N(at)];
		else
			w.late = at[i / 2 % N(at)];
		spec.qps = 1;
		spec.seed = i;
		run_in(&spec, &w);
	}
}

/* More skipped numbers than the window holds: the counts of what came stay right. */
static void test_many_skipped(void **state)
{
	struct fake_spec spec =
			spec_of((struct kind){ .tp = TP_UD, .op = OP_SEND_IMM, .cm = CM_POLL });
	struct weather w = fine;

	(void)state;
	w.lose_percent = 40;
	spec.messages = 2000;
	run_in(&spec, &w);
}

/* The receiver's window ends with the last arrival, not with the wait for more. */
static void test_window(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS; i++) {
		struct fake_spec spec = spec_of(fake_kinds[i]);
		struct weather w = fine;
		struct fake *f;

		if (!unreliable(spec.kind))
			continue;
		w.lose_from = MESSAGES - 3;
		w.lose_to = MESSAGES;
		f = open_in(&spec, &w);
		fake_run(f);
		fake_assert_clean(f);
		assert_counts(f, &spec, &w);
		assert_true(f->sides[SIDE_SERVER].result.rx_window_ns > 0);
		assert_true(f->sides[SIDE_SERVER].result.rx_window_ns <
			    f->sides[SIDE_SERVER].run.worker.fixed.quiet_ns / 2);
		fake_close(f);
	}
}

/*
 * With nothing but losses the sender waits once per recv_depth messages, and says so; not when it
 * has posted its last.
 */
static void test_stalls(void **state)
{
	static const uint64_t messages[] = { MESSAGES, 128 };

	(void)state;
	for (size_t i = 0; i < N(messages); i++) {
		struct fake_spec spec =
			spec_of((struct kind){ .tp = TP_UD, .op = OP_SEND, .cm = CM_POLL });
		struct weather w = fine;
		struct fake *f;

		w.lose_to = messages[i];
		spec.messages = messages[i];
		spec.qps = 1;
		f = open_in(&spec, &w);
		fake_run(f);
		fake_assert_clean(f);
		assert_int_equal(f->sides[SIDE_CLIENT].result.credit_stalls,
				 (messages[i] - 1) / 32);
		assert_false(f->sides[SIDE_CLIENT].run.worker.live.starved);
		assert_int_equal(f->sides[SIDE_SERVER].result.received, 0);
		assert_int_equal(f->sides[SIDE_SERVER].result.rx_window_ns, 0);
		fake_close(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fine_weather), cmocka_unit_test(test_lost),
		cmocka_unit_test(test_random_loss),  cmocka_unit_test(test_twice_and_late),
		cmocka_unit_test(test_many_skipped),    cmocka_unit_test(test_window),
		cmocka_unit_test(test_stalls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
