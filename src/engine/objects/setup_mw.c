/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Measures memory windows: allocate and free both types, bind and invalidate; see measure.h. A bind
 * or an invalidate is a request on a connected QP: it is timed from its post to the poll that
 * returned its completion.
 */
#include "config.h"
#include "objects/measure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "objects/qps.h"
#include "objects/rounds.h"
#include "util/err.h"
#include "util/log.h"

#define WINDOW_BYTES (UINT64_C(64) << 10)

/* Why the device does not have windows of that type; NULL: it has. */
static const char *missing(const struct setup_run *run, enum ibv_mw_type type)
{
	const struct ibv_device_attr *attr = &run->dev->attr;

	if (attr->max_mw <= 0)
		return "the device reports no memory windows";
	if (type == IBV_MW_TYPE_2 && !(attr->device_cap_flags & (IBV_DEVICE_MEM_WINDOW_TYPE_2A |
								   IBV_DEVICE_MEM_WINDOW_TYPE_2B)))
		return "the device reports no memory windows of type 2";
	return NULL;
}

/* ---- requests */

/* Requests that are made by turns on one window. */
struct group {
	enum ibv_mw_type type;
	uint32_t n;
	struct step steps[4];
	int (*calls[4])(struct rounds *r, const char *operation);
};

struct window {
	const struct group *group;
	struct qps qps;
	bool connected;            /* the server has its QP */
	void *base;
	struct ibv_mr *mr;
	struct ibv_mw *mw;
	struct ibv_wc wc;          /* of the latest request or message */
};

static struct ibv_mw_bind_info bind_info(const struct window *w)
{
	return (struct ibv_mw_bind_info){
		.mr = w->mr,
		.addr = (uintptr_t)w->base,
		.length = WINDOW_BYTES,
		.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
}

static int complete(struct rounds *r, const char *what)
{
	struct window *w = r->arg;

	if (ep_complete(&w->qps.ep, &w->wc, r->run->plan->stall_timeout_ms, what))
		r->status = SETUP_FAILED;
	return 0;
}

static int bind_1(struct rounds *r, const char *operation)
{
	const struct window *w = r->arg;
	struct ibv_mw_bind bind = { .send_flags = IBV_SEND_SIGNALED, .bind_info = bind_info(w) };
	const int err = ibv_bind_mw(w->qps.ep.qps[0], w->mw, &bind);

	return err ? err : complete(r, operation);
}

/* Of type 2, by a request. */
static int post(struct rounds *r, struct ibv_send_wr *wr, const char *operation)
{
	const struct window *w = r->arg;
	struct ibv_send_wr *bad;
	const int err = ibv_post_send(w->qps.ep.qps[0], wr, &bad);

	if (err)
		return err;
	/* of type 2 the program chooses the key: ibv_post_send(3) */
	if (wr->opcode == IBV_WR_BIND_MW)
		w->mw->rkey = wr->bind_mw.rkey;
	return complete(r, operation);
}

static int bind_2(struct rounds *r, const char *operation)
{
	const struct window *w = r->arg;

	return post(r, &(struct ibv_send_wr){
		.opcode = IBV_WR_BIND_MW,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_mw = { .mw = w->mw, .rkey = ibv_inc_rkey(w->mw->rkey),
			     .bind_info = bind_info(w) },
	}, operation);
}

static int local_inv(struct rounds *r, const char *operation)
{
	const struct window *w = r->arg;

	return post(r, &(struct ibv_send_wr){
		.opcode = IBV_WR_LOCAL_INV,
		.send_flags = IBV_SEND_SIGNALED,
		.invalidate_rkey = w->mw->rkey,
	}, operation);
}

/* A receive for the message with invalidate, before the client asks for that. */
static int post_recv(struct rounds *r, const char *operation)
{
	const struct window *w = r->arg;
	struct ibv_recv_wr wr = { 0 }, *bad;

	(void)operation;
	return ibv_post_recv(w->qps.ep.qps[0], &wr, &bad);
}

static int remote_inv(struct rounds *r, const char *operation)
{
	const struct window *w = r->arg;
	struct setup_request request = { .rkey = w->mw->rkey };

	return rounds_ask(r, SETUP_INVALIDATE, &request) ? 0 : complete(r, operation);
}

/*
 * Soft-RoCE reports the kernel's flag for it, which has another bit (IB_WC_WITH_INVALIDATE,
 * drivers/infiniband/sw/rxe/rxe_resp.c, do_complete()). The key is checked where the flag is right;
 * everywhere the next bind shows it: only a window that is not bound can be bound by type 2.
 */
static int check_inv(struct rounds *r, const char *operation)
{
	const struct window *w = r->arg;

	(void)operation;
	if (!(w->wc.wc_flags & IBV_WC_WITH_INV) || w->wc.invalidated_rkey == w->mw->rkey)
		return 0;
	err_set(-EIO, "the message of the server invalidated R_Key 0x%x instead of 0x%x",
		w->wc.invalidated_rkey, w->mw->rkey);
	r->status = SETUP_FAILED;
	return 0;
}

#define BIND_2 .operation = "IBV_WR_BIND_MW (type 2)"

static const struct group groups[] = {
	{ IBV_MW_TYPE_1, 1, { { .operation = "ibv_bind_mw (type 1)" } }, { bind_1 } },
	{ IBV_MW_TYPE_2, 2,
	  { { BIND_2 }, { .operation = "IBV_WR_LOCAL_INV (type 2)" } },
	  { bind_2, local_inv } },
	{ IBV_MW_TYPE_2, 4,
	  { { BIND_2, .silent = true },
	    { .operation = "ibv_post_recv", .silent = true },
	    { .operation = "SEND_WITH_INV by the server (type 2)" },
	    { .operation = "check of the R_Key", .silent = true } },
	  { bind_2, post_recv, remote_inv, check_inv } },
};

static int call(struct rounds *r, uint32_t step, uint32_t i)
{
	const struct window *w = r->arg;

	(void)i;
	return w->group->calls[step](r, r->steps[step].operation);
}

/* ---- what the requests need */

/* One QP, connected with one of the server. -errno with an error message. */
static int connect_qp(struct rounds *r, struct window *w)
{
	struct setup_request request = { .own = &w->qps.ep.addr };
	int rc = qps_open(&w->qps, r->run->dev, r->run->plan, SIDE_CLIENT, 1);

	if (!rc)
		rc = qps_make(&w->qps, 1);
	if (rc)
		return rc;
	if (rounds_ask(r, SETUP_CONNECT, &request))
		return r->rc;
	w->connected = true;
	rc = qps_connect(&w->qps, &request.peer);
	ep_addr_free(&request.peer);
	return rc;
}

static int open_window(const struct setup_run *run, struct window *w)
{
	struct ibv_pd *pd = w->qps.ep.domain.pd;

	w->base = calloc(1, WINDOW_BYTES);
	if (!w->base)
		return err_set(-ENOMEM, "no memory for a window");
	errno = 0;
	w->mr = ibv_reg_mr(pd, w->base, WINDOW_BYTES,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_MW_BIND);
	if (!w->mr)
		return series_failed(run, 0, "register memory for windows");
	w->mw = ibv_alloc_mw(pd, w->group->type);
	return w->mw ? 0 : series_failed(run, 0, "allocate a memory window");
}

/* Teardown goes on after an error, and must not hide the error that led to it. */
static void warn(const char *what, int err)
{
	if (err)
		log_note("cannot %s: %s", what, strerror(err));
}

/* The window goes before its region, and the QP that it was bound on before both. */
static void close_window(struct window *w)
{
	if (w->qps.ep.qps)
		warn("destroy QP", -qps_destroy(&w->qps, 0));
	if (w->mw)
		warn("free memory window", ibv_dealloc_mw(w->mw));
	if (w->mr)
		warn("deregister memory", ibv_dereg_mr(w->mr));
	free(w->base);
	ep_close(&w->qps.ep);
}

static int measure_group(struct setup_run *run, const struct setup_row *row,
			 const struct group *group)
{
	const char *reason = missing(run, group->type);
	struct window w = { .group = group };
	struct rounds r = { .run = run, .row = *row, .steps = group->steps,
			    .n_steps = group->n, .n = 1, .call = call, .arg = &w };

	if (reason) {
		rounds_without(&r, SETUP_UNSUPPORTED, reason);
		return 0;
	}
	/* what only this side could not do is in its rows, and the session goes on */
	if (connect_qp(&r, &w) || open_window(run, &w))
		rounds_without(&r, r.rc ? SETUP_INCOMPLETE : SETUP_FAILED, NULL);
	else
		r.rc = rounds_run(&r);
	close_window(&w);
	if (w.connected)
		(void)rounds_ask(&r, SETUP_DISCONNECT, NULL);
	return r.rc;
}

int setup_mw(struct setup_run *run, const struct measure *m)
{
	const struct setup_row row = rounds_row(m->name);
	int rc = setup_by_turns(run, &row, &(struct recipe){ .kind = OBJECT_MW_1 },
				missing(run, IBV_MW_TYPE_1));

	if (!rc)
		rc = setup_by_turns(run, &row, &(struct recipe){ .kind = OBJECT_MW_2 },
				    missing(run, IBV_MW_TYPE_2));
	for (size_t i = 0; !rc && i < sizeof(groups) / sizeof(groups[0]); i++)
		rc = measure_group(run, &row, &groups[i]);
	return rc;
}
