/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Send queues outside the path of a message; see send.h. */
#include "config.h"

#include "loop/send.h"

#include <arpa/inet.h>
#include <errno.h>
#include <unistd.h>

#include "loop/state.h"
#include "util/clock.h"

void send_open(struct worker *w)
{
	if (!w->live.tx_open)
		w->live.tx_t0 = clock_ticks();
	w->live.tx_open = true;
}

void send_finished(struct worker *w)
{
	uint64_t one = 1, sent = 0;

	w->live.tx_t1 = clock_ticks();
	for (uint32_t i = 0; i < w->fixed.n_qps; i++)
		sent += w->fixed.sqs[i].done;
	atomic_store(&w->live.sent, sent);
	if (write(w->fixed.note_fd, &one, sizeof(one)) < 0)
		return; /* an eventfd that is full is readable all the same */
}

/* Builds a list of the next n requests; the last of all is signalled, and wakes its receiver. */
static void build_tail(const struct worker *w, struct send_queue *sq, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		struct ibv_send_wr *wr = sq->at + i;
		const bool last = i + 1 == n;

		wr->next = last ? NULL : wr + 1;
		wr->imm_data = htonl((uint32_t)(sq->posted + i));
		/* with an interval of 1 all stay signalled: some devices want it so */
		if (w->fixed.signal_interval > 1)
			wr->send_flags &= ~(unsigned)IBV_SEND_SIGNALED;
		if (last && sq->posted + n == sq->target)
			wr->send_flags |= IBV_SEND_SIGNALED |
					  (w->fixed.solicited ? IBV_SEND_SOLICITED : 0u);
	}
}

int send_tail(struct worker *w, struct send_queue *sq)
{
	uint64_t limit = sq->done + w->fixed.depth;
	struct ibv_send_wr *bad;
	uint64_t n;
	int rc;

	if (limit > sq->credit)
		limit = sq->credit;
	if (limit > sq->target)
		limit = sq->target;
	if (limit <= sq->posted) {
		if (sq->posted == sq->credit)
			send_starve(w, sq);
		return 0;
	}
	n = limit - sq->posted;
	build_tail(w, sq, n);
	rc = w->fixed.post(sq->qp, sq->at, &bad);
	if (rc)
		return state_fail_post(w, sq, rc);
	sq->posted += n;
	send_advance(sq, (uint32_t)n, true);
	/* nothing of a part of the tail is signalled: only credit brings this queue back */
	if (sq->posted == sq->credit && sq->posted < sq->target)
		send_starve(w, sq);
	return 0;
}

/*
 * Where a queue ends after STATE_FINISH: after what is posted, plus one request if the last one is
 * not signalled, or not solicited where the receiver waits for that.
 */
static void end_queue(const struct worker *w, struct send_queue *sq)
{
	const uint32_t slot = (uint32_t)(sq->at - sq->ring);

	if (sq->posted >= sq->whole)
		return;
	sq->whole = sq->posted;
	sq->target = sq->posted;
	if ((sq->done < sq->posted && slot % w->fixed.signal_interval != 0) ||
	    (w->fixed.solicited && slot % w->fixed.solicited != 0))
		sq->target++;
}

int send_stop(struct worker *w)
{
	int stop = atomic_load(&w->control.stop);

	w->live.stop_seen = stop;
	if (stop == STATE_LEAVE)
		return -ECANCELED;
	if (!w->live.unfinished)
		return 0;
	w->live.unfinished = 0;
	for (uint32_t i = 0; i < w->fixed.n_qps; i++) {
		struct send_queue *sq = &w->fixed.sqs[i];

		end_queue(w, sq);
		w->live.unfinished += sq->done < sq->target;
		if (!sq->listed && sq->posted < sq->target)
			send_list(w, sq);
	}
	if (!w->live.unfinished)
		send_finished(w);
	return 0;
}
