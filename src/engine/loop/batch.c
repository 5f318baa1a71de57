/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Between two batches of rounds; see calls.h. */
#include "config.h"

#include "loop/calls.h"

#include <errno.h>

#include "loop/state.h"
#include "util/clock.h"
#include "loop/recv.h"
#include "loop/send.h"

/* Own completions. Of those in a row of one QP the last says how many requests are done. */
static int take_own(struct worker *w)
{
	struct ibv_wc wc[STATE_BATCH];
	int n = w->fixed.poll_sent(w->fixed.scq, STATE_BATCH, wc);

	if (n < 0)
		return state_fail_poll(w, n, FAIL_SCQ);
	for (int i = 0, from = 0; i < n; from = i) {
		if (wc[from].status)
			return state_fail_wc(w, &wc[from], 1, FAIL_SCQ);
		do
			i++;
		while (i < n && !(state_gap(wc[from].wr_id, wc[i].wr_id) | wc[i].status));
		send_retire(state_send(w, wc[from].wr_id), &w->fixed, wc[i - 1].wr_id,
			    (uint32_t)(i - from));
	}
	return 0;
}

void batch_pause(const struct worker *w)
{
	const uint64_t end_ns = clock_ns() + w->fixed.gap_ns;

	while (clock_ns() < end_ns &&
	       atomic_load_explicit(&w->control.stop, memory_order_relaxed) != STATE_LEAVE)
		;
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
	while (sq->posted - sq->done > in_flight) {
		int rc = take_own(w);

		if (rc)
			return rc;
		if (atomic_load_explicit(&w->control.stop, memory_order_relaxed) == STATE_LEAVE)
			return -ECANCELED;
	}
	return 0;
}

void batch_rewind(struct worker *w)
{
	for (uint32_t i = 0; i < w->fixed.n_qps; i++)
		send_advance(&w->fixed.sqs[i], 0, true);
}

static int end_shared(struct worker *w)
{
	int rc = 0;

	for (uint32_t i = 0; i < w->fixed.n_qps && !rc; i++) {
		struct send_queue *sq = &w->fixed.sqs[i];

		send_advance(sq, 0, true);
		if (sq->posted - sq->done > w->fixed.batch)
			rc = batch_reap(w, sq, w->fixed.batch);
	}
	if (!rc)
		rc = recv_repost_shared(w);
	return rc || !recv_is_low(&w->share) ? rc : credit_low(w);
}

int batch_end(struct worker *w)
{
	const uint32_t batch = w->fixed.batch;

	if (w->share.sharing != SHARING_NONE)
		return end_shared(w);
	for (uint32_t i = 0; i < w->fixed.n_qps; i++) {
		struct send_queue *sq = &w->fixed.sqs[i];
		struct recv_queue *rq = &w->fixed.rqs[i];
		int rc = 0;

		send_advance(sq, 0, true);
		/* over RC one message has come for each that was sent */
		if (w->fixed.reliable)
			rq->taken = sq->posted;
		if (rq->ring && rq->taken != rq->reposted)
			rc = recv_repost(w, rq);
		if (rc)
			return rc;
		if (sq->posted - sq->done > batch) {
			rc = batch_reap(w, sq, batch);
			if (rc)
				return rc;
		}
	}
	return 0;
}

int batch_over(struct worker *w)
{
	return atomic_load(&w->control.stop) == STATE_LEAVE ? -ECANCELED : 0;
}
