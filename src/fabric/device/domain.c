/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The domains of one thread, and CQs and QPs in them; see dev.h. If the device refuses an object
 * without locks, an ordinary one is created instead; another cause makes that fail too, with its
 * errno.
 */
#include "config.h"

#include "device/dev.h"

#include <errno.h>
#include <limits.h>

#include "verbs/api.h"
#include "util/err.h"
#include "verbs/verbs_error.h"

/* Without a thread domain a parent domain leaves out no lock. */
static void open_parent(struct domain *d, struct ibv_context *ctx)
{
	struct ibv_td_init_attr none = { 0 };
	struct ibv_parent_domain_init_attr both = { .pd = d->pd };

	d->td = ibv_alloc_td(ctx, &none);
	if (!d->td)
		return;
	both.td = d->td;
	d->parent = ibv_alloc_parent_domain(ctx, &both);
	if (d->parent)
		return;
	verbs_warn("free thread domain", ibv_dealloc_td(d->td));
	d->td = NULL;
}

int domain_open(struct domain *d, struct ibv_context *ctx, unsigned int wanted)
{
	*d = (struct domain){ .without = wanted };
	errno = 0;
	d->pd = ibv_alloc_pd(ctx);
	if (!d->pd)
		return err_code();
	if (wanted)
		open_parent(d, ctx);
	if (!d->parent)
		d->without &= ~(unsigned int)LOCKS_OFF_QP;
	return 0;
}

/* mask: IBV_CQ_INIT_ATTR_MASK_*: whether to use the parent domain, and the flag of one thread. */
static struct ibv_cq *create_ex(const struct domain *d, const struct domain_cq *want, uint32_t mask)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = (uint32_t)want->entries,
		.channel = want->channel,
		.comp_vector = want->vector,
		/* what the loops read besides the status */
		.wc_flags = IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_IMM | want->wc_flags,
		.comp_mask = mask,
		.flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED,
		.parent_domain = d->parent,
	};
	struct ibv_cq_ex *cq = ibv_create_cq_ex(d->pd->context, &attr);

	/* some providers support the flags, but not ibv_start_poll() */
	if (cq && want->extended && !cq->start_poll) {
		verbs_warn("destroy CQ", ibv_destroy_cq(ibv_cq_ex_to_cq(cq)));
		errno = EOPNOTSUPP;
		return NULL;
	}
	return cq ? ibv_cq_ex_to_cq(cq) : NULL;
}

static struct ibv_cq *create_unlocked(struct domain *d, const struct domain_cq *want)
{
	struct ibv_cq *cq = NULL;

	if (d->parent)
		cq = create_ex(d, want, IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD);
	return cq ? cq : create_ex(d, want, IBV_CQ_INIT_ATTR_MASK_FLAGS);
}

struct ibv_cq *domain_create_cq(struct domain *d, const struct domain_cq *want)
{
	struct ibv_cq *cq = NULL;

	/* ibv_create_cq() takes an int, and ibv_create_cq_ex() casts to one */
	if (want->entries > INT_MAX) {
		errno = EINVAL;
		return NULL;
	}
	if (d->without & LOCKS_OFF_CQ)
		cq = create_unlocked(d, want);
	if (cq)
		return cq;
	d->without &= ~(unsigned int)LOCKS_OFF_CQ;
	errno = 0;
	if (want->extended)
		return create_ex(d, want, 0);
	return ibv_create_cq(d->pd->context, (int)want->entries, NULL, want->channel,
			     (int)want->vector);
}

/* An XRC_SEND QP and a DCI have no receive queue: ibv_create_qp_ex(3). */
static void drop_receives(struct ibv_qp_init_attr *attr)
{
	if (attr->qp_type != IBV_QPT_XRC_SEND && attr->qp_type != IBV_QPT_DRIVER)
		return;
	attr->recv_cq = NULL;
	attr->cap.max_recv_wr = attr->cap.max_recv_sge = 0;
}

static struct ibv_qp *create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr, uint64_t ops)
{
	struct ibv_qp_init_attr_ex ex = {
		.qp_context = attr->qp_context,
		.send_cq = attr->send_cq,
		.recv_cq = attr->recv_cq,
		.srq = attr->srq,
		.cap = attr->cap,
		.qp_type = attr->qp_type,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = pd,
		.send_ops_flags = ops,
	};
	struct ibv_qp *qp;

	if (attr->qp_type == IBV_QPT_DRIVER)
		return dc_create_dci(pd, attr, ops);
	if (!ops)
		return ibv_create_qp(pd, attr);
	qp = ibv_create_qp_ex(pd->context, &ex);
	attr->cap = ex.cap;
	return qp;
}

struct ibv_qp *domain_create_qp(struct domain *d, struct ibv_qp_init_attr *attr, uint64_t ops)
{
	struct ibv_qp_init_attr asked;
	struct ibv_qp *qp = NULL;

	drop_receives(attr);
	asked = *attr; /* a call that fails may have changed attr */
	if (d->without & LOCKS_OFF_QP)
		qp = create_qp(d->parent, attr, ops);
	if (qp)
		return qp;
	d->without &= ~(unsigned int)LOCKS_OFF_QP;
	*attr = asked;
	errno = 0;
	return create_qp(d->pd, attr, ops);
}

void domain_close(struct domain *d)
{
	if (d->parent)
		verbs_warn("free parent domain", ibv_dealloc_pd(d->parent));
	if (d->td)
		verbs_warn("free thread domain", ibv_dealloc_td(d->td));
	if (d->pd)
		verbs_warn("free PD", ibv_dealloc_pd(d->pd));
	d->parent = NULL;
	d->td = NULL;
	d->pd = NULL;
}
