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
		pace_start(w->pace);
}

uint64_t send_done(const struct worker *w)
{
	uint64_t done = 0;

	for (uint32_t i = 0; i < w->fixed.n_qps; i++)
		done += w->fixed.sqs[i].done;
	return done;
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

/*
 * An edge of the window is a completion: it came between a mark before the last empty poll and a
 * mark after the poll that found it. If the thread lost its CPU in between, the edge is blurred,
 * and the next completion may be a better one: the least blurred is taken after EDGE_TRIES polls
 * that found some; one that an empty poll came before counts as TRIES_EMPTY.
 * With several queues both edges are completions of queue 0, and the first one comes when all is
 * done that filled this queue: what the other queues have done without a completion is then the
 * same at both. The order in which they take turns changes after the first fill.
 */
#define EDGE_SHARP_NS 50000
#define EDGE_TRIES 64
#define TRIES_EMPTY 8

static struct state_mark mark(uint64_t done)
{
	return (struct state_mark){ .ticks = clock_ticks(), .ns = clock_ns(), .done = done };
}

/* Requests done; looks only after a poll that has found something. */
static uint64_t look(struct worker *w)
{
	struct state_cut *const c = &w->live.cut;
	const uint64_t progress = atomic_load_explicit(&w->live.progress, memory_order_relaxed);

	if (progress == c->progress)
		return c->done;
	c->progress = progress;
	return send_done(w);
}

/* An edge is looked for, from the next turn on. */
static void begin_edge(struct worker *w, uint64_t done)
{
	struct state_cut *const c = &w->live.cut;

	c->done = done;
	c->first_filled = c->first_done = w->fixed.sqs[0].done;
	c->turn = mark(done);
	c->empty = c->spare = (struct state_mark){ 0 };
	c->spare_blur_ns = UINT64_MAX;
	c->tries = 0;
}

/*
 * Once in each turn, before its poll. True: the poll of the turn before has found completions, now
 * *now and *blur_ns is how much later that may be.
 */
static bool find_edge(struct worker *w, struct state_mark *now, uint64_t *blur_ns)
{
	struct state_cut *const c = &w->live.cut;
	const uint64_t before = c->done, first = w->fixed.sqs[0].done;
	const bool is_edge = first != c->first_done && first >= c->first_filled;

	*now = mark(c->done = look(w));
	if (c->done == before)
		c->empty = c->turn;
	c->turn = *now;
	c->first_done = first;
	if (c->done == before)
		return false;
	*blur_ns = c->empty.ns ? now->ns - c->empty.ns : UINT64_MAX - 1;
	if (first >= c->first_filled)
		c->tries += is_edge && c->empty.done == before ? TRIES_EMPTY : 1;
	/* another one is taken if there is no better one */
	if (!is_edge && *blur_ns <= EDGE_SHARP_NS)
		*blur_ns = EDGE_SHARP_NS + 1;
	return true;
}

/* Keeps the edge if it is the best so far. True: no other is looked for. */
static bool keep_edge(struct state_cut *c, const struct state_mark *edge, uint64_t blur_ns)
{
	if (blur_ns < c->spare_blur_ns) {
		c->spare = *edge;
		c->spare_blur_ns = blur_ns;
	}
	return blur_ns <= EDGE_SHARP_NS || c->tries >= EDGE_TRIES;
}

/*
 * The window begins before the last poll that found nothing, and the first completion is not in it:
 * also where the thread got its processor long after that, and more have come, the rate is not too
 * high. Returns false until then. last: the window is to end.
 */
static bool open_window(struct worker *w, bool last)
{
	struct state_cut *const c = &w->live.cut;
	struct state_mark now;
	uint64_t blur_ns;
	bool found = false;

	if (!c->turn.ns) {
		begin_edge(w, c->base);
		if (w->fixed.n_qps > 1)
			c->first_filled += w->fixed.depth;
		c->empty = c->turn; /* nothing is posted yet, so nothing can be done */
		return false;
	}
	if (find_edge(w, &now, &blur_ns)) {
		struct state_mark edge = c->empty;

		edge.done += min_u64(now.done - edge.done, w->fixed.signal_interval);
		found = keep_edge(c, &edge, blur_ns);
	}
	if (!found && !(last && c->spare.ns))
		return false;
	w->live.tx_t0 = c->spare.ticks;
	c->open = c->spare.done;
	return true;
}

static void close_at_spare(struct worker *w)
{
	struct state_cut *const c = &w->live.cut;

	w->live.tx_t1 = c->spare.ticks;
	c->close = c->spare.done;
}

static bool close_window(struct worker *w)
{
	struct state_mark now;
	uint64_t blur_ns;

	if (!find_edge(w, &now, &blur_ns) || !keep_edge(&w->live.cut, &now, blur_ns))
		return false;
	close_at_spare(w);
	return true;
}

void send_finished(struct worker *w)
{
	struct state_cut *const c = &w->live.cut;
	uint64_t one = 1;

	if (c->open != UINT64_MAX && c->stop != UINT64_MAX && c->close == UINT64_MAX &&
	    c->spare.ns)
		close_at_spare(w);
	/* a window that is cut has ended before, unless nothing was under way at the stop */
	if (c->close == UINT64_MAX)
		w->live.tx_t1 = clock_ticks();
	atomic_store(&w->live.sent, send_done(w));
	if (write(w->fixed.note_fd, &one, sizeof(one)) < 0)
		return; /* an eventfd that is full is readable all the same */
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
		seen = open_window(w, stop == STATE_FINISH) || stop == STATE_FINISH;
	if (stop == STATE_FINISH && c->stop == UINT64_MAX) {
		c->stop = send_done(w);
		if (w->pace)
			pace_stop(w->pace);
		begin_edge(w, c->stop);
		seen = c->open == UINT64_MAX;
		if (w->live.unfinished)
			end_queues(w);
	} else if (stop == STATE_FINISH && c->open != UINT64_MAX) {
		seen = close_window(w);
	}
	if (seen)
		w->live.stop_seen = stop;
	return 0;
}
