/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Memory windows as the target of requests; see window.h. */
#include "config.h"
#include "transport/window.h"

#include <errno.h>

#include "transport/key.h"

/* Local write gives a window nothing, but mlx5 takes it (providers/mlx5/qp.c), so programs ask. */
#define MW_ACCESS                                                                           \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |        \
	 IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_ZERO_BASED)

void window_unbind(struct shm_arena *arena, struct shm_mr *s)
{
	uint32_t parent = s->parent;

	s->parent = 0;
	s->access = 0;
	s->len = 0;
	s->qpn = 0;
	if (parent)
		atomic_fetch_sub(&arena->mr[(parent >> 8) & (SHM_MRS - 1)].windows, 1);
}

static bool may_bind(const struct qp *qp, const struct mw *mw, const struct wqe *w)
{
	struct key_span span = { .addr = w->raddr, .len = w->bind_len };
	const struct shm_mr *mr;

	if (mw->s->pd != qp->s->pd || w->bind_access & ~(uint32_t)MW_ACCESS)
		return false;
	if (mw->ib.type == IBV_MW_TYPE_2 && mw->s->parent)
		return false; /* a type 2 window must be invalidated first */
	if (!w->bind_len)
		return mw->ib.type == IBV_MW_TYPE_1;
	if (!w->bind.mr)
		return false;
	mr = key_find(hca.arena, w->bind.mr->lkey, qp->s->pd, IBV_ACCESS_MW_BIND, &span);
	if (!mr || mr->type != SHM_MR || mr->access & IBV_ACCESS_ZERO_BASED)
		return false;
	return !(w->bind_access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)) ||
	       mr->access & IBV_ACCESS_LOCAL_WRITE;
}

enum ibv_wc_status window_bind(struct qp *qp, const struct wqe *w)
{
	struct mw *mw = w->bind.mw;
	struct key_span span = { .addr = w->raddr, .len = w->bind_len };
	struct shm_mr *s = mw->s, *mr;

	if (!may_bind(qp, mw, w))
		return IBV_WC_MW_BIND_ERR;
	atomic_store(&s->key, 0);
	window_unbind(hca.arena, s);
	if (w->bind_len) {
		mr = key_find(hca.arena, w->bind.mr->lkey, qp->s->pd, 0, &span);
		if (!mr)
			return IBV_WC_MW_BIND_ERR;
		s->addr = span.addr;
		s->iova = w->bind_access & IBV_ACCESS_ZERO_BASED ? 0 : w->raddr;
		s->len = w->bind_len;
		s->access = w->bind_access;
		s->kind = mr->kind;
		s->parent = w->bind.mr->lkey;
		s->qpn = mw->ib.type == IBV_MW_TYPE_2 ? qp->ib.qp_num : 0;
		atomic_fetch_add(&mr->windows, 1);
	}
	atomic_store_explicit(&s->key, w->rkey, memory_order_release);
	return IBV_WC_SUCCESS;
}

static struct shm_mr *bound2(struct shm_arena *arena, const struct shm_qp *qp, uint32_t key)
{
	struct shm_mr *s = &arena->mr[(key >> 8) & (SHM_MRS - 1)];

	if (!key || key >> 24 || atomic_load(&s->key) != key || s->type != SHM_MW2 ||
	    s->pd != qp->pd || s->qpn != qp->qpn)
		return NULL;
	return s;
}

int window_invalidate_remote(struct shm_arena *arena, const struct shm_qp *qp, uint32_t key)
{
	struct shm_mr *s = bound2(arena, qp, key);

	if (!s)
		return -EINVAL;
	window_unbind(arena, s);
	return 0;
}

enum ibv_wc_status window_invalidate(struct qp *qp, uint32_t key)
{
	int rc = window_invalidate_remote(hca.arena, qp->s, key);

	return rc ? IBV_WC_MW_BIND_ERR : IBV_WC_SUCCESS;
}
