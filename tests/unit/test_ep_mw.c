/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * ep/ep_mw: windows of each QP on a device in memory. What they are bound to, the keys that the
 * peer is told, binds that complete late, not or with an error, and that all are freed.
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "endpoint/ep_extras.h"
#include "util/err.h"

#define QPS 3u
#define QP_BYTES 4096u
#define ADDR 0x10000u
#define LONG_MS 10000u /* and less than the age of the clock */

/* A device that keeps what it was asked for. */
struct fake {
	struct ibv_context ctx;
	struct ibv_pd pd;
	struct ibv_mr mr;
	struct ibv_cq cq;
	struct ibv_qp qp[QPS], *qps[QPS];
	struct ibv_mw mws[QPS];
	struct ep_qp_id ids[QPS];
	struct dev dev;
	struct ep ep;
	struct plan plan;
	struct ibv_mw_bind_info bound[QPS];
	uint32_t allocated, n_bound, open;
	uint32_t most;       /* windows that it has */
	uint32_t empty;      /* polls before the next completion */
	bool stays;          /* R_Keys of type 1 are not counted up */
	struct ibv_wc wc;
	int poll_rc;         /* negative: of each poll */
};

static struct fake *fake_of(struct ibv_context *ctx)
{
	return (struct fake *)ctx;
}

static struct ibv_mw *alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct fake *f = fake_of(pd->context);
	struct ibv_mw *mw = &f->mws[f->allocated];

	if (f->allocated == f->most) {
		errno = ENOMEM;
		return NULL;
	}
	*mw = (struct ibv_mw){ .context = &f->ctx, .pd = pd, .type = type,
			       .rkey = 0x100 * ++f->allocated };
	f->open++;
	return mw;
}

static int dealloc_mw(struct ibv_mw *mw)
{
	fake_of(mw->context)->open--;
	return 0;
}

static int bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	struct fake *f = fake_of(qp->context);

	assert_int_equal(bind->send_flags, IBV_SEND_SIGNALED);
	assert_ptr_equal(mw, &f->mws[qp - f->qp]);
	f->bound[f->n_bound++] = bind->bind_info;
	mw->rkey += !f->stays;
	return 0;
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct fake *f = fake_of(qp->context);

	(void)bad;
	assert_int_equal(wr->opcode, IBV_WR_BIND_MW);
	assert_int_equal(wr->send_flags, IBV_SEND_SIGNALED);
	assert_ptr_equal(wr->bind_mw.mw, &f->mws[qp - f->qp]);
	assert_int_equal(wr->bind_mw.rkey, f->ids[qp - f->qp].rkey);
	f->bound[f->n_bound++] = wr->bind_mw.bind_info;
	return 0;
}

static int poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	struct fake *f = fake_of(cq->context);

	assert_true(n > 0);
	if (f->poll_rc)
		return f->poll_rc;
	if (f->empty) {
		f->empty--;
		return 0;
	}
	*wc = f->wc;
	return 1;
}

static void open_fake(struct fake *f, enum mw_type mw)
{
	*f = (struct fake){ .most = QPS };
	f->ctx.ops.alloc_mw = alloc_mw;
	f->ctx.ops.dealloc_mw = dealloc_mw;
	f->ctx.ops.bind_mw = bind_mw;
	f->ctx.ops.post_send = post_send;
	f->ctx.ops.poll_cq = poll_cq;
	f->pd.context = f->cq.context = &f->ctx;
	f->mr.pd = &f->pd;
	strcpy(f->dev.limits.device, "dev0");
	for (uint32_t i = 0; i < QPS; i++) {
		f->qp[i].context = &f->ctx;
		f->qps[i] = &f->qp[i];
	}
	f->ep = (struct ep){ .dev = &f->dev, .qps = f->qps, .n_qps = QPS, .scq = &f->cq,
			     .domain.pd = &f->pd,
			     .addr = { .n_qps = QPS, .qps = f->ids },
			     .mem = { .mr = &f->mr, .addr = ADDR,
				      .layout.qp_bytes = QP_BYTES } };
	f->plan = (struct plan){ .work.kind = { .tp = TP_RC, .op = OP_WRITE }, .work.mw = mw,
				 .stall_timeout_ms = LONG_MS };
	role_resolve(f->plan.work.role, PATTERN_STREAM, OP_WRITE, false);
}

static void close_fake(struct fake *f)
{
	ep_mw_close(&f->ep);
	assert_int_equal(f->open, 0);
	assert_null(f->ep.mws);
}

/* Each window is its QP's part of the memory, with the right of the test. */
static void assert_bound(const struct fake *f)
{
	assert_int_equal(f->n_bound, QPS);
	for (uint32_t i = 0; i < QPS; i++) {
		assert_ptr_equal(f->bound[i].mr, &f->mr);
		assert_int_equal(f->bound[i].addr, ADDR + i * QP_BYTES);
		assert_int_equal(f->bound[i].length, QP_BYTES);
		assert_int_equal(f->bound[i].mw_access_flags, IBV_ACCESS_REMOTE_WRITE);
		assert_int_equal(f->ids[i].rkey, 0x100 * (i + 1) + 1);
	}
}

static void windows_are_bound(void **state)
{
	static const enum mw_type types[] = { MW_TYPE_1, MW_TYPE_2 };
	struct fake f;

	(void)state;
	for (int i = 0; i < 2; i++) {
		open_fake(&f, types[i]);
		assert_int_equal(ep_mw_open(&f.ep, &f.plan, SIDE_SERVER), 0);
		assert_int_equal(f.mws[0].type, i ? IBV_MW_TYPE_2 : IBV_MW_TYPE_1);
		f.empty = 100; /* the first takes longer than some polls */
		assert_int_equal(ep_mw_bind(&f.ep, &f.plan), 0);
		assert_bound(&f);
		close_fake(&f);
	}
}

/* Nobody writes to the memory of the client. */
static void who_grants_nothing_has_none(void **state)
{
	struct fake f;

	(void)state;
	open_fake(&f, MW_TYPE_2);
	assert_int_equal(ep_mw_open(&f.ep, &f.plan, SIDE_CLIENT), 0);
	assert_int_equal(ep_mw_bind(&f.ep, &f.plan), 0);
	assert_int_equal(f.allocated + f.n_bound, 0);
	close_fake(&f);
}

static void too_few_windows(void **state)
{
	struct fake f;

	(void)state;
	open_fake(&f, MW_TYPE_2);
	f.most = 2;
	assert_int_equal(ep_mw_open(&f.ep, &f.plan, SIDE_SERVER), -ENOMEM);
	assert_non_null(strstr(err_text(), "memory window 2 of 3 of type 2 on dev0: "));
	close_fake(&f);
}

static void assert_bind_fails(struct fake *f, int rc, const char *text)
{
	assert_int_equal(ep_mw_open(&f->ep, &f->plan, SIDE_SERVER), 0);
	assert_int_equal(ep_mw_bind(&f->ep, &f->plan), rc);
	if (!strstr(err_text(), text))
		fail_msg("\"%s\" has no \"%s\"", err_text(), text);
	assert_int_equal(f->n_bound, 1);
	close_fake(f);
}

static void failures_are_told(void **state)
{
	struct fake f;

	(void)state;
	open_fake(&f, MW_TYPE_1);
	f.stays = true;
	assert_bind_fails(&f, -EIO, "window 0 of type 1 has R_Key 0x100, not 0x101");
	open_fake(&f, MW_TYPE_2);
	f.wc.status = IBV_WC_MW_BIND_ERR;
	assert_bind_fails(&f, -EIO, "the bind of memory window 0: ");
	open_fake(&f, MW_TYPE_2);
	f.poll_rc = -1;
	assert_bind_fails(&f, -EIO, "the bind of memory window 0: ibv_poll_cq failed");
	open_fake(&f, MW_TYPE_2);
	f.empty = UINT32_MAX;
	f.plan.stall_timeout_ms = 10;
	assert_bind_fails(&f, -ETIMEDOUT, "the bind of memory window 0: no completion within ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_are_bound),
		cmocka_unit_test(who_grants_nothing_has_none),
		cmocka_unit_test(too_few_windows),
		cmocka_unit_test(failures_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
