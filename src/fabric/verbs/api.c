/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Lists of prebuilt requests by ibv_wr_*, completions by ibv_start_poll; see api.h. Streams have
 * the requests of ibv_wr_* inline instead (loops_stream.h).
 */
#include "config.h"

#include "verbs/api.h"

#include <errno.h>


#define ALWAYS_INLINE static inline __attribute__((always_inline))

#define PIECES_MAX 32 /* --sge */

struct form {
	enum opcode op;
	enum api_wr_target target;
	bool sges;
};

void api_wr_inline_pieces(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
	struct ibv_data_buf pieces[PIECES_MAX];
	const size_t n = wr->num_sge < PIECES_MAX ? (size_t)wr->num_sge : PIECES_MAX;

	for (size_t i = 0; i < n; i++)
		pieces[i] = (struct ibv_data_buf){ .addr = (void *)(uintptr_t)wr->sg_list[i].addr,
						   .length = wr->sg_list[i].length };
	ibv_wr_set_inline_data_list(qp, n, pieces);
}

/* All or nothing: ibv_wr_complete() that fails has posted none. */
ALWAYS_INLINE int post_list(struct ibv_qp *ibv_qp, struct ibv_send_wr *wr,
			    struct ibv_send_wr **bad, struct form form)
{
	struct ibv_qp_ex *const qp = api_wr_qp(ibv_qp);
	/* a message without payload has no SGE; one of no bytes means the same */
	const struct ibv_sge none = { 0 };

	*bad = wr;
	ibv_wr_start(qp);
	do {
		if (form.sges)
			api_wr_request_sges(qp, wr, form.op, form.target);
		else
			api_wr_request(qp, wr, wr->num_sge ? wr->sg_list : &none, form.op,
				       form.target);
		wr = wr->next;
	} while (wr);
	return ibv_wr_complete(qp);
}

#define POST(name, op, target) \
	static int name(struct ibv_qp *qp, struct ibv_send_wr *list, struct ibv_send_wr **bad) \
	{ return post_list(qp, list, bad, (struct form){ op, target, false }); } \
	static int name##_sges(struct ibv_qp *qp, struct ibv_send_wr *list, \
			       struct ibv_send_wr **bad) \
	{ return post_list(qp, list, bad, (struct form){ op, target, true }); }

#define OPCODE(O, ...) \
	POST(post_##O, OP_##O, API_WR_CONNECTED) \
	POST(post_ud_##O, OP_##O, API_WR_DATAGRAM) \
	POST(post_srq_##O, OP_##O, API_WR_SRQ) \
	POST(post_dct_##O, OP_##O, API_WR_DCT)
#include "options/opcodes.def"
#undef OPCODE

/* IBV_QPT_DRIVER: a DCI. */
static enum api_wr_target target_of(enum ibv_qp_type type)
{
	return type == IBV_QPT_UD	? API_WR_DATAGRAM :
	       type == IBV_QPT_XRC_SEND ? API_WR_SRQ :
	       type == IBV_QPT_DRIVER	? API_WR_DCT :
					  API_WR_CONNECTED;
}

api_post_fn *api_post(enum apis_post api, const struct ibv_qp *qp, enum opcode op, uint32_t sges)
{
	static api_post_fn *const functions[OP_COUNT][2][4] = {
#define OPCODE(O, ...) \
	[OP_##O] = { { [API_WR_CONNECTED] = post_##O, [API_WR_DATAGRAM] = post_ud_##O, \
		       [API_WR_SRQ] = post_srq_##O, [API_WR_DCT] = post_dct_##O }, \
		     { [API_WR_CONNECTED] = post_##O##_sges, \
		       [API_WR_DATAGRAM] = post_ud_##O##_sges, \
		       [API_WR_SRQ] = post_srq_##O##_sges, \
		       [API_WR_DCT] = post_dct_##O##_sges } },
#include "options/opcodes.def"
#undef OPCODE
	};

	if (api != APIS_POST_WR)
		return qp->context->ops.post_send;
	return functions[op][sges > 1][target_of(qp->qp_type)];
}

/* received: what only receives are looked at for is read, too. */
ALWAYS_INLINE int poll_extended(struct ibv_cq *ibv_cq, int n, struct ibv_wc *wc, bool received,
				enum sharing sharing)
{
	struct ibv_cq_ex *const cq = (struct ibv_cq_ex *)ibv_cq; /* what ibv_cq_ex_to_cq() undoes */
	struct ibv_poll_cq_attr none = { 0 };
	int got = 0, rc = ibv_start_poll(cq, &none);

	if (rc)
		return rc == ENOENT ? 0 : -rc; /* not to be ended: ibv_create_cq_ex(3) */
	do {
		wc[got].wr_id = cq->wr_id;
		wc[got].status = cq->status;
		wc[got].vendor_err = cq->status ? ibv_wc_read_vendor_err(cq) : 0;
		if (received) {
			wc[got].byte_len = ibv_wc_read_byte_len(cq);
			wc[got].imm_data = ibv_wc_read_imm_data(cq);
			if (sharing == SHARING_SRQ)
				wc[got].qp_num = ibv_wc_read_qp_num(cq);
			if (sharing == SHARING_ONE_QP)
				wc[got].src_qp = ibv_wc_read_src_qp(cq);
		}
	} while (++got < n && !(rc = ibv_next_poll(cq)));
	ibv_end_poll(cq);
	return rc && rc != ENOENT ? -rc : got;
}

#define POLL(name, received, sharing) \
	static int name(struct ibv_cq *cq, int n, struct ibv_wc *wc) \
	{ return poll_extended(cq, n, wc, received, sharing); }

POLL(poll_sent, false, SHARING_NONE)
POLL(poll_came, true, SHARING_NONE)
POLL(poll_came_srq, true, SHARING_SRQ)
POLL(poll_came_one_qp, true, SHARING_ONE_QP)

api_poll_fn *api_poll_sent(enum apis_poll api, const struct ibv_cq *cq)
{
	return api == APIS_POLL_EXTENDED ? poll_sent : cq->context->ops.poll_cq;
}

api_poll_fn *api_poll_came(enum apis_poll api, const struct ibv_cq *cq, enum sharing sharing)
{
	static api_poll_fn *const extended[SHARING_COUNT] = {
		[SHARING_NONE] = poll_came,
		[SHARING_SRQ] = poll_came_srq,
		[SHARING_ONE_QP] = poll_came_one_qp,
	};

	return api == APIS_POLL_EXTENDED ? extended[sharing] : cq->context->ops.poll_cq;
}

uint64_t api_bind_ops(enum apis_post api, enum mw_type type)
{
	return api == APIS_POST_WR && type == MW_TYPE_2 ? IBV_QP_EX_WITH_BIND_MW : 0;
}

uint64_t api_send_ops(enum apis_post api, enum opcode op)
{
	if (api != APIS_POST_WR)
		return 0;
	return api_code_send_op(op) |
	       (kind_takes_recv(op) ? IBV_QP_EX_WITH_SEND_WITH_IMM : 0);
}

/* ---- the codes of opcodes and transports */

enum ibv_wr_opcode api_code_wr(enum opcode op)
{
	static const enum ibv_wr_opcode codes[OP_COUNT] = {
#define OPCODE(O, NAME, FAMILY, CODE, ...) [OP_##O] = IBV_WR_##CODE,
#include "options/opcodes.def"
#undef OPCODE
	};

	return codes[op];
}

uint64_t api_code_send_op(enum opcode op)
{
	static const uint64_t flags[OP_COUNT] = {
#define OPCODE(O, NAME, FAMILY, CODE, ...) [OP_##O] = IBV_QP_EX_WITH_##CODE,
#include "options/opcodes.def"
#undef OPCODE
	};

	return flags[op] | (kind_flushes(op) ? IBV_QP_EX_WITH_FLUSH : 0);
}

int api_code_access(enum opcode op)
{
	static const int rights[] = {
		[ACCESS_NONE] = 0,
		[ACCESS_WRITE] = IBV_ACCESS_REMOTE_WRITE,
		[ACCESS_READ] = IBV_ACCESS_REMOTE_READ,
		[ACCESS_ATOMIC] = IBV_ACCESS_REMOTE_ATOMIC,
		[ACCESS_STORE] = IBV_ACCESS_REMOTE_WRITE,
		[ACCESS_FLUSH] = IBV_ACCESS_REMOTE_WRITE,
	};

	return rights[kind_access(op)];
}

int api_code_flush_access(enum flush flush)
{
	return flush == FLUSH_NONE	      ? 0 :
	       choices_flush_persists(flush) ? IBV_ACCESS_FLUSH_PERSISTENT :
					       IBV_ACCESS_FLUSH_GLOBAL;
}

enum ibv_qp_type api_code_qp_type(enum transport tp)
{
	static const enum ibv_qp_type types[TP_COUNT] = {
#define TRANSPORT(T, NAME, SENDER, ...) [TP_##T] = IBV_QPT_##SENDER,
#include "options/transports.def"
#undef TRANSPORT
	};

	return types[tp];
}

uint32_t api_code_odp(const struct ibv_device_attr_ex *attr, enum transport tp)
{
	const uint32_t none = 0;
	const uint32_t rc = attr->odp_caps.per_transport_caps.rc_odp_caps;
	const uint32_t uc = attr->odp_caps.per_transport_caps.uc_odp_caps;
	const uint32_t ud = attr->odp_caps.per_transport_caps.ud_odp_caps;
	const uint32_t caps[TP_COUNT] = {
#define TRANSPORT(T, NAME, SENDER, RELIABLE, NAMES, HALVES, CARRIES, GRH, ODP, LOOPS) \
	[TP_##T] = ODP,
#include "options/transports.def"
#undef TRANSPORT
	};

	return caps[tp];
}
