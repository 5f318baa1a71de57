/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The measured loops of an open loop (pace.h): the same messages as those of loops_stream.h and
 * loops_lat.h, each when it is due. The side that receives or answers has their loops.
 */
#ifndef LOOPS_PACED_H
#define LOOPS_PACED_H

#include "util/clock.h"
#include "loop/calls.h"
#include "loop/loops.h"
#include "loop/loops_lat.h"
#include "loop/loops_stream.h"
#include "loop/pace.h"
#include "loop/send.h"
#include "loop/state.h"

/* Posts one request by the API of the worker. */
ALWAYS_INLINE int loops_post_one(struct worker *w, struct loops_kind k, struct ibv_qp *qp,
				 struct ibv_send_wr *wr)
{
	const enum state_post by = w->fixed.post_by;

	if (likely(by == STATE_POST_SEND))
		return loops_list(w, k, qp, wr, STATE_POST_SEND);
	if (by == STATE_WR_ONE || kind_is_atomic(k.op))
		return loops_list(w, k, qp, wr, STATE_WR_ONE);
	return loops_list(w, k, qp, wr, STATE_WR_SGES);
}

/*
 * Posts the next requests of sq that are due, at least one, up to most of them. What counts them is
 * written at the end.
 */
ALWAYS_INLINE int loops_post_row(struct worker *w, struct loops_kind k, struct send_queue *sq,
				 uint64_t most, uint64_t now)
{
	struct pace *const p = w->pace;
	uint64_t left = most;
	struct ibv_send_wr *at = sq->at;
	struct pace_stamp *stamp = &sq->stamps[(uint32_t)at->wr_id];
	int rc;

	do {
		*stamp++ = (struct pace_stamp){ .due = p->next.due, .posted = now };
		if (likely(p->next.due > p->full_at))
			pace_post(p, now);
		if (kind_has_imm(k.op))
			at->imm_data = htonl((uint32_t)(sq->posted + (most - left)));
		rc = loops_post_one(w, k, sq->qp, at++);
		if (unlikely(rc))
			break;
		pace_step(p, &p->next);
		if (unlikely(at == sq->ring_end))
			at = sq->ring, stamp = sq->stamps;
	} while (--left && p->next.due <= now);
	p->next.count += most - left;
	sq->posted += most - left;
	sq->at = at;
	return likely(!rc) ? 0 : state_fail_post(w, sq, rc);
}

/* The queue whose turn it was has no room any more. */
ALWAYS_INLINE int loops_leave(struct worker *w, struct loops_kind k, struct send_queue *sq,
			      uint64_t limit)
{
	w->live.work_head++;
	send_unlist(w, sq);
	return loops_blocked(w, k, sq, limit);
}

/* Posts what is due now, one message of each queue in turn, as far as there is room. */
ALWAYS_INLINE int loops_post_due(struct worker *w, struct loops_kind k, uint64_t now)
{
	struct pace *const p = w->pace;

	while (p->next.due <= now) {
		struct send_queue *sq;
		uint64_t limit;
		int rc = 0;

		if (unlikely(!w->live.work_n)) {
			pace_behind(p, now);
			break;
		}
		sq = w->live.work[w->live.work_head & w->live.work_mask];
		limit = send_limit(sq, w->fixed.depth, kind_takes_recv(k.op));
		if (likely(sq->posted < limit))
			rc = loops_post_row(w, k, sq,
					    w->live.work_n > 1 ? 1 : limit - sq->posted, now);
		if (unlikely(rc))
			return rc;
		if (unlikely(sq->posted >= limit)) {
			rc = loops_leave(w, k, sq, limit);
		} else if (w->live.work_n > 1) {
			w->live.work_head++;
			send_keep(w, sq);
		}
		if (unlikely(rc))
			return rc;
	}
	return 0;
}

/* n completions of requests, seen at p->now: the samples of each. */
ALWAYS_INLINE int loops_retire_due(struct worker *w, struct loops_kind k, enum loops_dir d,
				   const struct ibv_wc *first, int n)
{
	struct pace *const p = w->pace;
	const uint64_t now = p->now;

	for (const struct ibv_wc *wc = first; wc < first + n; wc++) {
		const uint32_t slot = (uint32_t)wc->wr_id;
		struct send_queue *sq;

		if (unlikely(wc->status))
			return state_fail_wc(w, wc, 1, FAIL_SCQ);
		if (kind_takes_recv(k.op) && d == LOOPS_BOTH && wc->wr_id & STATE_CREDIT_ID) {
			state_credit_peer(w, wc->wr_id)->credits_flying--;
			continue;
		}
		sq = state_send(w, wc->wr_id);
		pace_done(p, sq->stamps[slot].due, sq->stamps[slot].posted, now);
		sq->done++;
		sq->done_slot = slot + 1;
		if (!sq->listed)
			loops_relist(w, k, sq);
	}
	return 0;
}

/*
 * The sender's part of a turn: one look at the clock is the end of what the poll found, and the
 * time up to which messages are due. How many completions it found, or negative.
 */
ALWAYS_INLINE int loops_send_turn(struct worker *w, struct loops_kind k, enum loops_dir d,
				  struct ibv_wc *wc)
{
	const int sent = w->fixed.poll_sent(w->fixed.scq, STATE_BATCH, wc);
	const uint64_t now = clock_ticks();
	int rc = 0;

	w->pace->now = now;
	/* what was due until now could not be posted */
	if (!w->live.work_n)
		w->pace->full_at = now;
	if (sent > 0)
		rc = loops_retire_due(w, k, d, wc, sent);
	else if (unlikely(sent < 0))
		rc = state_fail_poll(w, sent, FAIL_SCQ);
	if (likely(w->live.tx_open && !rc))
		rc = loops_post_due(w, k, now);
	else if (d == LOOPS_BOTH && w->live.received)
		send_open(w);
	return unlikely(rc) ? rc : sent;
}

/* As much as came to the receiver, or negative. */
ALWAYS_INLINE int loops_take_turn(struct worker *w, struct loops_kind k, struct ibv_wc *wc)
{
	const int came = w->fixed.poll_came(w->fixed.rcq, STATE_BATCH, wc);
	int rc = 0;

	if (came > 0)
		rc = loops_take(w, k, LOOPS_BOTH, wc, came);
	else if (unlikely(came < 0))
		rc = state_fail_poll(w, came, FAIL_RCQ);
	else if (unlikely(w->live.received <= w->live.rx_before))
		recv_none(w);
	if (unlikely(!w->live.rx_t1 && !state_rx_open(w)))
		w->live.rx_t1 = clock_ticks();
	return unlikely(rc) ? rc : came;
}

/*
 * stream, open: a message is posted when it is due, or as soon as depth and credit allow; each is
 * signalled. The rest is as in loops_stream().
 */
ALWAYS_INLINE int loops_stream_paced(struct worker *w, struct loops_kind k, enum loops_dir d)
{
	const bool rx = d == LOOPS_BOTH;
	struct ibv_wc wc[STATE_BATCH + 1];

	KIND_MUST_FOLD(k);
	if (w->live.tx_open)
		pace_start(w->pace);
	while (w->live.unfinished || (rx && state_rx_open(w))) {
		int sent = 0, came = 0, rc = 0;

		if (unlikely(state_stop_changed(w)))
			rc = send_stop(w);
		if (k.sharing == SHARING_SRQ && rx && unlikely(recv_is_low(&w->share)) && !rc)
			rc = credit_low(w);
		if (unlikely(rc))
			return rc;
		sent = loops_send_turn(w, k, d, wc);
		if (unlikely(sent < 0))
			return sent;
		if (kind_takes_recv(k.op) && !rx && unlikely(w->live.starved))
			came = credit_take(w);
		if (rx)
			came = loops_take_turn(w, k, wc);
		if (unlikely(came < 0))
			return came;
		w->live.polls++;
		if (likely(sent > 0 || came > 0)) {
			loops_progress(w, w->live.polls);
			continue;
		}
		w->live.empty_polls++;
		rc = loops_idle(w, FAIL_SCQ | (rx || w->live.starved ? FAIL_RCQ : 0), idle_stream);
		if (unlikely(rc))
			return rc;
	}
	pace_stop(w->pace);
	return 0;
}

/* Until the next message is due: the last look at the clock. 0: the rounds are over. */
ALWAYS_INLINE uint64_t loops_await_due(struct worker *w, uint64_t rounds)
{
	for (;;) {
		const uint64_t now = clock_ticks();

		if (likely(now >= w->pace->next.due))
			return now;
		if (unlikely(!loops_again(w, rounds)))
			return 0;
		if (w->fixed.cm != CM_POLL)
			idle_until_due(w);
	}
}

/* Latency: the next message is posted now. */
ALWAYS_INLINE void loops_post_next(struct pace *p, uint64_t now)
{
	if (likely(p->next.due > p->full_at))
		pace_post(p, now);
	pace_step(p, &p->next);
	p->next.count++;
}

/* The message that was due and posted at these times is over; rc: how it ended. */
ALWAYS_INLINE int loops_end_due(struct worker *w, struct loops_kind k, uint64_t due,
				uint64_t posted, int rc)
{
	const uint64_t now = clock_ticks();
	struct pace *const p = w->pace;

	if (likely(!rc)) {
		pace_done(p, due, posted, now);
		if (k.kept)
			kept_open(&w->kept, now - due, now - posted);
	} else if (kind_is_lossy(k.tp) && rc == -EAGAIN) {
		rc = 0, w->live.lost++;
	}
	p->full_at = now;
	if (unlikely(p->next.due <= now))
		pace_behind(p, now);
	return rc;
}

/* ping-pong, open: one message under way; the next one when it is due, or after the answer. */
ALWAYS_INLINE int loops_ping_paced(struct worker *w, struct loops_kind k)
{
	struct send_queue *sq = w->fixed.sqs;
	uint64_t round = 0;

	KIND_MUST_FOLD(k);
	pace_start(w->pace);
	while (loops_again(w, round)) {
		const uint64_t posted = loops_await_due(w, round), due = w->pace->next.due;
		int rc;

		if (unlikely(!posted))
			break;
		loops_post_next(w->pace, posted);
		rc = loops_end_due(w, k, due, posted, loops_exchange(w, k, sq, loops_tag(k, sq)));
		if (unlikely(rc))
			return rc;
		sq = sq->next;
		loops_progress(w, ++round);
		rc = batch_end(w);
		if (rc)
			return rc;
	}
	pace_stop(w->pace);
	return batch_over(w);
}

/* probe, open: the same with requests and their completions. */
ALWAYS_INLINE int loops_probe_paced(struct worker *w, struct loops_kind k)
{
	struct send_queue *sq = w->fixed.sqs;
	uint64_t round = 0;

	KIND_MUST_FOLD(k);
	pace_start(w->pace);
	while (loops_again(w, round)) {
		const uint64_t posted = loops_await_due(w, round), due = w->pace->next.due;
		struct ibv_wc wc;
		int rc;

		if (unlikely(!posted))
			break;
		loops_post_next(w->pace, posted);
		rc = loops_end_due(w, k, due, posted, loops_fetch(w, k, sq, &wc));
		if (unlikely(rc))
			return rc;
		if (unlikely(wc.status))
			return state_fail_wc(w, &wc, 1, FAIL_SCQ);
		sq->done++;
		sq = sq->next;
		loops_progress(w, ++round);
		batch_rewind(w);
	}
	pace_stop(w->pace);
	return batch_over(w);
}

#endif
