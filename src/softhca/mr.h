/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Memory regions and windows. Every key of a process is a row of its arena's table, which peers
 * read at each access; the rows are written by the owner alone (windows: also by a remote
 * invalidate).
 */
#ifndef MR_H
#define MR_H

#include "hca.h"

struct ibv_mr *mr_reg(struct ibv_pd *pd, void *addr, size_t len, uint64_t iova,
		      unsigned int access);
int mr_dereg(struct ibv_mr *mr);

/* What ibv_rereg_mr(3) is asked for; flags, IBV_REREG_MR_CHANGE_*, say what else counts. */
struct mr_change {
	int flags, access;
	struct ibv_pd *pd;
	void *addr;
	size_t len;
};

/* 0, or IBV_REREG_MR_ERR_INPUT with errno: the region is as it was. */
int mr_rereg(struct ibv_mr *mr, const struct mr_change *change);

/* A free row, with its key; NULL: none. Under hca.mutex. */
struct shm_mr *mr_row(uint32_t *key);

/* mw.c */
struct ibv_mw *mw_alloc(struct ibv_pd *pd, enum ibv_mw_type type);
int mw_dealloc(struct ibv_mw *mw);
int mw_bind1(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind);
enum ibv_wc_status mw_bind(struct qp *qp, const struct wqe *wqe);
enum ibv_wc_status mw_invalidate(struct qp *qp, uint32_t key);
int mw_invalidate_remote(struct shm_arena *arena, const struct shm_qp *qp, uint32_t key);

/* Bytes that a request names. */
struct mr_span {
	uint64_t addr, len;
};

/*
 * The region a key names; NULL unless it is of that PD, holds all of the span and grants all of
 * need (IBV_ACCESS_*). The span's address becomes that in the memory of the arena's owner.
 */
static inline struct shm_mr *mr_find(struct shm_arena *arena, uint32_t key, uint32_t pd,
				     uint32_t need, struct mr_span *span)
{
	struct shm_mr *mr = &arena->mr[(key >> 8) & (SHM_MRS - 1)];
	uint64_t off = span->addr - mr->iova;

	if (atomic_load_explicit(&mr->key, memory_order_acquire) != key || !key || key >> 24)
		return NULL;
	if (mr->pd != pd || (mr->access & need) != need || off > mr->len ||
	    span->len > mr->len - off)
		return NULL;
	span->addr = mr->addr + off;
	return mr;
}

#endif
