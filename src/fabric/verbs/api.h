/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room verbs: how verbs are called and what their codes, versions and drivers mean; it has no
 * device of its own.
 *
 * This header: the two ways to post requests and the two ways to poll completions, with one
 * signature each, so that the loops are the same for both. The first way of each is the provider's
 * function and costs the loops nothing; the others are here.
 */
#ifndef API_H
#define API_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "limits/limits.h"
#include "options/choices.h"
#include "options/kind.h"
#include "verbs/newer.h"

/*
 * As ibv_post_send(3) and ibv_poll_cq(3): 0 or an errno, with *bad the first request not posted;
 * the number of completions or negative. Of a completion wr_id, status and vendor_err are valid,
 * and for api_poll_came() byte_len and imm_data.
 */
typedef int api_post_fn(struct ibv_qp *qp, struct ibv_send_wr *list, struct ibv_send_wr **bad);
typedef int api_poll_fn(struct ibv_cq *cq, int n, struct ibv_wc *wc);

/*
 * For requests of this opcode, with so many SGEs at most (0, 1, more), on qp, which was made with
 * api_send_ops(): never NULL.
 */
api_post_fn *api_post(enum apis_post api, const struct ibv_qp *qp, enum opcode op, uint32_t sges);

/*
 * For CQs of completions of requests, and of receives; made as struct domain_cq says for that api.
 * With sharing the numbers of the QPs are valid, too: qp_num, or src_qp of SHARING_ONE_QP.
 */
api_poll_fn *api_poll_sent(enum apis_poll api, const struct ibv_cq *cq);
api_poll_fn *api_poll_came(enum apis_poll api, const struct ibv_cq *cq, enum sharing sharing);

/*
 * IBV_QP_EX_WITH_* that a QP needs for requests of this opcode and for credit messages (transports
 * that send them carry them); 0: an ordinary QP will do. ibv_create_qp_ex(3).
 */
uint64_t api_send_ops(enum apis_post api, enum opcode op);

/* The same for binds of memory windows; those of type 1 are not posted. */
uint64_t api_bind_ops(enum apis_post api, enum mw_type type);

/* ---- the codes of verbs, from the rows of options/opcodes.def and options/transports.def */

/* Of a work request: ibv_post_send(3). */
enum ibv_wr_opcode api_code_wr(enum opcode op);

/* What a QP must be created with to post it by ibv_wr_*: ibv_create_qp_ex(3), send_ops_flags. */
uint64_t api_code_send_op(enum opcode op);

/* The right that it needs at the target, of memory region and QP: ibv_reg_mr(3); 0: none. */
int api_code_access(enum opcode op);
int api_code_flush_access(enum flush flush);

/* Of a QP that sends: ibv_create_qp(3). */
enum ibv_qp_type api_code_qp_type(enum transport tp);

/* IBV_ODP_SUPPORT_SEND and so on: ibv_query_device_ex(3), per_transport_caps. */
uint32_t api_code_odp(const struct ibv_device_attr_ex *attr, enum transport tp);

/* ---- DC */

/*
 * DC, the Dynamically Connected transport of mlx5 devices, by the functions of libmlx5 that verbs
 * do not have. A DCI sends; each of its requests names a DCT by address, number and access key. A
 * DCT receives from an SRQ. Between them it is reliable and in order, as RC.
 *
 * dc_mlx5.c or dc_none.c implements it: configure --with-mlx5dv chooses. libmlx5 is opened when DC
 * is asked for, so that a machine without it runs everything else.
 *
 * Sources: mlx5dv_create_qp(3), mlx5dv_wr_post(3); create_dct() and mlx5_create_qp() in
 * providers/mlx5/verbs.c of rdma-core.
 */

struct mlx5dv_qp_ex;

/* What the requests of a DCI name. set: puts it into the request that is being made. */
struct dc_target {
	void (*set)(struct mlx5dv_qp_ex *dv, struct ibv_ah *ah, uint32_t dctn, uint64_t key);
	struct mlx5dv_qp_ex *dv; /* of the DCI */
	struct ibv_ah *ah;
	uint64_t key;
	uint32_t dctn;
};

/* Whether DC can be had on the device, and if not, why. */
enum limits_dc dc_probe(struct ibv_device *device);

/*
 * A DCI for requests of ops (IBV_QP_EX_WITH_*) by ibv_wr_*; attr as for ibv_create_qp(3), without
 * receives. NULL with errno.
 */
struct ibv_qp *dc_create_dci(struct ibv_pd *pd, struct ibv_qp_init_attr *attr, uint64_t ops);

struct dc_dct {
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	uint64_t key;
};

/* Its number is valid once it is in RTR. NULL with errno. */
struct ibv_qp *dc_create_dct(const struct dc_dct *want);

/* Sets set and dv of the target. 0, or -EOPNOTSUPP: not a DCI of dc_create_dci(). */
int dc_aim(struct dc_target *target, struct ibv_qp *dci) __attribute__((warn_unused_result));

/*
 * The target of a prebuilt request. ibv_send_wr has no place for it; no opcode here uses that of a
 * TSO header.
 */
static inline void dc_set_target(struct ibv_send_wr *wr, struct dc_target *target)
{
	wr->tso.hdr = target;
}

static inline const struct dc_target *dc_target_of(const struct ibv_send_wr *wr)
{
	return wr->tso.hdr;
}

/*
 * The arguments of ibv_wr_flush() of a prebuilt request, likewise: DC has none. It flushes what the
 * write before it has written.
 */
static inline void api_set_flush(struct ibv_send_wr *wr, enum flush flush)
{
	const bool all = flush == FLUSH_GLOBAL_MR || flush == FLUSH_PERSISTENT_MR;

	wr->tso.hdr_sz = choices_flush_persists(flush) ? IBV_FLUSH_PERSISTENT : IBV_FLUSH_GLOBAL;
	wr->tso.mss = all ? IBV_FLUSH_MR : IBV_FLUSH_RANGE;
}

/* ---- one request by ibv_wr_* */

/*
 * One prebuilt request by ibv_wr_*, for the measured loops and for api.c. Everything but inline
 * data in pieces is inline: with op and target constant it is four calls through pointers and their
 * arguments. Requests of one SGE do not use the setters of lists (ibv_wr_set_sge_list and so on),
 * which have errors in rxe of rdma-core before 64.
 */

/* The QP was made by ibv_create_qp_ex(): the first member of struct ibv_qp_ex is the QP. */
static inline struct ibv_qp_ex *api_wr_qp(struct ibv_qp *qp)
{
	return (struct ibv_qp_ex *)qp;
}

/* The completion of the message is that of the flush. */
static inline __attribute__((always_inline)) void
api_wr_unflushed_write(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
	qp->wr_flags &= ~(unsigned)IBV_SEND_SIGNALED;
	ibv_wr_rdma_write(qp, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
}

/* After the payload of the write, which has n SGEs. */
static inline __attribute__((always_inline)) void
api_wr_flush(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr, const struct ibv_sge *sge, int n)
{
	size_t len = 0;

	while (n-- > 0)
		len += sge++->length;
	qp->wr_flags = wr->send_flags & IBV_SEND_SIGNALED;
	newer_qp_ex(qp)->wr_flush(qp, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr, len,
				  (uint8_t)wr->tso.hdr_sz, (uint8_t)wr->tso.mss);
}

static inline __attribute__((always_inline)) void
api_wr_begin(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr, enum opcode op)
{
	/* op is a constant: one of these calls remains */
#define OPCODE(O, NAME, FAMILY, CODE, ACCESS, RECEIVE, IMM, COMPARES, WHEN, ...) \
	if (op == OP_##O) \
		__VA_ARGS__;
#include "options/opcodes.def"
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
		if (kind_flushes(op))
			api_wr_flush(qp, wr, sge, 1);
		return;
	}
	qp->wr_flags = flags;
	api_wr_begin(qp, wr, op);
	if (kind_is_store(op))
		return; /* of no transport with an address, and without setters */
	api_wr_address(qp, wr, target);
	ibv_wr_set_sge(qp, sge->lkey, sge->addr, sge->length);
	if (kind_flushes(op))
		api_wr_flush(qp, wr, sge, 1);
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
	if (kind_flushes(op))
		api_wr_flush(qp, wr, wr->sg_list, wr->num_sge);
}

#endif
