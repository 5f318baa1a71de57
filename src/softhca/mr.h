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
int mr_rereg(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t len, int access);
/* A free row, with its key; NULL: none. Under hca.mutex. */
struct shm_mr *mr_row(uint32_t *key);

/* mw.c */
struct ibv_mw *mw_alloc(struct ibv_pd *pd, enum ibv_mw_type type);
int mw_dealloc(struct ibv_mw *mw);
int mw_bind1(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind);
enum ibv_wc_status mw_bind(struct qp *qp, const struct wqe *wqe);
enum ibv_wc_status mw_invalidate(struct qp *qp, uint32_t key);
int mw_invalidate_remote(struct shm_arena *arena, const struct shm_qp *qp, uint32_t key);

/*
 * The region a key names and where addr is in its owner's memory; NULL unless it is of that PD,
 * holds all of [addr, addr + len) and grants all of need.
 */
static inline struct shm_mr *mr_find(struct shm_arena *arena, uint32_t key, uint32_t pd,
				     uint32_t need, uint64_t *addr, uint64_t len)
{
	struct shm_mr *mr = &arena->mr[(key >> 8) & (SHM_MRS - 1)];
	uint64_t off = *addr - mr->iova;

	if (atomic_load_explicit(&mr->key, memory_order_acquire) != key || !key || key >> 24)
		return NULL;
	if (mr->pd != pd || (mr->access & need) != need || off > mr->len || len > mr->len - off)
		return NULL;
	*addr = mr->addr + off;
	return mr;
}

#endif
