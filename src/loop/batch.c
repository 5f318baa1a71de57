/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Between two batches of rounds; see batch.h. Called by the latency loops outside their samples. */
#include "config.h"

#include "loop/batch.h"

#include <errno.h>

#include "util/clock.h"
#include "loop/credit.h"
#include "loop/send.h"

/* Own completions. All of one QP: the last says how many requests are done. */
static int take_own(struct worker *w)
{
	struct ibv_wc wc[STATE_BATCH];
	int n = w->fixed.poll_sent(w->fixed.scq, STATE_BATCH, wc);
	unsigned bad = 0;

	if (n < 0)
		return fail_poll(w, n, FAIL_SCQ);
	for (int i = 0; i < n; i++)
		bad |= (unsigned)wc[i].status;
	if (bad)
		return fail_wc(w, wc, n, FAIL_SCQ);
	for (int i = n && w->fixed.n_qps == 1 ? n - 1 : 0; i < n; i++)
		send_retire(state_send(w, wc[i].wr_id), wc[i].wr_id);
	return 0;
}

int batch_wait(struct worker *w)
{
	int rc = 0;

	if (atomic_load(&w->control.stop) == STATE_LEAVE)
		return -ECANCELED;
	if (w->fixed.pingpong)
		rc = take_own(w);
	if (rc)
		return rc;
	if (w->fixed.answers)
		return atomic_load(&w->control.peer_finished) ? -ESHUTDOWN : 0;
	if (w->fixed.reliable)
		return 0;
	if (!w->idle.posted_ns)
		w->idle.posted_ns = clock_ns();
	return clock_ns() - w->idle.posted_ns >= w->fixed.loss_ns ? -EAGAIN : 0;
}

int batch_reap(struct worker *w, struct send_queue *sq, uint32_t in_flight)
{
	do {
		int rc = take_own(w);

		if (rc)
			return rc;
		if (atomic_load_explicit(&w->control.stop, memory_order_relaxed) == STATE_LEAVE)
			return -ECANCELED;
	} while (sq->posted - sq->done > in_flight);
	return 0;
}

void batch_rewind(struct worker *w)
{
	for (uint32_t i = 0; i < w->fixed.n_qps; i++)
		send_advance(&w->fixed.sqs[i], 0, true);
}

void batch_count(struct worker *w)
{
	const uint32_t n = w->fixed.n_qps;
	uint64_t rounds = atomic_load_explicit(&w->live.progress, memory_order_relaxed);

	if (!w->fixed.pingpong || !w->fixed.reliable)
		return;
	rounds += n - 1;
	for (uint32_t i = 0; i < n; i++) {
		struct peer *peer = &w->fixed.peers[i];

		peer->received = n == 1 ? rounds : (rounds - i) / n;
		peer->number = (uint32_t)peer->received;
		peer->rq->taken = peer->received;
	}
}

int batch_end(struct worker *w)
{
	batch_count(w);
	for (uint32_t i = 0; i < w->fixed.n_qps; i++) {
		struct send_queue *sq = &w->fixed.sqs[i];
		struct recv_queue *rq = &w->fixed.rqs[i];
		int rc = rq->ring && rq->taken != rq->reposted ? credit_refill(w, rq) : 0;

		send_advance(sq, 0, true);
		if (!rc)
			rc = batch_reap(w, sq, w->fixed.batch);
		if (rc)
			return rc;
	}
	return 0;
}

int batch_over(struct worker *w)
{
	return atomic_load(&w->control.stop) == STATE_LEAVE ? -ECANCELED : 0;
}
