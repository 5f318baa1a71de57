/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* SRQs and the QPs that only receive; see ep.h. */
#include "config.h"
#include "endpoint/ep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"
#include "util/log.h"
#include "verbs/api.h"
#include "verbs/verbs_error.h"

static int failed(const struct ibv_context *ctx, const char *what)
{
	return verbs_error_create(err_code(), "cannot %s on %s", what,
				  ibv_get_device_name(ctx->device));
}

/* Without a file: no other process has part in it. */
static int open_domain(struct halves *h, struct ibv_context *ctx)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1,
		.oflags = O_CREAT,
	};

	errno = 0;
	h->xrcd = ibv_open_xrcd(ctx, &attr);
	return h->xrcd ? 0 : failed(ctx, "open an XRC domain");
}

static int open_xrc(struct halves *h, uint32_t i, const struct halves_want *want,
		    const struct ibv_srq_attr *attr)
{
	struct ibv_context *const ctx = want->pd->context;
	struct ibv_srq_init_attr_ex srq = {
		.attr = *attr,
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_XRCD |
			     IBV_SRQ_INIT_ATTR_CQ | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = IBV_SRQT_XRC,
		.pd = want->pd,
		.xrcd = h->xrcd,
		.cq = want->cq,
	};
	struct ibv_qp_init_attr_ex qp = {
		.qp_type = IBV_QPT_XRC_RECV,
		.comp_mask = IBV_QP_INIT_ATTR_XRCD,
		.xrcd = h->xrcd,
	};

	errno = 0;
	h->srqs[i] = ibv_create_srq_ex(ctx, &srq);
	if (!h->srqs[i])
		return failed(ctx, "create an XRC SRQ");
	errno = ibv_get_srq_num(h->srqs[i], &h->srqns[i]);
	if (errno)
		return failed(ctx, "get the number of an XRC SRQ");
	h->qps[i] = ibv_create_qp_ex(ctx, &qp);
	return h->qps[i] ? 0 : failed(ctx, "create an XRC_RECV QP");
}

static int open_dc(struct halves *h, uint32_t i, const struct halves_want *want,
		   const struct ibv_srq_attr *attr)
{
	struct ibv_srq_init_attr srq = { .attr = *attr };

	errno = 0;
	h->srqs[i] = ibv_create_srq(want->pd, &srq);
	if (!h->srqs[i])
		return failed(want->pd->context, "create the SRQ of a DCT");
	h->qps[i] = dc_create_dct(&(struct dc_dct){ .pd = want->pd, .cq = want->cq,
						    .srq = h->srqs[i], .key = want->dc_key });
	return h->qps[i] ? 0 : failed(want->pd->context, "create a DCT");
}

int halves_open(struct halves *h, const struct halves_want *want)
{
	int rc = kind_names_srq(want->tp) ? open_domain(h, want->pd->context) : 0;

	if (rc)
		return rc;
	h->n = want->n;
	h->srqs = calloc(h->n, sizeof(struct ibv_srq *));
	h->srqns = calloc(h->n, sizeof(*h->srqns));
	h->qps = calloc(h->n, sizeof(struct ibv_qp *));
	if (!h->srqs || !h->srqns || !h->qps)
		return err_set(-ENOMEM, "no memory for %u SRQs", h->n);
	return 0;
}

int halves_make(struct halves *h, const struct halves_want *want, uint32_t i)
{
	const struct ibv_srq_attr attr = { .max_wr = want->receives ? want->receives : 1,
					   .max_sge = want->sges };

	return kind_names_srq(want->tp) ? open_xrc(h, i, want, &attr) : open_dc(h, i, want, &attr);
}

bool halves_destroy_qp(struct halves *h, uint32_t i)
{
	if (!h->qps || i >= h->n || !h->qps[i])
		return false;
	verbs_warn("destroy a QP that receives", ibv_destroy_qp(h->qps[i]));
	h->qps[i] = NULL;
	return true;
}

void halves_close(struct halves *h)
{
	for (uint32_t i = 0; i < h->n; i++)
		(void)halves_destroy_qp(h, i);
	for (uint32_t i = 0; h->srqs && i < h->n; i++)
		if (h->srqs[i])
			verbs_warn("destroy its SRQ", ibv_destroy_srq(h->srqs[i]));
	if (h->xrcd)
		verbs_warn("close XRC domain", ibv_close_xrcd(h->xrcd));
	free(h->qps);
	free(h->srqns);
	free(h->srqs);
	*h = (struct halves){ 0 };
}
