/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What the loops need of a send queue: its window, its ring, the work list, its end. The inline
 * functions are in the path of a message; the others are not.
 */
#ifndef SEND_H
#define SEND_H

#include "loop/state.h"

static inline void send_advance(struct send_queue *sq, uint32_t n, bool wraps)
{
	sq->at += n;
	if (wraps && sq->at == sq->ring_end)
		sq->at = sq->ring;
}

/*
 * Takes a row of completions of one QP into done: n of them, the last one of request wr_id. It may
 * go around the ring. Each stands for a signal interval, but for the last one of all, which stands
 * for up to a group, and the first one of a ping-pong, which may stand for less. So the slot tells
 * how many requests are done: a ring has a group of slots at least. With an interval of 1 every
 * request has a completion.
 */
static inline void send_retire(struct send_queue *sq, const struct worker_fixed *fixed,
			       uint64_t wr_id, uint32_t n)
{
	const uint32_t next = (uint32_t)wr_id + 1;

	if (fixed->signal_interval > 1) {
		const uint32_t most = (n - 1) * fixed->signal_interval + fixed->group;

		n = next - sq->done_slot;
		if (next <= sq->done_slot)
			n += sq->slots;
		while (__builtin_expect(most - n >= sq->slots, 0))
			n += sq->slots;
	}
	sq->done += n;
	sq->done_slot = next;
}

/* posted may reach this in whole lists. credits: false only if sq->credit is UINT64_MAX. */
static inline uint64_t send_limit(const struct send_queue *sq, uint32_t depth, bool credits)
{
	uint64_t limit = sq->done + depth;

	if (limit > sq->whole)
		limit = sq->whole;
	if (credits && limit > sq->credit)
		limit = sq->credit;
	return limit;
}

/* Puts a queue on the work list; it is not on it and has something to post. */
static inline void send_list(struct worker *w, struct send_queue *sq)
{
	sq->listed = true;
	w->live.work[(w->live.work_head + w->live.work_n++) & w->live.work_mask] = sq;
}

/* The queue whose turn it was, the head before this turn, stays on the list: as the last one. */
static inline void send_keep(struct worker *w, struct send_queue *sq)
{
	w->live.work[(w->live.work_head + w->live.work_n - 1) & w->live.work_mask] = sq;
}

/* It leaves the list. */
static inline void send_unlist(struct worker *w, struct send_queue *sq)
{
	w->live.work_n--;
	sq->listed = false;
}

/*
 * A queue that is not on the list because it has no credit now waits for it; one that has posted
 * its last request, all credit used up, waits for nothing.
 */
static inline void send_starve(struct worker *w, struct send_queue *sq)
{
	if (sq->posted >= sq->target)
		return;
	w->live.starved += !sq->starved;
	sq->starved = true;
}

/*
 * Requests that do not fill a list, and the last one, signalled. As many as there is room for.
 * 0, or negative to be returned by the loop at once.
 */
STATE_COLD int send_tail(struct worker *w, struct send_queue *sq);

/*
 * The stop word changed, or the window of sending is to be cut (struct state_cut): -ECANCELED to
 * leave; with STATE_FINISH targets are set to where the queues are to end.
 */
STATE_COLD int send_stop(struct worker *w);

/* Both ways: posting begins; stamps tx_t0 the first time. */
__attribute__((cold, noinline)) void send_open(struct worker *w);

/* Requests done of all queues, those of a warm-up too. */
uint64_t send_done(const struct worker *w);

/* The last request is done: stamps tx_t1, notifies the controlling thread. */
__attribute__((cold, noinline)) void send_finished(struct worker *w);

#endif
