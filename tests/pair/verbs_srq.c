/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Shared receive queues of the devices of verbs.h: receives go to the next message of any QP; once
 * fewer than the limit are left, one event. A QP in error leaves its receives in the SRQ and raises
 * IBV_EVENT_QP_LAST_WQE_REACHED, unless the device is one that never does (no_last_wqe).
 */
#include "config.h"
#include "verbs.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "verbs_own.h"

static struct verbs_srq *srqs;

struct verbs_srq *verbs_srq_of(const struct verbs_qp *qp)
{
	return qp->qp.srq ? VERBS_OF(qp->qp.srq, struct verbs_srq, srq) : NULL;
}

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *init)
{
	const struct verbs_device *vd = verbs_device_of(pd->context);
	struct verbs_srq *srq;

	errno = EINVAL;
	if (!init->attr.max_wr || init->attr.max_wr > (uint32_t)vd->attr.max_srq_wr ||
	    init->attr.max_sge > (uint32_t)vd->attr.max_srq_sge)
		return NULL;
	errno = vd->srq_errno;
	if (errno)
		return NULL;
	srq = verbs_new(sizeof(*srq));
	srq->rq = calloc(init->attr.max_wr, sizeof(*srq->rq));
	if (!srq->rq)
		verbs_die("out of memory");
	srq->max_wr = init->attr.max_wr;
	srq->srq = (struct ibv_srq){ .context = pd->context,
				     .srq_context = init->srq_context,
				     .pd = pd };
	verbs_lock();
	srq->next = srqs;
	srqs = srq;
	verbs_unlock();
	verbs_pd_take(pd);
	return &srq->srq;
}

int ibv_destroy_srq(struct ibv_srq *ibsrq)
{
	struct verbs_srq *srq = VERBS_OF(ibsrq, struct verbs_srq, srq), **at;

	verbs_lock();
	if (srq->qps)
		verbs_die("destroying an SRQ of %u QPs", srq->qps);
	for (at = &srqs; *at && *at != srq; at = &(*at)->next)
		;
	if (!*at)
		verbs_die("destroying what is no SRQ");
	*at = srq->next;
	verbs_unlock();
	verbs_pd_drop(ibsrq->pd);
	free(srq->rq);
	verbs_free(srq);
	return 0;
}

int ibv_modify_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr, int mask)
{
	struct verbs_srq *srq = VERBS_OF(ibsrq, struct verbs_srq, srq);
	int err = mask != IBV_SRQ_LIMIT || attr->srq_limit >= srq->max_wr ? EINVAL : 0;

	verbs_lock();
	if (!err)
		srq->limit = attr->srq_limit;
	verbs_unlock();
	return err;
}

int verbs_post_srq_recv(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct verbs_srq *srq = VERBS_OF(ibsrq, struct verbs_srq, srq);
	int err = 0;

	verbs_lock();
	for (; wr && !err; wr = wr->next) {
		struct verbs_recv *recv = &srq->rq[srq->posted % srq->max_wr];

		*bad = wr;
		if (srq->posted - srq->taken >= srq->max_wr) {
			err = ENOMEM;
			continue;
		}
		*recv = (struct verbs_recv){ .wr_id = wr->wr_id, .num_sge = wr->num_sge };
		if (wr->num_sge)
			recv->sge = *wr->sg_list;
		srq->posted++;
	}
	verbs_unlock();
	return err;
}

/* Under the lock. The writer of the device's channel does not block for so few. */
static void raise_event(struct verbs_srq *srq, enum ibv_event_type type)
{
	const struct verbs_device *vd = verbs_device_of(srq->srq.context);

	if (write(vd->async_fd, &type, sizeof(type)) < 0)
		verbs_die("an event of an SRQ cannot be raised");
}

const struct verbs_recv *verbs_srq_next(const struct verbs_srq *srq)
{
	return srq->taken == srq->posted ? NULL : &srq->rq[srq->taken % srq->max_wr];
}

void verbs_srq_take(struct verbs_srq *srq)
{
	srq->taken++;
	if (srq->posted - srq->taken >= srq->limit)
		return;
	srq->limit = 0;
	srq->low = true;
	raise_event(srq, IBV_EVENT_SRQ_LIMIT_REACHED);
}

void verbs_srq_last(struct verbs_qp *qp)
{
	if (qp->last_wqe || verbs_device_of(qp->qp.context)->no_last_wqe)
		return;
	qp->last_wqe = true;
	verbs_srq_of(qp)->last_qp = qp;
	raise_event(verbs_srq_of(qp), IBV_EVENT_QP_LAST_WQE_REACHED);
}

void verbs_srq_event(const struct ibv_context *ctx, struct ibv_async_event *event)
{
	struct verbs_srq *srq = srqs;

	verbs_lock();
	if (event->event_type == IBV_EVENT_SRQ_LIMIT_REACHED) {
		while (srq && (srq->srq.context != ctx || !srq->low))
			srq = srq->next;
		if (!srq)
			verbs_die("an event of no SRQ");
		srq->low = false;
		event->element.srq = &srq->srq;
	} else if (event->event_type == IBV_EVENT_QP_LAST_WQE_REACHED) {
		while (srq && (srq->srq.context != ctx || !srq->last_qp))
			srq = srq->next;
		if (!srq)
			verbs_die("an event of no QP");
		event->element.qp = &srq->last_qp->qp;
	}
	verbs_unlock();
}
