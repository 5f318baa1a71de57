/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the objects of the server while a client measures setup; see answer.h. Called by the
 * session. The client is not trusted: numbers are checked before use.
 */
#include "config.h"
#include "setup/answer.h"

#include <errno.h>
#include <string.h>

#include "plan/plan_needs.h"
#include "util/err.h"
#include "util/minmax.h"

int answer_open(struct answer *a, const struct dev *dev, const struct plan *plan)
{
	*a = (struct answer){ 0 };
	return conn_open(&a->conn, dev, plan, SIDE_SERVER,
			 min_u32(dev->limits.max_qps, ANSWER_AT_ONCE));
}

static int check(const struct answer *a, const struct ep_addr *peer)
{
	if (a->n)
		return err_set(-EBADMSG, "the peer asks for QPs while %u exist", a->n);
	if (!peer->n_qps || peer->n_qps > a->conn.max)
		return err_set(-EBADMSG, "the peer asks for %u QPs; allowed: 1..%u", peer->n_qps,
			       a->conn.max);
	if (a->made + peer->n_qps > ANSWER_MAX_QPS)
		return err_set(-EBADMSG, "the peer asks for more than %u QPs in one run",
			       ANSWER_MAX_QPS);
	return 0;
}

int answer_connect(struct answer *a, const struct ep_addr *peer)
{
	const struct plan_needs needs = {
		.send_wr = a->conn.plan->work.depth, .recv_wr = a->conn.plan->work.recv_depth,
		.send_sges = 1, .recv_sges = 1,
	};
	struct conn *c = &a->conn;
	int rc = check(a, peer);

	if (rc)
		return rc;
	rc = budget_take(c->dev->budget, peer->n_qps * plan_needs_bytes(&needs, 1), "queues");
	if (rc)
		return rc;
	for (uint32_t i = 0; i < peer->n_qps; i++) {
		int err = conn_create(c, i);

		a->n = i + 1;
		if (!err)
			err = conn_init(c, i);
		if (!err)
			err = conn_rtr(c, i, peer);
		if (!err)
			err = conn_rts(c, i);
		if (err)
			return err_set(-err, "cannot make QP %u of %u on %s: %s", i, peer->n_qps,
				       c->dev->limits.device, strerror(err));
	}
	c->addr.n_qps = peer->n_qps;
	a->made += peer->n_qps;
	return 0;
}

int answer_disconnect(struct answer *a)
{
	int rc = 0;

	for (uint32_t i = 0; i < a->n; i++) {
		const int err = conn_destroy(&a->conn, i);

		if (err && !rc)
			rc = err_set(-err, "cannot destroy QP %u on %s: %s", i,
				     a->conn.dev->limits.device, strerror(err));
	}
	a->n = 0;
	budget_back(a->conn.dev->budget, 0);
	return rc;
}

int answer_invalidate(struct answer *a, uint32_t rkey)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND_WITH_INV,
		.send_flags = IBV_SEND_SIGNALED,
		.invalidate_rkey = rkey,
	}, *bad;
	struct ibv_wc wc;
	int err;

	if (!a->n)
		return err_set(-EBADMSG, "the peer asks for an invalidate, but there is no QP");
	err = ibv_post_send(a->conn.qps[0], &wr, &bad);
	if (err)
		return err_set(-err, "cannot post a send with invalidate on %s: %s",
			       a->conn.dev->limits.device, strerror(err));
	return conn_complete(&a->conn, &wc, "send with invalidate");
}

void answer_close(struct answer *a)
{
	conn_close(&a->conn);
	*a = (struct answer){ 0 };
}
