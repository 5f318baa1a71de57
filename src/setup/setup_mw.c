/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the measurement of memory windows: allocate and free both types, bind and invalidate; see
 * setup.h. A bind or an invalidate is a request on a connected QP: it is timed from its post to the
 * poll that returned its completion.
 */
#include "config.h"
#include "setup/measure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "setup/conn.h"
#include "setup/series.h"
#include "util/err.h"
#include "util/log.h"

#define WINDOW_BYTES (UINT64_C(64) << 10)

/* The requests, in the order of their rows. */
enum request { BIND_1, BIND_2, LOCAL_INV, REMOTE_INV, REQUESTS };

static const char *const request_names[] = {
	[BIND_1] = "ibv_bind_mw (type 1)",
	[BIND_2] = "IBV_WR_BIND_MW (type 2)",
	[LOCAL_INV] = "IBV_WR_LOCAL_INV (type 2)",
	[REMOTE_INV] = "SEND_WITH_INV by the server (type 2)",
};

/* Requests that are made by turns on one window; the rows are of those from "from" on. */
struct group {
	enum ibv_mw_type type;
	enum request requests[2];
	uint32_t from;
};

static const struct group groups[] = {
	{ IBV_MW_TYPE_1, { BIND_1, REQUESTS }, 0 },
	{ IBV_MW_TYPE_2, { BIND_2, LOCAL_INV }, 0 },
	{ IBV_MW_TYPE_2, { BIND_2, REMOTE_INV }, 1 },
};

struct wanted {
	struct ibv_pd *pd;
	enum ibv_mw_type type;
};

struct loop {
	struct setup_run *run;
	struct conn conn;
	bool connected;            /* the server has its QP */
	struct ibv_mr *mr;
	struct ibv_mw *mw;
	void *base;                /* MAP_FAILED: none */
	struct series *series[REQUESTS];
	enum setup_status status;
	int rc;                    /* the session has failed */
};

static struct setup_row row_of(const char *operation)
{
	struct setup_row row;

	setup_row_init(&row);
	snprintf(row.measurement, sizeof(row.measurement), "mw");
	snprintf(row.operation, sizeof(row.operation), "%s", operation);
	return row;
}

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

/* ---- allocate and free */

static void *open_mw(void *arg)
{
	const struct wanted *w = arg;

	return ibv_alloc_mw(w->pd, w->type);
}

static int close_mw(void *mw)
{
	return ibv_dealloc_mw(mw);
}

static int allocate(struct setup_run *run, struct ibv_pd *pd)
{
	struct wanted wanted = { .pd = pd };
	struct pair pair = { .open = open_mw, .close = close_mw, .arg = &wanted };
	const struct setup_row row = row_of("");
	int rc;

	wanted.type = IBV_MW_TYPE_1;
	pair.make = "ibv_alloc_mw (type 1)";
	pair.destroy = "ibv_dealloc_mw (type 1)";
	rc = pair_measure(run, &row, &pair, missing(run, IBV_MW_TYPE_1));
	if (rc)
		return rc;
	wanted.type = IBV_MW_TYPE_2;
	pair.make = "ibv_alloc_mw (type 2)";
	pair.destroy = "ibv_dealloc_mw (type 2)";
	return pair_measure(run, &row, &pair, missing(run, IBV_MW_TYPE_2));
}

/* ---- requests */

static struct ibv_mw_bind_info bind_info(const struct loop *l)
{
	return (struct ibv_mw_bind_info){
		.mr = l->mr,
		.addr = (uintptr_t)l->base,
		.length = WINDOW_BYTES,
		.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
}

/* Each post: 0 or an errno. */
static int post_bind_1(struct loop *l)
{
	struct ibv_mw_bind bind = { .send_flags = IBV_SEND_SIGNALED, .bind_info = bind_info(l) };

	return ibv_bind_mw(l->conn.qps[0], l->mw, &bind);
}

static int post_bind_2(struct loop *l)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_BIND_MW,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_mw = { .mw = l->mw, .rkey = ibv_inc_rkey(l->mw->rkey),
			     .bind_info = bind_info(l) },
	}, *bad;
	int err = ibv_post_send(l->conn.qps[0], &wr, &bad);

	/* of type 2 the program chooses the key: ibv_post_send(3) */
	if (!err)
		l->mw->rkey = wr.bind_mw.rkey;
	return err;
}

static int post_local_inv(struct loop *l)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_LOCAL_INV,
		.send_flags = IBV_SEND_SIGNALED,
		.invalidate_rkey = l->mw->rkey,
	}, *bad;

	return ibv_post_send(l->conn.qps[0], &wr, &bad);
}

static int ask_remote_inv(struct loop *l)
{
	const struct setup_peer *peer = l->run->peer;

	l->rc = peer->invalidate(peer->arg, l->mw->rkey);
	return 0;
}

static int post(struct loop *l, enum request request)
{
	switch (request) {
	case BIND_1:
		return post_bind_1(l);
	case BIND_2:
		return post_bind_2(l);
	case LOCAL_INV:
		return post_local_inv(l);
	default:
		return ask_remote_inv(l);
	}
}

/* A receive for the message with invalidate, before it is asked for. */
static int post_recv(struct loop *l)
{
	struct ibv_recv_wr wr = { 0 }, *bad;

	return ibv_post_recv(l->conn.qps[0], &wr, &bad);
}

static bool stopped(const struct loop *l)
{
	return l->rc || l->status != SETUP_OK;
}

/*
 * Soft-RoCE reports the kernel's flag for it, which has another bit (IB_WC_WITH_INVALIDATE,
 * drivers/infiniband/sw/rxe/rxe_resp.c, do_complete()). The key is checked where the flag is right;
 * everywhere the next bind shows it: only a window that is not bound can be bound by type 2.
 */
static void check_inv(struct loop *l, const struct ibv_wc *wc)
{
	if (!(wc->wc_flags & IBV_WC_WITH_INV) || wc->invalidated_rkey == l->mw->rkey)
		return;
	err_set(-EIO, "the message of the server invalidated R_Key 0x%x instead of 0x%x",
		wc->invalidated_rkey, l->mw->rkey);
	l->status = SETUP_FAILED;
}

static void take(struct loop *l, enum request request)
{
	struct series *series = l->series[request];
	struct stamp stamp;
	struct ibv_wc wc;
	int err = request == REMOTE_INV ? post_recv(l) : 0;

	stamp = stamp_take();
	if (!err)
		err = post(l, request);
	if (err)
		l->status = series_fault(request_names[request], series->calls, err);
	else if (!l->rc && conn_complete(&l->conn, &wc, request_names[request]))
		l->status = SETUP_FAILED;
	if (stopped(l))
		return;
	series_add(series, &stamp);
	if (request == REMOTE_INV)
		check_inv(l, &wc);
}

/* The rows of a group that could not run, or whose requests failed. */
static void write_without(struct setup_run *run, const struct group *g, enum setup_status status,
			  const char *reason)
{
	for (uint32_t i = g->from; i < 2 && g->requests[i] < REQUESTS; i++) {
		const struct setup_row row = row_of(request_names[g->requests[i]]);

		series_row_without(run, &row, status, reason);
	}
}

static int run_loop(struct loop *l, const struct group *g)
{
	struct pace pace = pace_begin(l->run, 1);

	while (!stopped(l) && pace_more(&pace))
		for (uint32_t i = 0; !stopped(l) && i < 2 && g->requests[i] < REQUESTS; i++)
			take(l, g->requests[i]);
	pace_end(&pace);
	if (l->rc)
		pace.rc = l->rc;
	if (l->status != SETUP_OK) {
		write_without(l->run, g, l->status, NULL);
		return pace.rc;
	}
	for (uint32_t i = g->from; i < 2 && g->requests[i] < REQUESTS; i++) {
		const struct setup_row row = row_of(request_names[g->requests[i]]);

		series_row(l->series[g->requests[i]], &pace, &row);
	}
	return pace.rc;
}

/* ---- what the requests need */

/* One QP, connected with one of the server. -errno with an error message. */
static int connect_qp(struct loop *l)
{
	const struct setup_peer *peer = l->run->peer;
	struct ep_addr addr;
	int rc, err;

	err = conn_create(&l->conn, 0);
	if (!err)
		err = conn_init(&l->conn, 0);
	if (err)
		return err_set(-err, "cannot make a QP for memory windows: %s", strerror(err));
	l->conn.addr.n_qps = 1;
	rc = peer->connect(peer->arg, &l->conn.addr, &addr);
	l->rc = rc;
	if (rc)
		return rc;
	l->connected = true;
	err = conn_rtr(&l->conn, 0, &addr);
	if (!err)
		err = conn_rts(&l->conn, 0);
	ep_addr_free(&addr);
	if (err)
		return err_set(-err, "cannot connect a QP for memory windows: %s", strerror(err));
	return 0;
}

static int open_window(struct loop *l, enum ibv_mw_type type)
{
	l->base = mmap(NULL, WINDOW_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);
	if (l->base == MAP_FAILED)
		return err_set(-errno, "cannot map %llu bytes: %s",
			       (unsigned long long)WINDOW_BYTES, strerror(errno));
	errno = 0;
	l->mr = ibv_reg_mr(l->conn.pd, l->base, WINDOW_BYTES,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_MW_BIND);
	if (!l->mr)
		return err_set(-series_errno(0), "cannot register memory for windows: %s",
			       strerror(series_errno(0)));
	l->mw = ibv_alloc_mw(l->conn.pd, type);
	if (!l->mw)
		return err_set(-series_errno(0), "cannot allocate a memory window: %s",
			       strerror(series_errno(0)));
	return 0;
}

static int open_loop(struct loop *l, const struct group *g)
{
	int rc = conn_open(&l->conn, l->run->dev, l->run->plan, SIDE_CLIENT, 1);

	for (uint32_t i = 0; !rc && i < REQUESTS; i++) {
		l->series[i] = series_new();
		if (!l->series[i])
			rc = err_set(-ENOMEM, "no memory for the times of memory windows");
	}
	if (!rc)
		rc = connect_qp(l);
	return rc ? rc : open_window(l, g->type);
}

/* Teardown goes on after an error, and must not hide the error that led to it. */
static void warn(const char *what, int err)
{
	if (err)
		log_note("cannot %s: %s", what, strerror(err));
}

/* The window goes before its region, and the QP that it was bound on before both. */
static void close_loop(struct loop *l)
{
	const struct setup_peer *peer = l->run->peer;

	if (l->conn.qps && l->conn.qps[0])
		warn("destroy QP", conn_destroy(&l->conn, 0));
	if (l->mw)
		warn("free memory window", ibv_dealloc_mw(l->mw));
	if (l->mr)
		warn("deregister memory", ibv_dereg_mr(l->mr));
	if (l->base != MAP_FAILED)
		munmap(l->base, WINDOW_BYTES);
	conn_close(&l->conn);
	if (l->connected && !l->rc)
		l->rc = peer->disconnect(peer->arg);
	for (uint32_t i = 0; i < REQUESTS; i++)
		free(l->series[i]);
}

static int measure_group(struct setup_run *run, const struct group *g)
{
	const char *reason = missing(run, g->type);
	struct loop l = { .run = run, .base = MAP_FAILED };

	if (reason) {
		write_without(run, g, SETUP_UNSUPPORTED, reason);
		return 0;
	}
	/* what only this side could not do is in its rows, and the session goes on */
	if (open_loop(&l, g))
		write_without(run, g, l.rc ? SETUP_INCOMPLETE : SETUP_FAILED, NULL);
	else
		l.rc = run_loop(&l, g);
	close_loop(&l);
	return l.rc;
}

int setup_mw(struct setup_run *run)
{
	int rc = setup_with_pd(run, allocate);

	for (size_t i = 0; !rc && i < sizeof(groups) / sizeof(groups[0]); i++)
		rc = measure_group(run, &groups[i]);
	return rc;
}
