/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The objects of the server while a client measures setup; see answer.h. The client is not trusted:
 * numbers are checked before use, and a request by rdma_cm without the token is rejected.
 */
#include "config.h"
#include "objects/answer.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"
#include "util/log.h"
#include "util/minmax.h"

#define BACKLOG 128

int answer_open(struct answer *a, const struct dev *dev, const struct plan *plan)
{
	const uint32_t most = min_u32(dev->limits.max_qps, dev->limits.allowed_qps);

	*a = (struct answer){ .max = min_u32(most, ANSWER_AT_ONCE) };
	return qps_open(&a->qps, dev, plan, SIDE_SERVER, a->max);
}

int answer_room(const struct answer *a, uint64_t n)
{
	const uint32_t allowed = a->qps.ep.dev->limits.allowed_qps;
	const uint64_t all = a->taken + n;

	if (all > allowed)
		return err_set_cause(-EINVAL, "owner",
				     "--max-qps %u of the server's owner: the test asks for %" PRIu64 " queue pairs",
				     allowed, all);
	if (all > a->max)
		return err_set(-EBADMSG, "the peer asks for %" PRIu64 " QPs; allowed: 1..%u", all,
			       a->max);
	return 0;
}

static uint64_t bytes_of(const struct answer *a, uint32_t n)
{
	struct plan_needs needs = a->qps.needs;

	needs.send_cqe = 0; /* the CQ is not one per QP */
	return n * plan_needs_bytes(&needs, 1);
}

int answer_take(struct answer *a, uint32_t n)
{
	int rc = answer_room(a, n);

	if (!rc)
		rc = budget_take(a->qps.ep.dev->budget, bytes_of(a, n), "queues");
	if (!rc)
		a->taken += n;
	return rc;
}

void answer_give(struct answer *a, uint32_t n)
{
	struct memory_budget *budget = a->qps.ep.dev->budget;

	a->taken -= n;
	budget_back(budget, budget_mark(budget) - bytes_of(a, n));
}

static int check(const struct answer *a, const struct ep_addr *peer)
{
	if (a->n)
		return err_set(-EBADMSG, "the peer asks for QPs while %u exist", a->n);
	if (!peer->n_qps)
		return err_set(-EBADMSG, "the peer asks for 0 QPs; allowed: 1..%u", a->max);
	if (a->made + peer->n_qps > ANSWER_MAX_QPS)
		return err_set(-EBADMSG, "the peer asks for more than %u QPs in one run",
			       ANSWER_MAX_QPS);
	return 0;
}

int answer_connect(struct answer *a, const struct ep_addr *peer)
{
	int rc = check(a, peer);

	if (!rc)
		rc = answer_take(a, peer->n_qps);
	if (rc)
		return rc;
	a->n = peer->n_qps;
	a->made += peer->n_qps;
	rc = qps_make(&a->qps, a->n);
	return rc ? rc : qps_connect(&a->qps, peer);
}

int answer_disconnect(struct answer *a)
{
	int rc = 0;

	for (uint32_t i = 0; i < a->n; i++) {
		const int err = qps_destroy(&a->qps, i);

		if (err && !rc)
			rc = err_set(err, "cannot destroy QP %u on %s: %s", i,
				     a->qps.ep.dev->limits.device, strerror(-err));
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
	err = ibv_post_send(a->qps.ep.qps[0], &wr, &bad);
	if (err)
		return err_set(-err, "cannot post a send with invalidate on %s: %s",
			       a->qps.ep.dev->limits.device, strerror(err));
	return ep_complete(&a->qps.ep, &wc, a->qps.plan->stall_timeout_ms, "send with invalidate");
}

/* ---- connections by rdma_cm */

int answer_listen(struct answer *a, struct ep_addr *addr)
{
	int rc;

	a->ids = calloc(a->max, sizeof(*a->ids));
	if (!a->ids)
		return err_set(-ENOMEM, "no memory for %u connections", a->max);
	rc = qps_cm_open(&a->cm, a->qps.ep.dev, a->qps.plan, SIDE_SERVER);
	if (!rc)
		rc = cm_local_listen(&a->cm.local, RDMA_PS_TCP, BACKLOG);
	if (rc) {
		answer_unlisten(a);
		return rc;
	}
	a->listening = true;
	cm_local_publish(&a->cm.local, addr);
	return 0;
}

static bool has_token(const struct answer *a, const struct cm_event *event)
{
	const uint64_t token = htobe64(a->cm.local.token);

	return event->private_len >= sizeof(token) &&
	       !memcmp(event->private_data, &token, sizeof(token));
}

static int accept_taken(struct answer *a, struct rdma_cm_id *id)
{
	struct rdma_conn_param param = qps_cm_param(&a->cm);
	int rc = qps_cm_take(&a->cm, id);

	if (rc)
		return rc;
	errno = 0;
	if (qps_cm_create(&a->cm, id))
		return cm_call_failed("rdma_create_qp", "setup");
	return rdma_accept(id, &param) ? cm_call_failed("rdma_accept", "setup") : 0;
}

/* 0, or -errno with an error message: the id is still there. */
static int accept_request(struct answer *a, struct rdma_cm_id *id)
{
	int rc = answer_take(a, 1);

	if (rc)
		return rc;
	rc = accept_taken(a, id);
	if (rc)
		answer_give(a, 1);
	return rc;
}

static void take_request(struct answer *a, const struct cm_event *event)
{
	if (!has_token(a, event)) {
		cm_local_reject(event->id, "verbench: this is not a request of this run");
	} else if (accept_request(a, event->id)) {
		cm_local_reject(event->id, err_text());
	} else {
		event->id->context = &a->ids[a->n_ids];
		a->ids[a->n_ids++] = event->id;
	}
}

/* The last one takes its place. */
static void end(struct answer *a, struct rdma_cm_id *id)
{
	struct rdma_cm_id **slot = id->context;

	*slot = a->ids[--a->n_ids];
	(*slot)->context = slot;
	cm_destroy_id(id);
	answer_give(a, 1);
}

void answer_event(struct answer *a, const struct cm_event *event)
{
	char text[CM_EVENT_TEXT];

	if (event->type == RDMA_CM_EVENT_CONNECT_REQUEST) {
		take_request(a, event);
		return;
	}
	if (event->id == a->cm.local.bound || event->type == RDMA_CM_EVENT_ESTABLISHED)
		return;
	/* the answer to the client's request to disconnect */
	if (event->type == RDMA_CM_EVENT_DISCONNECTED)
		rdma_disconnect(event->id);
	else
		log_note("setup: %s", cm_event_text(event, text, sizeof(text)));
	end(a, event->id);
}

void answer_unlisten(struct answer *a)
{
	for (uint32_t i = 0; i < a->n_ids; i++)
		cm_destroy_id(a->ids[i]);
	if (a->n_ids)
		answer_give(a, a->n_ids);
	a->n_ids = 0;
	free(a->ids);
	a->ids = NULL;
	qps_cm_close(&a->cm);
	a->listening = false;
}

void answer_close(struct answer *a)
{
	answer_unlisten(a);
	ep_close(&a->qps.ep);
	*a = (struct answer){ 0 };
}
