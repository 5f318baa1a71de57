/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Contexts and what hangs on them without a queue: PDs, parent domains, AHs. See dev.h. */
#include "config.h"
#include "dev.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cq.h"
#include "fabric.h"
#include "fault.h"
#include "wire.h"
#include "mr.h"
#include "null.h"
#include "qp.h"
#include "req.h"
#include "rq.h"
#include "sq.h"

static struct ibv_cq_ex *create_cq_ex(struct ibv_context *ctx, struct ibv_cq_init_attr_ex *attr)
{
	struct ibv_cq *cq;

	errno = EOPNOTSUPP;
	if (attr->wc_flags & ~(uint64_t)(IBV_WC_STANDARD_FLAGS) ||
	    (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS &&
	     attr->flags & IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN))
		return NULL;
	cq = cq_create(ctx, attr);
	return cq ? (struct ibv_cq_ex *)(void *)cq : NULL;
}

static struct ibv_td *alloc_td(struct ibv_context *ctx, struct ibv_td_init_attr *attr)
{
	struct ibv_td *td = attr->comp_mask ? NULL : calloc(1, sizeof(*td));

	if (!td)
		errno = attr->comp_mask ? EOPNOTSUPP : ENOMEM;
	else
		td->context = ctx;
	return td;
}

static int dealloc_td(struct ibv_td *td)
{
	free(td);
	return 0;
}

static struct ibv_pd *alloc_parent_domain(struct ibv_context *ctx,
					  struct ibv_parent_domain_init_attr *attr)
{
	struct pd *pd = calloc(1, sizeof(*pd));

	if (!pd)
		return NULL;
	pd->ib.context = ctx;
	pd->parent = container_of(attr->pd, struct pd, ib);
	pd->id = pd->parent->id;
	pd->ib.handle = pd->id;
	atomic_fetch_add(&pd->parent->refs, 1);
	atomic_fetch_add(&ctx_of(ctx)->pds, 1);
	return &pd->ib;
}

static void fill_ops(struct verbs_context *v)
{
	v->sz = sizeof(*v);
	v->context.abi_compat = __VERBS_ABI_IS_EXTENDED;
	v->query_port = dev_query_port;
	v->query_device_ex = dev_query_ex;
	v->create_cq_ex = create_cq_ex;
	v->create_qp_ex = qp_create;
	v->alloc_td = alloc_td;
	v->dealloc_td = dealloc_td;
	v->alloc_parent_domain = alloc_parent_domain;
	v->context.ops = (struct ibv_context_ops) {
		.poll_cq = cq_poll,
		.req_notify_cq = cq_notify,
		.post_send = sq_post,
		.post_recv = rq_post,
		.post_srq_recv = rq_post_srq,
		.alloc_mw = mw_alloc,
		.dealloc_mw = mw_dealloc,
		.bind_mw = mw_bind1,
	};
	if (cfg_null())
		null_fill_ops(&v->context.ops);
}

static int open_async(struct ctx *ctx)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	fcntl(fds[1], F_SETFL, O_WRONLY | O_NONBLOCK);
	ctx->v.context.async_fd = fds[0];
	ctx->async_out = fds[1];
	return 0;
}

struct ibv_context *ctx_open(struct ibv_device *dev)
{
	struct ctx *ctx = calloc(1, sizeof(*ctx));
	int rc = ctx ? fabric_join() : -ENOMEM;

	if (!rc) {
		rc = open_async(ctx);
		if (rc)
			fabric_leave();
	}
	if (rc) {
		free(ctx);
		errno = -rc;
		return NULL;
	}
	ctx->dev = (uint32_t)(dev - dev_at(0));
	ctx->cfg = *cfg_dev(ctx->dev);
	fill_ops(&ctx->v);
	ctx->v.context.device = dev;
	ctx->v.context.cmd_fd = -1;
	ctx->v.context.num_comp_vectors = DEV_VECTORS;
	pthread_mutex_init(&ctx->v.context.mutex, NULL);
	pthread_mutex_lock(&hca.mutex);
	ctx->id = ++hca.next_id;
	ctx->next = hca.ctxs;
	hca.ctxs = ctx;
	pthread_mutex_unlock(&hca.mutex);
	fault_start(ctx);
	errno = 0;
	return &ctx->v.context;
}

int ctx_close(struct ibv_context *ib)
{
	struct ctx *ctx = ctx_of(ib), **at = &hca.ctxs;

	req_settle();
	pthread_mutex_lock(&hca.mutex);
	while (*at != ctx)
		at = &(*at)->next;
	*at = ctx->next;
	fault_stop(ctx);
	pthread_mutex_unlock(&hca.mutex);
	wire_report(ctx->dev);
	close(ib->async_fd);
	close(ctx->async_out);
	pthread_mutex_destroy(&ib->mutex);
	free(ctx);
	fabric_leave();
	return 0;
}

struct ibv_pd *ctx_alloc_pd(struct ibv_context *ctx)
{
	struct pd *pd = calloc(1, sizeof(*pd));

	if (!pd)
		return NULL;
	pthread_mutex_lock(&hca.mutex);
	pd->id = ++hca.next_pd;
	pthread_mutex_unlock(&hca.mutex);
	pd->ib.context = ctx;
	pd->ib.handle = pd->id;
	atomic_fetch_add(&ctx_of(ctx)->pds, 1);
	return &pd->ib;
}

int ctx_dealloc_pd(struct ibv_pd *ib)
{
	struct pd *pd = container_of(ib, struct pd, ib);

	if (atomic_load(&pd->refs))
		return EBUSY;
	if (pd->parent)
		atomic_fetch_sub(&pd->parent->refs, 1);
	atomic_fetch_sub(&ctx_of(ib->context)->pds, 1);
	free(pd);
	return 0;
}

struct ibv_ah *ctx_create_ah(struct ibv_pd *pd, const struct ibv_ah_attr *attr)
{
	struct ah *ah;

	errno = EINVAL;
	if (attr->port_num != 1 || (attr->is_global && attr->grh.sgid_index >= DEV_GIDS))
		return NULL;
	ah = calloc(1, sizeof(*ah));
	if (!ah)
		return NULL;
	ah->ib.context = pd->context;
	ah->ib.pd = pd;
	ah->attr = *attr;
	atomic_fetch_add(&container_of(pd, struct pd, ib)->refs, 1);
	return &ah->ib;
}

int ctx_destroy_ah(struct ibv_ah *ib)
{
	atomic_fetch_sub(&container_of(ib->pd, struct pd, ib)->refs, 1);
	free(container_of(ib, struct ah, ib));
	return 0;
}

/* The way back to whoever sent this: its GID, from the GID it was sent to, if that is ours. */
int ctx_init_ah(struct ibv_context *ctx, uint8_t port, const struct ibv_wc *wc,
		const struct ibv_grh *grh, struct ibv_ah_attr *attr)
{
	*attr = (struct ibv_ah_attr) { .sl = wc->sl, .port_num = port };
	if (!(wc->wc_flags & IBV_WC_GRH))
		return 0;
	attr->is_global = 1;
	attr->grh.dgid = grh->sgid;
	attr->grh.hop_limit = 0xff;
	for (uint8_t i = 0; i < DEV_GIDS; i++) {
		union ibv_gid own = dev_gid(ctx_of(ctx)->dev, i);

		if (!memcmp(&own, &grh->dgid, sizeof(own)))
			attr->grh.sgid_index = i;
	}
	return 0;
}
