/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Polling in the zero-cost mode, see null.h. An entry is a wr_id, an immediate, and a pointer to
 * what else is in it, which is the same for all of a QP. Only what this mode does not make itself
 * (flushed receives) is a full entry, with no such pointer.
 */
#include "config.h"
#include "null.h"

#include <errno.h>
#include <unistd.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

void null_event(struct cq *cq)
{
	uint32_t id = cq->s->id;

	atomic_store_explicit(&cq->s->armed, SHM_ARM_NONE, memory_order_relaxed);
	if (write(cq->s->event_fd, &id, sizeof(id)) < 0)
		atomic_store_explicit(&cq->s->armed, SHM_ARM_ANY, memory_order_relaxed);
}

static __attribute__((noinline)) const struct ibv_wc *plain(struct cq *cq, const struct shm_cqe *c)
{
	cq->plain = (struct ibv_wc) {
		.status = c->status,
		.opcode = c->opcode,
		.vendor_err = c->vendor_err,
		.byte_len = c->byte_len,
		.qp_num = c->qp_num,
		.src_qp = c->src_qp,
		.wc_flags = c->flags,
		.sl = c->sl,
	};
	return &cq->plain;
}

/* What peers told, and in turn one QP that may have been sent something. */
static inline void look(struct cq *cq)
{
	if (unlikely(atomic_load_explicit(&cq->s->news, memory_order_acquire) != cq->news))
		null_news(cq);
	else if (cq->qps)
		null_next(cq);
}

static inline bool is_empty(const struct cq *cq)
{
	const struct shm_cqe *c = &cq->ring[cq->tail & cq->mask];

	return atomic_load_explicit(&c->seq, memory_order_acquire) != cq->tail + 1;
}

static inline const struct ibv_wc *like(struct cq *cq, const struct shm_cqe *c)
{
	return likely(c->like) ? (const struct ibv_wc *)(uintptr_t)c->like : plain(cq, c);
}

/* When the first is not there, or is a full one. */
static __attribute__((noinline)) int poll_long(struct cq *cq, int n, struct ibv_wc *wc)
{
	int got = 0;

	if (is_empty(cq))
		look(cq);
	for (; got < n && !is_empty(cq); got++) {
		const struct shm_cqe *c = &cq->ring[cq->tail++ & cq->mask];

		wc[got] = *like(cq, c);
		wc[got].wr_id = c->wr_id;
		wc[got].imm_data = c->imm;
	}
	atomic_store_explicit(&cq->s->tail, cq->tail, memory_order_relaxed);
	return got;
}

/* The short way: calls nothing but the long way. */
int null_poll(struct ibv_cq *ib, int n, struct ibv_wc *wc)
{
	struct cq *cq = container_of(ib, struct cq, ib);
	const struct shm_cqe *const ring = cq->ring, *c;
	const uint32_t mask = cq->mask, first = cq->tail, end = first + (uint32_t)n;
	uint32_t tail = first;

	for (; tail != end; tail++, wc++) {
		c = &ring[tail & mask];
		if (unlikely(atomic_load_explicit(&c->seq, memory_order_acquire) != tail + 1 ||
			     !c->like))
			break;
		*wc = *(const struct ibv_wc *)(uintptr_t)c->like;
		wc->wr_id = c->wr_id;
		wc->imm_data = c->imm;
	}
	if (unlikely(tail == first))
		return poll_long(cq, n, wc);
	cq->tail = tail;
	atomic_store_explicit(&cq->s->tail, tail, memory_order_relaxed);
	return (int)(tail - first);
}

static struct cq *of(struct ibv_cq_ex *ex)
{
	return container_of(ex, struct cq, ex);
}

static inline int take(struct cq *cq)
{
	struct shm_cqe *c = &cq->ring[cq->tail & cq->mask];

	cq->cur = NULL;
	if (atomic_load_explicit(&c->seq, memory_order_acquire) != cq->tail + 1)
		return ENOENT;
	cq->cur = c;
	cq->now = like(cq, c);
	cq->ex.wr_id = c->wr_id;
	cq->ex.status = cq->now->status;
	return 0;
}

static int start_poll(struct ibv_cq_ex *ex, struct ibv_poll_cq_attr *attr)
{
	struct cq *cq = of(ex);

	if (attr->comp_mask)
		return EINVAL;
	if (is_empty(cq))
		look(cq);
	return take(cq);
}

static int next_poll(struct ibv_cq_ex *ex)
{
	struct cq *cq = of(ex);

	cq->tail++;
	return take(cq);
}

static void end_poll(struct ibv_cq_ex *ex)
{
	struct cq *cq = of(ex);

	cq->tail += cq->cur != NULL;
	cq->cur = NULL;
	atomic_store_explicit(&cq->s->tail, cq->tail, memory_order_relaxed);
}

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *ex)
{
	return of(ex)->now->opcode;
}

static uint32_t read_vendor_err(struct ibv_cq_ex *ex)
{
	return of(ex)->now->vendor_err;
}

static uint32_t read_byte_len(struct ibv_cq_ex *ex)
{
	return of(ex)->now->byte_len;
}

static __be32 read_imm_data(struct ibv_cq_ex *ex)
{
	return of(ex)->cur->imm;
}

static uint32_t read_qp_num(struct ibv_cq_ex *ex)
{
	return of(ex)->now->qp_num;
}

static uint32_t read_src_qp(struct ibv_cq_ex *ex)
{
	return of(ex)->now->src_qp;
}

static unsigned int read_wc_flags(struct ibv_cq_ex *ex)
{
	return of(ex)->now->wc_flags;
}

static uint32_t read_slid(struct ibv_cq_ex *ex)
{
	(void)ex;
	return 0;
}

static uint8_t read_sl(struct ibv_cq_ex *ex)
{
	return of(ex)->now->sl;
}

static uint8_t read_dlid_path_bits(struct ibv_cq_ex *ex)
{
	(void)ex;
	return 0;
}

void null_fill_cq(struct ibv_cq_ex *ex)
{
	ex->start_poll = start_poll;
	ex->next_poll = next_poll;
	ex->end_poll = end_poll;
	ex->read_opcode = read_opcode;
	ex->read_vendor_err = read_vendor_err;
	ex->read_byte_len = read_byte_len;
	ex->read_imm_data = read_imm_data;
	ex->read_qp_num = read_qp_num;
	ex->read_src_qp = read_src_qp;
	ex->read_wc_flags = read_wc_flags;
	ex->read_slid = read_slid;
	ex->read_sl = read_sl;
	ex->read_dlid_path_bits = read_dlid_path_bits;
}
