/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The QPs that setup makes, on both sides: see qps.h. Must not time anything. */
#include "config.h"
#include "objects/qps.h"

#include "util/minmax.h"

struct plan_needs qps_needs(const struct plan *plan, const struct limits *limits)
{
	const uint64_t entries = (uint64_t)plan->work.depth + plan->work.recv_depth;

	return (struct plan_needs){
		.send_wr = plan->work.depth,
		.recv_wr = plan->work.recv_depth,
		.send_cqe = min_u64(entries, limits->max_cqe),
		.send_sges = 1,
		.recv_sges = 1,
	};
}

int qps_open(struct qps *q, const struct dev *dev, const struct plan *plan, enum side side,
	     uint32_t n)
{
	struct ep_bare bare = { .needs = qps_needs(plan, &dev->limits), .n_qps = n };

	*q = (struct qps){ .plan = plan, .side = side, .needs = bare.needs };
	return ep_open_bare(&q->ep, dev, plan, side, &bare);
}

int qps_create(struct qps *q, uint32_t i)
{
	return ep_make_qp(&q->ep, i, q->plan, &q->needs);
}

int qps_move(struct qps *q, uint32_t i, enum ibv_qp_state to, const struct ep_addr *peer)
{
	struct ep_qp_id *own = &q->ep.addr.qps[i];
	struct ep_attr_in in = {
		.plan = q->plan,
		.local = &q->ep.dev->limits,
		.gid_index = plan_gid_index(q->plan, q->side),
		.access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE,
		.peer = peer,
	};
	struct ep_attr attr;

	/* a new one for each QP: IBA vol. 1, 9.7.1 */
	if (to == IBV_QPS_INIT)
		own->psn = (own->psn + 0x10001) & EP_PSN_MASK;
	if (to == IBV_QPS_RTR)
		in.peer_qp = peer->qps[i];
	in.own = *own;
	attr = to == IBV_QPS_INIT ? ep_attr_init(&in) :
	       to == IBV_QPS_RTR  ? ep_attr_rtr(&in) :
				    ep_attr_rts(&in);
	return ep_modify(&q->ep, i, EP_WHOLE, &attr);
}

int qps_destroy(struct qps *q, uint32_t i)
{
	struct ibv_qp *qp = q->ep.qps[i];

	q->ep.qps[i] = NULL;
	return qp ? -ibv_destroy_qp(qp) : 0;
}

int qps_make(struct qps *q, uint32_t n)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < n; i++) {
		rc = qps_create(q, i);
		if (!rc)
			rc = qps_move(q, i, IBV_QPS_INIT, NULL);
	}
	q->ep.n_qps = q->ep.addr.n_qps = n;
	q->ep.connected = false;
	return rc;
}

int qps_connect(struct qps *q, const struct ep_addr *peer)
{
	return ep_activate(&q->ep, q->plan, peer, q->side);
}

/* ---- by rdma_cm */

int qps_cm_open(struct qps_cm *c, const struct dev *dev, const struct plan *plan, enum side side)
{
	*c = (struct qps_cm){ .local = { .dev = dev, .option = "" }, .plan = plan, .side = side };
	return cm_local_open(&c->local, plan_gid_index(plan, side));
}

int qps_cm_take(struct qps_cm *c, const struct rdma_cm_id *id)
{
	const struct ep_bare bare = { .needs = { .send_cqe = 1 }, .n_qps = 1 };
	int rc = cm_local_check(&c->local, id);

	if (rc || c->ep.scq)
		return rc;
	c->dev = *c->local.dev;
	c->dev.ctx = id->verbs;
	rc = ep_open_bare(&c->ep, &c->dev, c->plan, c->side, &bare);
	if (rc)
		ep_close(&c->ep);
	return rc;
}

int qps_cm_create(struct qps_cm *c, struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = c->ep.scq,
		.recv_cq = c->ep.scq,
		.qp_type = IBV_QPT_RC,
		.cap = {
			.max_send_wr = c->plan->work.depth,
			.max_recv_wr = c->plan->work.recv_depth,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};

	return rdma_create_qp(id, c->ep.domain.pd, &attr);
}

struct rdma_conn_param qps_cm_param(const struct qps_cm *c)
{
	return (struct rdma_conn_param){
		.responder_resources = 1,
		.initiator_depth = 1,
		.flow_control = 1,
		.retry_count = (uint8_t)c->plan->path.retry,
		.rnr_retry_count = (uint8_t)c->plan->path.rnr_retry,
	};
}

void qps_cm_close(struct qps_cm *c)
{
	ep_close(&c->ep);
	cm_local_close(&c->local);
}
