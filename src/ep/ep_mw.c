/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Allocates, binds and frees memory windows; see ep_mw.h. Called by point/point_threads.c. */
#include "config.h"

#include "ep/ep_mw.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verbs/api_wr.h"
#include "verbs/verbs_code.h"
#include "verbs/verbs_error.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"

#define MS_NS UINT64_C(1000000)

int ep_mw_open(struct ep *ep, const struct plan *plan, enum side side)
{
	const enum ibv_mw_type type = plan->work.mw == MW_TYPE_1 ? IBV_MW_TYPE_1 : IBV_MW_TYPE_2;

	if (!(ep_access_memory(plan, side) & IBV_ACCESS_MW_BIND))
		return 0;
	ep->mws = calloc(ep->n_qps, sizeof(struct ibv_mw *));
	if (!ep->mws)
		return err_set(-ENOMEM, "no memory for %u memory windows", ep->n_qps);
	for (uint32_t i = 0; i < ep->n_qps; i++) {
		errno = 0;
		ep->mws[i] = ibv_alloc_mw(ep->domain.pd, type);
		if (!ep->mws[i]) {
			const int err = errno ? errno : EIO;

			return err_set(-err, "cannot allocate memory window %u of %u of type %s on %s: %s",
				       i, ep->n_qps, choices_mw[plan->work.mw],
				       ep->dev->limits.device, strerror(err));
		}
		ep->addr.qps[i].rkey = ibv_inc_rkey(ep->mws[i]->rkey);
	}
	return 0;
}

/* 0 or an errno. */
static int post_type_2(const struct ep *ep, uint32_t i, const struct ibv_mw_bind_info *info,
		       enum apis_post api)
{
	struct ibv_send_wr wr = {
		.wr_id = i,
		.opcode = IBV_WR_BIND_MW,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_mw = { .mw = ep->mws[i], .rkey = ep->addr.qps[i].rkey, .bind_info = *info },
	}, *bad;
	struct ibv_qp_ex *const qp = api_wr_qp(ep->qps[i]);

	if (api != APIS_POST_WR)
		return ibv_post_send(ep->qps[i], &wr, &bad);
	ibv_wr_start(qp);
	qp->wr_id = i;
	qp->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_bind_mw(qp, ep->mws[i], wr.bind_mw.rkey, info);
	return ibv_wr_complete(qp);
}

static int post_bind(const struct ep *ep, uint32_t i, const struct plan *plan)
{
	const struct layout *lay = &ep->mem.layout;
	struct ibv_mw_bind bind = {
		.wr_id = i,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = {
			.mr = ep->mem.mr,
			.addr = ep->mem.addr + i * lay->qp_bytes,
			.length = lay->qp_bytes,
			.mw_access_flags = (unsigned int)verbs_code_access(plan->work.kind.op),
		},
	};
	int rc;

	if (plan->work.mw == MW_TYPE_2)
		rc = post_type_2(ep, i, &bind.bind_info, plan->work.post_api);
	else
		rc = ibv_bind_mw(ep->qps[i], ep->mws[i], &bind);
	if (rc)
		return err_set(-rc, "cannot post the bind of memory window %u of type %s: %s", i,
			       choices_mw[plan->work.mw], strerror(rc));
	if (plan->work.mw == MW_TYPE_1 && ep->mws[i]->rkey != ep->addr.qps[i].rkey)
		return err_set(-EIO, "memory window %u of type 1 has R_Key 0x%x, not 0x%x, which the peer was told: the provider does not count R_Keys up; use --mw 2",
			       i, ep->mws[i]->rkey, ep->addr.qps[i].rkey);
	return 0;
}

static int await_bind(const struct ep *ep, uint32_t i, uint64_t timeout_ns)
{
	const uint64_t end_ns = clock_ns() + timeout_ns;
	struct ibv_wc wc;
	int n;

	while (!(n = ibv_poll_cq(ep->scq, 1, &wc)))
		if (clock_ns() > end_ns)
			return err_set(-ETIMEDOUT, "the bind of memory window %u did not complete",
				       i);
	if (n < 0)
		return err_set(-EIO, "cannot poll the CQ for the bind of memory window %u", i);
	if (wc.status)
		return err_set(-EIO, "the bind of memory window %u failed with %s: %s", i,
			       verbs_error_status_name(wc.status), verbs_error_status(wc.status));
	return 0;
}

int ep_mw_bind(struct ep *ep, const struct plan *plan)
{
	int rc = 0;

	for (uint32_t i = 0; ep->mws && i < ep->n_qps && !rc; i++) {
		rc = post_bind(ep, i, plan);
		if (!rc)
			rc = await_bind(ep, i, plan->stall_timeout_ms * MS_NS);
	}
	return rc;
}

void ep_mw_close(struct ep *ep)
{
	for (uint32_t i = 0; ep->mws && i < ep->n_qps; i++) {
		const int err = ep->mws[i] ? ibv_dealloc_mw(ep->mws[i]) : 0;

		if (err)
			log_note("cannot free memory window: %s", strerror(err));
	}
	free(ep->mws);
	ep->mws = NULL;
}
