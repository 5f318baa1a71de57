/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * point/disturb: CQs that grow and shrink, and send queues that are drained and go on, on queues in
 * memory. Time is what the test says.
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "point/monitor.h"
#include "util/err.h"

#define MS UINT64_C(1000000)
#define THREADS 2u
#define QPS 2u
#define BEGIN (5000 * MS)

static struct {
	struct dev dev;
	struct plan plan;
	struct ibv_cq scq[THREADS], rcq[THREADS];
	struct ibv_qp qps[THREADS * QPS], *list[THREADS * QPS];
	enum ibv_qp_state states[THREADS * QPS];
	struct ep eps[THREADS];
	struct disturb disturb;
	int resize_errno, modify_errno;
	uint32_t modified;
} f;

int ibv_resize_cq(struct ibv_cq *cq, int cqe)
{
	if (!f.resize_errno)
		cq->cqe = cqe;
	return f.resize_errno;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	const bool drains = attr->qp_state == IBV_QPS_SQD;

	assert_int_equal(mask, IBV_QP_STATE | (drains ? IBV_QP_EN_SQD_ASYNC_NOTIFY : 0));
	assert_int_equal(attr->en_sqd_async_notify, drains);
	if (!f.modify_errno)
		f.states[qp - f.qps] = attr->qp_state;
	f.modified++;
	return f.modify_errno;
}

static void open_queues(enum disturb_what what)
{
	memset(&f, 0, sizeof(f));
	strcpy(f.dev.limits.device, "dev0");
	f.dev.limits.max_cqe = 1000;
	f.plan = (struct plan){ .work.disturb = what, .stall_timeout_ms = 1000 };
	f.disturb = (struct disturb){ .plan = &f.plan, .n = THREADS,
				      .eps = calloc(THREADS, sizeof(struct ep *)) };
	assert_non_null(f.disturb.eps);
	for (uint32_t i = 0; i < THREADS * QPS; i++) {
		f.list[i] = &f.qps[i];
		f.qps[i].qp_num = 0x100 + i;
		f.states[i] = IBV_QPS_RTS;
	}
	for (uint32_t i = 0; i < THREADS; i++) {
		f.scq[i].cqe = 100;
		f.rcq[i].cqe = 500;
		f.eps[i] = (struct ep){ .dev = &f.dev, .scq = &f.scq[i], .rcq = &f.rcq[i],
					.qps = &f.list[i * QPS], .n_qps = QPS };
		f.disturb.eps[i] = &f.eps[i];
	}
	assert_int_equal(disturb_open(&f.disturb), 0);
}

static int step(uint64_t now_ns)
{
	return disturb_step(&f.disturb, now_ns);
}

static void assert_entries(int scq0, int rcq0, int scq1, int rcq1)
{
	assert_int_equal(f.scq[0].cqe, scq0);
	assert_int_equal(f.rcq[0].cqe, rcq0);
	assert_int_equal(f.scq[1].cqe, scq1);
	assert_int_equal(f.rcq[1].cqe, rcq1);
}

/* Twice as large, or as large as the device has them; then as before. */
static void cqs_grow_and_shrink(void **state)
{
	(void)state;
	open_queues(DISTURB_CQ);
	assert_int_equal(step(BEGIN), 0);
	assert_entries(200, 1000, 100, 500);
	/* not before its time */
	assert_int_equal(disturb_due_ns(&f.disturb), BEGIN + 2 * MS);
	assert_int_equal(step(BEGIN + 2 * MS - 1), 0);
	assert_entries(200, 1000, 100, 500);
	assert_int_equal(step(BEGIN + 2 * MS), 0);
	assert_entries(200, 1000, 200, 1000);
	assert_int_equal(step(BEGIN + 4 * MS), 0);
	assert_entries(100, 500, 200, 1000);
	assert_int_equal(step(BEGIN + 6 * MS), 0);
	assert_entries(100, 500, 100, 500);
	assert_int_equal(step(BEGIN + 8 * MS), 0);
	assert_entries(200, 1000, 100, 500);
	assert_int_equal(f.disturb.count, 5);
	disturb_close(&f.disturb);
}

static void more_than_half_grows_to_the_most(void **state)
{
	(void)state;
	open_queues(DISTURB_CQ);
	f.scq[0].cqe = 501;
	f.eps[0].rcq = NULL; /* it receives nothing */
	disturb_close(&f.disturb);
	f.disturb = (struct disturb){ .plan = &f.plan, .n = 1,
				      .eps = calloc(1, sizeof(struct ep *)) };
	f.disturb.eps[0] = &f.eps[0];
	assert_int_equal(disturb_open(&f.disturb), 0);
	assert_int_equal(step(BEGIN), 0);
	assert_entries(1000, 500, 100, 500);
	assert_int_equal(step(BEGIN + 2 * MS), 0);
	assert_entries(501, 500, 100, 500);
	disturb_close(&f.disturb);
}

static void a_cq_that_stays_as_it_is(void **state)
{
	(void)state;
	open_queues(DISTURB_CQ);
	f.resize_errno = ENOSYS;
	assert_int_equal(step(BEGIN), -ENOSYS);
	assert_non_null(strstr(err_text(), "a CQ of dev0 from 100 to 200 entries: "));
	assert_int_equal(f.disturb.count, 0);
	disturb_close(&f.disturb);
}

/* One queue at a time; the next begins some time after the last one went on. */
static void queues_are_drained_in_turn(void **state)
{
	uint64_t now = BEGIN;

	(void)state;
	open_queues(DISTURB_SQ);
	for (uint32_t i = 0; i < THREADS * QPS + 1; i++) {
		const uint32_t qp = i % (THREADS * QPS);

		assert_int_equal(step(now), 0);
		for (uint32_t k = 0; k < THREADS * QPS; k++)
			assert_int_equal(f.states[k], k == qp ? IBV_QPS_SQD : IBV_QPS_RTS);
		assert_int_equal(disturb_due_ns(&f.disturb), now + MS);
		now += MS;
		assert_int_equal(step(now), 0);
		assert_int_equal(f.states[qp], IBV_QPS_SQD);
		assert_int_equal(f.disturb.count, i);
		atomic_fetch_add(&f.eps[qp / QPS].qp_events.drained, 1);
		now += MS;
		assert_int_equal(step(now), 0);
		assert_int_equal(f.states[qp], IBV_QPS_RTS);
		assert_int_equal(f.disturb.count, i + 1);
		assert_int_equal(disturb_due_ns(&f.disturb), now + 2 * MS);
		now += 2 * MS;
	}
	disturb_close(&f.disturb);
}

static void a_queue_that_is_not_drained(void **state)
{
	(void)state;
	open_queues(DISTURB_SQ);
	assert_int_equal(step(BEGIN), 0);
	assert_int_equal(step(BEGIN + 1000 * MS - 1), 0);
	assert_int_equal(f.modified, 1);
	assert_int_equal(step(BEGIN + 1001 * MS), -ETIMEDOUT);
	assert_string_equal(err_text(),
			    "the send queue of QP 0x000100 on dev0 is not drained after 1000 ms: no SQ_DRAINED event");
	disturb_close(&f.disturb);
	open_queues(DISTURB_SQ);
	f.modify_errno = EINVAL;
	assert_int_equal(step(BEGIN), -EINVAL);
	assert_non_null(strstr(err_text(), "QP 0 to SQD on dev0: "));
	atomic_fetch_add(&f.eps[0].qp_events.drained, 1);
	assert_int_equal(step(BEGIN + 2 * MS), -EINVAL);
	assert_non_null(strstr(err_text(), "QP 0 to RTS on dev0: "));
	assert_int_equal(f.disturb.count, 0);
	disturb_close(&f.disturb);
}

static void nothing_to_disturb(void **state)
{
	const struct plan plan = { .work.disturb = DISTURB_CQ };
	struct disturb d = { .plan = &plan };

	(void)state;
	assert_int_equal(disturb_step(&d, BEGIN), 0);
	assert_true(disturb_due_ns(&d) == UINT64_MAX);
	/* a side without a loop */
	assert_int_equal(disturb_open(&d), 0);
	assert_int_equal(disturb_step(&d, BEGIN), 0);
	disturb_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cqs_grow_and_shrink),
		cmocka_unit_test(more_than_half_grows_to_the_most),
		cmocka_unit_test(a_cq_that_stays_as_it_is),
		cmocka_unit_test(queues_are_drained_in_turn),
		cmocka_unit_test(a_queue_that_is_not_drained),
		cmocka_unit_test(nothing_to_disturb),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
