/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Queue pairs, from creation to destruction; see qp.h. */
#include "config.h"
#include "objects/qp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/event_pipe.h"
#include "base/hca.h"
#include "base/lock.h"
#include "base/mcast.h"
#include "base/qpn.h"
#include "limits/qp_attrs.h"
#include "limits/qp_limits.h"
#include "objects/cq.h"
#include "objects/mode.h"
#include "objects/rq.h"
#include "objects/sq.h"
#include "objects/srq.h"
#include "transport/migrate.h"
#include "transport/object.h"
#include "transport/progress.h"
#include "transport/requester.h"

/* A QP that only sends has no receive queue. */
static bool only_sends(const struct qp *qp)
{
	return qp->ib.qp_type == IBV_QPT_XRC_SEND || qp->dc == QP_DCI;
}

static bool only_receives(const struct qp *qp)
{
	return qp->ib.qp_type == IBV_QPT_XRC_RECV || qp->dc == QP_DCT;
}

static uint32_t at_least(uint32_t n, uint32_t min)
{
	return n < min ? min : n;
}

static int open_ring(struct qp *qp, struct ibv_qp_cap *cap)
{
	uint32_t slots = 1, payload;

	if (only_receives(qp)) {
		*cap = (struct ibv_qp_cap) { 0 };
		return 0;
	}
	qp->cap = at_least(cap->max_send_wr, 1);
	qp->max_sge = at_least(cap->max_send_sge, 1);
	qp->max_inline = qp->drop_inline ? 0 : cap->max_inline_data;
	payload = at_least(qp->max_sge * (uint32_t)sizeof(struct ibv_sge), qp->max_inline);
	qp->stride = (uint32_t)(sizeof(struct wqe) + ((payload + 15) & ~15u));
	while (slots < qp->cap)
		slots *= 2;
	qp->mask = slots - 1;
	qp->ring = calloc(slots + 1, qp->stride);
	if (!qp->ring)
		return -ENOMEM;
	qp->scratch = (struct wqe *)(void *)(qp->ring + (size_t)slots * qp->stride);
	cap->max_send_wr = qp->cap;
	cap->max_send_sge = qp->max_sge;
	if (profile_is_set(ctx_of(qp->ib.context)->profile))
		return 0;
	/* a slot has room for this many bytes of inline data */
	qp->max_inline = at_least(qp->max_inline, qp->stride - (uint32_t)sizeof(struct wqe));
	if (qp->max_inline > HCA_MAX_INLINE)
		qp->max_inline = HCA_MAX_INLINE;
	cap->max_inline_data = qp->max_inline;
	return 0;
}

static void set_cqs(struct shm_qp *s, const struct ibv_qp_init_attr_ex *a)
{
	const struct ibv_cq *send = a->send_cq, *recv = a->recv_cq ? a->recv_cq : a->send_cq;

	s->send_cq = send ? container_of(send, struct cq, ib)->idx : 0;
	s->recv_cq = recv ? container_of(recv, struct cq, ib)->idx : 0;
}

/* A QP without a receive queue of its own has one without slots. */
static int open_recv(const struct qp *qp, struct ibv_qp_init_attr_ex *a)
{
	struct shm_qp *s = qp->s;

	if (!a->srq && !only_sends(qp) && !only_receives(qp)) {
		a->cap.max_recv_wr = at_least(a->cap.max_recv_wr, 1);
		a->cap.max_recv_sge = at_least(a->cap.max_recv_sge, 1);
		return rq_open(&s->rq, a->cap.max_recv_wr, a->cap.max_recv_sge);
	}
	s->rq.ring = 0;
	s->rq.cap = 0;
	atomic_store(&s->rq.head, 0);
	atomic_store(&s->rq.tail, 0);
	a->cap.max_recv_wr = a->cap.max_recv_sge = 0;
	return 0;
}

/* Under hca.mutex. */
static int open_shared(struct qp *qp, struct ibv_qp_init_attr_ex *a)
{
	struct shm_qp *s = &hca.arena->qp[qp->idx];
	int rc;

	qp->s = s;
	s->type = qp->dc == QP_DCI ? (uint32_t)SHM_QPT_DCI :
		  qp->dc == QP_DCT ? (uint32_t)SHM_QPT_DCT :
				     a->qp_type;
	s->pd = qp->pd ? qp->pd->id : 0;
	s->xrcd = qp->xrcd ? qp->xrcd->id : 0;
	s->dev = ctx_of(qp->ib.context)->dev;
	set_cqs(s, a);
	s->srq = a->srq ? container_of(a->srq, struct srq, ib)->idx + 1 : 0;
	s->idx = qp->idx;
	s->id = qp->id;
	s->async_fd = ctx_of(qp->ib.context)->async_out;
	s->epoch++;
	migrate_reset(s);
	s->access = s->qkey = s->dest_qpn = s->last_wqe = 0;
	memset(&s->announce, 0, sizeof(s->announce));
	memset(&s->sent, 0, sizeof(s->sent));
	atomic_store(&s->state, IBV_QPS_RESET);
	rc = open_recv(qp, a);
	if (rc)
		return rc;
	rc = qpn_new(qp->idx, &qp->ib.qp_num);
	if (rc) {
		rq_close(&s->rq);
		return rc;
	}
	lock_take_shared(&s->lock);
	s->qpn = qp->ib.qp_num;
	lock_drop_shared(&s->lock);
	return 0;
}

/* Under hca.mutex. */
static void list_first(struct qp *qp)
{
	qp->next = hca.qps;
	qp->at = &hca.qps;
	if (qp->next)
		qp->next->at = &qp->next;
	hca.qps = qp;
}

static int pin(struct qp *qp, const struct ibv_qp_init_attr_ex *a)
{
	const uint64_t recv = (uint64_t)a->cap.max_recv_wr * (a->cap.max_recv_sge + 1);

	return qp_limits_pin(ctx_of(qp->ib.context),
			     (uint64_t)qp->stride * qp->cap + recv * sizeof(struct ibv_sge),
			     &qp->pinned);
}

static int open_all(struct qp *qp, struct ibv_qp_init_attr_ex *a)
{
	int rc = open_ring(qp, &a->cap);

	if (!rc)
		rc = pin(qp, a);
	if (rc)
		return rc;
	if (a->qp_type == IBV_QPT_UD || qp->dc == QP_DCI) {
		qp->cache = calloc(QP_DEST_CACHE, sizeof(*qp->cache));
		if (!qp->cache)
			return -ENOMEM;
	}
	qp->self = peer_get(hca.slot, hca.gen);
	if (!qp->self)
		return -ENOMEM;
	pthread_mutex_lock(&hca.mutex);
	qp->id = ++hca.next_id;
	qp->ordinal = hca.next_ordinal++;
	rc = arena_qp(&qp->idx);
	if (!rc) {
		rc = open_shared(qp, a);
		if (rc)
			arena_free_qp(qp->idx);
	}
	if (!rc) {
		hca.qp[qp->idx] = qp;
		list_first(qp);
	}
	pthread_mutex_unlock(&hca.mutex);
	return rc;
}

static void close_private(struct qp *qp)
{
	for (uint32_t i = 0; qp->cache && i < QP_DEST_CACHE; i++)
		remote_release(&qp->cache[i]);
	remote_release(&qp->dest);
	if (qp->self)
		peer_put(qp->self);
	free(qp->cache);
	free(qp->ring);
	free(qp->dv);
	qp_limits_unpin(&qp->pinned);
	free(qp);
}

static void count_refs(struct qp *qp, uint32_t by)
{
	if (qp->ib.send_cq)
		atomic_fetch_add(&container_of(qp->ib.send_cq, struct cq, ib)->refs, by);
	if (qp->ib.recv_cq)
		atomic_fetch_add(&container_of(qp->ib.recv_cq, struct cq, ib)->refs, by);
	if (qp->pd)
		atomic_fetch_add(&qp->pd->refs, by);
	if (qp->xrcd)
		atomic_fetch_add(&qp->xrcd->refs, by);
	if (qp->ib.srq)
		atomic_fetch_add(&container_of(qp->ib.srq, struct srq, ib)->refs, by);
}

/* An object that the type of the QP does not use is ignored. */
static void set_objects(struct qp *qp, struct ibv_qp_init_attr_ex *a)
{
	if (a->qp_type == IBV_QPT_XRC_RECV) {
		a->pd = NULL;
		a->send_cq = NULL;
		a->srq = NULL;
		qp->xrcd = container_of(a->xrcd, struct xrcd, ib);
	} else {
		qp->pd = container_of(a->pd, struct pd, ib);
	}
	if (qp_type_is_xrc(a->qp_type) || qp->dc == QP_DCI)
		a->recv_cq = NULL;
	if (qp->dc == QP_DCI)
		a->srq = NULL;
	qp->ib.pd = a->pd;
	qp->ib.send_cq = a->send_cq;
	qp->ib.recv_cq = a->recv_cq;
	qp->ib.srq = a->srq;
	qp->ib.qp_type = a->qp_type;
}

/* What was asked is checked and granted. */
static struct ibv_qp *create(struct ibv_context *ctx, struct ibv_qp_init_attr_ex *a,
			     const struct qp_dc_attr *dc)
{
	struct qp *qp;
	int rc;

	qp = calloc(1, ctx_of(ctx)->mode->qp_bytes);
	if (!qp) {
		errno = ENOMEM;
		return NULL;
	}
	qp->ib.context = ctx;
	qp->ib.qp_context = a->qp_context;
	qp->dc = dc->dc;
	set_objects(qp, a);
	qp_limits_rules(qp, a);
	qp->sig_all = a->sq_sig_all;
	qp->is_ex = a->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	qp->port = hca_port(hca.slot, ctx_of(ctx)->dev, 1);
	pthread_mutex_init(&qp->ib.mutex, NULL);
	pthread_cond_init(&qp->ib.cond, NULL);
	rc = open_all(qp, a);
	if (rc) {
		close_private(qp);
		errno = -rc;
		return NULL;
	}
	qp->ib.handle = qp->idx;
	qp->s->dc_key = dc->key;
	if (qp->dc == QP_DCT)
		qp->ib.qp_num = 0; /* the program learns it when the DCT goes to RTR */
	qp->attr.cap = a->cap;
	ctx_of(ctx)->mode->qp_open(qp);
	count_refs(qp, 1);
	qp_limits_wait(ctx_of(ctx)->profile->qp_create_time);
	errno = 0;
	return &qp->ib;
}

struct ibv_qp *qp_create_dc(struct ibv_context *ctx, struct ibv_qp_init_attr_ex *a,
			    const struct qp_dc_attr *dc)
{
	struct count *count = ctx_count(ctx_of(ctx));
	struct ibv_qp *qp;
	int rc = qp_attrs_check(a, dc->dc, ctx_of(ctx)->mode->has_xrc);

	if (!rc)
		rc = qp_limits_grant(ctx_of(ctx), a, dc->dc);
	if (!rc && !count_take(&count->qps, ctx_of(ctx)->profile->max_qp))
		rc = ENOMEM;
	errno = rc;
	if (rc)
		return NULL;
	qp = create(ctx, a, dc);
	if (!qp)
		count_give(&count->qps);
	return qp;
}

struct ibv_qp *qp_create(struct ibv_context *ctx, struct ibv_qp_init_attr_ex *a)
{
	return qp_create_dc(ctx, a, &(struct qp_dc_attr){ .dc = QP_NO_DC });
}

/* Without a search: programs with thousands of QPs destroy the oldest first. */
static void unlist(struct qp *qp)
{
	*qp->at = qp->next;
	if (qp->next)
		qp->next->at = qp->at;
}

/*
 * The completions of an XRC_RECV QP are in the CQs of SRQs. No thread that polls any of them still
 * looks at the QP. Under hca.mutex.
 */
static void leave_srqs(struct qp *qp)
{
	hca.qp[qp->idx] = NULL;
	for (struct cq *cq = hca.cqs; cq; cq = cq->next) {
		lock_take(&cq->lock);
		lock_drop(&cq->lock);
	}
}

/* Locks the CQs while the QP leaves the table. Under hca.mutex. */
static void leave_cqs(struct qp *qp, struct cq *a, struct cq *b)
{
	lock_take(a->idx < b->idx ? &a->lock : &b->lock);
	if (a != b)
		lock_take(a->idx < b->idx ? &b->lock : &a->lock);
	hca.qp[qp->idx] = NULL;
	if (a != b)
		lock_drop(&b->lock);
	lock_drop(&a->lock);
}

/* No thread that polls can find the QP after this. */
static void leave_table(struct qp *qp)
{
	struct ibv_cq *send = qp->ib.send_cq, *recv = qp->ib.recv_cq ? qp->ib.recv_cq : send;

	pthread_mutex_lock(&hca.mutex);
	if (send)
		leave_cqs(qp, container_of(send, struct cq, ib), container_of(recv, struct cq, ib));
	else
		leave_srqs(qp);
	unlist(qp);
	pthread_mutex_unlock(&hca.mutex);
}

int qp_destroy(struct ibv_qp *ib)
{
	struct qp *qp = container_of(ib, struct qp, ib);

	if (ib->qp_type == IBV_QPT_UD && mcast_is_member(ib->qp_num))
		return EBUSY;
	qp_limits_wait(ctx_of(ib->context)->profile->qp_destroy_time);
	count_give(&ctx_count(ctx_of(ib->context))->qps);
	qpn_free(qp->s->qpn);
	lock_take_shared(&qp->s->lock);
	atomic_store(&qp->s->state, IBV_QPS_RESET);
	qp->s->qpn = 0;
	qp->s->epoch++;
	lock_drop_shared(&qp->s->lock);
	ctx_of(ib->context)->mode->qp_close(qp);
	leave_table(qp);
	progress_cancel(qp);
	lock_take(&qp->lock);
	requester_reset(qp);
	lock_drop(&qp->lock);
	event_forget_async(ctx_async(ib->context), EVENT_OF_QP, qp->id);
	pthread_mutex_lock(&ib->mutex);
	while (ib->events_completed != qp->async_seen)
		pthread_cond_wait(&ib->cond, &ib->mutex);
	pthread_mutex_unlock(&ib->mutex);
	pthread_mutex_lock(&hca.mutex);
	rq_close(&qp->s->rq);
	arena_free_qp(qp->idx);
	pthread_mutex_unlock(&hca.mutex);
	count_refs(qp, (uint32_t)-1);
	pthread_mutex_destroy(&ib->mutex);
	pthread_cond_destroy(&ib->cond);
	close_private(qp);
	return 0;
}

int qp_attach(struct ibv_qp *qp, const union ibv_gid *gid, bool attach)
{
	/* ib_uverbs_attach_mcast(): the driver has none */
	if (!ctx_of(qp->context)->profile->max_mcast_grp)
		return EOPNOTSUPP;
	if (!qp_attrs_join(qp->qp_type, gid))
		return EINVAL;
	return -(attach ? mcast_attach(gid->raw, qp->qp_num) :
		 mcast_detach(gid->raw, qp->qp_num));
}
