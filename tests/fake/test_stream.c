/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * stream on the fake: every kind that exists, one way and both ways, over a sample of all shapes
 * that a plan may have. Counts, signalling, buffers and payload are exact; see fake.c for what
 * is checked in every run.
 */
#include "config.h"

#include "fake.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define SAMPLE 29u /* one shape in so many, another set for each kind */

static const uint32_t depths[] = { 1, 2, 7, 128 };
static const uint32_t lists[] = { 1, 3, 16 };
static const uint32_t signals[] = { 1, 4, 32, 100 };
static const uint32_t counts[] = { 1, 2, 3, 127, 128, 129, 1000, 1003 };
static const uint32_t qps[] = { 1, 3, 8 };
static const uint32_t recv_depths[] = { 1, 2, 8, 17, 512 };
/* per QP, in buffers of 128 bytes: rings from as short as the depth allows to longer than a run */
static const uint32_t footprints[] = { 1, 3, 20, 150, 0 };

/* Shape number n of all combinations; false when there is no such number. */
static bool shape(uint32_t n, struct fake_spec *s)
{
	const bool recv = kind_takes_recv(s->kind.op);

	s->depth = depths[n % N(depths)];
	n /= N(depths);
	s->post_list = lists[n % N(lists)];
	n /= N(lists);
	s->signal_interval = signals[n % N(signals)];
	n /= N(signals);
	s->messages = counts[n % N(counts)];
	n /= N(counts);
	s->qps = qps[n % N(qps)];
	n /= N(qps);
	s->recv_depth = recv ? recv_depths[n % N(recv_depths)] : 0;
	return n < (recv ? N(recv_depths) : 1);
}

/* The last of each whole signal interval, and the last of all; with an interval of 1 each one. */
static uint64_t signalled(const struct fake_spec *s)
{
	const uint32_t group =
		s->post_list > s->signal_interval ? s->post_list : s->signal_interval;
	const uint64_t tail = s->messages % group;

	if (s->signal_interval == 1)
		return s->messages;
	return (s->messages - tail) / s->signal_interval + !!tail;
}

static void assert_sent(const struct fake_side *s, const struct fake_spec *spec)
{
	assert_int_equal(s->result.sent, spec->messages * spec->qps);
	assert_true(s->result.tx_window_ns > 0);
	for (uint32_t i = 0; i < spec->qps; i++)
		assert_int_equal(s->qps[i].signalled, signalled(spec));
}

static void assert_received(const struct fake_side *s, const struct fake_spec *spec)
{
	const bool imm = kind_has_imm(spec->kind.op);

	assert_int_equal(s->result.received, spec->messages * spec->qps);
	/* the first arrival opens the window; both ways some, or all, come before the first look */
	assert_in_range(s->result.rx_before, 1, spec->bidir ? s->result.received : 1);
	assert_true(s->result.rx_window_ns > 0 || s->result.rx_before == s->result.received);
	assert_int_equal(s->result.duplicated, imm ? 0 : UINT64_MAX);
	assert_int_equal(s->result.out_of_order, imm ? 0 : UINT64_MAX);
	for (uint32_t i = 0; i < spec->qps; i++)
		assert_int_equal(s->run.worker.fixed.peers[i].received, spec->messages);
}

static void check_shape(const struct fake_spec *spec)
{
	const bool recv = kind_takes_recv(spec->kind.op);
	struct fake *f = fake_open(spec);

	f->rate = 1 + fake_random(f, 40);
	fake_run(f);
	fake_assert_clean(f);
	for (int i = 0; i < 2; i++) {
		const struct fake_side *s = &f->sides[i];
		const bool sends = i == SIDE_CLIENT || spec->bidir;

		assert_int_equal(s->rc, 0);
		assert_int_equal(s->result.status, RESULT_OK);
		if (sends)
			assert_sent(s, spec);
		if (recv && (i == SIDE_SERVER || spec->bidir))
			assert_received(s, spec);
		/* the server's window begins when it posts, not with its loop */
		if (recv && spec->bidir && i == SIDE_SERVER)
			assert_in_range(s->run.worker.live.tx_t0, 1, s->run.worker.live.tx_t1);
	}
	fake_close(f);
}

static void sweep(struct fake_spec *spec, uint32_t first)
{
	uint32_t ran = 0;

	for (uint32_t n = first; shape(n, spec); n += SAMPLE) {
		if (!fake_allowed(spec))
			continue;
		spec->seed = n + 1;
		spec->inline_bytes = n % 2 ? 64 : 0;
		spec->footprint_bytes = (uint64_t)footprints[n % N(footprints)] * 128 * spec->qps;
		spec->walk = WALK_SEQ + n % 3;
		spec->extended = n / 2 % 2;
		check_shape(spec);
		ran++;
	}
	assert_true(ran > 4);
}

/*
 * Where a receiver gets its processor after messages have come, what had waited is not counted in
 * its window: the link brings a message each round at most, and that is the highest rate.
 */
static void test_late_receiver(void **state)
{
	static const uint64_t messages[] = { 5, 32, 33, 200 };

	(void)state;
	for (uint32_t i = 0; i < N(messages) * 2; i++) {
		struct fake_spec spec = {
			.kind = { .tp = i % 2 ? TP_UC : TP_RC, .op = OP_SEND, .cm = CM_POLL },
			.test = TEST_SEND_BW, .messages = messages[i / 2], .depth = 64,
		};
		struct fake *f = fake_open(&spec);
		const struct result *r = &f->sides[SIDE_SERVER].result;

		f->late = 1000;
		f->rate = 1;
		fake_run(f);
		fake_assert_clean(f);
		assert_int_equal(r->received, spec.messages);
		assert_in_range(r->rx_before, spec.messages < 32 ? spec.messages : 32, r->received);
		assert_true((r->received - r->rx_before) * FAKE_ROUND_NS <= r->rx_window_ns);
		/* receives are posted for 32, and the others come later */
		assert_int_equal(r->received > r->rx_before, spec.messages > 34);
		fake_close(f);
	}
}

static void test_one_way(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS; i++) {
		struct fake_spec spec = { .kind = fake_kinds[i],
					  .test = fake_stream_test(fake_kinds[i]) };

		sweep(&spec, i);
	}
}

static void test_both_ways(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS; i++) {
		struct fake_spec spec = { .kind = fake_kinds[i],
					  .test = fake_stream_test(fake_kinds[i]),
					  .bidir = true };

		if (!kind_is_atomic(fake_kinds[i].op))
			sweep(&spec, i + 1);
	}
}

/*
 * Without immediate data a credit message is worth one refill: the sender never outruns the
 * receives, and never waits for credit that is not given.
 */
static void test_counted_credits(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		struct fake_spec spec = { .kind = { .tp = TP_RC, .op = OP_SEND,
						    .cm = i % 2 ? CM_EVENT : CM_POLL },
					  .test = TEST_SEND_BW,
					  .bidir = i >= 2,
					  .iwarp = true };

		sweep(&spec, i);
	}
	for (uint32_t recv = 1; recv <= 40; recv++) {
		const uint32_t refill = recv < 8 ? 1 : recv / 8;
		struct fake_spec spec = { .kind = { .tp = TP_RC, .op = OP_SEND, .cm = CM_POLL },
					  .test = TEST_SEND_BW,
					  .depth = 64,
					  .recv_depth = recv,
					  .post_list = recv - refill + 1,
					  .signal_interval = recv - refill + 1,
					  .qps = 1 + recv % 3,
					  .messages = 1001,
					  .iwarp = true,
					  .seed = recv };

		if (fake_allowed(&spec))
			check_shape(&spec);
	}
}

/* Runs of several turns of rings that are longer than what is in flight; odd sizes and shares. */
static void test_walks(void **state)
{
	static const uint32_t sizes[] = { 1, 33, 4097 };
	static const uint64_t prints[] = { 9001, 77777, 300000 };

	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS; i++) {
		struct fake_spec spec = { .kind = fake_kinds[i],
					  .test = fake_stream_test(fake_kinds[i]),
					  .depth = 8,
					  .recv_depth = kind_takes_recv(fake_kinds[i].op) ? 11 : 0,
					  .post_list = 2,
					  .signal_interval = 4,
					  .qps = 1,
					  .messages = 501 };

		for (uint32_t n = 0; n < N(sizes) * N(prints); n++) {
			spec.size_bytes = sizes[n % N(sizes)];
			spec.footprint_bytes = prints[n / N(sizes)];
			spec.walk = n % 2 ? WALK_RANDOM : WALK_SEQ;
			spec.seed = n;
			spec.bidir = n % 3 == 2 && !kind_is_atomic(fake_kinds[i].op);
			if (fake_kinds[i].tp != TP_UD || spec.size_bytes < 4096)
				check_shape(&spec);
		}
	}
}

/* Areas of more than 8 MiB share buffers among slots, and a page-sized stride. */
static void test_large(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS; i++) {
		struct fake_spec spec = { .kind = fake_kinds[i],
					  .test = fake_stream_test(fake_kinds[i]),
					  .size_bytes = 1u << 20,
					  .depth = 24,
					  .recv_depth = 24,
					  .post_list = 1,
					  .signal_interval = 6,
					  .qps = 2,
					  .messages = 33 };

		if (fake_kinds[i].cm == CM_POLL && fake_kinds[i].tp != TP_UD &&
		    !kind_is_atomic(fake_kinds[i].op))
			check_shape(&spec);
	}
}

/* A sender whose list needs all the credit there can be: recv_depth - refill + 1. */
static void test_list_of_all_credit(void **state)
{
	(void)state;
	for (uint32_t recv = 1; recv <= 40; recv++) {
		const uint32_t list = recv - (recv < 8 ? 1 : recv / 8) + 1;
		struct fake_spec spec = { .kind = { .tp = TP_RC, .op = OP_SEND_IMM, .cm = CM_POLL },
					  .test = TEST_SEND_BW,
					  .depth = 2 * list,
					  .recv_depth = recv,
					  .post_list = list,
					  .signal_interval = list,
					  .qps = 2,
					  .messages = 5 * list + 3 };

		spec.seed = recv;
		check_shape(&spec);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_late_receiver),
		cmocka_unit_test(test_one_way),
		cmocka_unit_test(test_both_ways),
		cmocka_unit_test(test_counted_credits),
		cmocka_unit_test(test_walks),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_list_of_all_credit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
