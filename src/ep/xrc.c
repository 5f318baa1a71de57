/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* XRC domains, SRQs and XRC_RECV QPs; see xrc.h. */
#include "config.h"

#include "ep/xrc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"
#include "util/log.h"

static int failed(const struct ibv_context *ctx, const char *what)
{
	int rc = errno ? -errno : -EIO;

	return err_set(rc, "cannot %s on %s: %s", what, ibv_get_device_name(ctx->device),
		       strerror(-rc));
}

/* Without a file: no other process has part in it. */
static int open_domain(struct xrc *x, struct ibv_context *ctx)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1,
		.oflags = O_CREAT,
	};

	errno = 0;
	x->xrcd = ibv_open_xrcd(ctx, &attr);
	return x->xrcd ? 0 : failed(ctx, "open an XRC domain");
}

static int open_srq(struct xrc *x, uint32_t i, const struct xrc_want *want)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = want->receives ? want->receives : 1,
			  .max_sge = want->sges },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_XRCD |
			     IBV_SRQ_INIT_ATTR_CQ | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = IBV_SRQT_XRC,
		.pd = want->pd,
		.xrcd = x->xrcd,
		.cq = want->cq,
	};

	errno = 0;
	x->srqs[i] = ibv_create_srq_ex(want->pd->context, &attr);
	if (!x->srqs[i])
		return failed(want->pd->context, "create an XRC SRQ");
	errno = ibv_get_srq_num(x->srqs[i], &x->srqns[i]);
	return errno ? failed(want->pd->context, "get the number of an XRC SRQ") : 0;
}

static int open_qp(struct xrc *x, uint32_t i, struct ibv_context *ctx)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_XRC_RECV,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.xrcd = x->xrcd,
	};

	errno = 0;
	x->qps[i] = ibv_create_qp_ex(ctx, &attr);
	return x->qps[i] ? 0 : failed(ctx, "create an XRC_RECV QP");
}

int xrc_open(struct xrc *x, const struct xrc_want *want)
{
	int rc = open_domain(x, want->pd->context);

	if (rc)
		return rc;
	x->n = want->n;
	x->srqs = calloc(x->n, sizeof(struct ibv_srq *));
	x->srqns = calloc(x->n, sizeof(*x->srqns));
	x->qps = calloc(x->n, sizeof(struct ibv_qp *));
	if (!x->srqs || !x->srqns || !x->qps)
		return err_set(-ENOMEM, "no memory for %u SRQs", x->n);
	for (uint32_t i = 0; !rc && i < x->n; i++) {
		rc = open_srq(x, i, want);
		if (!rc)
			rc = open_qp(x, i, want->pd->context);
	}
	return rc;
}

/* Teardown goes on after an error, and must not hide the error that led to it. */
static void warn(const char *what, int err)
{
	if (err)
		log_note("cannot %s: %s", what, strerror(err));
}

void xrc_close(struct xrc *x)
{
	for (uint32_t i = 0; x->qps && i < x->n; i++)
		if (x->qps[i])
			warn("destroy XRC_RECV QP", ibv_destroy_qp(x->qps[i]));
	for (uint32_t i = 0; x->srqs && i < x->n; i++)
		if (x->srqs[i])
			warn("destroy XRC SRQ", ibv_destroy_srq(x->srqs[i]));
	if (x->xrcd)
		warn("close XRC domain", ibv_close_xrcd(x->xrcd));
	free(x->qps);
	free(x->srqns);
	free(x->srqs);
	*x = (struct xrc){ 0 };
}
