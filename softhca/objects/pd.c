/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Protection domains and parent domains; see pd.h. */
#include "config.h"
#include "objects/pd.h"

#include <errno.h>
#include <stdlib.h>

#include "transport/object.h"

struct ibv_pd *pd_alloc_parent(struct ibv_context *ctx, struct ibv_parent_domain_init_attr *attr)
{
	struct pd *pd = calloc(1, sizeof(*pd));

	if (!pd)
		return NULL;
	pd->ib.context = ctx;
	pd->parent = container_of(attr->pd, struct pd, ib);
	pd->id = pd->parent->id;
	pd->ib.handle = pd->id;
	atomic_fetch_add(&pd->parent->refs, 1);
	return &pd->ib;
}

struct ibv_pd *pd_alloc(struct ibv_context *ctx)
{
	struct pd *pd;

	errno = ENOMEM;
	if (!count_take(&ctx_count(ctx_of(ctx))->pds, ctx_of(ctx)->profile->max_pd))
		return NULL;
	pd = calloc(1, sizeof(*pd));
	if (!pd) {
		count_give(&ctx_count(ctx_of(ctx))->pds);
		return NULL;
	}
	pthread_mutex_lock(&hca.mutex);
	pd->id = ++hca.next_pd;
	pthread_mutex_unlock(&hca.mutex);
	pd->ib.context = ctx;
	pd->ib.handle = pd->id;
	ctx_hold(ctx);
	return &pd->ib;
}

int pd_dealloc(struct ibv_pd *ib)
{
	struct pd *pd = container_of(ib, struct pd, ib);

	if (atomic_load(&pd->refs))
		return EBUSY;
	if (pd->parent) {
		atomic_fetch_sub(&pd->parent->refs, 1);
	} else {
		count_give(&ctx_count(ctx_of(ib->context))->pds);
		ctx_drop(ib->context);
	}
	free(pd);
	return 0;
}
