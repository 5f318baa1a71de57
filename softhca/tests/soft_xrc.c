/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* XRC on the emulated HCA within one process: domains, SRQs with numbers, QPs, and their errors. */
#include "config.h"
#include "t.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* a of the pair has the XRC_SEND QP, b the XRC_RECV QP and the SRQ; t.h does the rest. */
struct xrc {
	struct pair p;
	struct ibv_xrcd *xrcd;
	uint32_t num;
};

static struct ibv_xrcd *open_xrcd(struct ibv_context *ctx, int fd, int oflags)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = fd, .oflags = oflags,
	};

	return ibv_open_xrcd(ctx, &attr);
}

static struct ibv_srq *create_srq(struct ibv_pd *pd, struct ibv_xrcd *xrcd, struct ibv_cq *cq)
{
	struct ibv_srq_init_attr_ex attr = {
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_XRCD |
			     IBV_SRQ_INIT_ATTR_CQ | IBV_SRQ_INIT_ATTR_PD,
		.attr = { .max_wr = 32, .max_sge = 2 }, .srq_type = IBV_SRQT_XRC,
		.pd = pd, .xrcd = xrcd, .cq = cq,
	};

	return ibv_create_srq_ex(pd->context, &attr);
}

static uint32_t num_of(struct ibv_srq *srq)
{
	uint32_t num = 0;

	assert_int_equal(ibv_get_srq_num(srq, &num), 0);
	assert_int_not_equal(num, 0);
	assert_int_equal(num >> 24, 0);
	return num;
}

static struct ibv_qp *create_recv(struct ibv_context *ctx, struct ibv_xrcd *xrcd)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_XRC_RECV, .comp_mask = IBV_QP_INIT_ATTR_XRCD, .xrcd = xrcd,
	};

	return ibv_create_qp_ex(ctx, &attr);
}

static struct ibv_qp *create_send(struct pair *p, struct ibv_cq *cq)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_XRC_SEND, .send_cq = cq, .pd = p->pd,
		.cap = { .max_send_wr = 16, .max_send_sge = 2, .max_inline_data = 64 },
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM |
				  IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_READ,
	};

	return ibv_create_qp_ex(p->ctx, &attr);
}

static void open_side(struct pair *p, struct side *s)
{
	s->buf = calloc(1, T_BUF);
	s->mr = ibv_reg_mr(p->pd, s->buf, T_BUF, p->access);
	assert_non_null(s->mr);
	s->cq = ibv_create_cq(p->ctx, (int)p->cqe, NULL, NULL, 0);
	assert_non_null(s->cq);
}

/* The masks are those that perftest uses for both types; the kernel drops what a type lacks. */
static void connect_qps(struct pair *p, struct ibv_qp *send, struct ibv_qp *recv)
{
	struct side a = { .qp = send }, b = { .qp = recv };
	enum ibv_qp_type type = p->type;

	p->type = IBV_QPT_RC;
	assert_int_equal(t_init(p, &a), 0);
	assert_int_equal(t_init(p, &b), 0);
	assert_int_equal(t_rtr(p, &a, recv->qp_num), 0);
	assert_int_equal(t_rtr(p, &b, send->qp_num), 0);
	assert_int_equal(t_rts(p, &a), 0);
	assert_int_equal(t_rts(p, &b), 0);
	p->type = type;
}

static void up(struct xrc *x)
{
	struct pair *p = &x->p;

	*x = (struct xrc) { .p = t_defaults(IBV_QPT_XRC_SEND) };
	t_open(p);
	open_side(p, &p->a);
	open_side(p, &p->b);
	x->xrcd = open_xrcd(p->ctx, -1, O_CREAT);
	assert_non_null(x->xrcd);
	p->b.srq = create_srq(p->pd, x->xrcd, p->b.cq);
	assert_non_null(p->b.srq);
	x->num = num_of(p->b.srq);
	p->a.qp = create_send(p, p->a.cq);
	p->b.qp = create_recv(p->ctx, x->xrcd);
	assert_non_null(p->a.qp);
	assert_non_null(p->b.qp);
	connect_qps(p, p->a.qp, p->b.qp);
}

static void down(struct xrc *x)
{
	t_down_side(&x->p.a);
	t_down_side(&x->p.b);
	assert_int_equal(ibv_close_xrcd(x->xrcd), 0);
	assert_int_equal(ibv_dealloc_pd(x->p.pd), 0);
	assert_int_equal(ibv_close_device(x->p.ctx), 0);
}

static int post(struct xrc *x, enum ibv_wr_opcode op, uint32_t off, uint32_t len)
{
	struct ibv_send_wr wr = t_wr(&x->p, op, off);

	wr.qp_type.xrc.remote_srqn = x->num;
	return t_post(&x->p, &wr, len);
}

static void expect_event(struct xrc *x, enum ibv_event_type type)
{
	struct ibv_async_event ev;

	assert_int_equal(ibv_get_async_event(x->p.ctx, &ev), 0);
	assert_int_equal(ev.event_type, type);
	ibv_ack_async_event(&ev);
}

static void test_all_operations(void **state)
{
	struct ibv_device_attr attr;
	struct ibv_wc wc;
	struct xrc x;

	(void)state;
	up(&x);
	assert_int_equal(ibv_query_device(x.p.ctx, &attr), 0);
	assert_true(attr.device_cap_flags & IBV_DEVICE_XRC);
	t_fill(&x.p.a, 1);
	assert_int_equal(t_recv(&x.p.b, 1024, 64), 0);
	assert_int_equal(t_recv(&x.p.b, 2048, 64), 0);
	assert_int_equal(post(&x, IBV_WR_SEND_WITH_IMM, 0, 40), 0);
	t_expect(x.p.a.cq, IBV_WC_SUCCESS);
	wc = t_wait(x.p.b.cq);
	assert_int_equal(wc.wr_id, 1024);
	assert_int_equal(wc.byte_len, 40);
	assert_int_equal(wc.imm_data, 0x12345678);
	assert_int_equal(wc.qp_num, x.p.b.qp->qp_num);
	assert_memory_equal(x.p.b.buf + 1024, x.p.a.buf, 40);
	assert_int_equal(post(&x, IBV_WR_RDMA_WRITE_WITH_IMM, 4096, 100), 0);
	t_expect(x.p.a.cq, IBV_WC_SUCCESS);
	wc = t_wait(x.p.b.cq);
	assert_int_equal(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(wc.wr_id, 2048);
	assert_memory_equal(x.p.b.buf + 4096, x.p.a.buf, 100);
	assert_int_equal(post(&x, IBV_WR_RDMA_WRITE, 8192, 5000), 0);
	t_expect(x.p.a.cq, IBV_WC_SUCCESS);
	assert_memory_equal(x.p.b.buf + 8192, x.p.a.buf, 5000);
	t_fill(&x.p.b, 9);
	assert_int_equal(post(&x, IBV_WR_RDMA_READ, 16384, 3000), 0);
	t_expect(x.p.a.cq, IBV_WC_SUCCESS);
	assert_memory_equal(x.p.a.buf, x.p.b.buf + 16384, 3000);
	memset(x.p.b.buf, 0, 8);
	assert_int_equal(post(&x, IBV_WR_ATOMIC_FETCH_AND_ADD, 0, 8), 0);
	t_expect(x.p.a.cq, IBV_WC_SUCCESS);
	assert_int_equal(post(&x, IBV_WR_ATOMIC_CMP_AND_SWP, 0, 8), 0);
	t_expect(x.p.a.cq, IBV_WC_SUCCESS);
	t_none(x.p.b.cq);
	down(&x);
}

/* The receives of an SRQ complete in order, whichever QP takes them. */
static void test_qps_share_an_srq(void **state)
{
	struct ibv_qp *send, *recv;
	struct ibv_wc wc;
	struct xrc x;

	(void)state;
	up(&x);
	send = x.p.a.qp;
	recv = create_recv(x.p.ctx, x.xrcd);
	x.p.a.qp = create_send(&x.p, x.p.a.cq);
	connect_qps(&x.p, x.p.a.qp, recv);
	for (uint32_t i = 0; i < 20; i++)
		assert_int_equal(t_recv(&x.p.b, i * 64, 64), 0);
	for (uint32_t i = 0; i < 20; i++) {
		struct ibv_qp *other = x.p.a.qp;

		x.p.a.buf[0] = (uint8_t)i;
		assert_int_equal(post(&x, IBV_WR_SEND, 0, 16), 0);
		t_expect(x.p.a.cq, IBV_WC_SUCCESS);
		wc = t_wait(x.p.b.cq);
		assert_int_equal(wc.wr_id, i * 64);
		assert_int_equal(wc.qp_num, i % 2 ? x.p.b.qp->qp_num : recv->qp_num);
		assert_int_equal(x.p.b.buf[i * 64], i);
		x.p.a.qp = send;
		send = other;
	}
	assert_int_equal(ibv_destroy_qp(send), 0);
	assert_int_equal(ibv_destroy_qp(recv), 0);
	down(&x);
}

/* One QP reaches each SRQ of the domain; the CQ and the PD are those of the SRQ. */
static void test_a_message_names_its_srq(void **state)
{
	struct side first, other = { 0 };
	struct ibv_pd *first_pd;
	uint32_t num;
	struct xrc x;

	(void)state;
	up(&x);
	num = x.num;
	first = x.p.b;
	first_pd = x.p.pd;
	x.p.pd = ibv_alloc_pd(x.p.ctx);
	open_side(&x.p, &other);
	other.srq = create_srq(x.p.pd, x.xrcd, other.cq);
	x.num = num_of(other.srq);
	assert_int_not_equal(x.num, num);
	x.p.b = other;
	assert_int_equal(t_recv(&first, 0, 64), 0);
	assert_int_equal(t_recv(&other, 64, 64), 0);
	assert_int_equal(post(&x, IBV_WR_SEND, 0, 16), 0);
	t_expect(x.p.a.cq, IBV_WC_SUCCESS);
	assert_int_equal(t_wait(other.cq).wr_id, 64);
	t_none(first.cq);
	assert_int_equal(post(&x, IBV_WR_RDMA_WRITE, 0, 16), 0);
	t_expect(x.p.a.cq, IBV_WC_SUCCESS);
	x.num = num; /* the region is not in the PD of that SRQ */
	assert_int_equal(post(&x, IBV_WR_RDMA_WRITE, 0, 16), 0);
	t_expect(x.p.a.cq, IBV_WC_REM_ACCESS_ERR);
	expect_event(&x, IBV_EVENT_QP_ACCESS_ERR);
	assert_int_equal(t_state(first.qp), IBV_QPS_ERR);
	other.qp = NULL;
	t_down_side(&other);
	assert_int_equal(ibv_dealloc_pd(x.p.pd), 0);
	x.p.pd = first_pd;
	x.p.b = first;
	down(&x);
}

/* The sender gets an invalid request, the receiver an event; both QPs go into the error state. */
static void expect_invalid(struct xrc *x)
{
	assert_int_equal(post(x, IBV_WR_SEND, 0, 16), 0);
	t_expect(x->p.a.cq, IBV_WC_REM_INV_REQ_ERR);
	expect_event(x, IBV_EVENT_QP_REQ_ERR);
	assert_int_equal(t_state(x->p.a.qp), IBV_QPS_ERR);
	assert_int_equal(t_state(x->p.b.qp), IBV_QPS_ERR);
	t_none(x->p.b.cq);
}

static void reset(struct xrc *x)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };

	assert_int_equal(ibv_modify_qp(x->p.a.qp, &attr, IBV_QP_STATE), 0);
	assert_int_equal(ibv_modify_qp(x->p.b.qp, &attr, IBV_QP_STATE), 0);
	connect_qps(&x->p, x->p.a.qp, x->p.b.qp);
}

static void test_srq_that_is_not_there(void **state)
{
	uint32_t num;
	struct ibv_xrcd *far;
	struct ibv_srq *srq;
	struct xrc x;

	(void)state;
	up(&x);
	num = x.num;
	assert_int_equal(t_recv(&x.p.b, 0, 64), 0);
	x.num = 0;
	expect_invalid(&x);
	reset(&x);
	x.num = num + 1;
	expect_invalid(&x);
	reset(&x);
	far = open_xrcd(x.p.ctx, -1, O_CREAT);
	srq = create_srq(x.p.pd, far, x.p.b.cq);
	x.num = num_of(srq); /* of another domain */
	expect_invalid(&x);
	assert_int_equal(ibv_destroy_srq(srq), 0);
	assert_int_equal(ibv_close_xrcd(far), 0);
	reset(&x);
	srq = create_srq(x.p.pd, x.xrcd, x.p.b.cq);
	x.num = num_of(srq);
	assert_int_equal(ibv_destroy_srq(srq), 0); /* a QP does not keep it */
	expect_invalid(&x);
	reset(&x);
	x.num = num;
	assert_int_equal(post(&x, IBV_WR_SEND, 0, 16), 0);
	t_expect(x.p.a.cq, IBV_WC_SUCCESS);
	t_expect(x.p.b.cq, IBV_WC_SUCCESS);
	down(&x);
}

static void test_no_receive(void **state)
{
	struct xrc x;

	(void)state;
	up(&x);
	assert_int_equal(post(&x, IBV_WR_SEND, 0, 16), 0);
	t_expect(x.p.a.cq, IBV_WC_RNR_RETRY_EXC_ERR);
	t_none(x.p.b.cq);
	down(&x);
}

static void test_limit(void **state)
{
	struct ibv_srq_attr attr = { .srq_limit = 2 };
	struct xrc x;

	(void)state;
	up(&x);
	assert_int_equal(t_recv(&x.p.b, 0, 64), 0);
	assert_int_equal(t_recv(&x.p.b, 64, 64), 0);
	assert_int_equal(ibv_modify_srq(x.p.b.srq, &attr, IBV_SRQ_LIMIT), 0);
	assert_int_equal(post(&x, IBV_WR_SEND, 0, 16), 0);
	t_expect(x.p.a.cq, IBV_WC_SUCCESS);
	expect_event(&x, IBV_EVENT_SRQ_LIMIT_REACHED);
	t_expect(x.p.b.cq, IBV_WC_SUCCESS);
	down(&x);
}

/* Objects with users cannot be destroyed; what a QP received is gone with it. */
static void test_order_of_destruction(void **state)
{
	struct xrc x;

	(void)state;
	up(&x);
	assert_int_equal(t_recv(&x.p.b, 0, 64), 0);
	assert_int_equal(post(&x, IBV_WR_SEND, 0, 16), 0);
	t_expect(x.p.a.cq, IBV_WC_SUCCESS);
	assert_int_equal(ibv_close_xrcd(x.xrcd), EBUSY);
	assert_int_equal(ibv_destroy_cq(x.p.b.cq), EBUSY);
	assert_int_equal(ibv_destroy_qp(x.p.b.qp), 0);
	t_none(x.p.b.cq);
	assert_int_equal(ibv_close_xrcd(x.xrcd), EBUSY);
	assert_int_equal(post(&x, IBV_WR_SEND, 0, 16), 0);
	t_expect(x.p.a.cq, IBV_WC_RETRY_EXC_ERR);
	assert_int_equal(ibv_destroy_srq(x.p.b.srq), 0);
	x.p.b.qp = NULL;
	x.p.b.srq = NULL;
	down(&x);
}

static void test_domain_of_a_file(void **state)
{
	struct ibv_xrcd_init_attr attr = { .comp_mask = IBV_XRCD_INIT_ATTR_FD, .fd = -1 };
	struct ibv_xrcd *same, *first;
	FILE *f = tmpfile();
	struct xrc x;
	int fd;

	(void)state;
	assert_non_null(f);
	fd = dup(fileno(f));
	up(&x);
	assert_null(ibv_open_xrcd(x.p.ctx, &attr));
	assert_int_equal(errno, EINVAL);
	assert_null(open_xrcd(x.p.ctx, 1000, O_CREAT));
	assert_int_equal(errno, EBADF);
	assert_null(open_xrcd(x.p.ctx, fd, 0));
	assert_int_equal(errno, EAGAIN);
	first = open_xrcd(x.p.ctx, fd, O_CREAT);
	assert_non_null(first);
	assert_null(open_xrcd(x.p.ctx, fd, O_CREAT | O_EXCL));
	assert_int_equal(errno, EINVAL);
	same = open_xrcd(x.p.ctx, fileno(f), 0);
	assert_non_null(same);
	/* the SRQ in the one, the QP in the other */
	assert_int_equal(ibv_destroy_qp(x.p.b.qp), 0);
	assert_int_equal(ibv_destroy_srq(x.p.b.srq), 0);
	x.p.b.srq = create_srq(x.p.pd, first, x.p.b.cq);
	x.num = num_of(x.p.b.srq);
	x.p.b.qp = create_recv(x.p.ctx, same);
	reset(&x);
	assert_int_equal(t_recv(&x.p.b, 0, 64), 0);
	assert_int_equal(post(&x, IBV_WR_SEND, 0, 16), 0);
	t_expect(x.p.a.cq, IBV_WC_SUCCESS);
	t_expect(x.p.b.cq, IBV_WC_SUCCESS);
	assert_int_equal(ibv_close_xrcd(same), EBUSY);
	assert_int_equal(ibv_destroy_qp(x.p.b.qp), 0);
	assert_int_equal(ibv_close_xrcd(same), 0);
	assert_int_equal(ibv_destroy_srq(x.p.b.srq), 0);
	assert_int_equal(ibv_close_xrcd(first), 0);
	x.p.b.qp = NULL;
	x.p.b.srq = NULL;
	down(&x);
	fclose(f);
	close(fd);
}

static void test_refusals(void **state)
{
	struct ibv_srq_init_attr plain = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct ibv_qp_init_attr_ex qp = { .qp_type = IBV_QPT_XRC_RECV };
	struct ibv_srq *srq;
	uint32_t num;
	struct xrc x;

	(void)state;
	up(&x);
	srq = ibv_create_srq(x.p.pd, &plain);
	assert_int_equal(ibv_get_srq_num(srq, &num), EOPNOTSUPP);
	assert_null(ibv_create_qp_ex(x.p.ctx, &qp));
	assert_int_equal(errno, EINVAL);
	qp = (struct ibv_qp_init_attr_ex) {
		.qp_type = IBV_QPT_XRC_SEND, .pd = x.p.pd, .comp_mask = IBV_QP_INIT_ATTR_PD,
	};
	assert_null(ibv_create_qp_ex(x.p.ctx, &qp)); /* without a CQ */
	assert_int_equal(errno, EINVAL);
	qp.send_cq = x.p.a.cq;
	qp.srq = srq;
	assert_null(ibv_create_qp_ex(x.p.ctx, &qp));
	assert_int_equal(errno, EINVAL);
	assert_null(create_srq(x.p.pd, x.xrcd, NULL));
	assert_int_equal(errno, EINVAL);
	assert_null(create_srq(x.p.pd, NULL, x.p.a.cq));
	assert_int_equal(errno, EINVAL);
	assert_int_equal(ibv_destroy_srq(srq), 0);
	srq = x.p.b.srq;
	x.p.b.srq = NULL;
	assert_int_equal(t_recv(&x.p.b, 0, 64), ENOMEM); /* there is no receive queue */
	assert_int_equal(t_recv(&x.p.a, 0, 64), ENOMEM);
	x.p.b.srq = srq;
	down(&x);
}

/* No send queue either. */
static void test_recv_qp_sends_nothing(void **state)
{
	struct ibv_send_wr wr, *bad;
	struct xrc x;

	(void)state;
	up(&x);
	wr = t_wr(&x.p, IBV_WR_SEND, 0);
	wr.num_sge = 0;
	assert_int_equal(ibv_post_send(x.p.b.qp, &wr, &bad), ENOMEM);
	assert_ptr_equal(bad, &wr);
	down(&x);
}

/* What qp_state_table of the kernel asks of each type. */
static void test_states(void **state)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .path_mtu = IBV_MTU_1024,
		.dest_qp_num = 99, .timeout = 14, .retry_cnt = 1, .rnr_retry = 1,
	};
	const int path = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			 IBV_QP_RQ_PSN;
	struct ibv_qp *send, *recv;
	struct xrc x;
	int mask;

	(void)state;
	up(&x);
	a.ah_attr = t_path(&x.p);
	send = create_send(&x.p, x.p.a.cq);
	recv = create_recv(x.p.ctx, x.xrcd);
	mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
	assert_int_equal(ibv_modify_qp(send, &a, mask), EINVAL);
	mask |= IBV_QP_ACCESS_FLAGS;
	assert_int_equal(ibv_modify_qp(send, &a, mask), 0);
	assert_int_equal(ibv_modify_qp(recv, &a, mask), 0);
	a.qp_state = IBV_QPS_RTR;
	assert_int_equal(ibv_modify_qp(recv, &a, path), EINVAL);
	assert_int_equal(ibv_modify_qp(recv, &a, path | IBV_QP_MIN_RNR_TIMER |
				       IBV_QP_MAX_DEST_RD_ATOMIC), 0);
	assert_int_equal(ibv_modify_qp(send, &a, path), 0);
	a.qp_state = IBV_QPS_RTS;
	mask = IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_SQ_PSN;
	assert_int_equal(ibv_modify_qp(send, &a, mask), EINVAL);
	assert_int_equal(ibv_modify_qp(recv, &a, mask), 0);
	mask |= IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
	assert_int_equal(ibv_modify_qp(send, &a, mask), 0);
	assert_int_equal(t_state(send), IBV_QPS_RTS);
	assert_int_equal(ibv_destroy_qp(send), 0);
	assert_int_equal(ibv_destroy_qp(recv), 0);
	down(&x);
}

static void test_wr_api(void **state)
{
	struct ibv_qp_ex *ex;
	struct xrc x;

	(void)state;
	up(&x);
	t_fill(&x.p.a, 3);
	assert_int_equal(t_recv(&x.p.b, 0, 64), 0);
	ex = ibv_qp_to_qp_ex(x.p.a.qp);
	assert_non_null(ex);
	assert_null(ibv_qp_to_qp_ex(x.p.b.qp));
	ibv_wr_start(ex);
	ex->wr_id = 1;
	ex->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_send(ex);
	ibv_wr_set_xrc_srqn(ex, x.num);
	ibv_wr_set_sge(ex, x.p.a.mr->lkey, (uintptr_t)x.p.a.buf, 32);
	assert_int_equal(ibv_wr_complete(ex), 0);
	t_expect(x.p.a.cq, IBV_WC_SUCCESS);
	t_expect(x.p.b.cq, IBV_WC_SUCCESS);
	assert_memory_equal(x.p.b.buf, x.p.a.buf, 32);
	down(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_operations),
		cmocka_unit_test(test_qps_share_an_srq),
		cmocka_unit_test(test_a_message_names_its_srq),
		cmocka_unit_test(test_srq_that_is_not_there),
		cmocka_unit_test(test_no_receive),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_order_of_destruction),
		cmocka_unit_test(test_domain_of_a_file),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_recv_qp_sends_nothing),
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_wr_api),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
