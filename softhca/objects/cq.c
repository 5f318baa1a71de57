/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Completion queues; see cq.h. */
#include "config.h"
#include "objects/cq.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/event_pipe.h"
#include "base/hca.h"
#include "base/lock.h"
#include "limits/qp_limits.h"
#include "objects/mode.h"
#include "record/record.h"
#include "transport/object.h"
#include "transport/progress.h"
#include "transport/requester.h"

static uint32_t pow2(uint32_t n)
{
	uint32_t p = 1;

	while (p < n)
		p *= 2;
	return p;
}

/* Not if a process that lost the lock may still write to it. */
static void free_ring(const struct cq *cq)
{
	if (!lock_is_spoilt(&cq->s->lock))
		arena_free(cq->s->ring, (uint64_t)(cq->mask + 1) * sizeof(struct shm_cqe));
}

static void close_shared(struct cq *cq)
{
	free_ring(cq);
	arena_free_cq(cq->idx);
}

static int open_shared(struct cq *cq, struct ibv_comp_channel *channel, uint32_t cap)
{
	struct shm_cq *s;
	uint64_t ring;
	int rc = arena_cq(&cq->idx);

	if (rc)
		return rc;
	cq->mask = pow2(cap) - 1;
	rc = arena_alloc((uint64_t)(cq->mask + 1) * sizeof(struct shm_cqe), &ring);
	if (rc) {
		arena_free_cq(cq->idx);
		return rc;
	}
	s = &hca.arena->cq[cq->idx];
	s->ring = ring;
	s->mask = cq->mask;
	s->cap = cap;
	s->head = 0;
	s->overrun = 0;
	s->dev = (uint16_t)ctx_of(cq->ib.context)->dev;
	s->vector = cq->vector;
	atomic_store(&s->announced, 0);
	atomic_store(&s->tail, 0);
	atomic_store(&s->armed, SHM_ARM_NONE);
	s->event_fd = channel ? container_of(channel, struct comp_channel, ib)->write_fd : -1;
	s->async_fd = ctx_of(cq->ib.context)->async_out;
	s->id = cq->id;
	cq->s = s;
	cq->ring = hca_at(hca.arena, ring);
	return 0;
}

static int open_all(struct cq *cq, struct ibv_comp_channel *channel, uint32_t cap)
{
	int rc = open_shared(cq, channel, cap);

	if (rc)
		return rc;
	rc = ctx_of(cq->ib.context)->mode->cq_open(cq);
	if (rc)
		close_shared(cq);
	return rc;
}

/* Under hca.mutex. */
static void list_first(struct cq *cq)
{
	cq->next = hca.cqs;
	cq->at = &hca.cqs;
	if (cq->next)
		cq->next->at = &cq->next;
	hca.cqs = cq;
}

/* Without a search: programs with thousands of CQs destroy the oldest first. Under hca.mutex. */
static void unlist(struct cq *cq)
{
	*cq->at = cq->next;
	if (cq->next)
		cq->next->at = cq->at;
}

static struct ibv_cq *create(struct ibv_context *ctx, const struct ibv_cq_init_attr_ex *attr)
{
	struct cq *cq;
	int rc;

	errno = EINVAL;
	if (!attr->cqe || attr->cqe > ctx_of(ctx)->profile->max_cqe ||
	    attr->comp_vector >= (uint32_t)ctx->num_comp_vectors)
		return NULL;
	cq = calloc(1, ctx_of(ctx)->mode->cq_bytes);
	if (!cq)
		return NULL;
	cq->ib.context = ctx;
	cq->ib.channel = attr->channel;
	cq->ib.cq_context = attr->cq_context;
	cq->ib.cqe = (int)attr->cqe;
	cq->vector = (uint16_t)attr->comp_vector;
	rc = qp_limits_pin(ctx_of(ctx), attr->cqe * (uint64_t)sizeof(struct shm_cqe), &cq->pinned);
	if (rc) {
		free(cq);
		errno = -rc;
		return NULL;
	}
	cq->single = attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS &&
		     attr->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED;
	pthread_mutex_init(&cq->ib.mutex, NULL);
	pthread_cond_init(&cq->ib.cond, NULL);
	pthread_mutex_lock(&hca.mutex);
	cq->id = ++hca.next_id;
	rc = open_all(cq, attr->channel, attr->cqe);
	if (!rc) {
		list_first(cq);
	}
	pthread_mutex_unlock(&hca.mutex);
	if (rc) {
		qp_limits_unpin(&cq->pinned);
		free(cq);
		errno = -rc;
		return NULL;
	}
	cq->ib.handle = cq->idx;
	ctx_hold(ctx);
	if (attr->channel)
		attr->channel->refcnt++;
	errno = 0;
	return &cq->ib;
}

struct ibv_cq *cq_create(struct ibv_context *ctx, const struct ibv_cq_init_attr_ex *attr)
{
	struct count *count = ctx_count(ctx_of(ctx));
	struct ibv_cq *cq;

	errno = ENOMEM;
	if (!count_take(&count->cqs, ctx_of(ctx)->profile->max_cq))
		return NULL;
	cq = create(ctx, attr);
	if (!cq)
		count_give(&count->cqs);
	return cq;
}

struct cq *cq_by_id(uint32_t id)
{
	struct cq *cq = hca.cqs;

	while (cq && cq->id != id)
		cq = cq->next;
	return cq;
}

static struct event_pipe channel_pipe(struct ibv_comp_channel *ib)
{
	return (struct event_pipe){
		.in = ib->fd,
		.out = container_of(ib, struct comp_channel, ib)->write_fd,
	};
}

int cq_destroy(struct ibv_cq *ib)
{
	struct cq *cq = container_of(ib, struct cq, ib);

	if (atomic_load(&cq->refs))
		return EBUSY;
	pthread_mutex_lock(&hca.mutex);
	unlist(cq);
	pthread_mutex_unlock(&hca.mutex);
	event_forget_async(ctx_async(ib->context), EVENT_OF_CQ, cq->id);
	if (ib->channel)
		event_forget_cq(channel_pipe(ib->channel), cq->id);
	/* ibv_get_cq_event(3): wait until the program has acknowledged all events that it got */
	pthread_mutex_lock(&ib->mutex);
	while (ib->comp_events_completed != cq->comp_seen ||
	       ib->async_events_completed != cq->async_seen)
		pthread_cond_wait(&ib->cond, &ib->mutex);
	pthread_mutex_unlock(&ib->mutex);
	lock_take_shared(&cq->s->lock);
	cq->s->id = 0;
	lock_drop_shared(&cq->s->lock);
	pthread_mutex_lock(&hca.mutex);
	close_shared(cq);
	pthread_mutex_unlock(&hca.mutex);
	ctx_of(ib->context)->mode->cq_close(cq);
	if (ib->channel) {
		ib->channel->refcnt--;
		progress_disarmed();
	}
	count_give(&ctx_count(ctx_of(ib->context))->cqs);
	pthread_mutex_destroy(&ib->mutex);
	pthread_cond_destroy(&ib->cond);
	qp_limits_unpin(&cq->pinned);
	ctx_drop(ib->context);
	free(cq);
	return 0;
}

/* Under all locks. The entries move to a ring of another size and keep their sequence numbers. */
static int move(struct cq *cq, uint32_t cap)
{
	uint32_t mask = pow2(cap) - 1, head = cq->s->head, held = head - cq->tail;
	struct shm_cqe *ring;
	uint64_t off;
	int rc;

	if (held > cap)
		return EINVAL;
	rc = arena_alloc((uint64_t)(mask + 1) * sizeof(*ring), &off);
	if (rc)
		return -rc;
	ring = hca_at(hca.arena, off);
	for (uint32_t i = cq->tail; i != head; i++)
		memcpy(&ring[i & mask], &cq->ring[i & cq->mask], sizeof(*ring));
	free_ring(cq);
	cq->s->ring = off;
	cq->s->mask = mask;
	cq->s->cap = cap;
	cq->ring = ring;
	cq->mask = mask;
	return 0;
}

int cq_resize(struct ibv_cq *ib, int cqe)
{
	struct cq *cq = container_of(ib, struct cq, ib);
	int rc;

	if (!ctx_of(ib->context)->profile->resize_cq)
		return EOPNOTSUPP;
	if (cqe <= 0 || (uint64_t)cqe > ctx_of(ib->context)->profile->max_cqe)
		return EINVAL;
	pthread_mutex_lock(&hca.mutex); /* before the other locks, as in requester_check_errors() */
	lock_take(&cq->lock);
	lock_take_shared(&cq->s->lock);
	rc = move(cq, (uint32_t)cqe);
	if (!rc)
		rc = -ctx_of(ib->context)->mode->cq_resize(cq);
	lock_drop_shared(&cq->s->lock);
	if (!rc)
		ib->cqe = cqe;
	lock_drop(&cq->lock);
	pthread_mutex_unlock(&hca.mutex);
	return rc;
}

int cq_notify(struct ibv_cq *ib, int solicited_only)
{
	struct cq *cq = container_of(ib, struct cq, ib);
	uint32_t want = solicited_only ? SHM_ARM_SOLICITED : SHM_ARM_ANY, old;

	if (!ib->channel)
		return EINVAL;
	/*
	 * ibv_req_notify_cq(3): a request for solicited events does not replace a request for all
	 */
	old = atomic_load(&cq->s->armed);
	while (old < want && !atomic_compare_exchange_weak(&cq->s->armed, &old, want))
		continue;
	atomic_thread_fence(memory_order_seq_cst);
	progress_sleep();
	return 0;
}

/* Completions of a QP that was reset or destroyed are dropped, as real providers do. */
static bool is_stale(const struct shm_cqe *c)
{
	struct qp *qp = hca.qp[c->qp_idx % SHM_QPS];

	return !qp || qp->s->epoch != c->epoch;
}

struct shm_cqe *cq_peek(struct cq *cq)
{
	for (;;) {
		struct shm_cqe *c = &cq->ring[cq->tail & cq->mask];

		if (atomic_load_explicit(&c->seq, memory_order_acquire) != cq->tail + 1)
			return NULL;
		if (!is_stale(c))
			return c;
		cq->tail++;
		atomic_store_explicit(&cq->s->tail, cq->tail, memory_order_release);
	}
}

void cq_pop(struct cq *cq, const struct shm_cqe *c)
{
	struct qp *qp = hca.qp[c->qp_idx % SHM_QPS];

	if (c->opcode & IBV_WC_RECV)
		record_polled(c->qp_num, c->byte_len);
	else if (qp)
		atomic_store_explicit(&qp->polled, c->sq_idx + 1, memory_order_release);
	cq->tail++;
	atomic_store_explicit(&cq->s->tail, cq->tail, memory_order_release);
}

static void to_wc(const struct shm_cqe *c, struct ibv_wc *wc)
{
	wc->wr_id = c->wr_id;
	wc->status = c->status;
	wc->opcode = c->opcode;
	wc->vendor_err = c->vendor_err;
	wc->byte_len = c->byte_len;
	wc->imm_data = c->imm;
	wc->qp_num = c->qp_num;
	wc->src_qp = c->src_qp;
	wc->wc_flags = c->flags;
	wc->pkey_index = 0;
	wc->slid = c->slid;
	wc->sl = c->sl;
	wc->dlid_path_bits = 0;
}

int cq_poll(struct ibv_cq *ib, int n, struct ibv_wc *wc)
{
	struct cq *cq = container_of(ib, struct cq, ib);
	int got = 0;

	progress_poll();
	requester_poll();
	if (!cq->single)
		lock_take(&cq->lock);
	while (got < n) {
		struct shm_cqe *c = cq_peek(cq);

		if (!c)
			break;
		to_wc(c, &wc[got++]);
		cq_pop(cq, c);
	}
	if (!cq->single)
		lock_drop(&cq->lock);
	if (!got)
		progress_empty();
	return got;
}
