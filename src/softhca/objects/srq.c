/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Shared receive queues; see srq.h. */
#include "config.h"
#include "objects/srq.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hca.h"
#include "base/lock.h"
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
	return 0;
}

struct ibv_srq *srq_create(struct ibv_pd *ibpd, struct ibv_srq_init_attr *attr)
{
	struct pd *pd = container_of(ibpd, struct pd, ib);
	struct srq *srq;
	int rc;

	errno = EINVAL;
	if (!attr->attr.max_wr || attr->attr.max_wr > HCA_MAX_WR ||
	    attr->attr.max_sge > SHM_MAX_SGE)
		return NULL;
	srq = calloc(1, sizeof(*srq));
	if (!srq)
		return NULL;
	if (!attr->attr.max_sge)
		attr->attr.max_sge = 1;
	srq->ib.context = ibpd->context;
	srq->ib.srq_context = attr->srq_context;
	srq->ib.pd = ibpd;
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
	atomic_fetch_add(&pd->refs, 1);
	return &srq->ib;
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
	for (uint32_t i = 0; i < n; i++)
		memcpy(hca_at(hca.arena, q->ring + (uint64_t)i * q->stride),
		       hca_at(hca.arena, old.ring + (uint64_t)((tail + i) & old.mask) *
			      old.stride), q->stride);
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
	lock_take(&srq->s->lock);
	if (!rc && mask & IBV_SRQ_MAX_WR)
		rc = resize(srq, attr->max_wr);
	if (!rc && mask & IBV_SRQ_LIMIT)
		rc = set_limit(srq, attr->srq_limit);
	lock_drop(&srq->s->lock);
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

int srq_destroy(struct ibv_srq *ib)
{
	struct srq *srq = container_of(ib, struct srq, ib), **at = &hca.srqs;

	if (atomic_load(&srq->refs))
		return EBUSY;
	pthread_mutex_lock(&hca.mutex);
	while (*at != srq)
		at = &(*at)->next;
	*at = srq->next;
	pthread_mutex_unlock(&hca.mutex);
	pthread_mutex_lock(&ib->mutex);
	while (ib->events_completed != srq->async_seen)
		pthread_cond_wait(&ib->cond, &ib->mutex);
	pthread_mutex_unlock(&ib->mutex);
	pthread_mutex_lock(&hca.mutex);
	srq->s->id = 0;
	rq_close(&srq->s->rq);
	arena_free_srq(srq->idx);
	pthread_mutex_unlock(&hca.mutex);
	atomic_fetch_sub(&container_of(ib->pd, struct pd, ib)->refs, 1);
	pthread_mutex_destroy(&ib->mutex);
	pthread_cond_destroy(&ib->cond);
	free(srq);
	return 0;
}
