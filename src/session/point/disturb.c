/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Disturbs the queues of a running point; see monitor.h. */
#include "config.h"

#include "point/monitor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"

#define MS_NS MONITOR_MS_NS
#define PERIOD_NS (2 * MS_NS) /* between two disturbances */
#define LOOK_NS MS_NS         /* between two checks whether a queue is drained */

int disturb_open(struct disturb *d)
{
	d->cqe = calloc(d->n ? 2 * (size_t)d->n : 1, sizeof(*d->cqe));
	if (!d->cqe)
		return err_set(-ENOMEM, "no memory for the queues of %u threads", d->n);
	for (uint32_t i = 0; i < d->n; i++) {
		d->cqe[2 * i] = d->eps[i]->scq->cqe;
		d->cqe[2 * i + 1] = d->eps[i]->rcq ? d->eps[i]->rcq->cqe : 0;
	}
	return 0;
}

static int resize(const struct ep *ep, struct ibv_cq *cq, int cqe)
{
	const int rc = cq ? ibv_resize_cq(cq, cqe) : 0;

	return rc ? err_set(-rc, "cannot change a CQ of %s from %d to %d entries: %s",
			    ep->dev->limits.device, cq->cqe, cqe, strerror(rc)) : 0;
}

static int larger(int cqe, uint32_t most)
{
	return (uint32_t)cqe > most / 2 ? (int)most : 2 * cqe;
}

/* The CQs of one thread: first all threads up, then all down. */
static int resize_cqs(struct disturb *d)
{
	const struct ep *ep = d->eps[d->thread];
	const uint32_t most = ep->dev->limits.max_cqe;
	const int *cqe = &d->cqe[2 * d->thread];
	int rc = resize(ep, ep->scq, d->grown ? cqe[0] : larger(cqe[0], most));

	if (!rc)
		rc = resize(ep, ep->rcq, d->grown ? cqe[1] : larger(cqe[1], most));
	if (rc)
		return rc;
	d->count++;
	if (++d->thread == d->n) {
		d->thread = 0;
		d->grown = !d->grown;
	}
	return 0;
}

static int modify(struct ep *ep, uint32_t qp, enum ibv_qp_state state)
{
	struct ep_attr a = { .attr = { .qp_state = state }, .mask = IBV_QP_STATE };

	if (state == IBV_QPS_SQD) {
		a.attr.en_sqd_async_notify = 1;
		a.mask |= IBV_QP_EN_SQD_ASYNC_NOTIFY;
	}
	return ep_modify(ep, qp, EP_WHOLE, &a);
}

static int drain(struct disturb *d, uint64_t now_ns)
{
	struct ep *ep = d->eps[d->thread];

	d->draining = true;
	d->give_up_ns = now_ns + d->plan->stall_timeout_ms * MS_NS;
	d->drained = atomic_load(&ep->qp_events.drained);
	return modify(ep, d->qp, IBV_QPS_SQD);
}

/* One queue at a time, so the next event of the endpoint belongs to it. */
static int resume(struct disturb *d, uint64_t now_ns)
{
	struct ep *ep = d->eps[d->thread];
	int rc;

	if (atomic_load(&ep->qp_events.drained) == d->drained) {
		if (now_ns < d->give_up_ns)
			return 0;
		return err_set(-ETIMEDOUT,
			       "the send queue of QP 0x%06x on %s is not drained after %u ms: no SQ_DRAINED event",
			       ep->qps[d->qp]->qp_num, ep->dev->limits.device,
			       d->plan->stall_timeout_ms);
	}
	rc = modify(ep, d->qp, IBV_QPS_RTS);
	if (rc)
		return rc;
	d->draining = false;
	d->count++;
	if (++d->qp == ep->n_qps) {
		d->qp = 0;
		d->thread = d->thread + 1 == d->n ? 0 : d->thread + 1;
	}
	return 0;
}

int disturb_step(struct disturb *d, uint64_t now_ns)
{
	int rc;

	if (!d->n || now_ns < d->due_ns)
		return 0;
	if (d->plan->work.disturb == DISTURB_CQ)
		rc = resize_cqs(d);
	else
		rc = d->draining ? resume(d, now_ns) : drain(d, now_ns);
	d->due_ns = now_ns + (d->draining ? LOOK_NS : PERIOD_NS);
	return rc;
}

uint64_t disturb_due_ns(const struct disturb *d)
{
	return d->n ? d->due_ns : UINT64_MAX;
}

void disturb_close(struct disturb *d)
{
	free(d->eps);
	free(d->cqe);
	memset(d, 0, sizeof(*d));
}
