/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Polling in the zero-cost mode; see null.h. An entry has a wr_id, an immediate, and a pointer to a
 * template of its other fields. Entries that this mode does not make (flushed receives) are in the
 * ring of struct cq, and are polled after all others.
 */
#include "config.h"
#include "null/null.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

void null_event(struct null_cq *cq)
{
	struct shm_cq *s = cq->cq.s;
	uint32_t id = s->id;

	atomic_store_explicit(&s->armed, SHM_ARM_NONE, memory_order_relaxed);
	if (write(s->event_fd, &id, sizeof(id)) < 0)
		atomic_store_explicit(&s->armed, SHM_ARM_ANY, memory_order_relaxed);
}

/* Handles announcements; else checks one QP, round-robin. */
static inline void check(struct null_cq *cq)
{
	const uint32_t announced = atomic_load_explicit(&cq->cq.s->announced, memory_order_acquire);

	if (unlikely(announced != cq->announced))
		null_check_announced(cq);
	else if (cq->qps)
		null_check_next(cq);
}

static inline bool is_empty(const struct null_cq *n)
{
	return n->tail == n->head;
}

/* Polls the ring of struct cq. */
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
		const struct ibv_wc *const all = c->template, like = *all;

		do {
			*wc = like;
			wc->wr_id = c->wr_id;
			wc++->imm_data = c->imm;
			c = &ring[++tail & mask];
		} while (tail != end && c->template == all);
	}
	n->tail = end;
	return (int)(end - first);
}

/* The CQ is empty. */
static __attribute__((noinline)) int poll_slow(struct null_cq *cq, int n, struct ibv_wc *wc)
{
	int got;

	check(cq);
	got = poll_own(cq, n, wc);
	return got ? got : poll_full(&cq->cq, n, wc);
}

/* The fast path. Its only call is the slow path. */
int null_poll(struct ibv_cq *ib, int n, struct ibv_wc *wc)
{
	struct null_cq *cq = null_cq_of(ib);

	if (unlikely(is_empty(cq)))
		return poll_slow(cq, n, wc);
	return poll_own(cq, n, wc);
}

static struct null_cq *of(struct ibv_cq_ex *ex)
{
	return container_of(ex, struct null_cq, cq.ex);
}

/* Takes the next entry. It is freed at once: its fields are copied. */
static inline int take(struct null_cq *n)
{
	if (likely(!is_empty(n))) {
		const struct null_cqe *c = &n->ring[n->tail++ & n->mask];

		n->now = c->template;
		n->imm = c->imm;
		n->cq.ex.wr_id = c->wr_id;
	} else if (poll_full(&n->cq, 1, &n->full) == 1) {
		n->now = &n->full;
		n->imm = n->full.imm_data;
		n->cq.ex.wr_id = n->full.wr_id;
	} else {
		return ENOENT;
	}
	n->cq.ex.status = n->now->status;
	return 0;
}

static int start_poll(struct ibv_cq_ex *ex, struct ibv_poll_cq_attr *attr)
{
	struct null_cq *cq = of(ex);

	if (attr->comp_mask)
		return EINVAL;
	if (is_empty(cq))
		check(cq);
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
	return of(ex)->imm;
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

static void fill(struct ibv_cq_ex *ex)
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

static struct null_cq *null_of(struct cq *cq)
{
	return container_of(cq, struct null_cq, cq);
}

static int open_ring(struct null_cq *n)
{
	n->mask = n->cq.mask;
	n->ring = calloc(n->cq.mask + 1, sizeof(*n->ring));
	return n->ring ? 0 : -ENOMEM;
}

int null_cq_open(struct cq *cq)
{
	fill(&cq->ex);
	return open_ring(null_of(cq));
}

void null_cq_close(struct cq *cq)
{
	free(null_of(cq)->ring);
}

int null_cq_resize(struct cq *cq)
{
	struct null_cq *n = null_of(cq);
	struct null_cqe *const ring = n->ring;
	const uint32_t mask = n->mask;
	int rc = open_ring(n);

	if (rc) {
		n->ring = ring;
		n->mask = mask;
		return rc;
	}
	for (uint32_t i = n->tail; i != n->head; i++)
		n->ring[i & n->mask] = ring[i & mask];
	free(ring);
	return 0;
}
