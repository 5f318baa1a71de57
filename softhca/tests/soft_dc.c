/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* DC on the emulated HCA within one process: DCIs, DCTs, their states, and their errors. */
#include "config.h"
#include "t.h"
#include "t_env.h"

#include <errno.h>
#include <infiniband/mlx5dv.h>

#define KEY UINT64_C(0x123456789abcdef0)
#define TARGETS 2
#define OPS (IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_WRITE | \
	     IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)

/* a of the pair has the DCI; each target a DCT with an SRQ. */
struct dc {
	struct pair p;
	struct side t[TARGETS];
	struct ibv_ah *ah;
};

static void open_side(struct pair *p, struct side *s)
{
	s->buf = calloc(1, T_BUF);
	s->mr = ibv_reg_mr(p->pd, s->buf, T_BUF, p->access);
	assert_non_null(s->mr);
	s->cq = ibv_create_cq(p->ctx, (int)p->cqe, NULL, NULL, 0);
	assert_non_null(s->cq);
}

static struct ibv_qp *create_dci(struct pair *p, struct ibv_cq *cq)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_DRIVER, .send_cq = cq, .recv_cq = cq, .pd = p->pd,
		.cap = { .max_send_wr = 64, .max_send_sge = 2 },
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = OPS,
	};
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
		.dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI,
	};

	return mlx5dv_create_qp(p->ctx, &attr, &dv);
}

/* more: what is added to the comp_mask. */
static struct ibv_qp *create_dct(struct pair *p, struct side *s, struct ibv_srq *srq, uint32_t more)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_DRIVER, .send_cq = s->cq, .recv_cq = s->cq, .pd = p->pd,
		.srq = srq, .comp_mask = IBV_QP_INIT_ATTR_PD | more,
	};
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
		.dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCT, .dct_access_key = KEY },
	};

	return mlx5dv_create_qp(p->ctx, &attr, &dv);
}

/* To the state, with the attributes that the kernel requires of the half, and with more. */
static int step(struct pair *p, struct ibv_qp *qp, enum ibv_qp_state state, int mask)
{
	struct ibv_qp_attr a = {
		.qp_state = state, .port_num = 1, .path_mtu = IBV_MTU_1024, .min_rnr_timer = 5,
		.ah_attr = t_path(p), .timeout = p->timeout, .retry_cnt = p->retry,
		.rnr_retry = p->rnr_retry, .max_rd_atomic = 4,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_ATOMIC,
	};

	return ibv_modify_qp(qp, &a, IBV_QP_STATE | mask);
}

#define INIT (IBV_QP_PKEY_INDEX | IBV_QP_PORT)
#define DCT_RTR (IBV_QP_MIN_RNR_TIMER | IBV_QP_AV | IBV_QP_PATH_MTU)
#define RTS                                                                                     \
	(IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC |       \
	 IBV_QP_SQ_PSN)

static void ready_dci(struct pair *p, struct ibv_qp *qp)
{
	assert_int_equal(step(p, qp, IBV_QPS_INIT, INIT), 0);
	assert_int_equal(step(p, qp, IBV_QPS_RTR, IBV_QP_PATH_MTU), 0);
	assert_int_equal(step(p, qp, IBV_QPS_RTS, RTS), 0);
}

static void ready_dct(struct pair *p, struct side *s)
{
	assert_int_equal(s->qp->qp_num, 0);
	assert_int_equal(step(p, s->qp, IBV_QPS_INIT, INIT | IBV_QP_ACCESS_FLAGS), 0);
	assert_int_equal(s->qp->qp_num, 0);
	assert_int_equal(step(p, s->qp, IBV_QPS_RTR, DCT_RTR), 0);
	assert_int_not_equal(s->qp->qp_num, 0);
}

static void up(struct dc *d)
{
	struct ibv_srq_init_attr srq = { .attr = { .max_wr = 32, .max_sge = 2 } };
	struct ibv_ah_attr path;

	*d = (struct dc) { .p = t_defaults(IBV_QPT_DRIVER) };
	t_open(&d->p);
	open_side(&d->p, &d->p.a);
	d->p.a.qp = create_dci(&d->p, d->p.a.cq);
	assert_non_null(d->p.a.qp);
	ready_dci(&d->p, d->p.a.qp);
	for (int i = 0; i < TARGETS; i++) {
		struct side *s = &d->t[i];

		open_side(&d->p, s);
		s->srq = ibv_create_srq(d->p.pd, &srq);
		assert_non_null(s->srq);
		s->qp = create_dct(&d->p, s, s->srq, 0);
		assert_non_null(s->qp);
		ready_dct(&d->p, s);
	}
	path = t_path(&d->p);
	d->ah = ibv_create_ah(d->p.pd, &path);
	assert_non_null(d->ah);
}

static void down(struct dc *d)
{
	assert_int_equal(ibv_destroy_ah(d->ah), 0);
	t_down_side(&d->p.a);
	for (int i = 0; i < TARGETS; i++)
		t_down_side(&d->t[i]);
	assert_int_equal(ibv_dealloc_pd(d->p.pd), 0);
	assert_int_equal(ibv_close_device(d->p.ctx), 0);
}

struct request {
	enum ibv_wr_opcode op;
	uint32_t dctn;
	uint64_t key;
	uint64_t addr; /* of memory of the target */
	uint32_t rkey, len;
};

/* From the start of a's buffer. */
static int post(struct dc *d, struct ibv_qp *qp, const struct request *r)
{
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(qp);
	struct mlx5dv_qp_ex *dv = mlx5dv_qp_ex_from_ibv_qp_ex(ex);

	assert_non_null(dv);
	ibv_wr_start(ex);
	ex->wr_id = 77;
	ex->wr_flags = IBV_SEND_SIGNALED;
	if (r->op == IBV_WR_SEND)
		ibv_wr_send(ex);
	else if (r->op == IBV_WR_RDMA_WRITE)
		ibv_wr_rdma_write(ex, r->rkey, r->addr);
	else if (r->op == IBV_WR_RDMA_READ)
		ibv_wr_rdma_read(ex, r->rkey, r->addr);
	else
		ibv_wr_atomic_fetch_add(ex, r->rkey, r->addr, 5);
	mlx5dv_wr_set_dc_addr(dv, d->ah, r->dctn, r->key);
	ibv_wr_set_sge(ex, d->p.a.mr->lkey, (uintptr_t)d->p.a.buf, r->len);
	return ibv_wr_complete(ex);
}

static struct request to(const struct side *t, enum ibv_wr_opcode op, uint32_t len)
{
	return (struct request) { .op = op, .dctn = t->qp->qp_num, .key = KEY, .len = len,
				  .addr = (uintptr_t)t->buf, .rkey = t->mr->rkey };
}

static void send_to(struct dc *d, struct side *t, uint8_t text)
{
	struct request r = to(t, IBV_WR_SEND, 1);

	d->p.a.buf[0] = text;
	assert_int_equal(post(d, d->p.a.qp, &r), 0);
	t_expect(d->p.a.cq, IBV_WC_SUCCESS);
}

/* Each request of the DCI goes to the DCT that it names, in turn, and in order. */
static void test_many_targets(void **state)
{
	struct dc d;

	(void)state;
	up(&d);
	for (uint32_t i = 0; i < 16; i++)
		assert_int_equal(t_recv(&d.t[i % TARGETS], 64 * i, 64), 0);
	for (uint8_t i = 0; i < 16; i++)
		send_to(&d, &d.t[i % TARGETS], (uint8_t)(i + 1));
	for (uint32_t i = 0; i < 16; i++) {
		struct side *t = &d.t[i % TARGETS];
		struct ibv_wc wc = t_wait(t->cq);

		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		assert_int_equal(wc.wr_id, 64 * i);
		assert_int_equal(wc.qp_num, t->qp->qp_num);
		assert_int_equal(t->buf[64 * i], i + 1);
	}
	down(&d);
}

static void test_one_sided(void **state)
{
	struct request r;
	struct dc d;

	(void)state;
	up(&d);
	t_fill(&d.p.a, 3);
	r = to(&d.t[1], IBV_WR_RDMA_WRITE, 5000);
	assert_int_equal(post(&d, d.p.a.qp, &r), 0);
	t_expect(d.p.a.cq, IBV_WC_SUCCESS);
	assert_memory_equal(d.t[1].buf, d.p.a.buf, 5000);
	t_fill(&d.t[0], 9);
	r = to(&d.t[0], IBV_WR_RDMA_READ, 5000);
	assert_int_equal(post(&d, d.p.a.qp, &r), 0);
	t_expect(d.p.a.cq, IBV_WC_SUCCESS);
	assert_memory_equal(d.t[0].buf, d.p.a.buf, 5000);
	memset(d.t[0].buf, 0, 8);
	r = to(&d.t[0], IBV_WR_ATOMIC_FETCH_AND_ADD, 8);
	assert_int_equal(post(&d, d.p.a.qp, &r), 0);
	t_expect(d.p.a.cq, IBV_WC_SUCCESS);
	assert_int_equal(d.t[0].buf[0], 5);
	assert_int_equal(d.p.a.buf[0], 0);
	down(&d);
}

/* An error is of the DCI alone: the DCT goes on for others, and the DCI after a reset. */
static void after_error(struct dc *d)
{
	assert_int_equal(t_state(d->p.a.qp), IBV_QPS_ERR);
	assert_int_equal(t_state(d->t[0].qp), IBV_QPS_RTR);
	assert_int_equal(step(&d->p, d->p.a.qp, IBV_QPS_RESET, 0), 0);
	ready_dci(&d->p, d->p.a.qp);
	assert_int_equal(t_recv(&d->t[0], 0, 64), 0);
	send_to(d, &d->t[0], 42);
	t_expect(d->t[0].cq, IBV_WC_SUCCESS);
}

static void test_wrong_key(void **state)
{
	struct request r;
	struct dc d;

	(void)state;
	up(&d);
	r = to(&d.t[0], IBV_WR_RDMA_WRITE, 8);
	d.p.a.buf[0] = 1;
	r.key++;
	assert_int_equal(post(&d, d.p.a.qp, &r), 0);
	t_expect(d.p.a.cq, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(d.t[0].buf[0], 0);
	t_none(d.t[0].cq);
	after_error(&d);
	down(&d);
}

static void test_errors(void **state)
{
	struct request r;
	struct dc d;

	(void)state;
	up(&d);
	r = to(&d.t[0], IBV_WR_RDMA_WRITE, 8);
	r.rkey ^= 1;
	assert_int_equal(post(&d, d.p.a.qp, &r), 0);
	t_expect(d.p.a.cq, IBV_WC_REM_ACCESS_ERR);
	after_error(&d);
	/* too long for the receive */
	assert_int_equal(t_recv(&d.t[0], 0, 4), 0);
	r = to(&d.t[0], IBV_WR_SEND, 8);
	assert_int_equal(post(&d, d.p.a.qp, &r), 0);
	t_expect(d.p.a.cq, IBV_WC_REM_INV_REQ_ERR);
	t_expect(d.t[0].cq, IBV_WC_LOC_LEN_ERR);
	after_error(&d);
	/* no receive */
	r = to(&d.t[0], IBV_WR_SEND, 8);
	assert_int_equal(post(&d, d.p.a.qp, &r), 0);
	t_expect(d.p.a.cq, IBV_WC_RNR_RETRY_EXC_ERR);
	after_error(&d);
	/* nobody, and a QP that is no DCT */
	r.dctn = 0xfffff0;
	assert_int_equal(post(&d, d.p.a.qp, &r), 0);
	t_expect(d.p.a.cq, IBV_WC_RETRY_EXC_ERR);
	after_error(&d);
	r.dctn = d.p.a.qp->qp_num;
	assert_int_equal(post(&d, d.p.a.qp, &r), 0);
	t_expect(d.p.a.cq, IBV_WC_RETRY_EXC_ERR);
	after_error(&d);
	down(&d);
}

/* The masks of the kernel: modify_dci_qp_is_ok(), mlx5_ib_modify_dct(). */
static void test_states(void **state)
{
	struct ibv_qp *dci, *dct;
	struct pair *p;
	struct dc d;

	(void)state;
	up(&d);
	p = &d.p;
	dci = create_dci(p, p->a.cq);
	assert_non_null(dci);
	assert_int_equal(step(p, dci, IBV_QPS_INIT, INIT | IBV_QP_ACCESS_FLAGS), EINVAL);
	assert_int_equal(step(p, dci, IBV_QPS_INIT, INIT), 0);
	assert_int_equal(step(p, dci, IBV_QPS_RTR, IBV_QP_AV), EINVAL);
	assert_int_equal(step(p, dci, IBV_QPS_RTR, IBV_QP_PATH_MTU | IBV_QP_DEST_QPN), EINVAL);
	assert_int_equal(step(p, dci, IBV_QPS_RTR, IBV_QP_PATH_MTU | IBV_QP_AV), 0);
	assert_int_equal(step(p, dci, IBV_QPS_RTS, IBV_QP_SQ_PSN), EINVAL);
	assert_int_equal(step(p, dci, IBV_QPS_RTS, RTS), 0);
	dct = create_dct(p, &d.t[0], d.t[0].srq, 0);
	assert_non_null(dct);
	assert_int_equal(step(p, dct, IBV_QPS_INIT, INIT), EINVAL);
	assert_int_equal(step(p, dct, IBV_QPS_INIT, INIT | IBV_QP_ACCESS_FLAGS), 0);
	assert_int_equal(step(p, dct, IBV_QPS_RTR, DCT_RTR & ~IBV_QP_AV), EINVAL);
	assert_int_equal(step(p, dct, IBV_QPS_RTR, DCT_RTR | IBV_QP_MAX_DEST_RD_ATOMIC), EINVAL);
	assert_int_equal(step(p, dct, IBV_QPS_RTR, DCT_RTR), 0);
	assert_int_equal(step(p, dct, IBV_QPS_RTS, RTS), EINVAL);
	assert_int_equal(step(p, dct, IBV_QPS_ERR, 0), EINVAL);
	assert_int_equal(step(p, dct, IBV_QPS_RESET, 0), EINVAL);
	assert_int_equal(ibv_destroy_srq(d.t[0].srq), EBUSY);
	assert_int_equal(ibv_destroy_qp(dct), 0);
	assert_int_equal(ibv_destroy_qp(dci), 0);
	down(&d);
}

static void test_creation(void **state)
{
	struct ibv_qp_init_attr_ex attr = { .qp_type = IBV_QPT_DRIVER,
					    .comp_mask = IBV_QP_INIT_ATTR_PD };
	struct mlx5dv_context caps = { .comp_mask = MLX5DV_CONTEXT_MASK_DCI_STREAMS };
	struct dc d;

	(void)state;
	up(&d);
	assert_true(mlx5dv_is_supported(d.p.ctx->device));
	assert_int_equal(mlx5dv_query_device(d.p.ctx, &caps), 0);
	assert_int_equal(caps.comp_mask, 0);
	assert_null(create_dct(&d.p, &d.t[0], NULL, 0));
	assert_int_equal(errno, EINVAL);
	assert_null(create_dct(&d.p, &d.t[0], d.t[0].srq, IBV_QP_INIT_ATTR_SEND_OPS_FLAGS));
	assert_int_equal(errno, EINVAL);
	attr.pd = d.p.pd;
	attr.send_cq = attr.recv_cq = d.p.a.cq;
	assert_null(ibv_create_qp_ex(d.p.ctx, &attr));
	assert_int_equal(errno, EOPNOTSUPP);
	/* as libmlx5: a DCT has no ibv_wr_*() */
	assert_null(ibv_qp_to_qp_ex(d.t[0].qp));
	down(&d);
}

/* Without the setting there is no mlx5 device; nor in the zero-cost mode. */
static void test_without(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC);
	struct mlx5dv_context caps = { .comp_mask = MLX5DV_CONTEXT_MASK_DCI_STREAMS };

	(void)state;
	t_open(&p);
	open_side(&p, &p.a);
	assert_false(mlx5dv_is_supported(p.ctx->device));
	/* perftest 25.01 asks it of devices that are no mlx5 devices, too, and must get no error */
	assert_int_equal(mlx5dv_query_device(p.ctx, &caps), 0);
	assert_int_equal(caps.comp_mask, 0);
	assert_null(create_dci(&p, p.a.cq));
	assert_int_equal(errno, EOPNOTSUPP);
	t_down_side(&p.a);
	assert_int_equal(ibv_dealloc_pd(p.pd), 0);
	assert_int_equal(ibv_close_device(p.ctx), 0);
}

#define ON "SOFTHCA_MLX5DV=1"

int main(int argc, char **argv)
{
	static const struct t_case cases[] = {
		{ "dc: one DCI, many targets", test_many_targets, { ON } },
		{ "dc: one DCI, many targets, over a link", test_many_targets,
		  { ON, "SOFTHCA_LINK=bandwidth=10G,delay=20us" } },
		{ "dc: write, read, atomics", test_one_sided, { ON } },
		{ "dc: a wrong key", test_wrong_key, { ON } },
		{ "dc: a wrong key, over a link", test_wrong_key,
		  { ON, "SOFTHCA_LINK=bandwidth=10G,delay=20us" } },
		{ "dc: errors are of the DCI alone", test_errors, { ON } },
		{ "dc: states", test_states, { ON } },
		{ "dc: creation", test_creation, { ON } },
		{ "dc: not without the setting", test_without, { NULL } },
		{ "dc: not in the zero-cost mode", test_without, { ON, "SOFTHCA_MODE=null" } },
	};

	return t_cases(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
