/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Memory windows as verbs objects; see mw.h. transport/window.c binds them. */
#include "config.h"
#include "objects/mw.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hca.h"
#include "objects/mr.h"
#include "objects/sq.h"
#include "transport/window.h"

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

int mw_dealloc(struct ibv_mw *ib)
{
	struct mw *mw = container_of(ib, struct mw, ib);

	if (ctx_is_of_parent(ib->context))
		return 0;
	atomic_store(&mw->s->key, 0);
	window_unbind(hca.arena, mw->s);
	atomic_fetch_sub(&container_of(ib->pd, struct pd, ib)->refs, 1);
	free(mw);
	return 0;
}

/* The tag of the key counts up, as ibv_inc_rkey() does for type 2. */
int mw_post_bind(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind)
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
