/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* A poll finds what is due, also while another thread delivers messages. */
#include "config.h"
#include "t_env.h"

/* To copy so many takes longer than the delay of the link. */
#define LONG_BYTES (64u << 20)
#define DELAY_S 1e-3

static uint8_t *memory(struct pair *p, struct ibv_mr **mr)
{
	uint8_t *buf = calloc(1, LONG_BYTES);

	assert_non_null(buf);
	*mr = ibv_reg_mr(p->pd, buf, LONG_BYTES, p->access);
	assert_non_null(*mr);
	return buf;
}

static void post(struct pair *p, uint64_t id, struct ibv_sge *from, uint64_t to, uint32_t rkey)
{
	struct ibv_send_wr wr = t_wr(p, IBV_WR_RDMA_WRITE, 0), *bad;

	wr.wr_id = id;
	wr.sg_list = from;
	wr.wr.rdma.remote_addr = to;
	wr.wr.rdma.rkey = rkey;
	assert_int_equal(ibv_post_send(p->a.qp, &wr, &bad), 0);
}

/* The QP of the short write, on the device of the other pair. */
static struct pair beside(const struct pair *p)
{
	struct pair other = *p;

	t_side(&other, &other.a, NULL);
	t_side(&other, &other.b, NULL);
	t_connect(&other);
	return other;
}

/*
 * The thread of the library copies a long message when a short one of another QP is due: the poll
 * for the short one waits for it.
 */
static void test_due(void **state)
{
	struct pair p = t_defaults(IBV_QPT_RC), other;
	struct ibv_mr *from, *to;
	uint8_t *source, *copy;
	volatile const uint8_t *begun;
	struct ibv_sge sge;
	struct ibv_wc wc;
	double due;

	(void)state;
	p.timeout = 24;
	t_up(&p);
	other = beside(&p);
	source = memory(&p, &from);
	copy = memory(&p, &to);
	memset(source, 1, LONG_BYTES);
	begun = copy; /* not at its first byte, which may be written last */
	sge = (struct ibv_sge) { (uintptr_t)source, LONG_BYTES, from->lkey };
	post(&p, 1, &sge, (uintptr_t)copy, to->rkey);
	sge = (struct ibv_sge) { (uintptr_t)other.a.buf, 8, other.a.mr->lkey };
	post(&other, 2, &sge, (uintptr_t)other.b.buf, other.b.mr->rkey);
	due = t_now() + 2 * DELAY_S;
	while (!begun[LONG_BYTES / 8] || t_now() < due)
		assert_true(t_now() < due + T_GUARD_S);
	assert_int_equal(ibv_poll_cq(other.a.cq, 1, &wc), 1);
	assert_int_equal(wc.wr_id, 2);
	t_expect(p.a.cq, IBV_WC_SUCCESS);
	t_down_side(&other.a);
	t_down_side(&other.b);
	assert_int_equal(ibv_dereg_mr(from), 0);
	assert_int_equal(ibv_dereg_mr(to), 0);
	free(source);
	free(copy);
	t_down(&p);
}

int main(int argc, char **argv)
{
	static const struct t_case cases[] = {
		{ "poll: what is due while another thread delivers", test_due,
		  { "SOFTHCA_LINK=delay=1ms" } },
	};

	return t_cases(cases, sizeof(cases) / sizeof(cases[0]), argc, argv);
}
