/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Polling in the zero-cost mode, see null.h. An entry is a wr_id, an immediate, and a pointer to
 * what else is in it, which is the same for all of a QP. What this mode does not make itself
 * (flushed receives) is a full entry in the CQ's other ring, and comes after all of these.
 */
#include "config.h"
#include "null.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cq.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

void null_event(struct cq *cq)
{
	uint32_t id = cq->s->id;

	atomic_store_explicit(&cq->s->armed, SHM_ARM_NONE, memory_order_relaxed);
	if (write(cq->s->event_fd, &id, sizeof(id)) < 0)
		atomic_store_explicit(&cq->s->armed, SHM_ARM_ANY, memory_order_relaxed);
}

/* What peers told, and in turn one QP that may have been sent something. */
static inline void look(struct cq *cq)
{
	const struct null_cq *n = &cq->null;

	if (unlikely(atomic_load_explicit(&cq->s->news, memory_order_acquire) != n->news))
		null_news(cq);
	else if (n->qps)
		null_next(cq);
}

static inline bool is_empty(const struct null_cq *n)
{
	return n->tail == n->head;
}

/* Full entries: how many. */
static inline int poll_full(struct cq *cq, int n, struct ibv_wc *wc)
{
	const struct shm_cqe *c = &cq->ring[cq->tail & cq->mask];

	if (likely(atomic_load_explicit(&c->seq, memory_order_acquire) != cq->tail + 1))
		return 0;
	return cq_poll(&cq->ib, n, wc);
}

static inline int poll_own(struct null_cq *n, int most, struct ibv_wc *wc)
{
	const struct null_cqe *const ring = n->ring;
	const uint32_t mask = n->mask, first = n->tail, held = n->head - first;
	const uint32_t end = first + (held < (uint32_t)most ? held : (uint32_t)most);

	for (uint32_t tail = first; tail != end;) {
		const struct null_cqe *c = &ring[tail & mask];
		const struct ibv_wc *const all = c->like, like = *all;

		do {
			*wc = like;
			wc->wr_id = c->wr_id;
			wc++->imm_data = c->imm;
			c = &ring[++tail & mask];
		} while (tail != end && c->like == all);
	}
	n->tail = end;
	return (int)(end - first);
}

/* When there is nothing yet. */
static __attribute__((noinline)) int poll_long(struct cq *cq, int n, struct ibv_wc *wc)
{
	int got;

	look(cq);
	got = poll_own(&cq->null, n, wc);
	return got ? got : poll_full(cq, n, wc);
}

/* The short way: calls nothing but the long way. */
int null_poll(struct ibv_cq *ib, int n, struct ibv_wc *wc)
{
	struct cq *cq = container_of(ib, struct cq, ib);

	if (unlikely(is_empty(&cq->null)))
		return poll_long(cq, n, wc);
	return poll_own(&cq->null, n, wc);
}

int null_open_cq(struct cq *cq)
{
	cq->null.mask = cq->mask;
	cq->null.ring = calloc(cq->mask + 1, sizeof(*cq->null.ring));
	return cq->null.ring ? 0 : -ENOMEM;
}

void null_close_cq(struct cq *cq)
{
	free(cq->null.ring);
}

int null_resize_cq(struct cq *cq)
{
	const struct null_cq was = cq->null;
	int rc = null_open_cq(cq);

	if (rc) {
		cq->null = was;
		return -rc;
	}
	for (uint32_t i = was.tail; i != was.head; i++)
		cq->null.ring[i & cq->null.mask] = was.ring[i & was.mask];
	free(was.ring);
	return 0;
}

static struct cq *of(struct ibv_cq_ex *ex)
{
	return container_of(ex, struct cq, ex);
}

/* The next entry, which is as good as given back: what is read of it is kept. */
static inline int take(struct cq *cq)
{
	struct null_cq *n = &cq->null;

	if (likely(!is_empty(n))) {
		const struct null_cqe *c = &n->ring[n->tail++ & n->mask];

		n->now = c->like;
		n->imm = c->imm;
		cq->ex.wr_id = c->wr_id;
	} else if (poll_full(cq, 1, &n->plain) == 1) {
		n->now = &n->plain;
		n->imm = n->plain.imm_data;
		cq->ex.wr_id = n->plain.wr_id;
	} else {
		return ENOENT;
	}
	cq->ex.status = n->now->status;
	return 0;
}

static int start_poll(struct ibv_cq_ex *ex, struct ibv_poll_cq_attr *attr)
{
	struct cq *cq = of(ex);

	if (attr->comp_mask)
		return EINVAL;
	if (is_empty(&cq->null))
		look(cq);
	return take(cq);
}

static int next_poll(struct ibv_cq_ex *ex)
{
	return take(of(ex));
}

static void end_poll(struct ibv_cq_ex *ex)
{
	(void)ex;
}

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *ex)
{
	return of(ex)->null.now->opcode;
}

static uint32_t read_vendor_err(struct ibv_cq_ex *ex)
{
	return of(ex)->null.now->vendor_err;
}

static uint32_t read_byte_len(struct ibv_cq_ex *ex)
{
	return of(ex)->null.now->byte_len;
}

static __be32 read_imm_data(struct ibv_cq_ex *ex)
{
	return of(ex)->null.imm;
}

static uint32_t read_qp_num(struct ibv_cq_ex *ex)
{
	return of(ex)->null.now->qp_num;
}

static uint32_t read_src_qp(struct ibv_cq_ex *ex)
{
	return of(ex)->null.now->src_qp;
}

static unsigned int read_wc_flags(struct ibv_cq_ex *ex)
{
	return of(ex)->null.now->wc_flags;
}

static uint32_t read_slid(struct ibv_cq_ex *ex)
{
	(void)ex;
	return 0;
}

static uint8_t read_sl(struct ibv_cq_ex *ex)
{
	return of(ex)->null.now->sl;
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
