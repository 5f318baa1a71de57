/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Memory windows. Type 1 is bound by ibv_bind_mw, gets a new key each time and belongs to the PD;
 * type 2 (2B) is bound by a work request under a key the program chooses and belongs to the QP it
 * was bound on (IBA vol. 1, 10.6.7).
 */
#include "config.h"
#include "mr.h"

#include <errno.h>
#include <stdlib.h>

#include "sq.h"

#define MW_ACCESS                                                                           \
	(IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |      \
	 IBV_ACCESS_ZERO_BASED)

struct ibv_mw *mw_alloc(struct ibv_pd *ibpd, enum ibv_mw_type type)
{
	struct pd *pd = container_of(ibpd, struct pd, ib);
	struct mw *mw;
	uint32_t key;

	errno = EINVAL;
	if (type != IBV_MW_TYPE_1 && type != IBV_MW_TYPE_2)
		return NULL;
	mw = calloc(1, sizeof(*mw));
	if (!mw)
		return NULL;
	pthread_mutex_lock(&hca.mutex);
	mw->s = mr_row(&key);
	if (mw->s) {
		mw->s->pd = pd->id;
		mw->s->len = 0;
		mw->s->access = 0;
		mw->s->type = type == IBV_MW_TYPE_1 ? SHM_MW1 : SHM_MW2;
		mw->s->parent = 0;
		mw->s->qpn = 0;
		atomic_store(&mw->s->key, key);
	}
	pthread_mutex_unlock(&hca.mutex);
	if (!mw->s) {
		free(mw);
		errno = ENOMEM;
		return NULL;
	}
	mw->ib = (struct ibv_mw) {
		.context = ibpd->context,
		.pd = ibpd,
		.rkey = key,
		.handle = key >> 8,
		.type = type,
	};
	atomic_fetch_add(&pd->refs, 1);
	return &mw->ib;
}

/* The window shows nothing any more; its region may go. */
static void unbind(struct shm_arena *arena, struct shm_mr *s)
{
	uint32_t parent = s->parent;

	s->parent = 0;
	s->access = 0;
	s->len = 0;
	s->qpn = 0;
	if (parent)
		atomic_fetch_sub(&arena->mr[parent >> 8].windows, 1);
}

int mw_dealloc(struct ibv_mw *ib)
{
	struct mw *mw = container_of(ib, struct mw, ib);

	atomic_store(&mw->s->key, 0);
	unbind(hca.arena, mw->s);
	atomic_fetch_sub(&container_of(ib->pd, struct pd, ib)->refs, 1);
	free(mw);
	return 0;
}

static bool may_bind(const struct qp *qp, const struct mw *mw, const struct wqe *w)
{
	struct mr_span span = { .addr = w->raddr, .len = w->bind_len };
	const struct shm_mr *mr;

	if (mw->s->pd != qp->s->pd || w->bind_access & ~(uint32_t)MW_ACCESS)
		return false;
	if (mw->ib.type == IBV_MW_TYPE_2 && mw->s->parent)
		return false; /* 2: to be invalidated first */
	if (!w->bind_len)
		return mw->ib.type == IBV_MW_TYPE_1;
	if (!w->bind.mr)
		return false;
	mr = mr_find(hca.arena, w->bind.mr->lkey, qp->s->pd, IBV_ACCESS_MW_BIND, &span);
	if (!mr || mr->type != SHM_MR || mr->access & IBV_ACCESS_ZERO_BASED)
		return false;
	return !(w->bind_access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)) ||
	       mr->access & IBV_ACCESS_LOCAL_WRITE;
}

/* w: raddr, bind_len and bind_access are the window's; rkey its new key. */
enum ibv_wc_status mw_bind(struct qp *qp, const struct wqe *w)
{
	struct mw *mw = w->bind.mw;
	struct mr_span span = { .addr = w->raddr, .len = w->bind_len };
	struct shm_mr *s = mw->s, *mr;

	if (!may_bind(qp, mw, w))
		return IBV_WC_MW_BIND_ERR;
	atomic_store(&s->key, 0);
	unbind(hca.arena, s);
	if (w->bind_len) {
		mr = mr_find(hca.arena, w->bind.mr->lkey, qp->s->pd, 0, &span);
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

int mw_invalidate_remote(struct shm_arena *arena, const struct shm_qp *qp, uint32_t key)
{
	struct shm_mr *s = bound2(arena, qp, key);

	if (!s)
		return -EINVAL;
	unbind(arena, s);
	return 0;
}

enum ibv_wc_status mw_invalidate(struct qp *qp, uint32_t key)
{
	return mw_invalidate_remote(hca.arena, qp->s, key) ? IBV_WC_MW_BIND_ERR : IBV_WC_SUCCESS;
}

/* The new key is the row's with its tag counted on, as ibv_inc_rkey() does for type 2. */
int mw_bind1(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	uint32_t key = ibv_inc_rkey(mw->rkey);
	struct ibv_send_wr wr = {
		.wr_id = bind->wr_id,
		.opcode = IBV_WR_BIND_MW,
		.send_flags = bind->send_flags,
		.bind_mw = { .mw = mw, .rkey = key, .bind_info = bind->bind_info },
	}, *bad;
	int rc = sq_post(qp, &wr, &bad);

	if (!rc)
		mw->rkey = key;
	return rc;
}
