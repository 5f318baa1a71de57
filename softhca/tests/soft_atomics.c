/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Several processes add to one counter of another process: no update is lost. */
#include "config.h"

#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CLIENTS = 4, ADDS = 20000 };

struct info {
	uint32_t qpn, rkey;
	uint64_t addr;
};

struct end {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	uint64_t *word;
};

static void need(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

static void open_end(struct end *e)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	e->ctx = ibv_open_device(list[0]);
	need(e->ctx != NULL, "open");
	ibv_free_device_list(list);
	e->pd = ibv_alloc_pd(e->ctx);
	e->cq = ibv_create_cq(e->ctx, 64, NULL, NULL, 0);
	e->word = aligned_alloc(4096, 4096);
	*e->word = 0;
	e->mr = ibv_reg_mr(e->pd, e->word, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_ATOMIC);
	need(e->mr != NULL, "register");
}

static struct ibv_qp *connected(struct end *e, int sock, struct info *peer)
{
	struct ibv_qp_init_attr init = {
		.send_cq = e->cq, .recv_cq = e->cq, .qp_type = IBV_QPT_RC,
		.cap = { 32, 1, 1, 1, 0 },
	};
	struct ibv_qp *qp = ibv_create_qp(e->pd, &init);
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT, .port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_ATOMIC,
		.path_mtu = 5, .max_dest_rd_atomic = 16, .max_rd_atomic = 16, .timeout = 14,
		.retry_cnt = 7, .rnr_retry = 7, .ah_attr = { .port_num = 1 },
	};
	struct info me;

	need(qp != NULL, "create QP");
	me = (struct info) { qp->qp_num, e->mr->rkey, (uintptr_t)e->word };
	need(write(sock, &me, sizeof(me)) == sizeof(me), "write");
	need(read(sock, peer, sizeof(*peer)) == sizeof(*peer), "read");
	need(!ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			    IBV_QP_ACCESS_FLAGS), "INIT");
	a.qp_state = IBV_QPS_RTR;
	a.dest_qp_num = peer->qpn;
	need(!ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			    IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
	     "RTR");
	a.qp_state = IBV_QPS_RTS;
	need(!ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			    IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC), "RTS");
	return qp;
}

static int client(int sock)
{
	struct end e;
	struct info peer;
	struct ibv_qp *qp;
	struct ibv_wc wc;
	char go;

	open_end(&e);
	qp = connected(&e, sock, &peer);
	need(read(sock, &go, 1) == 1, "go");
	for (uint32_t i = 0; i < ADDS; i++) {
		struct ibv_sge sge = { (uintptr_t)(e.word + 1), 8, e.mr->lkey };
		struct ibv_send_wr wr = {
			.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
			.send_flags = IBV_SEND_SIGNALED,
			.wr.atomic = {
				.remote_addr = peer.addr, .rkey = peer.rkey, .compare_add = 1,
			},
		}, *bad;

		need(!ibv_post_send(qp, &wr, &bad), "post");
		while (!ibv_poll_cq(e.cq, 1, &wc))
			continue;
		need(wc.status == IBV_WC_SUCCESS, "completion");
	}
	return 0;
}

int main(void)
{
	struct info peer;
	struct end e;
	int fds[CLIENTS][2], status, failed = 0;

	for (int i = 0; i < CLIENTS; i++) {
		need(!socketpair(AF_UNIX, SOCK_STREAM, 0, fds[i]), "socketpair");
		if (!fork())
			exit(client(fds[i][1]));
	}
	open_end(&e);
	for (int i = 0; i < CLIENTS; i++)
		connected(&e, fds[i][0], &peer);
	for (int i = 0; i < CLIENTS; i++)
		need(write(fds[i][0], "g", 1) == 1, "go");
	for (uint64_t i = 0; i < ADDS; i++)
		__atomic_fetch_add(e.word, 1, __ATOMIC_SEQ_CST);
	while (wait(&status) > 0)
		failed |= status;
	printf("%llu of %u\n", (unsigned long long)*e.word, (CLIENTS + 1) * ADDS);
	return failed || *e.word != (CLIENTS + 1) * ADDS;
}
