/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Two processes post random valid and invalid requests to each other on the emulated HCA.
 * Arguments: the number of seconds (default 60), and the seed. Each round makes QPs of random
 * types, posts random requests, counts all completions, and compares all bytes of completed
 * receives and reads.
 */
#include "config.h"

#include <infiniband/verbs.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { QPS = 6, OPS = 40, RECVS = 30, SLOT = 4200, BUF = 4 << 20, CQE = 4096 };

struct info {
	uint32_t qpn[QPS], rkey, mr_len;
	uint64_t addr;
	uint8_t done;
};

struct side {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp[QPS];
	struct ibv_mr *mr;
	struct ibv_ah *ah;
	uint8_t *buf;
	uint64_t rnd;
	uint32_t sends, send_done, recvs, recv_done, round;
	uint8_t size_of[QPS][RECVS];
	struct info me, peer;
	int sock, role;
};

static uint64_t rnd(struct side *s)
{
	s->rnd ^= s->rnd << 13;
	s->rnd ^= s->rnd >> 7;
	s->rnd ^= s->rnd << 17;
	return s->rnd;
}

static void die(const struct side *s, const char *what)
{
	fprintf(stderr, "process %d, round %u: %s\n", s->role, s->round, what);
	kill(0, 15);
	exit(1);
}

static uint8_t byte_of(uint32_t seed, uint32_t i)
{
	return (uint8_t)((seed * 2654435761u) >> 24) + (uint8_t)(i * 31 + (i >> 8));
}

static void swap_info(struct side *s)
{
	if (write(s->sock, &s->me, sizeof(s->me)) != sizeof(s->me) ||
	    read(s->sock, &s->peer, sizeof(s->peer)) != sizeof(s->peer))
		die(s, "peer is gone");
}

static enum ibv_qp_type type_of(uint32_t i)
{
	static const enum ibv_qp_type t[] = { IBV_QPT_RC, IBV_QPT_RC, IBV_QPT_RC, IBV_QPT_UC,
					      IBV_QPT_UD, IBV_QPT_RC };

	return t[i];
}

static void make_qps(struct side *s)
{
	for (uint32_t i = 0; i < QPS; i++) {
		struct ibv_qp_init_attr a = {
			.send_cq = s->cq, .recv_cq = s->cq, .qp_type = type_of(i),
			.cap = { 2 * OPS, 2 * RECVS, 3, 3, 128 }, .sq_sig_all = 1,
		};
		struct ibv_qp_attr q = {
			.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 5, .qp_access_flags = 15,
		};

		s->qp[i] = ibv_create_qp(s->pd, &a);
		if (!s->qp[i])
			die(s, "no QP");
		if (ibv_modify_qp(s->qp[i], &q, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				  (type_of(i) == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS)))
			die(s, "INIT");
		s->me.qpn[i] = s->qp[i]->qp_num;
	}
	s->me.addr = (uintptr_t)s->buf;
	s->me.rkey = s->mr->rkey;
}

static void connect_qps(struct side *s)
{
	for (uint32_t i = 0; i < QPS; i++) {
		enum ibv_qp_type t = type_of(i);
		struct ibv_qp_attr q = {
			.qp_state = IBV_QPS_RTR, .path_mtu = 5, .dest_qp_num = s->peer.qpn[i],
			.max_dest_rd_atomic = 4, .min_rnr_timer = 1, .ah_attr = { .port_num = 1 },
		};
		int mask = IBV_QP_STATE;

		if (t != IBV_QPT_UD)
			mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
		if (t == IBV_QPT_RC)
			mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
		if (ibv_modify_qp(s->qp[i], &q, mask))
			die(s, "RTR");
		q = (struct ibv_qp_attr) {
			.qp_state = IBV_QPS_RTS, .timeout = 6, .retry_cnt = 3, .rnr_retry = 3,
			.max_rd_atomic = 2,
		};
		mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
		if (t == IBV_QPT_RC)
			mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				IBV_QP_MAX_QP_RD_ATOMIC;
		if (ibv_modify_qp(s->qp[i], &q, mask))
			die(s, "RTS");
	}
}

/* Each receive has a slot in the second half of the buffer. */
static uint8_t *recv_slot(struct side *s, uint32_t q, uint32_t n)
{
	return s->buf + BUF / 2 + (size_t)(q * RECVS + n) * SLOT;
}

static void post_recv(struct side *s, uint32_t q, uint32_t n)
{
	struct ibv_sge sge = { (uintptr_t)recv_slot(s, q, n), SLOT, s->mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = q << 16 | n, .sg_list = &sge, .num_sge = 1 }, *bad;

	if (rnd(s) % 97 == 0)
		sge.length = 20;
	if (rnd(s) % 211 == 0)
		sge.lkey++;
	if (!ibv_post_recv(s->qp[q], &wr, &bad))
		s->recvs++;
}

static void spoil(struct side *s, struct ibv_send_wr *wr, struct ibv_sge *sge)
{
	switch (rnd(s) % 300) {
	case 0: sge->lkey ^= 0x100; break;
	case 1: wr->wr.rdma.rkey++; break;
	case 2: wr->wr.rdma.remote_addr += BUF; break;
	case 3: wr->wr.atomic.remote_addr |= 1; break;
	case 4: wr->opcode = (enum ibv_wr_opcode)(rnd(s) % 7); break;
	case 5: sge->length = BUF * 2; break;
	case 6: sge->addr = 4096; wr->send_flags &= ~(unsigned int)IBV_SEND_INLINE; break;
	default: break;
	}
}

static void post_send(struct side *s, uint32_t q)
{
	uint32_t seed = (uint32_t)rnd(s), len = (uint32_t)(rnd(s) % 4000) + 1;
	uint8_t *from = s->buf + rnd(s) % 30 * SLOT;
	struct ibv_sge sge = { (uintptr_t)from, len, s->mr->lkey };
	struct ibv_send_wr wr = { .wr_id = 1ull << 40 | q, .sg_list = &sge, .num_sge = 1,
				  .imm_data = seed }, *bad;

	switch (type_of(q) == IBV_QPT_UD ? 1 : rnd(s) % (type_of(q) == IBV_QPT_RC ? 6 : 3)) {
	case 0: wr.opcode = IBV_WR_RDMA_WRITE; break;
	case 1: wr.opcode = IBV_WR_SEND_WITH_IMM; break;
	case 2: wr.opcode = IBV_WR_RDMA_WRITE_WITH_IMM; break;
	case 3: wr.opcode = IBV_WR_RDMA_READ; break;
	case 4: wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD; sge.length = 8; break;
	default: wr.opcode = IBV_WR_SEND; break;
	}
	if (wr.opcode == IBV_WR_SEND_WITH_IMM && !(rnd(s) & 1) && len <= 128)
		wr.send_flags |= IBV_SEND_INLINE;
	if (!(rnd(s) & 7) && type_of(q) == IBV_QPT_RC)
		wr.send_flags |= IBV_SEND_FENCE;
	if (type_of(q) == IBV_QPT_UD) {
		wr.wr.ud.ah = s->ah;
		wr.wr.ud.remote_qpn = rnd(s) % 50 ? s->peer.qpn[q] : (uint32_t)rnd(s) & 0xffffff;
		wr.wr.ud.remote_qkey = rnd(s) % 50 ? 5 : 6;
	} else {
		/* between the two halves: these bytes are not compared */
		wr.wr.rdma.remote_addr = s->peer.addr + 40 * SLOT;
		wr.wr.rdma.rkey = s->peer.rkey;
		if (wr.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
			wr.wr.atomic.remote_addr = (s->peer.addr + 40 * SLOT) & ~7ull;
			wr.wr.atomic.rkey = s->peer.rkey;
		}
		spoil(s, &wr, &sge);
	}
	/*
	 * The immediate gives the data. Each request has its own source. All bytes of the SGE are
	 * filled, not len bytes: a send that spoil() made from an atomic has 8 bytes.
	 */
	if (wr.opcode == IBV_WR_SEND_WITH_IMM) {
		uint32_t n = sge.length < SLOT ? sge.length : SLOT;

		from = s->buf + (size_t)(50 + s->sends) * SLOT;
		if (sge.addr >= (uintptr_t)s->buf && sge.addr < (uintptr_t)s->buf + BUF)
			sge.addr = (uintptr_t)from;
		for (uint32_t i = 0; i < n; i++)
			from[i] = byte_of(seed, i);
	}
	if (!ibv_post_send(s->qp[q], &wr, &bad))
		s->sends++;
}

static void check(struct side *s, const struct ibv_wc *wc)
{
	uint32_t q = (uint32_t)(wc->wr_id >> 16) & 0xff, grh = type_of(q) == IBV_QPT_UD ? 40 : 0;
	const uint8_t *p = recv_slot(s, q, wc->wr_id & 0xffff) + grh;

	if (wc->opcode != IBV_WC_RECV || !(wc->wc_flags & IBV_WC_WITH_IMM))
		return;
	for (uint32_t i = 0; i < wc->byte_len - grh; i++) {
		uint8_t want = byte_of(wc->imm_data, i), got = p[i];

		if (got == want)
			continue;
		fprintf(stderr, "round %u, QP %u (type %d), opcode %d, %u bytes, byte %u: "
			"expected 0x%02x, got 0x%02x\n", s->round, q, type_of(q), wc->opcode,
			wc->byte_len, i, want, got);
		die(s, "wrong byte");
	}
}

static void poll_some(struct side *s)
{
	struct ibv_wc wc[8];
	int n = ibv_poll_cq(s->cq, 8, wc);

	if (n < 0)
		die(s, "poll failed");
	for (int i = 0; i < n; i++) {
		if (wc[i].wr_id >> 40) {
			s->send_done++;
			continue;
		}
		s->recv_done++;
		if (wc[i].status == IBV_WC_SUCCESS)
			check(s, &wc[i]);
	}
}

static void poll_until(struct side *s, const uint32_t *want, const uint32_t *have, const char *what)
{
	time_t end = time(NULL) + 10;

	while (*have != *want) {
		poll_some(s);
		if (*have > *want || time(NULL) > end) {
			fprintf(stderr, "%u of %u\n", *have, *want);
			die(s, what);
		}
	}
}

static void round_of(struct side *s)
{
	s->sends = s->send_done = s->recvs = s->recv_done = 0;
	make_qps(s);
	for (uint32_t q = 0; q < QPS; q++)
		for (uint32_t n = 0; n < 20; n++)
			post_recv(s, q, n);
	swap_info(s);
	connect_qps(s);
	swap_info(s);
	for (uint32_t i = 0; i < QPS * OPS; i++) {
		post_send(s, (uint32_t)(rnd(s) % QPS));
		if (rnd(s) & 1)
			poll_some(s);
	}
	poll_until(s, &s->sends, &s->send_done, "sends without completion");
	swap_info(s);
	for (uint32_t q = 0; q < QPS; q++) {
		struct ibv_qp_attr e = { .qp_state = IBV_QPS_ERR };

		if (ibv_modify_qp(s->qp[q], &e, IBV_QP_STATE))
			die(s, "ERR");
	}
	poll_until(s, &s->recvs, &s->recv_done, "receives without completion");
	swap_info(s);
	for (uint32_t q = 0; q < QPS; q++)
		if (ibv_destroy_qp(s->qp[q]))
			die(s, "destroy");
}

static int run(int sock, int role, int seconds, uint64_t seed)
{
	struct side s = { .sock = sock, .role = role, .rnd = seed * 2 + (uint64_t)role + 1 };
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_ah_attr path = { .is_global = 1, .port_num = 1 };
	time_t end = time(NULL) + seconds;

	s.ctx = list && list[0] ? ibv_open_device(list[0]) : NULL;
	if (!s.ctx)
		die(&s, "no device");
	ibv_free_device_list(list);
	s.pd = ibv_alloc_pd(s.ctx);
	s.cq = ibv_create_cq(s.ctx, CQE, NULL, NULL, 0);
	s.buf = calloc(1, BUF);
	s.mr = ibv_reg_mr(s.pd, s.buf, BUF, 15);
	s.ah = ibv_query_gid(s.ctx, 1, 0, &path.grh.dgid) ? NULL : ibv_create_ah(s.pd, &path);
	if (!s.mr || !s.cq || !s.ah)
		die(&s, "setup");
	do {
		s.round++;
		round_of(&s);
		s.me.done = time(NULL) >= end;
		swap_info(&s);
	} while (!s.me.done && !s.peer.done);
	ibv_destroy_ah(s.ah);
	ibv_dereg_mr(s.mr);
	ibv_destroy_cq(s.cq);
	ibv_dealloc_pd(s.pd);
	ibv_close_device(s.ctx);
	free(s.buf);
	printf("process %d: %u rounds\n", role, s.round);
	return 0;
}

int main(int argc, char **argv)
{
	int seconds = argc > 1 ? atoi(argv[1]) : 60, fds[2], status = 1;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);

	printf("seed %llu\n", (unsigned long long)seed);
	fflush(stdout);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		return 1;
	if (!fork()) {
		close(fds[0]);
		return run(fds[1], 1, seconds, seed);
	}
	close(fds[1]);
	run(fds[0], 0, seconds, seed);
	wait(&status);
	return status != 0;
}
