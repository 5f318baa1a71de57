/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Two QPs of this process on one device, and helpers to connect them, post and poll. The device is
 * the emulated HCA, or the one that VERBS_DEVICE names: rxe0 in the lab.
 */
#ifndef T_H
#define T_H

#include <infiniband/verbs.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#define T_BUF 65536
#define T_GUARD_S 300 /* what takes so long hangs, also on a busy machine */

struct side {
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_srq *srq;
	uint8_t *buf;
	struct ibv_mr *mr;
};

struct pair {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	enum ibv_qp_type type;
	struct side a, b;
	uint8_t rnr_retry, retry, timeout;
	int access;
	uint32_t cqe, depth;
	union ibv_gid gid;
	uint8_t sgid_index;
	enum ibv_mtu mtu;
	bool emulated;
};

static inline struct pair t_defaults(enum ibv_qp_type type)
{
	return (struct pair) {
		.type = type, .rnr_retry = 2, .retry = 2, .timeout = 8, .cqe = 256, .depth = 64,
		.access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			  IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND,
	};
}

/* The GID of an IPv4 address, as RoCE v2 has it. */
static inline void t_find_gid(struct pair *p)
{
	struct ibv_gid_entry e;

	for (uint32_t i = 0; i < 32; i++) {
		if (ibv_query_gid_ex(p->ctx, 1, i, &e, 0) || e.gid_type != IBV_GID_TYPE_ROCE_V2 ||
		    e.gid.raw[10] != 0xff || e.gid.raw[11] != 0xff)
			continue;
		p->gid = e.gid;
		p->sgid_index = (uint8_t)i;
		return;
	}
	fail_msg("%s has no GID of an IPv4 address", ibv_get_device_name(p->ctx->device));
}

static inline void t_open(struct pair *p)
{
	const char *name = getenv("VERBS_DEVICE") ? getenv("VERBS_DEVICE") : "softhca0";
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_port_attr port;

	assert_non_null(list);
	p->ctx = NULL; /* a case may open it again */
	for (int i = 0; list[i] && !p->ctx; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			p->ctx = ibv_open_device(list[i]);
	ibv_free_device_list(list);
	if (!p->ctx)
		fail_msg("there is no device %s", name);
	p->emulated = !strncmp(name, "softhca", 7);
	p->pd = ibv_alloc_pd(p->ctx);
	assert_non_null(p->pd);
	assert_int_equal(ibv_query_port(p->ctx, 1, &port), 0);
	p->mtu = port.active_mtu;
	t_find_gid(p);
}

static inline void t_side(struct pair *p, struct side *s, struct ibv_comp_channel *ch)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = p->type,
		.srq = s->srq,
		.cap = { p->depth, p->depth, 4, 4, 64 },
	};

	s->buf = calloc(1, T_BUF);
	s->mr = ibv_reg_mr(p->pd, s->buf, T_BUF, p->access);
	assert_non_null(s->mr);
	s->cq = ibv_create_cq(p->ctx, (int)p->cqe, NULL, ch, 0);
	assert_non_null(s->cq);
	attr.send_cq = attr.recv_cq = s->cq;
	s->qp = ibv_create_qp(p->pd, &attr);
	assert_non_null(s->qp);
}

static inline int t_init(struct pair *p, struct side *s)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 0x11,
		.qp_access_flags = (unsigned int)p->access & ~(unsigned int)IBV_ACCESS_MW_BIND,
	};

	return ibv_modify_qp(s->qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			     (p->type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));
}

static inline struct ibv_ah_attr t_path(struct pair *p)
{
	return (struct ibv_ah_attr) {
		.is_global = 1, .port_num = 1, .grh = { .dgid = p->gid, .sgid_index = p->sgid_index,
					.hop_limit = 64 },
	};
}

static inline int t_rtr(struct pair *p, struct side *s, uint32_t dest)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTR, .path_mtu = p->mtu, .dest_qp_num = dest,
		.max_dest_rd_atomic = 4, .min_rnr_timer = 5, .ah_attr = t_path(p),
	};
	int mask = IBV_QP_STATE;

	if (p->type != IBV_QPT_UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (p->type == IBV_QPT_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	return ibv_modify_qp(s->qp, &a, mask);
}

static inline int t_rts(struct pair *p, struct side *s)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_RTS, .timeout = p->timeout, .retry_cnt = p->retry,
		.rnr_retry = p->rnr_retry, .max_rd_atomic = 4,
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (p->type == IBV_QPT_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	return ibv_modify_qp(s->qp, &a, mask);
}

static inline void t_connect(struct pair *p)
{
	assert_int_equal(t_init(p, &p->a), 0);
	assert_int_equal(t_init(p, &p->b), 0);
	assert_int_equal(t_rtr(p, &p->a, p->b.qp->qp_num), 0);
	assert_int_equal(t_rtr(p, &p->b, p->a.qp->qp_num), 0);
	assert_int_equal(t_rts(p, &p->a), 0);
	assert_int_equal(t_rts(p, &p->b), 0);
}

static inline void t_up(struct pair *p)
{
	t_open(p);
	t_side(p, &p->a, NULL);
	t_side(p, &p->b, NULL);
	t_connect(p);
}

static inline void t_down_side(struct side *s)
{
	if (s->qp)
		assert_int_equal(ibv_destroy_qp(s->qp), 0);
	if (s->srq)
		assert_int_equal(ibv_destroy_srq(s->srq), 0);
	assert_int_equal(ibv_destroy_cq(s->cq), 0);
	assert_int_equal(ibv_dereg_mr(s->mr), 0);
	free(s->buf);
}

static inline void t_down(struct pair *p)
{
	t_down_side(&p->a);
	t_down_side(&p->b);
	assert_int_equal(ibv_dealloc_pd(p->pd), 0);
	assert_int_equal(ibv_close_device(p->ctx), 0);
}

static inline double t_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Waits for an event. */
static inline void t_readable(int fd)
{
	struct pollfd in = { .fd = fd, .events = POLLIN };

	assert_int_equal(poll(&in, 1, T_GUARD_S * 1000), 1);
}

/* Waits for the next completion. */
static inline struct ibv_wc t_wait(struct ibv_cq *cq)
{
	double end = t_now() + T_GUARD_S;
	struct ibv_wc wc = { .status = IBV_WC_GENERAL_ERR };

	while (t_now() < end) {
		int n = ibv_poll_cq(cq, 1, &wc);

		assert_true(n >= 0);
		if (n)
			return wc;
	}
	fail_msg("no completion");
	return wc;
}

static inline void t_none(struct ibv_cq *cq)
{
	struct ibv_wc wc;

	assert_int_equal(ibv_poll_cq(cq, 1, &wc), 0);
}

/* No completion comes for that many seconds. */
static inline void t_none_for(struct ibv_cq *cq, double seconds)
{
	double end = t_now() + seconds;

	do
		t_none(cq);
	while (t_now() < end);
}

static inline void t_expect(struct ibv_cq *cq, enum ibv_wc_status status)
{
	struct ibv_wc wc = t_wait(cq);

	if (wc.status != status)
		fail_msg("%s, not %s", ibv_wc_status_str(wc.status), ibv_wc_status_str(status));
}

static inline void t_fill(struct side *s, uint8_t seed)
{
	for (uint32_t i = 0; i < T_BUF; i++)
		s->buf[i] = (uint8_t)(seed + i * 7 + (i >> 8));
}

static inline int t_recv(struct side *s, uint32_t off, uint32_t len)
{
	struct ibv_sge sge = { (uintptr_t)s->buf + off, len, s->mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = off, .sg_list = &sge, .num_sge = 1 }, *bad;

	return s->srq ? ibv_post_srq_recv(s->srq, &wr, &bad) : ibv_post_recv(s->qp, &wr, &bad);
}

/* A request of the first len bytes of a; one-sided: to the offset off of b. */
static inline struct ibv_send_wr t_wr(struct pair *p, enum ibv_wr_opcode op, uint32_t off)
{
	struct ibv_send_wr wr = {
		.wr_id = 77, .num_sge = 1, .opcode = op, .send_flags = IBV_SEND_SIGNALED,
		.imm_data = 0x12345678,
	};

	if (op == IBV_WR_ATOMIC_CMP_AND_SWP || op == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = (uintptr_t)p->b.buf + off;
		wr.wr.atomic.rkey = p->b.mr->rkey;
	} else {
		wr.wr.rdma.remote_addr = (uintptr_t)p->b.buf + off;
		wr.wr.rdma.rkey = p->b.mr->rkey;
	}
	return wr;
}

static inline int t_post(struct pair *p, struct ibv_send_wr *wr, uint32_t len)
{
	struct ibv_sge sge = { (uintptr_t)p->a.buf, len, p->a.mr->lkey };
	struct ibv_send_wr *bad;

	if (!wr->sg_list)
		wr->sg_list = &sge;
	return ibv_post_send(p->a.qp, wr, &bad);
}

static inline enum ibv_qp_state t_state(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	assert_int_equal(ibv_query_qp(qp, &attr, IBV_QP_STATE, &init), 0);
	return attr.qp_state;
}

#endif
