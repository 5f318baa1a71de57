/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The zero-cost mode within one process: which completions there are, and when. */
#include "config.h"

#include "t_env.h"
#include "../config/newer.h"

#include <poll.h>

static const char null_mode[] = "SOFTHCA_MODE=null";

/* Expects n receives of b, from wr_id first on. */
static void recvs(struct pair *p, uint32_t first, uint32_t n, uint32_t len)
{
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(t_recv(&p->b, first + i, len), 0);
}

static void send_some(struct pair *p, enum ibv_wr_opcode op, uint32_t len, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct ibv_send_wr wr = t_wr(p, op, 0);

		assert_int_equal(t_post(p, &wr, len), 0);
		assert_int_equal(t_wait(p->a.cq).status, IBV_WC_SUCCESS);
	}
}

static void send_empty(struct pair *p, uint32_t imm)
{
	struct ibv_send_wr wr = t_wr(p, IBV_WR_SEND_WITH_IMM, 0);
	struct ibv_sge none = { 0 };

	wr.sg_list = &none;
	wr.num_sge = 0;
	wr.imm_data = imm;
	assert_int_equal(t_post(p, &wr, 0), 0);
	assert_int_equal(t_wait(p->a.cq).status, IBV_WC_SUCCESS);
}

/*
 * As many receives complete as messages are sent, in order, with their length; no data are copied.
 */
static void test_counts(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_wc wc;

	(void)state;
	t_up(&p);
	memset(p.a.buf, 1, T_BUF);
	recvs(&p, 0, 4, 512);
	t_none(p.b.cq);
	send_some(&p, IBV_WR_SEND_WITH_IMM, 100, 3);
	for (uint32_t i = 0; i < 3; i++) {
		wc = t_wait(p.b.cq);
		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		assert_int_equal(wc.opcode, IBV_WC_RECV);
		assert_int_equal(wc.wr_id, i);
		assert_int_equal(wc.byte_len, 100);
		assert_int_equal(wc.imm_data, htobe32(i));
		assert_int_equal(wc.wc_flags, IBV_WC_WITH_IMM);
		assert_int_equal(wc.qp_num, p.b.qp->qp_num);
	}
	t_none(p.b.cq);
	/* sent before a receive is posted */
	send_some(&p, IBV_WR_SEND_WITH_IMM, 100, 2);
	assert_int_equal(t_wait(p.b.cq).wr_id, 3);
	t_none(p.b.cq);
	recvs(&p, 4, 1, 512);
	assert_int_equal(t_wait(p.b.cq).wr_id, 4);
	t_none(p.b.cq);
	assert_int_equal(p.b.buf[0], 0);
	t_down(&p);
}

static void test_write_imm(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_wc wc;

	(void)state;
	t_up(&p);
	recvs(&p, 0, 2, 0);
	send_some(&p, IBV_WR_RDMA_WRITE, 64, 5);
	t_none(p.b.cq);
	send_some(&p, IBV_WR_RDMA_WRITE_WITH_IMM, 64, 1);
	send_some(&p, IBV_WR_RDMA_WRITE, 64, 5);
	wc = t_wait(p.b.cq);
	assert_int_equal(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(wc.byte_len, 64);
	t_none(p.b.cq);
	t_down(&p);
}

/* Empty messages are delivered; only the last one, if they come faster than receives. */
static void test_empty(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_wc wc;

	(void)state;
	t_up(&p);
	recvs(&p, 0, 3, 512);
	send_empty(&p, 11);
	wc = t_wait(p.b.cq);
	assert_int_equal(wc.byte_len, 0);
	assert_int_equal(wc.imm_data, 11);
	t_none(p.b.cq);
	send_some(&p, IBV_WR_SEND, 100, 1);
	send_empty(&p, 12);
	send_empty(&p, 13);
	wc = t_wait(p.b.cq);
	assert_int_equal(wc.imm_data, 13);
	assert_int_equal(wc.byte_len, 0);
	wc = t_wait(p.b.cq);
	assert_int_equal(wc.byte_len, 100);
	assert_int_equal(wc.wc_flags, 0);
	t_none(p.b.cq);
	t_down(&p);
}

static void test_ud(void **state)
{
	struct pair p = t_defaults(IBV_QPT_UD);
	struct ibv_send_wr wr;
	struct ibv_ah_attr path;
	struct ibv_wc wc;

	(void)state;
	t_up(&p);
	wr = t_wr(&p, IBV_WR_SEND, 0);
	path = t_path(&p);
	wr.wr.ud.ah = ibv_create_ah(p.pd, &path);
	assert_non_null(wr.wr.ud.ah);
	wr.wr.ud.remote_qpn = p.b.qp->qp_num;
	wr.wr.ud.remote_qkey = 0x11;
	recvs(&p, 0, 2, 512);
	assert_int_equal(t_post(&p, &wr, 100), 0);
	wc = t_wait(p.b.cq);
	assert_int_equal(wc.byte_len, 140);
	assert_int_equal(wc.wc_flags, IBV_WC_GRH);
	assert_int_equal(wc.src_qp, p.a.qp->qp_num);
	t_none(p.b.cq);
	assert_int_equal(ibv_destroy_ah(wr.wr.ud.ah), 0);
	t_down(&p);
}

static void test_srq(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 16, .max_sge = 1 } };

	(void)state;
	t_open(&p);
	p.b.srq = ibv_create_srq(p.pd, &attr);
	assert_non_null(p.b.srq);
	t_side(&p, &p.a, NULL);
	t_side(&p, &p.b, NULL);
	t_connect(&p);
	recvs(&p, 0, 3, 512);
	t_none(p.b.cq);
	send_some(&p, IBV_WR_SEND, 8, 2);
	assert_int_equal(t_wait(p.b.cq).wr_id, 0);
	assert_int_equal(t_wait(p.b.cq).wr_id, 1);
	t_none(p.b.cq);
	t_down(&p);
}

/* Two sides, one of them with a completion channel. */
static struct ibv_comp_channel *up_with_channel(struct pair *p, const struct side *with)
{
	struct ibv_comp_channel *ch;

	t_open(p);
	ch = ibv_create_comp_channel(p->ctx);
	assert_non_null(ch);
	t_side(p, &p->a, with == &p->a ? ch : NULL);
	t_side(p, &p->b, with == &p->b ? ch : NULL);
	t_connect(p);
	return ch;
}

static void take_event(struct ibv_comp_channel *ch, const struct ibv_cq *of)
{
	struct ibv_cq *cq;
	void *context;

	t_readable(ch->fd);
	assert_int_equal(ibv_get_cq_event(ch, &cq, &context), 0);
	assert_ptr_equal(cq, of);
	ibv_ack_cq_events(cq, 1);
}

/* A receiver that sleeps is woken, also by a message that was sent before it armed the CQ. */
static void test_events(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_comp_channel *ch = up_with_channel(&p, &p.b);
	struct pollfd fd = { .fd = ch->fd, .events = POLLIN };

	(void)state;
	recvs(&p, 0, 16, 512);
	for (int i = 0; i < 8; i++) {
		if (i & 1) /* sent before the CQ is armed, and not polled */
			send_some(&p, IBV_WR_SEND, 8, 1);
		assert_int_equal(ibv_req_notify_cq(p.b.cq, 0), 0);
		assert_int_equal(poll(&fd, 1, 0), i & 1);
		if (!(i & 1))
			send_some(&p, IBV_WR_SEND, 8, 1);
		take_event(ch, p.b.cq);
		assert_int_equal(t_wait(p.b.cq).wr_id, i);
		t_none(p.b.cq);
	}
	assert_int_equal(poll(&fd, 1, 0), 0);
	t_down_channel(&p, ch);
}

/* The last message arrives also if the CQ of the sender is armed when it posts. */
static void test_armed_sender(void **state)
{
	struct pair p = t_defaults(IBV_QPT_UC);
	struct ibv_comp_channel *ch = up_with_channel(&p, &p.a);

	(void)state;
	recvs(&p, 0, 2, 512);
	send_some(&p, IBV_WR_SEND, 8, 1);
	assert_int_equal(t_wait(p.b.cq).wr_id, 0);
	assert_int_equal(ibv_req_notify_cq(p.a.cq, 0), 0);
	send_some(&p, IBV_WR_SEND, 8, 1);
	take_event(ch, p.a.cq);
	assert_int_equal(t_wait(p.b.cq).wr_id, 1);
	t_down_channel(&p, ch);
}

/* The completions of a destroyed QP disappear from the CQ; those of other QPs stay. */
static void test_destroy(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC, .cap = { 8, 8, 1, 1, 0 } };
	struct ibv_send_wr wr, *bad;
	struct ibv_qp *other;

	(void)state;
	t_up(&p);
	wr = t_wr(&p, IBV_WR_RDMA_WRITE, 0);
	attr.send_cq = attr.recv_cq = p.a.cq;
	other = ibv_create_qp(p.pd, &attr);
	assert_non_null(other);
	wr.num_sge = 0;
	for (uint64_t i = 0; i < 6; i++) {
		wr.wr_id = i;
		assert_int_equal(ibv_post_send(i & 1 ? other : p.a.qp, &wr, &bad), 0);
	}
	assert_int_equal(ibv_destroy_qp(other), 0);
	for (uint64_t i = 0; i < 6; i += 2)
		assert_int_equal(t_wait(p.a.cq).wr_id, i);
	t_none(p.a.cq);
	/* and their entries are used again */
	for (int round = 0; round < 40; round++)
		send_some(&p, IBV_WR_RDMA_WRITE, 8, 20);
	t_none(p.a.cq);
	t_down(&p);
}

struct fast {
	struct ibv_td *td;
	struct ibv_pd *domain;
	struct ibv_cq_ex *cq;
	struct ibv_qp_ex *qp;
};

/* Their arguments are all they have: no setter follows. */
static void store_and_flush(struct pair *p, struct fast *m)
{
	struct ibv_poll_cq_attr none = { 0 };
	struct newer_qp_ex *const newer = newer_qp_ex(m->qp);
	const uint64_t word = 1;

	ibv_wr_start(m->qp);
	m->qp->wr_id = 7;
	newer->wr_atomic_write(m->qp, p->b.mr->rkey, (uintptr_t)p->b.buf, &word);
	newer->wr_flush(m->qp, p->b.mr->rkey, (uintptr_t)p->b.buf, 8, IBV_FLUSH_GLOBAL,
			IBV_FLUSH_RANGE);
	assert_int_equal(ibv_wr_complete(m->qp), 0);
	assert_int_equal(ibv_start_poll(m->cq, &none), 0);
	assert_int_equal(m->cq->wr_id, 7);
	assert_int_equal(ibv_wc_read_opcode(m->cq), IBV_WC_ATOMIC_WRITE);
	assert_int_equal(ibv_next_poll(m->cq), 0);
	assert_int_equal(ibv_wc_read_opcode(m->cq), IBV_WC_FLUSH);
	ibv_end_poll(m->cq);
}

/* Opens side a again without locks: thread domain, single-threaded CQ, ibv_wr_*. */
static void use_fast_api(struct pair *p, struct fast *m)
{
	struct ibv_td_init_attr td = { 0 };
	struct ibv_parent_domain_init_attr domain = { .pd = p->pd };
	struct ibv_cq_init_attr_ex cq = {
		.cqe = 64, .comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD,
		.flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED, .wc_flags = IBV_WC_STANDARD_FLAGS,
	};
	struct ibv_qp_init_attr_ex qp = {
		.qp_type = p->type, .cap = { 64, 64, 1, 1, 64 },
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_SEND |
				  IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ |
				  IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |
				  IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
				  IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD |
				  IBV_QP_EX_WITH_ATOMIC_WRITE | IBV_QP_EX_WITH_FLUSH,
	};

	m->td = ibv_alloc_td(p->ctx, &td);
	assert_non_null(m->td);
	domain.td = m->td;
	m->domain = ibv_alloc_parent_domain(p->ctx, &domain);
	assert_non_null(m->domain);
	cq.parent_domain = m->domain;
	m->cq = ibv_create_cq_ex(p->ctx, &cq);
	assert_non_null(m->cq);
	qp.pd = m->domain;
	qp.send_cq = qp.recv_cq = ibv_cq_ex_to_cq(m->cq);
	p->a.qp = ibv_create_qp_ex(p->ctx, &qp);
	assert_non_null(p->a.qp);
	m->qp = ibv_qp_to_qp_ex(p->a.qp);
	assert_non_null(m->qp);
}

static void reopen_a(struct pair *p, struct fast *m)
{
	assert_int_equal(ibv_destroy_qp(p->a.qp), 0);
	p->a.qp = NULL;
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(m->cq)), 0);
	assert_int_equal(ibv_dealloc_pd(m->domain), 0);
	assert_int_equal(ibv_dealloc_td(m->td), 0);
}

static void expect_ex(struct ibv_cq_ex *cq, const enum ibv_wc_opcode *opcodes, uint64_t n)
{
	struct ibv_poll_cq_attr none = { 0 };

	/* one entry is taken by end_poll, the others by next_poll */
	assert_int_equal(ibv_start_poll(cq, &none), 0);
	assert_int_equal(cq->wr_id, 0);
	ibv_end_poll(cq);
	assert_int_equal(ibv_start_poll(cq, &none), 0);
	for (uint64_t i = 1; i < n; i++) {
		assert_int_equal(cq->wr_id, i);
		assert_int_equal(cq->status, IBV_WC_SUCCESS);
		assert_int_equal(ibv_wc_read_opcode(cq), opcodes[i]);
		assert_int_equal(ibv_next_poll(cq), i + 1 < n ? 0 : ENOENT);
	}
	ibv_end_poll(cq);
	assert_int_equal(ibv_start_poll(cq, &none), ENOENT);
}

/* Objects without locks; and ibv_wr_*, where the setters come in any order. */
static void test_no_locks(void **state)
{
	static const enum ibv_wc_opcode opcodes[] = {
		IBV_WC_RDMA_WRITE, IBV_WC_RDMA_READ, IBV_WC_FETCH_ADD, IBV_WC_COMP_SWAP,
		IBV_WC_SEND, IBV_WC_SEND, IBV_WC_SEND,
	};
	struct pair p = t_defaults(IBV_QPT_RC);
	struct fast m;
	struct ibv_wc wc;

	(void)state;
	t_up(&p);
	assert_int_equal(ibv_destroy_qp(p.a.qp), 0);
	assert_int_equal(ibv_destroy_qp(p.b.qp), 0);
	assert_int_equal(ibv_destroy_cq(p.b.cq), 0);
	assert_int_equal(ibv_dereg_mr(p.b.mr), 0);
	free(p.b.buf);
	t_side(&p, &p.b, NULL);
	use_fast_api(&p, &m);
	t_connect(&p);
	recvs(&p, 0, 8, 512);
	ibv_wr_start(m.qp);
	m.qp->wr_flags = IBV_SEND_SIGNALED;
	for (uint64_t i = 0; i < 7; i++) {
		m.qp->wr_id = i;
		if (i == 0)
			ibv_wr_rdma_write(m.qp, p.b.mr->rkey, (uintptr_t)p.b.buf);
		else if (i == 1)
			ibv_wr_rdma_read(m.qp, p.b.mr->rkey, (uintptr_t)p.b.buf);
		else if (i == 2)
			ibv_wr_atomic_fetch_add(m.qp, p.b.mr->rkey, (uintptr_t)p.b.buf, 1);
		else if (i == 3)
			ibv_wr_atomic_cmp_swp(m.qp, p.b.mr->rkey, (uintptr_t)p.b.buf, 1, 2);
		else if (i == 5)
			ibv_wr_send_imm(m.qp, 99);
		else
			ibv_wr_send(m.qp);
		if (i != 5)
			ibv_wr_set_sge(m.qp, p.a.mr->lkey, (uintptr_t)p.a.buf, 8);
	}
	assert_int_equal(ibv_wr_complete(m.qp), 0);
	expect_ex(m.cq, opcodes, 7);
	store_and_flush(&p, &m);
	wc = t_wait(p.b.cq);
	assert_int_equal(wc.byte_len, 0);
	assert_int_equal(wc.imm_data, 99);
	for (int i = 0; i < 2; i++)
		assert_int_equal(t_wait(p.b.cq).byte_len, 8);
	t_none(p.b.cq);
	reopen_a(&p, &m);
	t_down(&p);
}

/* SOFTHCA_AHEAD=3: three receives of a QP do not wait, the others wait for messages. */
static void test_ahead(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);

	(void)state;
	t_up(&p);
	recvs(&p, 0, 5, 512);
	for (uint32_t i = 0; i < 3; i++) {
		struct ibv_wc wc = t_wait(p.b.cq);

		assert_int_equal(wc.wr_id, i);
		assert_int_equal(wc.byte_len, 512);
		assert_int_equal(wc.imm_data, htobe32(i));
	}
	t_none(p.b.cq);
	send_some(&p, IBV_WR_SEND, 100, 1);
	assert_int_equal(t_wait(p.b.cq).byte_len, 100);
	t_none(p.b.cq);
	t_down(&p);
}

/* A receive without room for data waits for an empty message. */
static void test_ahead_empty(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);

	(void)state;
	t_up(&p);
	recvs(&p, 0, 2, 0);
	t_none(p.b.cq);
	send_empty(&p, 5);
	assert_int_equal(t_wait(p.b.cq).imm_data, 5);
	t_down(&p);
}

/* The last byte of the first write arrives: without it no side of a ping-pong would start. */
static void test_first_write(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);

	(void)state;
	t_up(&p);
	memset(p.a.buf, 7, 64);
	send_some(&p, IBV_WR_RDMA_WRITE, 64, 1);
	assert_int_equal(p.b.buf[63], 7);
	assert_int_equal(p.b.buf[62], 0);
	t_down(&p);
}

int main(int argc, char **argv)
{
	static const struct t_case cases[] = {
		{ "null: counts", test_counts, { null_mode } },
		{ "null: writes with immediate", test_write_imm, { null_mode } },
		{ "null: empty messages", test_empty, { null_mode } },
		{ "null: UD", test_ud, { null_mode } },
		{ "null: SRQ", test_srq, { null_mode } },
		{ "null: events", test_events, { null_mode } },
		{ "null: a sender with an armed CQ", test_armed_sender, { null_mode } },
		{ "null: completions of a destroyed QP", test_destroy, { null_mode } },
		{ "null: thread domain, extended CQ, ibv_wr", test_no_locks, { null_mode } },
		{ "null: ahead", test_ahead, { null_mode, "SOFTHCA_AHEAD=3" } },
		{ "null: ahead, no room", test_ahead_empty, { null_mode, "SOFTHCA_AHEAD=3" } },
		{ "null: first write", test_first_write, { null_mode, "SOFTHCA_REFLECT=3" } },
	};

	return t_cases(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
