/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * QPs that share an SRQ, on the fake: no sender outruns the receives, completions come in another
 * order than the receives were posted in, limit events make the loop post early. fake_srq.c says
 * what is checked in every run.
 */
#include "config.h"

#include "fake.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct fake_spec spec_of(struct kind kind, bool latency)
{
	kind.sharing = SHARING_SRQ;
	return (struct fake_spec){ .kind = kind,
				   .test = latency ? fake_latency_test(kind) :
						     fake_stream_test(kind),
				   .qps = 5,
				   .depth = 16,
				   .recv_depth = 24,
				   .signal_interval = latency ? 0 : 4,
				   .messages = 401 };
}

static const struct kind rc_send = { .tp = TP_RC, .op = OP_SEND, .cm = CM_POLL };

static void run_clean(struct fake *f)
{
	fake_run(f);
	fake_assert_clean(f);
	for (int i = 0; i < 2; i++)
		assert_int_equal(f->sides[i].rc, 0);
}

static void assert_received(const struct fake_side *s, uint64_t each)
{
	const uint32_t qps = s->fake->plan.work.qps;

	assert_int_equal(s->result.received, each * qps);
	for (uint32_t i = 0; i < qps; i++)
		assert_int_equal(s->run.worker.fixed.peers[i].received, each);
	/* both ways, the last credit messages may be left in the CQ */
	if (!s->fake->plan.work.bidir)
		assert_int_equal(s->srq.used, s->run.worker.fixed.rqs->taken);
}

static void streams(struct fake_spec *spec)
{
	static const uint32_t qps[] = { 1, 2, 5, 64 }, depths[] = { 1, 8, 24, 200 };

	for (uint32_t n = 0; n < 32; n++) {
		struct fake *f;

		spec->qps = qps[n % 4];
		spec->recv_depth = depths[n / 4 % 4];
		spec->bidir = n / 16;
		spec->footprint_bytes = n % 3 ? 128u * spec->qps * 40 : 0;
		spec->walk = n % 5 == 4 ? WALK_SAME : WALK_SEQ;
		spec->seed = n;
		f = fake_open(spec);
		run_clean(f);
		assert_received(&f->sides[SIDE_SERVER], spec->messages);
		if (spec->bidir)
			assert_received(&f->sides[SIDE_CLIENT], spec->messages);
		fake_close(f);
	}
}

static void test_streams(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS; i++) {
		struct fake_spec spec = spec_of(fake_kinds[i], false);

		if (kind_takes_recv(fake_kinds[i].op))
			streams(&spec);
	}
}

static void test_latency(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS; i++)
		for (uint32_t qps = 1; qps < 8 && kind_takes_recv(fake_kinds[i].op); qps += 3) {
			struct fake_spec spec = spec_of(fake_kinds[i], true);
			struct fake *f;

			spec.qps = qps;
			f = fake_open(&spec);
			run_clean(f);
			assert_int_equal(f->sides[SIDE_CLIENT].result.received, 401 * qps);
			fake_close(f);
		}
}

/* 6 messages of each QP: no list of 8 receives is full, so nothing would be posted again. */
static void test_limit_posts_early(void **state)
{
	(void)state;
	for (uint32_t limit = 0; limit < 64; limit += 62) {
		struct fake_spec spec = spec_of(rc_send, false);
		const struct fake_srq *srq;
		struct fake *f;

		spec.qps = 1;
		spec.depth = 8;
		spec.recv_depth = 64;
		spec.messages = 6;
		spec.srq_limit = limit;
		f = fake_open(&spec);
		srq = &f->sides[SIDE_SERVER].srq;
		run_clean(f);
		assert_int_equal(f->sides[SIDE_SERVER].result.received, 6);
		assert_true(limit ? srq->posted > 64 : srq->posted == 64);
		assert_true(limit ? srq->arms > 0 : srq->arms == 0);
		assert_int_equal(f->sides[SIDE_SERVER].result.srq_limit_events,
				 atomic_load(&srq->events.limit));
		assert_true(f->sides[SIDE_CLIENT].result.srq_limit_events == UINT64_MAX);
		fake_close(f);
	}
}

/*
 * The event comes with the last message, when all others have been received. It brings credit for
 * an eighth of the receives, and not for less; a refill is 32 here, and is not reached.
 */
static void test_limit_gives_credit(void **state)
{
	(void)state;
	for (uint32_t received = 7; received <= 8; received++) {
		struct fake_spec spec = spec_of(rc_send, false);
		struct fake *f;

		spec.qps = 1;
		spec.depth = 8;
		spec.recv_depth = 64;
		spec.messages = received + 1;
		spec.srq_limit = 64 - received;
		f = fake_open(&spec);
		f->rate = 1;
		run_clean(f);
		assert_int_equal(f->sides[SIDE_SERVER].result.srq_limit_events, 1);
		assert_int_equal(f->sides[SIDE_SERVER].qps->credits_posted, received == 8);
		fake_close(f);
	}
}

/* Whatever the limit, no more credit is given than there are receives. */
static void test_every_limit(void **state)
{
	(void)state;
	for (uint32_t limit = 1; limit < 120; limit += 7)
		for (uint32_t i = 0; i < FAKE_KINDS; i++) {
			struct fake_spec spec = spec_of(fake_kinds[i], false);
			struct fake *f;

			if (!kind_takes_recv(fake_kinds[i].op))
				continue;
			spec.srq_limit = limit;
			spec.bidir = limit % 2;
			f = fake_open(&spec);
			run_clean(f);
			assert_received(&f->sides[SIDE_SERVER], spec.messages);
			fake_close(f);
		}
}

static enum fake_fate some_lost(const struct fake_msg *msg, void *arg)
{
	(void)arg;
	return msg->number % 7 == 3 ? FAKE_LOST : msg->number % 11 == 5 ? FAKE_LATE : FAKE_ARRIVES;
}

static void losses(const struct fake_spec *spec)
{
	struct fake *f = fake_open(spec);
	uint64_t lost = 0;

	f->fate = some_lost;
	run_clean(f);
	for (uint64_t n = 0; n < spec->messages; n++)
		lost += n % 7 == 3;
	for (uint32_t q = 0; q < spec->qps; q++)
		assert_int_equal(f->sides[SIDE_SERVER].run.worker.fixed.peers[q].received,
				 spec->messages - lost);
	assert_int_equal(f->sides[SIDE_SERVER].result.duplicated, 0);
	fake_close(f);
}

/*
 * Numbers are per peer, though all share the receives. What is lost uses up credit, which an idle
 * receiver gives again; a QP that is alone would have none to spare if it got too much.
 */
static void test_losses(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS; i++) {
		struct fake_spec spec = spec_of(fake_kinds[i], false);

		if (!kind_is_lossy(fake_kinds[i].tp) || !kind_has_imm(fake_kinds[i].op))
			continue;
		losses(&spec);
		spec.qps = 1;
		spec.depth = 64;
		for (spec.seed = 0; spec.seed < 20; spec.seed++)
			losses(&spec);
	}
}

/* The server cannot post credit message at. False: it has sent fewer. */
static bool fail_credit(uint32_t at)
{
	struct fake_spec spec = spec_of((struct kind){ .tp = TP_UD, .op = OP_SEND_IMM,
						       .cm = CM_POLL }, false);
	struct fake_side *server;
	struct fake *f;
	bool failed;

	spec.qps = 1;
	spec.depth = 64;
	f = fake_open(&spec);
	server = &f->sides[SIDE_SERVER];
	f->fate = some_lost;
	f->fault = (struct fake_fault){ FAKE_POST_CREDIT, SIDE_SERVER, 0, at, ENOMEM };
	fake_run(f);
	assert_string_equal(f->violation, "");
	failed = server->failed;
	assert_int_equal(server->rc, failed ? -EIO : 0);
	assert_true(!failed || server->qps->credits_posted == at);
	fake_close(f);
	return failed;
}

/* Also those that an idle receiver gives, since messages were lost. */
static void test_credit_that_is_not_posted(void **state)
{
	uint32_t at = 0;

	(void)state;
	while (fail_credit(at))
		at++;
	assert_true(at > 12);
}

/* A failure names the QP of the message, not that of the receive. */
static void failures(enum opcode op, bool bidir)
{
	static const struct {
		struct fake_fault fault;
		const char *reason;
	} cases[] = {
		{ { FAKE_RECV_STATUS, SIDE_SERVER, 3, 7, IBV_WC_LOC_PROT_ERR },
		  "receive of message 7 failed on QP 0x000203 (4 of 5)" },
		{ { FAKE_RECV_LENGTH, SIDE_SERVER, 2, 9, 65 },
		  "message 9 on QP 0x000202 has 65 bytes instead of 64" },
		{ { FAKE_RECV_IMM, SIDE_SERVER, 1, 5, 8 },
		  "message 5 on QP 0x000201 has immediate 8 instead of 5" },
		{ { FAKE_SRQ_LIMIT, SIDE_SERVER, 0, 0, EINVAL },
		  "setting the limit of the SRQ to 100 failed: Invalid argument" },
		{ { FAKE_POST_RECV, SIDE_SERVER, 0, 130, ENOMEM }, "post of receive" },
	};

	/* both ways, credit messages take receives, too: only faults of messages are at the same */
	for (size_t i = 0; i < (bidir ? 3 : sizeof(cases) / sizeof(cases[0])); i++) {
		struct fake_spec spec = spec_of(rc_send, false);
		struct fake *f;

		spec.kind.op = op;
		spec.bidir = bidir;
		spec.srq_limit = 100;
		f = fake_open(&spec);
		f->fault = cases[i].fault;
		fake_run(f);
		assert_string_equal(f->violation, "");
		assert_int_equal(f->sides[SIDE_SERVER].rc, -EIO);
		assert_non_null(strstr(f->sides[SIDE_SERVER].result.reason, cases[i].reason));
		fake_close(f);
	}
}

static void test_failures(void **state)
{
	(void)state;
	failures(OP_SEND_IMM, false);
	failures(OP_WRITE_IMM, false);
	failures(OP_SEND_IMM, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_limit_posts_early),
		cmocka_unit_test(test_limit_gives_credit),
		cmocka_unit_test(test_every_limit),
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_credit_that_is_not_posted),
		cmocka_unit_test(test_failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
