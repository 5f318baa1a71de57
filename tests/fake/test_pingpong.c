/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * ping-pong on the fake: rounds, samples and messages are exact on both sides; over UC and UD a
 * lost ping or pong is one lost round, a late or second answer is passed over.
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
#define LOSS_NS 2000000u
#define ROUNDS 40u

static bool pings(struct kind k)
{
	return k.op <= OP_WRITE_IMM && !kind_refusal(fake_latency_test(k), k);
}

static struct fake_spec spec_of(struct kind k, uint64_t messages)
{
	return (struct fake_spec){
		.kind = k, .test = fake_latency_test(k), .messages = messages, .recv_depth = 8
	};
}

static void assert_rounds(const struct fake *f, uint64_t n)
{
	const struct fake_side *c = &f->sides[SIDE_CLIENT], *s = &f->sides[SIDE_SERVER];

	assert_int_equal(c->rc, 0);
	assert_int_equal(s->rc, 0);
	assert_int_equal(c->result.sent, n);
	assert_int_equal(c->result.received, n);
	assert_int_equal(s->result.sent, n);
	assert_int_equal(s->result.received, n);
	assert_int_equal(c->result.lat.samples, n);
	assert_int_equal(c->result.lost, 0);
	assert_int_equal(c->run.worker.live.late, 0);
	assert_int_equal(s->result.lat.samples, 0);
	assert_true(c->result.lat.min_ns > 0);
	assert_true(c->result.tx_window_ns > 0);
}

static void test_rounds(void **state)
{
	static const uint32_t counts[] = { 1, 2, 7, 8, 9, 16, 17, 63, 64, 65, 300 };
	static const uint32_t recv_depths[] = { 1, 2, 8, 17, 64 };
	static const uint32_t sizes[] = { 1, 2, 64, 5000 };

	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS; i++) {
		if (!pings(fake_kinds[i]))
			continue;
		for (uint32_t n = 0; n < N(counts) * N(recv_depths); n++) {
			struct fake_spec spec = spec_of(fake_kinds[i], counts[n % N(counts)]);
			struct fake *f;

			spec.recv_depth = recv_depths[n % N(recv_depths)];
			spec.size_bytes = sizes[(n + i) % N(sizes)];
			spec.inline_bytes = n % 2 ? 64 : 0;
			spec.footprint_bytes = n % 3 ? 40000 : 0;
			spec.walk = WALK_SEQ + n % 3;
			spec.extended = n % 5 == 4;
			spec.seed = n;
			f = fake_open(&spec);
			f->rate = 1 + n % 5;
			fake_run(f);
			fake_assert_clean(f);
			assert_rounds(f, spec.messages);
			fake_close(f);
		}
	}
}

/* What a test does to one message. */
struct mishap {
	enum side from;
	uint64_t number;
	enum fake_fate fate;
};

static enum fake_fate befall(const struct fake_msg *msg, void *arg)
{
	const struct mishap *m = arg;

	return msg->from == m->from && msg->number == m->number ? m->fate : FAKE_ARRIVES;
}

static struct fake *run_mishap(struct kind k, struct mishap *m)
{
	struct fake_spec spec = spec_of(k, ROUNDS);
	struct fake *f = fake_open(&spec);

	f->loss_ns = LOSS_NS;
	f->fate = befall;
	f->arg = m;
	fake_run(f);
	fake_assert_clean(f);
	assert_int_equal(f->sides[SIDE_CLIENT].rc, 0);
	assert_int_equal(f->sides[SIDE_SERVER].rc, 0);
	assert_int_equal(f->sides[SIDE_CLIENT].result.sent, ROUNDS);
	return f;
}

static void test_lost(void **state)
{
	static const uint64_t which[] = { 0, 1, 17, ROUNDS - 1 };

	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS; i++) {
		if (!pings(fake_kinds[i]) || !kind_is_lossy(fake_kinds[i].tp))
			continue;
		for (uint32_t n = 0; n < 2 * N(which); n++) {
			struct mishap m = { n % 2 ? SIDE_SERVER : SIDE_CLIENT, which[n / 2],
					    FAKE_LOST };
			struct fake *f = run_mishap(fake_kinds[i], &m);
			const struct result *c = &f->sides[SIDE_CLIENT].result;

			assert_int_equal(c->lost, 1);
			assert_int_equal(c->lat.samples, ROUNDS - 1);
			assert_int_equal(c->received, ROUNDS - 1);
			assert_int_equal(f->sides[SIDE_CLIENT].run.worker.live.late, 0);
			assert_int_equal(f->sides[SIDE_SERVER].result.received,
					 ROUNDS - (m.from == SIDE_CLIENT));
			fake_close(f);
		}
	}
}

/* The ping after it overtakes: its own round is lost, its answer comes in the round after that. */
static void test_late(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS; i++) {
		struct mishap m = { SIDE_CLIENT, 11, FAKE_LATE };
		const struct result *c;
		struct fake *f;

		if (!pings(fake_kinds[i]) || !kind_is_lossy(fake_kinds[i].tp))
			continue;
		f = run_mishap(fake_kinds[i], &m);
		c = &f->sides[SIDE_CLIENT].result;
		assert_int_equal(c->lat.samples + c->lost, ROUNDS);
		assert_true(c->lost >= 1);
		if (kind_has_imm(fake_kinds[i].op)) {
			assert_int_equal(c->lost, 1);
			assert_int_equal(f->sides[SIDE_CLIENT].run.worker.live.late, 1);
			assert_int_equal(c->received, ROUNDS);
		}
		fake_close(f);
	}
}

static void test_twice(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS; i++) {
		const struct kind k = fake_kinds[i];
		struct mishap m = { SIDE_CLIENT, 11, FAKE_TWICE };
		struct fake *f;

		if (!pings(k) || !kind_is_lossy(k.tp))
			continue;
		f = run_mishap(k, &m);
		assert_int_equal(f->sides[SIDE_CLIENT].result.lat.samples, ROUNDS);
		assert_int_equal(f->sides[SIDE_CLIENT].result.lost, 0);
		/* a plain write of the same bytes cannot be told from one */
		assert_int_equal(f->sides[SIDE_CLIENT].run.worker.live.late, k.op != OP_WRITE);
		fake_close(f);
	}
}

/* Every ping is lost: as many lost rounds, no samples, and it ends. */
static enum fake_fate all_lost(const struct fake_msg *msg, void *arg)
{
	(void)msg;
	(void)arg;
	return FAKE_LOST;
}

static void test_all_lost(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS; i++) {
		struct fake_spec spec = spec_of(fake_kinds[i], 300); /* tags of 8 bits go round */
		struct fake *f;

		if (!pings(fake_kinds[i]) || !kind_is_lossy(fake_kinds[i].tp))
			continue;
		f = fake_open(&spec);
		f->loss_ns = LOSS_NS / 10;
		f->fate = all_lost;
		fake_run(f);
		fake_assert_clean(f);
		assert_int_equal(f->sides[SIDE_CLIENT].result.lost, 300);
		assert_int_equal(f->sides[SIDE_CLIENT].result.lat.samples, 0);
		assert_int_equal(f->sides[SIDE_SERVER].rc, 0);
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

/* The rounds go over the QPs in turn: each has its share, whole stretches and a rest. */
static void test_many_qps(void **state)
{
	static const uint32_t qps[] = { 2, 3, 40 }, counts[] = { 1, 5, 261 };
	static const uint32_t footprints[] = { 0, 77, 3, 1 };

	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS * N(qps) * N(counts); i++) {
		const struct kind k = fake_kinds[i / (N(qps) * N(counts))];
		struct fake_spec spec = spec_of(k, counts[i % N(counts)]);
		struct fake *f;

		if (!pings(k) || (k.tp == TP_UC && k.op == OP_WRITE))
			continue;
		spec.qps = qps[i / N(counts) % N(qps)];
		/* of each QP: auto's, more than a stretch, fewer, one */
		spec.footprint_bytes = (uint64_t)footprints[i % N(footprints)] * 128 * spec.qps;
		spec.walk = WALK_SEQ + i / 3 % 2;
		f = fake_open(&spec);
		fake_run(f);
		fake_assert_clean(f);
		assert_rounds(f, spec.messages * spec.qps);
		for (uint32_t q = 0; q < spec.qps; q++)
			assert_int_equal(f->sides[SIDE_SERVER].run.worker.fixed.sqs[q].posted,
					 spec.messages);
		fake_close(f);
	}
}

static void test_by_time(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS; i++) {
		struct fake_spec spec = spec_of(fake_kinds[i], 0);
		struct stop stop = { STATE_FINISH, false };
		struct fake *f;
		uint64_t n;

		if (!pings(fake_kinds[i]))
			continue;
		spec.by_time = true;
		f = fake_open(&spec);
		f->tick = stop_after;
		f->arg = &stop;
		fake_run(f);
		fake_assert_clean(f);
		n = f->sides[SIDE_CLIENT].result.sent;
		assert_true(n >= 33 && n <= 33 + plan_batch(&f->plan));
		assert_int_equal(n % plan_batch(&f->plan), 0);
		assert_rounds(f, n);
		fake_close(f);
	}
}

static void test_leave(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS; i++) {
		struct fake_spec spec = spec_of(fake_kinds[i], 100000);
		struct stop stop = { STATE_LEAVE, false };
		struct fake *f;

		if (!pings(fake_kinds[i]))
			continue;
		f = fake_open(&spec);
		f->tick = stop_after;
		f->arg = &stop;
		fake_run(f);
		fake_assert_clean(f);
		assert_int_equal(f->sides[SIDE_CLIENT].rc, -ECANCELED);
		assert_int_equal(f->sides[SIDE_CLIENT].result.status, RESULT_INCOMPLETE);
		assert_int_equal(f->sides[SIDE_SERVER].rc, -ECANCELED);
		assert_true(f->sides[SIDE_CLIENT].result.sent <= 33 + plan_batch(&f->plan));
		fake_close(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rounds),	 cmocka_unit_test(test_lost),
		cmocka_unit_test(test_late),	 cmocka_unit_test(test_twice),
		cmocka_unit_test(test_all_lost), cmocka_unit_test(test_by_time),
		cmocka_unit_test(test_leave),	 cmocka_unit_test(test_many_qps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
