/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A QP of somebody who has nothing to do with a session, on the device of its client. For tests
 * with cmocka, whose headers stand before this one.
 */
#ifndef VICTIM_H
#define VICTIM_H

#include <arpa/inet.h>
#include <sched.h>
#include <string.h>

#include "options/options.h"
#include "wire/proto.h"
#include "device/dev.h"

#define VICTIM_QKEY 0x1234u
#define VICTIM_SEND 99u

/* A QP of UD of somebody else on pair0, which takes what comes. */
struct victim {
	struct dev dev;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t bytes[4096];
};

static inline void open_victim(struct victim *v, const char *device)
{
	struct cfg cfg = { .test = (enum test)0 };
	const struct dev_request request = { .cfg = &cfg };
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_UD,
					 .cap = { 4, 4, 1, 1, 0 } };
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1,
				    .qkey = VICTIM_QKEY };
	struct ibv_recv_wr *bad;

	assert_int_equal(field_defaults(&options_table, &cfg), 0);
	cfg.device = device;
	assert_int_equal(dev_open(&v->dev, &request), 0);
	v->pd = ibv_alloc_pd(v->dev.ctx);
	v->cq = ibv_create_cq(v->dev.ctx, 8, NULL, NULL, 0);
	v->mr = ibv_reg_mr(v->pd, v->bytes, sizeof(v->bytes), IBV_ACCESS_LOCAL_WRITE);
	init.send_cq = v->cq;
	init.recv_cq = v->cq;
	v->qp = ibv_create_qp(v->pd, &init);
	assert_non_null(v->qp);
	assert_int_equal(ibv_modify_qp(v->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
				       IBV_QP_PORT | IBV_QP_QKEY), 0);
	attr.qp_state = IBV_QPS_RTR;
	assert_int_equal(ibv_modify_qp(v->qp, &attr, IBV_QP_STATE), 0);
	attr.qp_state = IBV_QPS_RTS;
	assert_int_equal(ibv_modify_qp(v->qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN), 0);
	for (int i = 0; i < 4; i++) {
		struct ibv_sge sge = { (uintptr_t)v->bytes, sizeof(v->bytes), v->mr->lkey };
		struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 };

		assert_int_equal(ibv_post_recv(v->qp, &wr, &bad), 0);
	}
}

/* Messages that have come. */
static inline int came_to_victim(struct victim *v)
{
	struct ibv_wc wc;
	int n = 0;

	while (ibv_poll_cq(v->cq, 1, &wc) > 0)
		n += wc.wr_id != VICTIM_SEND;
	return n;
}

static inline void close_victim(struct victim *v)
{
	ibv_destroy_qp(v->qp);
	ibv_destroy_cq(v->cq);
	ibv_dereg_mr(v->mr);
	ibv_dealloc_pd(v->pd);
	dev_close(&v->dev);
}

/* The victim's address as that of the client, for the messages and for the proof. */
static inline json_t *make_stolen(const struct victim *v, uint32_t gid)
{
	struct ep_qp_id qp = { .qpn = v->qp->qp_num, .psn = 7 };
	struct ep_addr addr = { .n_qps = 1, .qps = &qp, .qkey = VICTIM_QKEY,
				.proof_qpn = v->qp->qp_num, .proof_qkey = VICTIM_QKEY };

	memcpy(addr.gid, v->dev.limits.gids[gid].raw, sizeof(addr.gid));
	return proto_endpoint(&addr);
}

/* The number of the next datagram that comes, not of one that was sent. */
static inline uint32_t await_number(struct victim *v)
{
	struct ibv_wc wc;

	do {
		while (!ibv_poll_cq(v->cq, 1, &wc))
			sched_yield();
	} while (!(wc.wc_flags & IBV_WC_WITH_IMM));
	return ntohl(wc.imm_data);
}

/* A datagram of the victim's own QP, to the proof QP of the server. */
static inline void send_from_victim(struct victim *v, const json_t *endpoint)
{
	struct ep_addr server;
	struct ibv_ah_attr path = { .is_global = 1, .port_num = 1,
				    .grh = { .hop_limit = 64, .sgid_index = 0 } };
	struct ibv_send_wr wr = { .wr_id = VICTIM_SEND, .opcode = IBV_WR_SEND_WITH_IMM,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;

	assert_int_equal(proto_read_endpoint(&server, endpoint, 1, 0), 0);
	memcpy(path.grh.dgid.raw, server.gid, sizeof(server.gid));
	path.grh.sgid_index = (uint8_t)v->dev.limits.gids[0].index;
	wr.wr.ud.ah = ibv_create_ah(v->pd, &path);
	assert_non_null(wr.wr.ud.ah);
	wr.wr.ud.remote_qpn = server.proof_qpn;
	wr.wr.ud.remote_qkey = server.proof_qkey;
	assert_int_equal(ibv_post_send(v->qp, &wr, &bad), 0);
	ibv_destroy_ah(wr.wr.ud.ah);
	ep_addr_free(&server);
}

#endif
