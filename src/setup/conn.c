/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the QPs that setup makes, on both sides: see conn.h. Called by the measurements and by
 * answer.c. Must not time anything: attributes come from ep/ep_attr.c.
 */
#include "config.h"
#include "setup/conn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "limits/gid.h"
#include "verbs/verbs_error.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"

#define PSN_MASK 0xffffffu /* 24 bits in the packet: IBA vol. 1, 9.2 */

static int fill_addr(struct conn *c)
{
	const struct limits *l = &c->dev->limits;
	const struct plan_gid *gid = gid_find(l, plan_gid_index(c->plan, c->side));

	if (!gid)
		return err_set(-EINVAL, "GID index %u of %s port %u holds no GID",
			       plan_gid_index(c->plan, c->side), l->device, l->port);
	memcpy(c->addr.gid, gid->raw, sizeof(c->addr.gid));
	c->addr.lid = l->lid;
	return 0;
}

static int open_objects(struct conn *c)
{
	const uint64_t entries = (uint64_t)c->plan->work.depth + c->plan->work.recv_depth;
	const uint32_t most = c->dev->limits.max_cqe;

	errno = 0;
	c->pd = ibv_alloc_pd(c->dev->ctx);
	if (!c->pd)
		return err_set(err_code(), "cannot allocate PD on %s: %s", c->dev->limits.device,
			       strerror(-err_code()));
	c->cq = ibv_create_cq(c->dev->ctx, (int)(entries < most ? entries : most), NULL, NULL, 0);
	if (!c->cq)
		return err_set(err_code(), "cannot create a CQ on %s: %s", c->dev->limits.device,
			       strerror(-err_code()));
	return 0;
}

int conn_open(struct conn *c, const struct dev *dev, const struct plan *plan, enum side side,
	      uint32_t max)
{
	int rc;

	*c = (struct conn){ .dev = dev, .plan = plan, .side = side };
	c->qps = calloc(max, sizeof(*c->qps));
	c->addr.qps = calloc(max, sizeof(*c->addr.qps));
	if (!c->qps || !c->addr.qps)
		return err_set(-ENOMEM, "no memory for %u QPs", max);
	c->max = max;
	if (getrandom(&c->psn, sizeof(c->psn), 0) != (ssize_t)sizeof(c->psn))
		return err_set(err_code(), "cannot get random bytes: %s", strerror(-err_code()));
	rc = fill_addr(c);
	return rc ? rc : open_objects(c);
}

int conn_create(struct conn *c, uint32_t i)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = c->cq,
		.recv_cq = c->cq,
		.qp_type = IBV_QPT_RC,
		.cap = {
			.max_send_wr = c->plan->work.depth,
			.max_recv_wr = c->plan->work.recv_depth,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};

	errno = 0;
	c->qps[i] = ibv_create_qp(c->pd, &attr);
	if (!c->qps[i])
		return -err_code();
	c->addr.qps[i].qpn = c->qps[i]->qp_num;
	return 0;
}

static struct ep_attr_in attr_in(const struct conn *c, uint32_t i)
{
	return (struct ep_attr_in){
		.plan = c->plan,
		.local = &c->dev->limits,
		.gid_index = plan_gid_index(c->plan, c->side),
		.access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE,
		.own = c->addr.qps[i],
	};
}

static int modify(struct conn *c, uint32_t i, struct ep_attr *a)
{
	return ibv_modify_qp(c->qps[i], &a->attr, a->mask);
}

int conn_init(struct conn *c, uint32_t i)
{
	struct ep_attr_in in;
	struct ep_attr a;

	c->psn = (c->psn + 0x10001) & PSN_MASK;
	c->addr.qps[i].psn = c->psn;
	in = attr_in(c, i);
	a = ep_attr_init(&in);
	return modify(c, i, &a);
}

int conn_rtr(struct conn *c, uint32_t i, const struct ep_addr *peer)
{
	struct ep_attr_in in = attr_in(c, i);
	struct ep_attr a;

	in.peer = peer;
	in.peer_qp = peer->qps[i];
	a = ep_attr_rtr(&in);
	return modify(c, i, &a);
}

int conn_rts(struct conn *c, uint32_t i)
{
	const struct ep_attr_in in = attr_in(c, i);
	struct ep_attr a = ep_attr_rts(&in);

	return modify(c, i, &a);
}

int conn_destroy(struct conn *c, uint32_t i)
{
	struct ibv_qp *qp = c->qps[i];

	c->qps[i] = NULL;
	return qp ? ibv_destroy_qp(qp) : 0;
}

int conn_complete(struct conn *c, struct ibv_wc *wc, const char *what)
{
	const uint64_t until_ns = clock_ns() + (uint64_t)c->plan->stall_timeout_ms * 1000000u;
	int n;

	while (!(n = ibv_poll_cq(c->cq, 1, wc)))
		if (clock_ns() > until_ns)
			return err_set(-ETIMEDOUT, "%s: no completion within %u ms", what,
				       c->plan->stall_timeout_ms);
	if (n < 0)
		return err_set(-EIO, "%s: ibv_poll_cq failed: %d", what, n);
	if (wc->status != IBV_WC_SUCCESS)
		return err_set(-EIO, "%s: %s: %s", what, verbs_error_status_name(wc->status),
			       verbs_error_status(wc->status));
	return 0;
}

/* Teardown goes on after an error, and must not hide the error that led to it. */
static void warn(const char *what, int err)
{
	if (err)
		log_note("cannot %s: %s", what, strerror(err));
}

void conn_close(struct conn *c)
{
	for (uint32_t i = 0; i < c->max; i++)
		if (c->qps[i])
			warn("destroy QP", ibv_destroy_qp(c->qps[i]));
	free(c->qps);
	ep_addr_free(&c->addr);
	if (c->cq)
		warn("destroy CQ", ibv_destroy_cq(c->cq));
	if (c->pd)
		warn("free PD", ibv_dealloc_pd(c->pd));
	*c = (struct conn){ 0 };
}
