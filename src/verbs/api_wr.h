/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * One prebuilt request by ibv_wr_*, for the measured loops and for api.c. Everything but inline
 * data in pieces is inline: with op and target constant it is four calls through pointers and their
 * arguments. Requests of one SGE do not use the setters of lists (ibv_wr_set_sge_list and so on),
 * which have errors in rxe of rdma-core before 64.
 */
#ifndef API_WR_H
#define API_WR_H

#include <stdbool.h>
#include <infiniband/verbs.h>

#include "config/kind.h"
#include "verbs/dc.h"

/* The QP was made by ibv_create_qp_ex(): the first member of struct ibv_qp_ex is the QP. */
static inline struct ibv_qp_ex *api_wr_qp(struct ibv_qp *qp)
{
	return (struct ibv_qp_ex *)qp;
}

static inline __attribute__((always_inline)) void
api_wr_begin(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr, enum opcode op)
{
	/* op is a constant: one of these calls remains */
#define OPCODE(O, NAME, FAMILY, CODE, ACCESS, RECEIVE, IMM, COMPARES, WHEN, ...) \
	if (op == OP_##O) \
		__VA_ARGS__;
#include "config/opcodes.def"
#undef OPCODE
}

/* What a request says of its target, besides addresses of memory. */
enum api_wr_target { API_WR_CONNECTED, API_WR_DATAGRAM, API_WR_SRQ, API_WR_DCT };

static inline __attribute__((always_inline)) enum api_wr_target api_wr_target(enum transport tp)
{
	return kind_is_datagram(tp) ? API_WR_DATAGRAM :
	       kind_names_srq(tp)   ? API_WR_SRQ :
	       kind_names_dct(tp)   ? API_WR_DCT :
				      API_WR_CONNECTED;
}

static inline __attribute__((always_inline)) void
api_wr_address(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr, enum api_wr_target target)
{
	if (target == API_WR_DCT) {
		const struct dc_target *const dct = dc_target_of(wr);

		dct->set(dct->dv, dct->ah, dct->dctn, dct->key);
	}
	if (target == API_WR_SRQ)
		ibv_wr_set_xrc_srqn(qp, wr->qp_type.xrc.remote_srqn);
	if (target == API_WR_DATAGRAM)
		ibv_wr_set_ud_addr(qp, wr->wr.ud.ah, wr->wr.ud.remote_qpn, wr->wr.ud.remote_qkey);
}

/* api.c: sets the pieces of wr as inline data. */
void api_wr_inline_pieces(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr);

/*
 * The request wr with its buffer sge, between ibv_wr_start() and ibv_wr_complete().
 */
static inline __attribute__((always_inline)) void
api_wr_request(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr, const struct ibv_sge *sge,
	       enum opcode op, enum api_wr_target target)
{
	const unsigned flags = wr->send_flags;

	qp->wr_id = wr->wr_id;
	/* a test before the first call, so that nothing need be kept for one after it */
	if (__builtin_expect(flags & IBV_SEND_INLINE, 0)) {
		qp->wr_flags = flags ^ IBV_SEND_INLINE; /* ibv_wr_post(3): not for this call */
		api_wr_begin(qp, wr, op);
		api_wr_address(qp, wr, target);
		ibv_wr_set_inline_data(qp, (void *)(uintptr_t)sge->addr, sge->length);
		return;
	}
	qp->wr_flags = flags;
	api_wr_begin(qp, wr, op);
	api_wr_address(qp, wr, target);
	ibv_wr_set_sge(qp, sge->lkey, sge->addr, sge->length);
}

/* The same for a request of several SGEs. */
static inline __attribute__((always_inline)) void
api_wr_request_sges(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr, enum opcode op,
		    enum api_wr_target target)
{
	const unsigned flags = wr->send_flags;

	qp->wr_id = wr->wr_id;
	qp->wr_flags = flags & ~(unsigned)IBV_SEND_INLINE; /* ibv_wr_post(3): not for this call */
	api_wr_begin(qp, wr, op);
	api_wr_address(qp, wr, target);
	if (__builtin_expect(flags & IBV_SEND_INLINE, 0))
		api_wr_inline_pieces(qp, wr);
	else
		ibv_wr_set_sge_list(qp, (size_t)wr->num_sge, wr->sg_list);
}

#endif
