/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The measured loops of streams; see loops.h. */
#ifndef LOOPS_STREAM_H
#define LOOPS_STREAM_H

#include <arpa/inet.h>

#include "util/clock.h"
#include "verbs/api.h"
#include "loop/state.h"
#include "loop/calls.h"
#include "loop/loops.h"
#include "loop/recv.h"
#include "loop/send.h"

enum loops_dir { LOOPS_TX, LOOPS_RX, LOOPS_BOTH };

/* Immediate values number the messages of a list; the prebuilt requests have all else. */
ALWAYS_INLINE void loops_number(struct ibv_send_wr *wr, uint64_t number)
{
	do {
		wr->imm_data = htonl((uint32_t)number++);
		wr = wr->next;
	} while (wr);
}

/*
 * Posts the list at wr. One request per list by ibv_wr_*: the usual case of that API has no loop.
 * api: a constant here.
 */
ALWAYS_INLINE int loops_list(struct worker *w, struct loops_kind k, struct ibv_qp *qp,
			     struct ibv_send_wr *wr, enum state_post api)
{
	struct ibv_qp_ex *const ex = api_wr_qp(qp);
	struct ibv_send_wr *bad;

	if (api == STATE_POST_SEND)
		return w->fixed.post(qp, wr, &bad);
	ibv_wr_start(ex);
	do {
		if (api == STATE_WR_SGES)
			api_wr_request_sges(ex, wr, k.op, api_wr_target(k.tp));
		else
			api_wr_request(ex, wr, wr->sg_list, k.op, api_wr_target(k.tp));
	} while (api != STATE_WR_ONE && (wr = wr->next));
	return ibv_wr_complete(ex);
}

/* What is posted when at is the next request, and last would begin the list that ends at end. */
ALWAYS_INLINE uint64_t loops_posted(const struct ibv_send_wr *at, const struct ibv_send_wr *last,
				    uint64_t end, size_t list)
{
	return end - list - (uint64_t)(last - at);
}

/*
 * Whole lists up to limit, at most quantum requests, in pieces of the ring that do not wrap. last
 * is where the last list would begin if the ring did not end.
 */
ALWAYS_INLINE int loops_lists(struct worker *w, struct loops_kind k, struct send_queue *sq,
			      uint64_t limit, enum state_post api)
{
	const uint64_t most = sq->posted + w->fixed.quantum, end = most < limit ? most : limit;
	const size_t list = api == STATE_WR_ONE ? 1 : w->fixed.post_list;
	const struct ibv_send_wr *const ring_last = sq->ring_end - list;
	const struct ibv_send_wr *last = sq->at + (end - sq->posted) - list;
	struct ibv_send_wr *at = sq->at;
	struct ibv_qp *const qp = sq->qp;
	const size_t slots = sq->slots;
	uint64_t number = sq->posted;

	while (at <= last) {
		const struct ibv_send_wr *const stop = last < ring_last ? last : ring_last;

		do {
			int rc;

			if (kind_has_imm(k.op))
				loops_number(at, number), number += list;
			rc = loops_list(w, k, qp, at, api);
			if (unlikely(rc)) {
				sq->posted = loops_posted(at, last, end, list);
				return state_fail_post(w, sq, rc);
			}
			at += list;
		} while (at <= stop);
		if (last < ring_last)
			break;
		at -= slots;
		last -= slots;
	}
	sq->posted = loops_posted(at, last, end, list);
	sq->at = at;
	return 0;
}

/* One QP's turn. Which API posts is looked at once a turn. */
ALWAYS_INLINE int loops_turn(struct worker *w, struct loops_kind k, struct send_queue *sq,
			     uint64_t limit)
{
	const enum state_post by = w->fixed.post_by;

	if (likely(by == STATE_POST_SEND))
		return loops_lists(w, k, sq, limit, STATE_POST_SEND);
	if (by == STATE_WR_ONE)
		return loops_lists(w, k, sq, limit, STATE_WR_ONE);
	if (by == STATE_WR_LIST)
		return loops_lists(w, k, sq, limit, STATE_WR_LIST);
	/* the plan refuses several pieces of an atomic */
	return kind_is_atomic(k.op) ? 0 : loops_lists(w, k, sq, limit, STATE_WR_SGES);
}

/* A queue without room for a list, off the work list: does something else bring it back? */
ALWAYS_INLINE int loops_blocked(struct worker *w, struct loops_kind k, struct send_queue *sq,
				uint64_t limit)
{
	if (unlikely(sq->posted >= sq->whole && sq->posted < sq->target))
		return send_tail(w, sq);
	if (kind_takes_recv(k.op) && limit == sq->credit)
		send_starve(w, sq);
	return 0;
}

/*
 * A turn for every QP on the work list; those without room leave it until a completion or a credit.
 */
ALWAYS_INLINE int loops_post(struct worker *w, struct loops_kind k)
{
	const uint32_t list = w->fixed.post_list;

	for (uint32_t n = w->live.work_n; n; n--) {
		struct send_queue *sq = w->live.work[w->live.work_head++ & w->live.work_mask];
		const uint64_t limit = send_limit(sq, w->fixed.depth, kind_takes_recv(k.op));
		int rc = loops_turn(w, k, sq, limit);

		if (unlikely(rc))
			return rc;
		if (sq->posted + list <= limit) {
			send_keep(w, sq);
			continue;
		}
		send_unlist(w, sq);
		rc = loops_blocked(w, k, sq, limit);
		if (unlikely(rc))
			return rc;
	}
	return 0;
}

/* A queue that was off the work list, after a completion. */
ALWAYS_INLINE void loops_relist(struct worker *w, struct loops_kind k, struct send_queue *sq)
{
	const uint64_t limit = send_limit(sq, w->fixed.depth, kind_takes_recv(k.op));

	if (likely(sq->posted + w->fixed.post_list <= limit)) {
		send_list(w, sq);
	} else if (sq->done == sq->target) {
		if (--w->live.unfinished == 0)
			send_finished(w);
	} else if (unlikely(sq->posted >= sq->whole && sq->posted < sq->target)) {
		send_list(w, sq); /* the tail is posted in its turn */
	} else if (kind_takes_recv(k.op) && limit == sq->credit) {
		send_starve(w, sq);
	}
}

/*
 * n completions of requests, in an array with room for one more: every status is looked at, none is
 * counted twice. Of several in a row of one QP the last says how many are done.
 */
ALWAYS_INLINE int loops_retire(struct worker *w, struct loops_kind k, enum loops_dir d,
			       struct ibv_wc *first, int n)
{
	const struct ibv_wc *wc = first, *const end = wc + n;

	first[n].wr_id = UINT64_MAX; /* of no queue: ends the last row */
	first[n].status = IBV_WC_SUCCESS;
	while (wc < end) {
		const struct ibv_wc *const from = wc++;
		struct send_queue *sq;
		uint32_t row;

		if (unlikely(from->status))
			return state_fail_wc(w, from, 1, FAIL_SCQ);
		/* a bad one begins a row of its own */
		while (!(state_gap(from->wr_id, wc->wr_id) | wc->status))
			wc++;
		row = (uint32_t)(wc - from);
		if (kind_takes_recv(k.op) && d == LOOPS_BOTH && from->wr_id & STATE_CREDIT_ID) {
			state_credit_peer(w, from->wr_id)->credits_flying -= row;
			continue;
		}
		sq = state_send(w, from->wr_id);
		/* wc[-1] would cost an instruction in each turn of the loop above */
		send_retire(sq, &w->fixed, from[row - 1].wr_id, row);
		if (!sq->listed)
			loops_relist(w, k, sq);
	}
	return 0;
}

ALWAYS_INLINE bool loops_bad(const struct ibv_wc *wc, int n)
{
	unsigned bad = 0;

	for (int i = 0; i < n; i++)
		bad |= (unsigned)wc[i].status;
	return bad;
}

/* Of a batch of arrivals: bits of bad statuses or lengths, all bytes, bits of wrong immediates. */
struct loops_sum {
	uint32_t bad, bytes, number, out_of_order;
};

ALWAYS_INLINE void loops_add(struct loops_sum *sum, const struct worker *w, struct loops_kind k,
			     const struct ibv_wc *wc)
{
	sum->bad |= (uint32_t)wc->status;
	/* a write with immediate may be of any length: its receive has no buffer */
	if (kind_fills_recv(k.op))
		sum->bytes += wc->byte_len;
	else if (unlikely(wc->byte_len != w->fixed.recv_bytes))
		sum->bad = 1;
	if (kind_has_imm(k.op))
		sum->out_of_order |= ntohl(wc->imm_data) ^ sum->number++;
}

/*
 * Status and length of n arrivals. A send cannot be longer than its receive, which has exactly the
 * message's length, so that one is shorter if and only if their sum is (fixed.sums: it fits 32
 * bits).
 */
ALWAYS_INLINE struct loops_sum loops_look(const struct worker *w, struct loops_kind k,
					  const struct ibv_wc *wc, int n)
{
	struct loops_sum sum = { .number = w->fixed.peers->number };
	int i = 0;

	for (; i + 4 <= n; i += 4) {
		loops_add(&sum, w, k, &wc[i]);
		loops_add(&sum, w, k, &wc[i + 1]);
		loops_add(&sum, w, k, &wc[i + 2]);
		loops_add(&sum, w, k, &wc[i + 3]);
	}
	for (; i < n; i++)
		loops_add(&sum, w, k, &wc[i]);
	if (!kind_fills_recv(k.op))
		return sum;
	for (i = 0; i < n && unlikely(!w->fixed.sums); i++)
		sum.bad |= wc[i].byte_len ^ w->fixed.recv_bytes;
	sum.bad |= sum.bytes ^ (w->fixed.recv_bytes * (uint32_t)n);
	return sum;
}

/* One arrival with a good status. */
ALWAYS_INLINE int loops_take_one(struct worker *w, struct loops_kind k, enum loops_dir d,
				 const struct ibv_wc *wc)
{
	struct recv_queue *const rq = state_recv(w, wc->wr_id);
	struct peer *const peer = rq->peer;

	if (d == LOOPS_BOTH && wc->byte_len != w->fixed.recv_bytes) {
		if (unlikely(wc->byte_len != w->fixed.credit_bytes))
			return state_fail_wc(w, wc, 1, FAIL_RCQ);
		credit_received(w, peer, ntohl(wc->imm_data));
		rq->taken++;
		/* a credit message's receive is replaced at once: there are few */
		return credit_refill(w, rq);
	}
	if (kind_has_imm(k.op) && unlikely(ntohl(wc->imm_data) != peer->number)) {
		int rc = recv_out_of_order(w, peer, wc);

		if (rc)
			return rc;
	} else if (kind_has_imm(k.op)) {
		peer->number++;
	}
	rq->taken++;
	peer->received++;
	w->live.received++;
	if (d == LOOPS_BOTH ? peer->received - peer->credited < w->fixed.refill :
			      rq->taken < rq->refill_at)
		return 0;
	return credit_refill(w, rq);
}

/* n arrivals on the one QP, in order. */
ALWAYS_INLINE int loops_take_all(struct worker *w, struct loops_kind k, uint32_t n)
{
	struct recv_queue *const rq = w->fixed.rqs;
	struct peer *const peer = w->fixed.peers;

	if (kind_has_imm(k.op))
		peer->number += n;
	peer->received += n;
	rq->taken += n;
	w->live.received += n;
	return rq->taken < rq->refill_at ? 0 : credit_refill(w, rq);
}

/*
 * n arrivals, in an array with room for one more: status, length and order of each are looked at.
 */
ALWAYS_INLINE int loops_take(struct worker *w, struct loops_kind k, enum loops_dir d,
			     struct ibv_wc *wc, int n)
{
	if (d == LOOPS_RX) {
		const struct loops_sum sum = loops_look(w, k, wc, n);

		if (unlikely(sum.bad))
			return state_fail_wc(w, wc, n, FAIL_RCQ);
		if (k.sharing != SHARING_NONE)
			return loops_take_peers(w, k, wc, n);
		if (w->fixed.n_qps == 1 && likely(!sum.out_of_order))
			return loops_take_all(w, k, (uint32_t)n);
	} else if (unlikely(loops_bad(wc, n))) {
		return state_fail_wc(w, wc, n, FAIL_RCQ);
	}
	for (int i = 0; i < n; i++) {
		int rc = k.sharing != SHARING_NONE ? loops_take_either(w, k, &wc[i]) :
						     loops_take_one(w, k, d, &wc[i]);

		if (unlikely(rc))
			return rc;
	}
	return 0;
}

/*
 * stream: every QP is kept as full as its depth (and the receiver's credit) allows, in lists of
 * post_list, the QPs in turn; receives are refilled in lists. Timed region: this call, from before
 * the first post to after the last completion; for the receiver from the last empty poll before the
 * first arrival (recv_none()). Both ways, the server's first post waits for the first arrival: only
 * then is the client's loop there to see what comes when it comes. Ends when all requests are done
 * and all messages received; over UC and UD also when the sender has finished and nothing has come
 * for quiet_ns.
 */
ALWAYS_INLINE int loops_stream(struct worker *w, struct loops_kind k, enum loops_dir d)
{
	const bool tx = d != LOOPS_RX, rx = d != LOOPS_TX;
	struct ibv_wc wc[STATE_BATCH + 1];

	KIND_MUST_FOLD(k);
	while ((tx && w->live.unfinished) || (rx && state_rx_open(w))) {
		int sent = 0, came = 0, rc = 0;

		if (unlikely(state_stop_changed(w)))
			rc = send_stop(w);
		if (k.sharing == SHARING_SRQ && rx && unlikely(recv_is_low(&w->share)) && !rc)
			rc = credit_low(w);
		if (tx && likely(w->live.tx_open && !rc))
			rc = loops_post(w, k);
		else if (d == LOOPS_BOTH && w->live.received)
			send_open(w);
		if (unlikely(rc))
			return rc;
		if (tx) {
			sent = w->fixed.poll_sent(w->fixed.scq, STATE_BATCH, wc);
			if (sent > 0)
				rc = loops_retire(w, k, d, wc, sent);
			else if (unlikely(sent < 0))
				rc = state_fail_poll(w, sent, FAIL_SCQ);
			if (kind_takes_recv(k.op) && !rx && unlikely(w->live.starved) && !rc)
				rc = came = credit_take(w);
		}
		if (rx && likely(!rc)) {
			came = w->fixed.poll_came(w->fixed.rcq, STATE_BATCH, wc);
			if (came > 0)
				rc = loops_take(w, k, d, wc, came);
			else if (unlikely(came < 0))
				rc = state_fail_poll(w, came, FAIL_RCQ);
			else if (unlikely(w->live.received <= w->live.rx_before))
				recv_none(w);
			if (d == LOOPS_BOTH && unlikely(!w->live.rx_t1 && !state_rx_open(w)))
				w->live.rx_t1 = clock_ticks();
		}
		if (unlikely(rc < 0))
			return rc;
		w->live.polls++;
		if (likely(sent > 0 || came > 0)) {
			loops_progress(w, w->live.polls);
			continue;
		}
		w->live.empty_polls++;
		if (tx && w->live.work_n && w->live.tx_open)
			continue;
		rc = loops_idle(w, (tx ? FAIL_SCQ : 0) | (rx || w->live.starved ? FAIL_RCQ : 0),
				idle_stream);
		if (unlikely(rc))
			return rc;
	}
	return 0;
}

#endif
