/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Creates, drains and destroys the SRQ of an endpoint; see ep.h. Called by ep.c and point. */
#include "config.h"

#include "ep/ep.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "verbs/verbs_error.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"

#define MS_NS 1000000u
#define LAST_WQE_NS (100u * MS_NS)
#define BATCH 32

int ep_srq_open(struct ep *ep, uint64_t receives, uint32_t sges)
{
	struct ibv_srq_init_attr attr = {
		.attr = { .max_wr = (uint32_t)receives, .max_sge = sges },
	};
	char why[VERBS_ERROR_TEXT];
	int rc;

	ep->srq_events = calloc(1, sizeof(*ep->srq_events));
	if (!ep->srq_events)
		return err_set(-ENOMEM, "no memory for the events of an SRQ");
	attr.srq_context = ep->srq_events;
	errno = 0;
	ep->srq = ibv_create_srq(ep->domain.pd, &attr);
	if (ep->srq)
		return 0;
	rc = err_code();
	return err_set_cause(
		rc, verbs_error_cause(-rc), "cannot create an SRQ of %llu receives on %s: %s",
		(unsigned long long)receives, ep->dev->limits.device, verbs_error_queue(why, -rc));
}

int ep_srq_arm(struct ep *ep, uint32_t limit)
{
	struct ibv_srq_attr attr = { .srq_limit = limit };
	int err = ep->srq && limit ? ibv_modify_srq(ep->srq, &attr, IBV_SRQ_LIMIT) : 0;

	if (!err)
		return 0;
	err = err < 0 ? errno : err;
	return err_set(-err, "cannot set the limit of the SRQ on %s to %u receives: %s",
		       ep->dev->limits.device, limit, strerror(err));
}

/* Until every QP has reported its last receive, or for LAST_WQE_NS. */
static void await_last(struct ep *ep)
{
	const uint64_t end = clock_ns() + LAST_WQE_NS;
	struct pollfd p = { .fd = ep->dev->ctx->async_fd, .events = POLLIN };
	enum ibv_event_type event;
	uint64_t now;

	while (atomic_load(&ep->srq_events->last_wqe) < ep->n_qps && (now = clock_ns()) < end) {
		if (poll(&p, 1, (int)((end - now + MS_NS - 1) / MS_NS)) < 0 && errno != EINTR)
			return;
		if (dev_async(ep->dev, &event) < 0)
			return;
	}
}

static void discard(struct ibv_cq *cq)
{
	struct ibv_wc wc[BATCH];

	/* at most what the CQ holds: no QP adds to it any more */
	for (int left = cq->cqe; left > 0 && ibv_poll_cq(cq, BATCH, wc) > 0; left -= BATCH)
		continue;
}

void ep_srq_drain(struct ep *ep)
{
	struct ibv_qp_attr error = { .qp_state = IBV_QPS_ERR };

	/* while some are missing, none has been connected */
	if (!ep->srq || !ep->n_qps || !ep->qps[ep->n_qps - 1])
		return;
	for (uint32_t i = 0; i < ep->n_qps; i++)
		if (ibv_modify_qp(ep->qps[i], &error, IBV_QP_STATE))
			log_note("cannot take QP %u to the error state: %s", i, strerror(errno));
	await_last(ep);
	if (ep->rcq)
		discard(ep->rcq);
}

void ep_srq_close(struct ep *ep)
{
	int err = ep->srq ? ibv_destroy_srq(ep->srq) : 0;

	/* teardown goes on after an error, and must not hide the error that led to it */
	if (err)
		log_note("cannot destroy SRQ: %s", strerror(err));
	ep->srq = NULL;
	free(ep->srq_events);
	ep->srq_events = NULL;
}
