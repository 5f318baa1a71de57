/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What goes wrong on the fake, for every kind and pattern: the loop returns -EIO at once, the
 * failure says what, where and which, the reason names it, and nothing that failed is counted.
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
#define MESSAGES 203u

struct flavour {
	uint32_t post_list, signal_interval, qps;
};

static const struct flavour flavours[] = { { 1, 1, 1 }, { 1, 8, 3 }, { 4, 8, 2 }, { 8, 2, 1 } };

static struct fake_spec stream_of(struct kind k, const struct flavour *v)
{
	return (struct fake_spec){ .kind = k,
				   .test = fake_stream_test(k),
				   .messages = MESSAGES,
				   .depth = 16,
				   .recv_depth = 32,
				   /* so many buffers that what comes after the fault is beside */
				   .footprint_bytes = 2 * MESSAGES * 128 * v->qps,
				   .post_list = v->post_list,
				   .signal_interval = v->signal_interval,
				   .qps = v->qps };
}

static struct fake_spec latency_of(struct kind k)
{
	return (struct fake_spec){
		.kind = k, .test = fake_latency_test(k), .messages = MESSAGES, .recv_depth = 8
	};
}

/* Runs with the fault; the side that has it must return -EIO with what. The fake stays open. */
static struct fake *run_fault(const struct fake_spec *spec, const struct fake_fault *fault,
			      enum fail_what what)
{
	struct fake *f = fake_open(spec);
	const struct fake_side *s = &f->sides[fault->side],
			       *peer = fake_peer(&f->sides[fault->side]);

	f->fault = *fault;
	fake_run(f);
	fake_assert_clean(f);
	assert_int_equal(s->rc, -EIO);
	assert_int_equal(s->run.worker.fail.what, what);
	assert_int_equal(s->result.status, RESULT_FAILED);
	assert_true(s->result.reason[0]);
	if (peer->has_worker && !kind_is_lossy(spec->kind.tp))
		assert_true(peer->rc == -ECANCELED || peer->rc == 0);
	return f;
}

static void assert_names(const struct fake *f, const struct fake_fault *fault)
{
	const struct fake_side *s = &f->sides[fault->side];
	const struct failure *fail = &s->run.worker.fail;
	char qp[32], number[32];

	snprintf(qp, sizeof(qp), "QP 0x%06x", s->qps[fault->qp].ibv.qp_num);
	snprintf(number, sizeof(number), " %llu ", (unsigned long long)fail->message);
	assert_int_equal(fail->qp, fault->qp);
	assert_non_null(strstr(s->result.reason, qp));
	assert_non_null(strstr(s->result.reason, number));
}

static void send_status(const struct fake_spec *spec, enum side side)
{
	const uint64_t at[] = { 0, 1, MESSAGES / 2, MESSAGES - 1 };

	for (uint32_t i = 0; i < N(at); i++) {
		struct fake_fault fault = { FAKE_SEND_STATUS, side, spec->qps ? spec->qps - 1 : 0,
					    at[i], IBV_WC_RETRY_EXC_ERR };
		struct fake *f = run_fault(spec, &fault, FAIL_WC);
		const struct failure *fail = &f->sides[side].run.worker.fail;

		assert_names(f, &fault);
		assert_int_equal(fail->message, at[i]);
		assert_int_equal(fail->wc.status, IBV_WC_RETRY_EXC_ERR);
		assert_false(fail->rx);
		assert_true(f->sides[side].run.worker.fixed.sqs[fault.qp].done <= at[i]);
		/* those of the same batch that came before it count */
		if (spec->signal_interval == 1)
			assert_int_equal(f->sides[side].run.worker.fixed.sqs[fault.qp].done, at[i]);
		assert_non_null(strstr(f->sides[side].result.reason, "RETRY_EXC"));
		fake_close(f);
	}
}

static void recv_faults(const struct fake_spec *spec, enum side side)
{
	static const struct {
		enum fake_what what;
		int value;
		enum fail_what expect;
	} cases[] = {
		{ FAKE_RECV_STATUS, IBV_WC_LOC_LEN_ERR, FAIL_WC },
		{ FAKE_RECV_LENGTH, 63, FAIL_LENGTH },
		{ FAKE_RECV_LENGTH, 0, FAIL_LENGTH },
		{ FAKE_RECV_LENGTH, 200, FAIL_LENGTH },
	};
	const uint64_t at[] = { 0, 1, MESSAGES / 2, MESSAGES - 1 };

	for (uint32_t i = 0; i < N(at) * N(cases); i++) {
		const uint32_t c = i % N(cases);
		struct fake_fault fault = { cases[c].what, side, spec->qps ? spec->qps - 1 : 0,
					    at[i / N(cases)], cases[c].value };
		const struct failure *fail;
		struct fake *f;

		/* both ways, without a GRH, no bytes are a credit message */
		if (!fault.value && spec->bidir)
			continue;
		f = run_fault(spec, &fault, cases[c].expect);
		fail = &f->sides[side].run.worker.fail;
		assert_names(f, &fault);
		assert_int_equal(fail->message, fault.at);
		assert_true(fail->rx);
		if (fault.what == FAKE_RECV_STATUS)
			assert_non_null(strstr(f->sides[side].result.reason, "receive of message"));
		assert_true(f->sides[side].run.worker.fixed.peers[fault.qp].received <= fault.at);
		if (fault.what == FAKE_RECV_LENGTH)
			assert_int_equal(fail->wc.byte_len, fault.value);
		fake_close(f);
	}
}

static void wrong_imm(const struct fake_spec *spec, enum side side)
{
	const uint64_t at[] = { 0, MESSAGES / 2, MESSAGES - 1 };

	for (uint32_t i = 0; i < N(at); i++) {
		struct fake_fault fault = { FAKE_RECV_IMM, side, 0, at[i], 77777 };
		struct fake *f = run_fault(spec, &fault, FAIL_IMM);

		assert_names(f, &fault);
		assert_int_equal(f->sides[side].run.worker.fail.expected, at[i]);
		assert_int_equal(f->sides[side].run.worker.fixed.peers[0].received, at[i]);
		assert_non_null(strstr(f->sides[side].result.reason, "77777"));
		fake_close(f);
	}
}

static void post_send(const struct fake_spec *spec, enum side side)
{
	const uint64_t at[] = { 0, 1, MESSAGES / 2, MESSAGES - 1 };
	const uint32_t list = spec->post_list ? spec->post_list : 1;

	for (uint32_t i = 0; i < N(at); i++) {
		struct fake_fault fault = { FAKE_POST_SEND, side, 0, at[i], ENOMEM };
		struct fake *f = run_fault(spec, &fault, FAIL_POST_SEND);
		const struct failure *fail = &f->sides[side].run.worker.fail;

		assert_names(f, &fault);
		assert_int_equal(fail->err, ENOMEM);
		assert_true(fail->message <= at[i] &&
			    at[i] - fail->message < (list > 8 ? list : 8));
		assert_true(f->sides[side].run.worker.fixed.sqs[0].done <= at[i]);
		fake_close(f);
	}
}

static void post_recv(const struct fake_spec *spec, enum side side)
{
	const uint32_t ring = spec->recv_depth + (spec->bidir ? PLAN_CREDIT_SLOTS : 0);
	struct fake_fault fault = { FAKE_POST_RECV, side, 0, ring + 5, ENOMEM };
	struct fake *f = run_fault(spec, &fault, FAIL_POST_RECV);

	assert_names(f, &fault);
	assert_int_equal(f->sides[side].run.worker.fail.err, ENOMEM);
	assert_true(f->sides[side].run.worker.fail.rx);
	fake_close(f);
}

static void poll_fails(const struct fake_spec *spec, enum fake_what what, enum side side)
{
	static const struct {
		uint64_t at;
		int value, err;
	} cases[] = { { 0, -1, EIO }, { 5, -1, EIO }, { 9, -EINVAL, EINVAL } };

	for (uint32_t i = 0; i < N(cases); i++) {
		struct fake_fault fault = { what, side, 0, cases[i].at, cases[i].value };
		struct fake *f = run_fault(spec, &fault, FAIL_POLL);

		assert_int_equal(f->sides[side].run.worker.fail.err, cases[i].err);
		assert_int_equal(f->sides[side].run.worker.fail.rx, what == FAKE_POLL_RECV);
		assert_non_null(strstr(f->sides[side].result.reason,
				       what == FAKE_POLL_RECV ? "the receive completion queue" :
								"the send completion queue"));
		fake_close(f);
	}
}

static void all_of(const struct fake_spec *spec)
{
	const struct kind k = spec->kind;
	const bool recv = kind_takes_recv(k.op);
	const bool latency = kind_test_is_lat(spec->test);
	const enum side receiver = latency ? SIDE_CLIENT : SIDE_SERVER;

	send_status(spec, SIDE_CLIENT);
	post_send(spec, SIDE_CLIENT);
	poll_fails(spec, FAKE_POLL_SEND, SIDE_CLIENT);
	if (!recv)
		return;
	recv_faults(spec, receiver);
	post_recv(spec, receiver);
	poll_fails(spec, FAKE_POLL_RECV, receiver);
	if (!kind_is_lossy(k.tp) && kind_has_imm(k.op))
		wrong_imm(spec, receiver);
	if (!latency)
		return;
	send_status(spec, SIDE_SERVER);
	post_send(spec, SIDE_SERVER);
	recv_faults(spec, SIDE_SERVER);
	poll_fails(spec, FAKE_POLL_RECV, SIDE_SERVER);
}

static void test_stream(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS * N(flavours); i++) {
		struct fake_spec spec =
			stream_of(fake_kinds[i / N(flavours)], &flavours[i % N(flavours)]);

		spec.seed = i;
		all_of(&spec);
	}
}

static void test_both_ways(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS; i++) {
		struct fake_spec spec = stream_of(fake_kinds[i], &flavours[i % N(flavours)]);

		spec.bidir = true;
		if (kind_takes_recv(spec.kind.op))
			all_of(&spec);
	}
}

static void test_latency(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS; i++) {
		struct fake_spec spec = latency_of(fake_kinds[i]);

		if (!kind_refusal(spec.test, spec.kind))
			all_of(&spec);
	}
}

static void test_arm(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < FAKE_KINDS; i++) {
		struct fake_spec spec = stream_of(fake_kinds[i], &flavours[0]);
		struct fake_fault fault = { FAKE_ARM, SIDE_CLIENT, 0, 3, EAGAIN };
		struct fake *f;

		if (spec.kind.cm != CM_EVENT)
			continue;
		f = run_fault(&spec, &fault, FAIL_ARM);
		assert_int_equal(f->sides[SIDE_CLIENT].run.worker.fail.err, EAGAIN);
		fake_close(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stream),
		cmocka_unit_test(test_both_ways),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_arm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
