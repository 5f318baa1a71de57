/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * worker/ring: requests and receives of messages in several pieces. The test is the HCA: it takes
 * the bytes that a request names and puts them where a receive says, behind a GRH over UD. Then the
 * receiver's check must find each message, and nothing between its pieces.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "endpoint/verify.h"
#include "util/err.h"
#include "worker/ring.h"

#define QPS 2u
#define SGES 3u
#define BUFS 4u
#define SIZE 500u
#define STRIDE 1024u
#define GRH 40u

struct side_of {
	struct ibv_mr mr;
	struct ep ep;
	struct ep_addr peer;
	struct ep_qp_id ids[QPS];
	struct worker_setup setup;
};

static void open_side(struct side_of *s, const struct plan *plan, const struct point *point,
		      enum side side)
{
	struct mem *mem = &s->ep.mem;

	*s = (struct side_of){ .mr = { .lkey = 0x1000 + (uint32_t)side } };
	layout_resolve(&mem->layout, plan, point, side);
	mem->base = calloc(1, mem->layout.total_bytes);
	assert_non_null(mem->base);
	mem->addr = (uintptr_t)mem->base;
	mem->mr = &s->mr;
	assert_int_equal(verify_fill(&s->ep, plan, side, 0), 0);
	s->peer = (struct ep_addr){ .n_qps = QPS, .qps = s->ids };
	s->setup = (struct worker_setup){ .ep = &s->ep, .plan = plan, .point = point,
					  .side = side, .peer = &s->peer };
}

static uint8_t *at(const struct side_of *s, const struct ibv_sge *sge)
{
	const struct mem *mem = &s->ep.mem;

	assert_int_equal(sge->lkey, s->mr.lkey);
	assert_true(sge->addr >= mem->addr &&
		    sge->addr + sge->length <= mem->addr + mem->layout.total_bytes);
	return mem->base + (sge->addr - mem->addr);
}

static uint32_t gather(uint8_t *wire, const struct side_of *s, const struct ibv_send_wr *wr)
{
	uint32_t len = 0;

	for (int i = 0; i < wr->num_sge; i++) {
		memcpy(wire + len, at(s, &wr->sg_list[i]), wr->sg_list[i].length);
		len += wr->sg_list[i].length;
	}
	return len;
}

static void scatter(const uint8_t *wire, uint32_t len, const struct side_of *s,
		    const struct ibv_recv_wr *wr)
{
	for (int i = 0; i < wr->num_sge; i++) {
		const uint32_t n = len < wr->sg_list[i].length ? len : wr->sg_list[i].length;

		memcpy(at(s, &wr->sg_list[i]), wire, n);
		wire += n;
		len -= n;
	}
	assert_int_equal(len, 0);
}

/* Message i of each QP comes to receive i. */
static void deliver(const struct side_of *from, const struct side_of *to, uint32_t grh)
{
	uint8_t wire[GRH + SIZE];

	for (uint32_t qp = 0; qp < QPS; qp++) {
		struct send_queue sq = { .index = qp };

		assert_int_equal(ring_requests(&sq, &from->setup), 0);
		assert_true(sq.slots >= BUFS);
		for (uint32_t i = 0; i < BUFS; i++) {
			struct ibv_recv_wr recv = { .num_sge = -1 };
			struct ibv_sge sges[SGES];

			memset(wire, 0xee, sizeof(wire));
			assert_int_equal(gather(wire + grh, from, &sq.ring[i]), SIZE);
			ring_receive_buffer(&recv, sges, &to->setup, qp, i);
			assert_int_equal(recv.num_sge, SGES);
			scatter(wire, grh + SIZE, to, &recv);
		}
		free(sq.ring);
	}
}

static void move_in_pieces(enum transport tp, uint32_t grh)
{
	const uint64_t received[QPS] = { BUFS, BUFS };
	struct plan plan = { .work = { .kind = { .tp = tp, .op = OP_SEND }, .qps = QPS, .depth = 8,
				       .recv_depth = 8, .post_list = 1, .signal_interval = 1,
				       .threads = 1, .sges = SGES, .pattern = PATTERN_STREAM,
				       .walk = WALK_SEQ },
			     .path.mtu_bytes = 4096 };
	const struct point point = { .size_bytes = SIZE, .server_size_bytes = SIZE,
				     .footprint_bytes = QPS * BUFS * STRIDE };
	struct side_of client, server;
	uint64_t checked;

	role_resolve(plan.work.role, PATTERN_STREAM, OP_SEND, false);
	open_side(&client, &plan, &point, SIDE_CLIENT);
	open_side(&server, &plan, &point, SIDE_SERVER);
	assert_true(server.ep.mem.layout.rx.bufs >= BUFS);
	deliver(&client, &server, grh);
	if (verify_check(&(struct verify){ .ep = &server.ep, .plan = &plan, .side = SIDE_SERVER,
					   .received = received }, &checked))
		fail_msg("%s", err_text());
	assert_int_equal(checked, QPS * BUFS);
	free(client.ep.mem.base);
	free(server.ep.mem.base);
}

static void pieces_arrive_where_they_are_looked_for(void **state)
{
	(void)state;
	move_in_pieces(TP_RC, 0);
	move_in_pieces(TP_UD, GRH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_arrive_where_they_are_looked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
