/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Device contexts, and the functions that libibverbs calls through them; see context.h. */
#include "config.h"
#include "objects/context.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fabric.h"
#include "objects/cq.h"
#include "objects/device.h"
#include "objects/mr.h"
#include "objects/mw.h"
#include "objects/pd.h"
#include "objects/qp.h"
#include "objects/rq.h"
#include "objects/sq.h"
#include "objects/srq.h"
#include "objects/xrcd.h"
#include "record/record.h"
#include "transport/fault.h"
#include "transport/progress.h"
#include "transport/requester.h"

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

	if (!td) {
		errno = attr->comp_mask ? EOPNOTSUPP : ENOMEM;
		return NULL;
	}
	td->context = ctx;
	ctx_hold(ctx);
	return td;
}

static int dealloc_td(struct ibv_td *td)
{
	ctx_drop(td->context);
	free(td);
	return 0;
}

static void normal_open(struct ibv_context_ops *ops)
{
	ops->poll_cq = cq_poll;
	ops->req_notify_cq = cq_notify;
	ops->post_send = sq_post;
	ops->post_recv = rq_post;
	ops->post_srq_recv = srq_post;
}

static int normal_cq_open(struct cq *cq)
{
	cq_ex_fill(cq);
	return 0;
}

static void normal_cq_close(struct cq *cq)
{
	(void)cq;
}

static int normal_cq_resize(struct cq *cq)
{
	(void)cq;
	return 0;
}

static void normal_qp_reset(struct qp *qp)
{
	(void)qp;
}

const struct mode context_normal_mode = {
	.cq_bytes = sizeof(struct cq),
	.qp_bytes = sizeof(struct qp),
	.has_xrc = true,
	.has_apm = true,
	.has_dm = true,
	.has_pacing = true,
	.open = normal_open,
	.cq_open = normal_cq_open,
	.cq_close = normal_cq_close,
	.cq_resize = normal_cq_resize,
	.qp_open = sq_wr_fill,
	.qp_reset = normal_qp_reset,
	.qp_close = normal_qp_reset,
};

static void fill_ops(struct ctx *ctx)
{
	const struct profile *p = ctx->profile;
	struct verbs_context *v = &ctx->v;

	v->sz = sizeof(*v);
	v->context.abi_compat = __VERBS_ABI_IS_EXTENDED;
	v->query_port = device_query_port;
	v->query_device_ex = device_query_ex;
	v->create_qp_ex = qp_create;
	/* without a function, libibverbs says EOPNOTSUPP */
	if (p->extended_cq)
		v->create_cq_ex = create_cq_ex;
	if (p->thread_domain) {
		v->alloc_td = alloc_td;
		v->dealloc_td = dealloc_td;
	}
	if (p->parent_domain)
		v->alloc_parent_domain = pd_alloc_parent;
	if (ctx->mode->has_xrc && p->xrc) {
		v->open_xrcd = xrcd_open;
		v->close_xrcd = xrcd_close;
		v->create_srq_ex = srq_create_ex;
		v->get_srq_num = srq_get_num;
	}
	if (ctx->mode->has_dm && p->device_memory) {
		v->alloc_dm = mr_dm_alloc;
		v->free_dm = mr_dm_free;
		v->reg_dm_mr = mr_dm_reg;
	}
	if (ctx->mode->has_dm && p->null_mr)
		v->alloc_null_mr = mr_null_alloc;
	if (ctx->mode->has_pacing && p->paced)
		v->modify_qp_rate_limit = qp_modify_rate;
	if (p->odp)
		v->advise_mr = mr_advise;
	if (p->mw) {
		v->context.ops.alloc_mw = mw_alloc;
		v->context.ops.dealloc_mw = mw_dealloc;
		v->context.ops.bind_mw = mw_post_bind;
	}
	ctx->mode->open(&v->context.ops);
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

static void leave(void)
{
	if (fabric_leave())
		progress_stop();
}

/* Closed, and without objects. */
static void end(struct ibv_context *ib)
{
	close(ib->async_fd);
	close(ctx_of(ib)->async_out);
	pthread_mutex_destroy(&ib->mutex);
	free(ctx_of(ib));
	leave();
}

static int join(struct ctx *ctx)
{
	int rc = fabric_join();

	if (rc)
		return rc;
	progress_open(requester_check_errors);
	rc = open_async(ctx);
	if (rc)
		leave();
	return rc;
}

struct ibv_context *context_open(struct ibv_device *dev, const struct mode *mode)
{
	struct ctx *ctx = calloc(1, sizeof(*ctx));
	int rc = ctx ? join(ctx) : -ENOMEM;

	if (rc) {
		free(ctx);
		errno = -rc;
		return NULL;
	}
	ctx->dev = (uint32_t)(dev - device_at(0));
	ctx->mode = mode;
	ctx->forks = hca.fixed.forks;
	ctx->refs = 1;
	ctx->end = end;
	ctx->settings = hca_settings()->dev[ctx->dev];
	ctx->profile = hca_profile(ctx->dev);
	fill_ops(ctx);
	ctx->v.context.device = dev;
	/* for programs that duplicate it: it takes no commands */
	ctx->v.context.cmd_fd = ctx->v.context.async_fd;
	ctx->v.context.num_comp_vectors = (int)ctx->profile->vectors;
	pthread_mutex_init(&ctx->v.context.mutex, NULL);
	pthread_mutex_lock(&hca.mutex);
	ctx->id = ++hca.next_id;
	ctx->next = hca.ctxs;
	hca.ctxs = ctx;
	pthread_mutex_unlock(&hca.mutex);
	hca.cm.connect_qp = qp_connect;
	record_open();
	fault_start(ctx);
	errno = 0;
	return &ctx->v.context;
}

int context_close(struct ibv_context *ib)
{
	struct ctx *ctx = ctx_of(ib), **at = &hca.ctxs;

	requester_wait_in_flight();
	pthread_mutex_lock(&hca.mutex);
	while (*at != ctx)
		at = &(*at)->next;
	*at = ctx->next;
	fault_stop(ctx);
	pthread_mutex_unlock(&hca.mutex);
	record_counts(ctx->dev);
	record_flush();
	qp_reset_all(ib);
	ctx_drop(ib);
	return 0;
}
