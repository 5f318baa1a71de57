/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the objects of the server while a client measures setup; see answer.h. Called by the
 * session. The client is not trusted: numbers are checked before use.
 */
#include "config.h"
#include "setup/answer.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "plan/plan_needs.h"
#include "util/err.h"
#include "util/minmax.h"

int answer_open(struct answer *a, const struct dev *dev, const struct plan *plan)
{
	const uint32_t most = min_u32(dev->limits.max_qps, dev->limits.allowed_qps);

	*a = (struct answer){ 0 };
	return conn_open(&a->conn, dev, plan, SIDE_SERVER, min_u32(most, ANSWER_AT_ONCE));
}

int answer_room(const struct answer *a, uint64_t n)
{
	const uint32_t allowed = a->conn.dev->limits.allowed_qps;
	const uint64_t all = a->taken + n;

	if (all > allowed)
		return err_set_cause(-EINVAL, "owner",
				     "--max-qps %u of the server's owner: the test asks for %" PRIu64 " queue pairs",
				     allowed, all);
	if (all > a->conn.max)
		return err_set(-EBADMSG, "the peer asks for %" PRIu64 " QPs; allowed: 1..%u", all,
			       a->conn.max);
	return 0;
}

static uint64_t bytes_of(const struct answer *a, uint32_t n)
{
	const struct plan_needs needs = {
		.send_wr = a->conn.plan->work.depth, .recv_wr = a->conn.plan->work.recv_depth,
		.send_sges = 1, .recv_sges = 1,
	};

	return n * plan_needs_bytes(&needs, 1);
}

int answer_take(struct answer *a, uint32_t n)
{
	int rc = answer_room(a, n);

	if (!rc)
		rc = budget_take(a->conn.dev->budget, bytes_of(a, n), "queues");
	if (!rc)
		a->taken += n;
	return rc;
}

void answer_give(struct answer *a, uint32_t n)
{
	struct memory_budget *budget = a->conn.dev->budget;

	a->taken -= n;
	budget_back(budget, budget_mark(budget) - bytes_of(a, n));
}

static int check(const struct answer *a, const struct ep_addr *peer)
{
	if (a->n)
		return err_set(-EBADMSG, "the peer asks for QPs while %u exist", a->n);
	if (!peer->n_qps)
		return err_set(-EBADMSG, "the peer asks for 0 QPs; allowed: 1..%u", a->conn.max);
	if (a->made + peer->n_qps > ANSWER_MAX_QPS)
		return err_set(-EBADMSG, "the peer asks for more than %u QPs in one run",
			       ANSWER_MAX_QPS);
	return 0;
}

int answer_connect(struct answer *a, const struct ep_addr *peer)
{
	struct conn *c = &a->conn;
	int rc = check(a, peer);

	if (!rc)
		rc = answer_take(a, peer->n_qps);
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
	answer_give(a, a->n);
	a->n = 0;
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
