/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The functions of libibverbs for objects: they create, change and destroy them; see api.h. A child
 * of fork() that ends by exit() destroys what it has of its parent: nothing happens.
 */
#include "config.h"

#include <errno.h>

#include "api/api.h"
#include "base/hca.h"
#include "objects/ah.h"
#include "objects/cq.h"
#include "objects/event.h"
#include "objects/mr.h"
#include "objects/pd.h"
#include "objects/qp.h"
#include "objects/srq.h"
#include "transport/object.h"

#undef ibv_reg_mr
#undef ibv_reg_mr_iova

API struct ibv_pd *ibv_alloc_pd(struct ibv_context *ctx)
{
	__typeof__(&ibv_alloc_pd) next;

	if (api_emulated(ctx))
		return pd_alloc(ctx);
	next = api_next("ibv_alloc_pd");
	return next(ctx);
}

API int ibv_dealloc_pd(struct ibv_pd *pd)
{
	__typeof__(&ibv_dealloc_pd) next;

	if (api_emulated(pd->context))
		return ctx_is_of_parent(pd->context) ? 0 : pd_dealloc(pd);
	next = api_next("ibv_dealloc_pd");
	return next(pd);
}

API struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t len, int access)
{
	__typeof__(&ibv_reg_mr) next;

	if (api_emulated(pd->context))
		return mr_reg(pd, addr, len, (uintptr_t)addr, (unsigned int)access);
	next = api_next("ibv_reg_mr");
	return next(pd, addr, len, access);
}

API struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t len, uint64_t iova,
				   int access)
{
	__typeof__(&ibv_reg_mr_iova) next;

	if (api_emulated(pd->context))
		return mr_reg(pd, addr, len, iova, (unsigned int)access);
	next = api_next("ibv_reg_mr_iova");
	return next(pd, addr, len, iova, access);
}

API struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t len, uint64_t iova,
				    unsigned int access)
{
	__typeof__(&ibv_reg_mr_iova2) next;

	if (api_emulated(pd->context))
		return mr_reg(pd, addr, len, iova, access);
	next = api_next("ibv_reg_mr_iova2");
	return next(pd, addr, len, iova, access);
}

API struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t len, uint64_t iova,
				     int fd, int access)
{
	const struct mr_dmabuf buf = { .offset = offset, .iova = iova, .len = len, .fd = fd };
	__typeof__(&ibv_reg_dmabuf_mr) next;

	if (api_emulated(pd->context))
		return mr_dmabuf_reg(pd, &buf, (unsigned int)access);
	next = api_next_if("ibv_reg_dmabuf_mr");
	errno = EOPNOTSUPP;
	return next ? next(pd, offset, len, iova, fd, access) : NULL;
}

API int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t len,
		     int access)
{
	__typeof__(&ibv_rereg_mr) next;

	if (api_emulated(mr->context))
		return mr_rereg(mr, &(struct mr_change) {
			.flags = flags, .access = access, .pd = pd, .addr = addr, .len = len,
		});
	next = api_next("ibv_rereg_mr");
	return next(mr, flags, pd, addr, len, access);
}

API int ibv_dereg_mr(struct ibv_mr *mr)
{
	__typeof__(&ibv_dereg_mr) next;

	if (api_emulated(mr->context))
		return ctx_is_of_parent(mr->context) ? 0 : mr_dereg(mr);
	next = api_next("ibv_dereg_mr");
	return next(mr);
}

API struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *ctx)
{
	__typeof__(&ibv_create_comp_channel) next;

	if (api_emulated(ctx))
		return event_channel(ctx);
	next = api_next("ibv_create_comp_channel");
	return next(ctx);
}

API int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
	__typeof__(&ibv_destroy_comp_channel) next;

	if (api_emulated(channel->context))
		return ctx_is_of_parent(channel->context) ? 0 : event_channel_destroy(channel);
	next = api_next("ibv_destroy_comp_channel");
	return next(channel);
}

API int ibv_resize_cq(struct ibv_cq *cq, int cqe)
{
	__typeof__(&ibv_resize_cq) next;

	if (api_emulated(cq->context))
		return cq_resize(cq, cqe);
	next = api_next("ibv_resize_cq");
	return next(cq, cqe);
}

API int ibv_destroy_cq(struct ibv_cq *cq)
{
	__typeof__(&ibv_destroy_cq) next;

	if (api_emulated(cq->context))
		return ctx_is_of_parent(cq->context) ? 0 : cq_destroy(cq);
	next = api_next("ibv_destroy_cq");
	return next(cq);
}

API int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context)
{
	__typeof__(&ibv_get_cq_event) next;

	if (api_emulated(channel->context))
		return event_get_cq(channel, cq, cq_context);
	next = api_next("ibv_get_cq_event");
	return next(channel, cq, cq_context);
}

API struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	__typeof__(&ibv_create_srq) next;

	if (api_emulated(pd->context))
		return srq_create(pd, attr);
	next = api_next("ibv_create_srq");
	return next(pd, attr);
}

API int ibv_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask)
{
	__typeof__(&ibv_modify_srq) next;

	if (api_emulated(srq->context))
		return srq_modify(srq, attr, mask);
	next = api_next("ibv_modify_srq");
	return next(srq, attr, mask);
}

API int ibv_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
	__typeof__(&ibv_query_srq) next;

	if (api_emulated(srq->context))
		return srq_query(srq, attr);
	next = api_next("ibv_query_srq");
	return next(srq, attr);
}

API int ibv_destroy_srq(struct ibv_srq *srq)
{
	__typeof__(&ibv_destroy_srq) next;

	if (api_emulated(srq->context))
		return ctx_is_of_parent(srq->context) ? 0 : srq_destroy(srq);
	next = api_next("ibv_destroy_srq");
	return next(srq);
}

API int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	__typeof__(&ibv_modify_qp) next;

	if (api_emulated(qp->context))
		return qp_modify(qp, attr, mask);
	next = api_next("ibv_modify_qp");
	return next(qp, attr, mask);
}

API int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		     struct ibv_qp_init_attr *init)
{
	__typeof__(&ibv_query_qp) next;

	if (api_emulated(qp->context))
		return qp_query(qp, attr, mask, init);
	next = api_next("ibv_query_qp");
	return next(qp, attr, mask, init);
}

API int ibv_destroy_qp(struct ibv_qp *qp)
{
	__typeof__(&ibv_destroy_qp) next;

	if (api_emulated(qp->context))
		return ctx_is_of_parent(qp->context) ? 0 : qp_destroy(qp);
	next = api_next("ibv_destroy_qp");
	return next(qp);
}

API int ibv_query_qp_data_in_order(struct ibv_qp *qp, enum ibv_wr_opcode op, uint32_t flags)
{
	__typeof__(&ibv_query_qp_data_in_order) next;

	if (api_emulated(qp->context))
		return !flags;
	next = api_next("ibv_query_qp_data_in_order");
	return next(qp, op, flags);
}

API struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	__typeof__(&ibv_create_ah) next;

	if (api_emulated(pd->context))
		return ah_create(pd, attr);
	next = api_next("ibv_create_ah");
	return next(pd, attr);
}

API int ibv_destroy_ah(struct ibv_ah *ah)
{
	__typeof__(&ibv_destroy_ah) next;

	if (api_emulated(ah->context))
		return ctx_is_of_parent(ah->context) ? 0 : ah_destroy(ah);
	next = api_next("ibv_destroy_ah");
	return next(ah);
}

API int ibv_init_ah_from_wc(struct ibv_context *ctx, uint8_t port, struct ibv_wc *wc,
			    struct ibv_grh *grh, struct ibv_ah_attr *attr)
{
	__typeof__(&ibv_init_ah_from_wc) next;

	if (api_emulated(ctx))
		return ah_init_from_wc(ctx, port, wc, grh, attr);
	next = api_next("ibv_init_ah_from_wc");
	return next(ctx, port, wc, grh, attr);
}

API int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	__typeof__(&ibv_attach_mcast) next;

	if (api_emulated(qp->context))
		return qp_attach(qp, gid, true);
	next = api_next("ibv_attach_mcast");
	return next(qp, gid, lid);
}

API int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	__typeof__(&ibv_detach_mcast) next;

	if (api_emulated(qp->context))
		return qp_attach(qp, gid, false);
	next = api_next("ibv_detach_mcast");
	return next(qp, gid, lid);
}

API int ibv_set_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	__typeof__(&ibv_set_ece) next;

	if (api_emulated(qp->context))
		return EOPNOTSUPP;
	next = api_next("ibv_set_ece");
	return next(qp, ece);
}

API int ibv_query_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	__typeof__(&ibv_query_ece) next;

	if (api_emulated(qp->context))
		return EOPNOTSUPP;
	next = api_next("ibv_query_ece");
	return next(qp, ece);
}

API struct ibv_cq *ibv_create_cq(struct ibv_context *ctx, int cqe, void *cq_context,
				 struct ibv_comp_channel *channel, int comp_vector)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = cqe < 0 ? 0 : (uint32_t)cqe,
		.cq_context = cq_context,
		.channel = channel,
		.comp_vector = (uint32_t)comp_vector,
	};
	__typeof__(&ibv_create_cq) next;

	if (api_emulated(ctx))
		return cq_create(ctx, &attr);
	next = api_next("ibv_create_cq");
	return next(ctx, cqe, cq_context, channel, comp_vector);
}

API struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_init_attr_ex ex = {
		.qp_context = attr->qp_context,
		.send_cq = attr->send_cq,
		.recv_cq = attr->recv_cq,
		.srq = attr->srq,
		.cap = attr->cap,
		.qp_type = attr->qp_type,
		.sq_sig_all = attr->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
	};
	__typeof__(&ibv_create_qp) next;
	struct ibv_qp *qp;

	if (api_emulated(pd->context)) {
		qp = qp_create(pd->context, &ex);
		if (qp)
			attr->cap = ex.cap;
		return qp;
	}
	next = api_next("ibv_create_qp");
	return next(pd, attr);
}

API struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp)
{
	__typeof__(&ibv_qp_to_qp_ex) next;

	if (api_emulated(qp->context))
		return container_of(qp, struct qp, ib)->is_ex ?
		       &container_of(qp, struct qp, ib)->ex : NULL;
	next = api_next("ibv_qp_to_qp_ex");
	return next(qp);
}

API struct ibv_ah *ibv_create_ah_from_wc(struct ibv_pd *pd, struct ibv_wc *wc, struct ibv_grh *grh,
					 uint8_t port)
{
	__typeof__(&ibv_create_ah_from_wc) next;
	struct ibv_ah_attr attr;

	if (api_emulated(pd->context)) {
		ah_init_from_wc(pd->context, port, wc, grh, &attr);
		return ah_create(pd, &attr);
	}
	next = api_next("ibv_create_ah_from_wc");
	return next(pd, wc, grh, port);
}
