/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Shared receive queues; see srq.h. */
#include "config.h"
#include "objects/srq.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/event_pipe.h"
#include "base/hca.h"
#include "base/lock.h"
#include "objects/cq.h"
#include "objects/rq.h"
#include "transport/fault.h"

int srq_post(struct ibv_srq *ib, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct srq *srq = container_of(ib, struct srq, ib);
	int rc = fault_post(ctx_of(ib->context));

	lock_take(&srq->lock);
	for (; !rc && wr; wr = wr->next) {
		rc = rq_push(&srq->s->rq, wr);
		if (rc)
			break;
	}
	lock_drop(&srq->lock);
	if (rc)
		*bad = wr;
	return rc;
}

/* The index is in the number, so that a peer finds the SRQ. Under hca.mutex. */
static void open_xrc(struct srq *srq)
{
	srq->s->xrcd = srq->xrcd ? srq->xrcd->id : 0;
	srq->s->cq = srq->cq ? srq->cq->idx : 0;
	if (srq->xrcd)
		atomic_store(&srq->s->num, (hca.next_srqn++ % 0xfff + 1) * SHM_SRQS + srq->idx);
}

static int open_shared(struct srq *srq, const struct ibv_srq_attr *attr, uint32_t pd)
{
	int rc = arena_srq(&srq->idx);

	if (rc)
		return rc;
	srq->s = &hca.arena->srq[srq->idx];
	rc = rq_open(&srq->s->rq, attr->max_wr, attr->max_sge);
	if (rc) {
		arena_free_srq(srq->idx);
		return rc;
	}
	srq->s->pd = pd;
	srq->s->limit = 0;
	srq->s->async_fd = ctx_of(srq->ib.context)->async_out;
	srq->s->id = srq->id;
	open_xrc(srq);
	return 0;
}

static void count_refs(struct srq *srq, uint32_t by)
{
	atomic_fetch_add(&container_of(srq->ib.pd, struct pd, ib)->refs, by);
	if (srq->xrcd)
		atomic_fetch_add(&srq->xrcd->refs, by);
	if (srq->cq)
		atomic_fetch_add(&srq->cq->refs, by);
}

/* All fields of *attr are valid; xrcd and cq are NULL if it is no XRC SRQ. */
static struct ibv_srq *create(struct ibv_srq_init_attr_ex *attr)
{
	const struct profile *p = ctx_of(attr->pd->context)->profile;
	struct pd *pd = container_of(attr->pd, struct pd, ib);
	struct srq *srq;
	int rc;

	errno = p->srq ? EINVAL : EOPNOTSUPP;
	if (!p->srq)
		return NULL;
	if (!attr->attr.max_wr || attr->attr.max_wr > p->max_srq_wr ||
	    attr->attr.max_sge > p->max_srq_sge)
		return NULL;
	srq = calloc(1, sizeof(*srq));
	if (!srq)
		return NULL;
	if (!attr->attr.max_sge)
		attr->attr.max_sge = 1;
	srq->ib.context = attr->pd->context;
	srq->ib.srq_context = attr->srq_context;
	srq->ib.pd = attr->pd;
	srq->xrcd = attr->xrcd ? container_of(attr->xrcd, struct xrcd, ib) : NULL;
	srq->cq = attr->cq ? container_of(attr->cq, struct cq, ib) : NULL;
	pthread_mutex_init(&srq->ib.mutex, NULL);
	pthread_cond_init(&srq->ib.cond, NULL);
	pthread_mutex_lock(&hca.mutex);
	srq->id = ++hca.next_id;
	rc = open_shared(srq, &attr->attr, pd->id);
	if (!rc) {
		srq->next = hca.srqs;
		hca.srqs = srq;
	}
	pthread_mutex_unlock(&hca.mutex);
	if (rc) {
		free(srq);
		errno = -rc;
		return NULL;
	}
	srq->ib.handle = srq->idx;
	count_refs(srq, 1);
	return &srq->ib;
}

struct ibv_srq *srq_create(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	struct ibv_srq_init_attr_ex ex = {
		.srq_context = attr->srq_context, .attr = attr->attr, .pd = pd,
	};
	struct ibv_srq *srq = create(&ex);

	if (srq)
		attr->attr = ex.attr;
	return srq;
}

/* libibverbs calls ibv_create_srq(3) for the other types. */
struct ibv_srq *srq_create_ex(struct ibv_context *ctx, struct ibv_srq_init_attr_ex *attr)
{
	const uint32_t all = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;

	(void)ctx;
	errno = EOPNOTSUPP;
	if (attr->comp_mask & ~all || !(attr->comp_mask & IBV_SRQ_INIT_ATTR_TYPE) ||
	    attr->srq_type != IBV_SRQT_XRC)
		return NULL;
	errno = EINVAL;
	if (attr->comp_mask != all || !attr->pd || !attr->xrcd || !attr->cq)
		return NULL;
	return create(attr);
}

int srq_get_num(struct ibv_srq *ib, uint32_t *num)
{
	const struct srq *srq = container_of(ib, struct srq, ib);

	/* mlx5_get_srq_num() of libmlx5 has one of each SRQ, and perftest asks for it over DC */
	if (!srq->xrcd && !hca_settings()->mlx5dv)
		return EOPNOTSUPP;
	*num = srq->xrcd ? atomic_load(&srq->s->num) : srq->idx + 1;
	return 0;
}

/* The receives move to a ring of another size. Under all locks. */
static int resize(struct srq *srq, uint32_t max_wr)
{
	struct shm_ring *q = &srq->s->rq, old = *q;
	uint32_t tail = atomic_load(&old.tail), n = atomic_load(&old.head) - tail;
	int rc;

	if (!max_wr || max_wr > HCA_MAX_WR || n > max_wr)
		return EINVAL;
	rc = rq_open(q, max_wr, old.max_sge);
	if (rc) {
		*q = old;
		return -rc;
	}
	for (uint32_t i = 0; i < n; i++) {
		void *to = hca_in(hca.arena, q->ring + (uint64_t)i * old.stride, old.stride);
		const void *from = hca_in(hca.arena, old.ring +
					  (uint64_t)((tail + i) & old.mask) * old.stride,
					  old.stride);

		if (to && from)
			memcpy(to, from, old.stride);
	}
	atomic_store(&q->head, n);
	rq_close(&old);
	return 0;
}

static int set_limit(struct srq *srq, uint32_t limit)
{
	if (limit >= srq->s->rq.cap)
		return EINVAL;
	srq->s->limit = limit;
	return 0;
}

int srq_modify(struct ibv_srq *ib, struct ibv_srq_attr *attr, int mask)
{
	struct srq *srq = container_of(ib, struct srq, ib);
	int rc = mask & ~(IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT) ? EINVAL : 0;

	pthread_mutex_lock(&hca.mutex);
	lock_take(&srq->lock);
	lock_take_shared(&srq->s->lock);
	if (!rc && mask & IBV_SRQ_MAX_WR)
		rc = resize(srq, attr->max_wr);
	if (!rc && mask & IBV_SRQ_LIMIT)
		rc = set_limit(srq, attr->srq_limit);
	lock_drop_shared(&srq->s->lock);
	lock_drop(&srq->lock);
	pthread_mutex_unlock(&hca.mutex);
	return rc;
}

int srq_query(struct ibv_srq *ib, struct ibv_srq_attr *attr)
{
	const struct srq *srq = container_of(ib, struct srq, ib);

	attr->max_wr = srq->s->rq.cap;
	attr->max_sge = srq->s->rq.max_sge;
	attr->srq_limit = srq->s->limit;
	return 0;
}

/*
 * No message finds the XRC SRQ after this. A peer that works on a message for it holds the lock of
 * an XRC_RECV QP. Under hca.mutex.
 */
static void retire_xrc(struct srq *srq)
{
	lock_take_shared(&srq->s->lock);
	atomic_store(&srq->s->num, 0);
	lock_drop_shared(&srq->s->lock);
	for (struct qp *qp = hca.qps; qp; qp = qp->next) {
		if (qp->ib.qp_type != IBV_QPT_XRC_RECV)
			continue;
		lock_take_shared(&qp->s->lock);
		lock_drop_shared(&qp->s->lock);
	}
}

int srq_destroy(struct ibv_srq *ib)
{
	struct srq *srq = container_of(ib, struct srq, ib), **at = &hca.srqs;

	if (atomic_load(&srq->refs))
		return EBUSY;
	pthread_mutex_lock(&hca.mutex);
	while (*at != srq)
		at = &(*at)->next;
	*at = srq->next;
	if (srq->xrcd)
		retire_xrc(srq);
	pthread_mutex_unlock(&hca.mutex);
	event_forget_async(ctx_async(ib->context), EVENT_OF_SRQ, srq->id);
	pthread_mutex_lock(&ib->mutex);
	while (ib->events_completed != srq->async_seen)
		pthread_cond_wait(&ib->cond, &ib->mutex);
	pthread_mutex_unlock(&ib->mutex);
	pthread_mutex_lock(&hca.mutex);
	srq->s->id = 0;
	rq_close(&srq->s->rq);
	arena_free_srq(srq->idx);
	pthread_mutex_unlock(&hca.mutex);
	count_refs(srq, (uint32_t)-1);
	pthread_mutex_destroy(&ib->mutex);
	pthread_cond_destroy(&ib->cond);
	free(srq);
	return 0;
}
