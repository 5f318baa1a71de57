/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Queues in memory that complete everything at once, and a worker over them; see overhead.h. They
 * give the loops what these check: no more receives than are posted, lengths, numbers in order,
 * credits, and the byte that the target of a plain write polls.
 */
#include "config.h"

#include "worker/overhead.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/clock.h"
#include "loop/calls.h"
#include "worker/worker.h"

#define SIZE_BYTES 64u
#define FIRST_MESSAGES 4000u
#define RUN_NS 1000000.0
#define RUNS 3
#define LIMIT_NS 1000000000ull /* a run takes some ms, on a busy machine more */
#define POLL_MS 100
#define DONE_SLOTS 32768u /* a power of two, above the largest depth and its credit messages */

struct queues {
	struct ibv_context context;
	struct ibv_cq scq, rcq;
	struct ibv_qp qp, *qps[1];
	struct ibv_srq srq;
	struct ibv_mr mr;
	struct ep_qp_id peer_qp;
	struct ep_addr peer;
	struct ep ep;
	struct worker_run run;
	uint64_t done[DONE_SLOTS]; /* wr_ids of signalled requests, a ring */
	uint32_t done_put, done_got;
	uint32_t receives;         /* posted */
	uint32_t slot;             /* whose turn it is */
	uint32_t number;           /* of the next arrival */
	uint64_t posted, granted;
};

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct queues *q = qp->qp_context;

	(void)bad;
	do {
		q->posted += !(wr->wr_id & STATE_CREDIT_ID);
		if (wr->send_flags & IBV_SEND_SIGNALED)
			q->done[q->done_put++ & (DONE_SLOTS - 1)] = wr->wr_id;
		wr = wr->next;
	} while (wr);
	(*q->run.worker.fixed.peers->mark)++; /* as the peer's plain write would */
	return 0;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct queues *q = qp->qp_context;

	(void)bad;
	for (; wr; wr = wr->next)
		q->receives++;
	return 0;
}

static int post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct queues *q = srq->srq_context;

	return post_recv(&q->qp, wr, bad);
}

static int poll_sent(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	struct queues *q = cq->cq_context;
	int got = 0;

	for (; got < n && q->done_got != q->done_put; got++) {
		wc[got].wr_id = q->done[q->done_got++ & (DONE_SLOTS - 1)];
		wc[got].status = IBV_WC_SUCCESS;
	}
	return got;
}

static void arrive(struct queues *q, struct ibv_wc *wc, uint32_t bytes, uint32_t number)
{
	const uint32_t slots = q->run.worker.fixed.rqs->slots;

	wc->wr_id = q->run.worker.fixed.rqs->ring[q->slot].wr_id;
	wc->qp_num = q->qp.qp_num;
	wc->src_qp = q->peer_qp.qpn;
	wc->status = IBV_WC_SUCCESS;
	wc->byte_len = bytes;
	wc->imm_data = htonl(number);
	q->slot = q->slot + 1 == slots ? 0 : q->slot + 1;
	q->receives--;
}

static int poll_came(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	struct queues *q = cq->cq_context;
	const struct worker *w = &q->run.worker;
	int got = 0;

	/* one for each refill, as the peer would send it: so a list always fits (plan.h) */
	if (w->fixed.credits && w->fixed.sends && q->receives &&
	    q->granted + w->fixed.refill <= q->posted + w->fixed.recv_depth) {
		/* a message that is worth a refill gives no more, and the next one follows */
		q->granted = w->fixed.counted ? q->granted + w->fixed.refill :
						q->posted + w->fixed.recv_depth;
		arrive(q, &wc[got++], w->fixed.credit_bytes, (uint32_t)q->granted & ~CREDIT_IDLE);
	}
	while (got < n && q->receives && (w->fixed.receives || w->fixed.pingpong)) {
		/* over UC and UD a message without immediate has its number in the last byte */
		const struct ibv_recv_wr *wr = &w->fixed.rqs->ring[q->slot];

		if (w->fixed.pingpong && !w->fixed.reliable && wr->num_sge)
			*(uint8_t *)(uintptr_t)(wr->sg_list->addr + w->fixed.recv_last) =
				*w->fixed.sqs->mark;
		arrive(q, &wc[got++], w->fixed.recv_bytes, q->number++);
	}
	return got;
}

static int open_queues(struct queues *q, const struct plan *plan, const struct point *point,
		       enum side side)
{
	struct mem *mem = &q->ep.mem;

	q->context.ops.post_send = post_send;
	q->context.ops.post_recv = post_recv;
	q->context.ops.post_srq_recv = post_srq_recv;
	q->scq = (struct ibv_cq){ .context = &q->context, .cq_context = q };
	q->rcq = q->scq;
	q->qp = (struct ibv_qp){ .context = &q->context, .qp_context = q };
	q->srq = (struct ibv_srq){ .context = &q->context, .srq_context = q };
	q->qps[0] = &q->qp;
	q->peer = (struct ep_addr){ .n_qps = 1, .qps = &q->peer_qp };
	q->ep = (struct ep){ .scq = &q->scq, .rcq = &q->rcq, .qps = q->qps, .n_qps = 1 };
	if (plan->work.kind.sharing == SHARING_SRQ)
		q->ep.srq = &q->srq;
	layout_resolve(&mem->layout, plan, point, side);
	mem->mr = &q->mr;
	mem->base = aligned_alloc(64, (mem->layout.total_bytes + 63) / 64 * 64);
	if (!mem->base)
		return -ENOMEM;
	mem->addr = (uintptr_t)mem->base;
	memset(mem->base, 0, mem->layout.total_bytes);
	return 0;
}

/*
 * Runs the loop to its end, or stops it: one that waits for what these queues do not give must not
 * hold up a test whose messages have all been sent.
 */
static int run_loop(struct worker_run *run)
{
	struct pollfd note = { .fd = run->worker.fixed.note_fd, .events = POLLIN };
	const uint64_t end_ns = clock_ns() + LIMIT_NS;
	uint64_t value;
	int rc = worker_start(run);

	if (rc)
		return rc;
	/* the last request makes a note, too */
	while (!atomic_load(&run->ended) && clock_ns() < end_ns)
		if (poll(&note, 1, POLL_MS) > 0 && read(note.fd, &value, sizeof(value)) < 0)
			break;
	if (!atomic_load(&run->ended))
		worker_stop(run, STATE_LEAVE);
	return worker_join(run);
}

/* One run of so many messages: its window in ns, or negative. */
static double run(const struct plan *plan, enum side side, uint64_t messages, double *lat_ns)
{
	const struct point point = { .size_bytes = SIZE_BYTES, .server_size_bytes = SIZE_BYTES,
				     .messages = messages };
	struct queues *q = calloc(1, sizeof(*q));
	struct worker_setup setup = {
		.ep = q ? &q->ep : NULL, .plan = plan, .point = &point, .side = side,
		.peer = q ? &q->peer : NULL,
	};
	struct result result;
	double ns = -1;

	if (!q)
		return -1;
	if (open_queues(q, plan, &point, side) || worker_open(&q->run, &setup))
		goto out;
	q->run.worker.fixed.poll_sent = poll_sent;
	q->run.worker.fixed.poll_came = poll_came;
	q->granted = plan->work.recv_depth;
	/* the side that answers waits for a first write */
	*q->run.worker.fixed.peers->mark = side == SIDE_SERVER;
	/* nobody will say that the sender has finished */
	if (q->run.worker.control.rounds == UINT64_MAX)
		q->run.worker.control.rounds = messages;
	if (!run_loop(&q->run)) {
		worker_result(&q->run, &result);
		ns = (double)(result.tx_window_ns ? result.tx_window_ns : result.rx_window_ns);
		if (result.lat.samples)
			*lat_ns = result.lat.p50_ns;
	}
out:
	worker_close(&q->run);
	free(q->ep.mem.base);
	free(q);
	return ns;
}

/* What stands for the plan: its loop of one QP, polled, by the first APIs. */
static struct plan plan_of(const struct plan *plan)
{
	struct plan one = *plan;

	one.work.kind.cm = one.work.server_completion = CM_POLL;
	one.work.qps = 1;
	one.work.threads = 1;
	one.work.verify = false;
	one.work.gap_us = 0;
	one.work.inline_bytes = 0;
	one.work.post_api = APIS_POST_SEND;
	one.work.poll_api = APIS_POLL_CLASSIC;
	return one;
}

void overhead_measure(struct overhead_cost *cost, const struct plan *plan, enum side side)
{
	const struct plan one = plan_of(plan);
	double lat_ns = NAN, ns;
	uint64_t messages = FIRST_MESSAGES;

	*cost = (struct overhead_cost){ .ns_per_msg = NAN, .lat_ns = NAN };
	/* an open loop waits: its cost is in its own times, as late */
	if (!role_has_loop(plan->work.role[side]) || plan_is_open(plan))
		return;
	ns = run(&one, side, messages, &lat_ns);
	if (ns <= 0)
		return;
	messages = (uint64_t)(RUN_NS / (ns / (double)messages)) + 1;
	if (messages < FIRST_MESSAGES)
		messages = FIRST_MESSAGES;
	for (int i = 0; i < RUNS; i++) {
		ns = run(&one, side, messages, &lat_ns);
		if (ns <= 0)
			continue;
		cost->ns_per_msg = fmin(cost->ns_per_msg, ns / (double)messages);
		cost->lat_ns = fmin(cost->lat_ns, lat_ns);
	}
}
