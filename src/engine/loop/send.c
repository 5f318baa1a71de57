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
#include "util/minmax.h"

void send_open(struct worker *w)
{
	if (!w->live.tx_open)
		w->live.tx_t0 = clock_ticks();
	w->live.tx_open = true;
	if (w->pace)
		pace_start(w);
}

uint64_t send_done(const struct worker *w)
{
	uint64_t done = 0;

	for (uint32_t i = 0; i < w->fixed.n_qps; i++)
		done += w->fixed.sqs[i].done;
	return done;
}

void send_finished(struct worker *w)
{
	uint64_t one = 1;

	/* a window that is cut has ended before, unless nothing was under way at the stop */
	if (w->live.cut.close == UINT64_MAX)
		w->live.tx_t1 = clock_ticks();
	atomic_store(&w->live.sent, send_done(w));
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

/* Nothing more is posted but what makes the last request signalled. */
static void end_queues(struct worker *w)
{
	w->live.unfinished = 0;
	for (uint32_t i = 0; i < w->fixed.n_qps; i++) {
		struct send_queue *sq = &w->fixed.sqs[i];

		end_queue(w, sq);
		w->live.unfinished += sq->done < sq->target;
		/* open loop: it has nothing to post, and is listed until the next message is due */
		if (w->pace && sq->listed)
			send_unlist(w, sq);
		if (!sq->listed && sq->posted < sq->target)
			send_list(w, sq);
	}
	if (!w->live.unfinished)
		send_finished(w);
}

/* Requests done, if that are more than before; looks only after a poll that has found something. */
static uint64_t done_since(struct worker *w, uint64_t before)
{
	struct state_cut *const c = &w->live.cut;
	const uint64_t progress = atomic_load_explicit(&w->live.progress, memory_order_relaxed);

	if (progress == c->progress)
		return before;
	c->progress = progress;
	return send_done(w);
}

/*
 * The window begins with the last poll that found nothing, and the first completion is not in it:
 * also where the thread got its processor long after that, and more have come, the rate is not too
 * high. Returns false until then.
 */
static bool open_window(struct worker *w)
{
	struct state_cut *const c = &w->live.cut;
	const uint64_t done = done_since(w, c->base);

	if (done == c->base) {
		w->live.tx_t0 = clock_ticks();
		return false;
	}
	c->open = c->base + min_u64(done - c->base, w->fixed.signal_interval);
	return true;
}

static bool close_window(struct worker *w)
{
	struct state_cut *const c = &w->live.cut;
	const uint64_t done = done_since(w, c->stop);

	if (done == c->stop)
		return false;
	w->live.tx_t1 = clock_ticks();
	c->close = done;
	return true;
}

/* Until its window is open, and then closed, the loop comes here in each turn. */
int send_stop(struct worker *w)
{
	struct state_cut *const c = &w->live.cut;
	const int stop = atomic_load(&w->control.stop);
	bool seen = true;

	if (stop == STATE_LEAVE)
		return -ECANCELED;
	if (w->fixed.timed && c->open == UINT64_MAX && c->stop == UINT64_MAX)
		seen = open_window(w) || stop == STATE_FINISH;
	if (stop == STATE_FINISH && c->stop == UINT64_MAX) {
		c->stop = send_done(w);
		if (w->pace)
			pace_stop(w);
		if (w->live.unfinished)
			end_queues(w);
	}
	if (stop == STATE_FINISH && c->open != UINT64_MAX)
		seen = close_window(w);
	if (seen)
		w->live.stop_seen = stop;
	return 0;
}
