/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Credit, given and taken; see calls.h for the scheme. */
#include "config.h"

#include "loop/calls.h"

#include <arpa/inet.h>
#include <errno.h>

#include "loop/state.h"
#include "util/clock.h"
#include "loop/recv.h"
#include "loop/send.h"

/* A receiver's own send queue holds nothing but credit messages. */
static int reap_credits(struct worker *w)
{
	struct ibv_wc wc[STATE_BATCH];
	int n;

	n = w->fixed.poll_sent(w->fixed.scq, STATE_BATCH, wc);
	if (n < 0)
		return state_fail_poll(w, n, FAIL_SCQ);
	for (int i = 0; i < n; i++) {
		if (wc[i].status)
			return state_fail_wc(w, &wc[i], 1, FAIL_SCQ);
		state_credit_peer(w, wc[i].wr_id)->credits_flying--;
	}
	return 0;
}

static int post_credit(struct worker *w, struct peer *peer)
{
	struct ibv_send_wr *bad;
	int rc = w->fixed.post_credit(peer->sq->qp, peer->credit_wr, &bad);

	if (rc) {
		w->fail.wc.wr_id = peer->credit_wr->wr_id;
		return state_fail_post(w, peer->sq, rc);
	}
	peer->credits_flying++;
	return 0;
}

/* Without immediate data: one message for each refill, and what is less than one stays ungiven. */
static int give_counted(struct worker *w, struct peer *peer)
{
	int rc = 0;

	while (!rc && peer->received - peer->credited >= w->fixed.refill &&
	       peer->credits_flying < CREDIT_WINDOW) {
		peer->credited += w->fixed.refill;
		rc = post_credit(w, peer);
	}
	w->live.owing -= peer->credit_owed;
	peer->credit_owed = peer->received - peer->credited >= w->fixed.refill;
	w->live.owing += peer->credit_owed;
	return rc;
}

int credit_give(struct worker *w, struct peer *peer, uint32_t flags)
{
	/* copies took receives, too, but those are posted again: they stand for no message */
	const uint64_t messages = peer->received - peer->duplicated;
	const uint32_t allowed = (uint32_t)(messages + w->fixed.recv_depth) & ~CREDIT_IDLE;
	int rc = 0;

	if (peer->credits_flying >= CREDIT_WINDOW / 2 && !w->live.unfinished)
		rc = reap_credits(w);
	if (rc)
		return rc;
	if (w->fixed.counted)
		return give_counted(w, peer);
	peer->credited = peer->received;
	w->live.owing -= peer->credit_owed;
	peer->credit_owed = peer->credits_flying >= CREDIT_WINDOW;
	w->live.owing += peer->credit_owed;
	if (peer->credit_owed)
		return 0;
	peer->credit_wr->imm_data = htonl(allowed | flags);
	return post_credit(w, peer);
}

int credit_refill(struct worker *w, struct recv_queue *rq)
{
	struct peer *const peer = rq->peer;
	int rc = recv_repost(w, rq);

	/* never for a credit message: the two sides would thank each other forever */
	if (rc || !w->fixed.credits || !w->fixed.receives ||
	    peer->received - peer->credited < w->fixed.refill)
		return rc;
	rc = credit_give(w, peer, 0);
	/* the next message is due at the next whole refill, not one refill after this look */
	if (w->fixed.counted)
		rq->refill_at -= (peer->received - peer->credited) % w->fixed.refill;
	return rc;
}

/*
 * Between a receiver's look at its queue and its message it may have slept for long, and all that
 * was under way has come since. The same count again means a look after the first message, and that
 * was sent when nothing was under way any more: what is missing now is lost.
 */
static void idle_received(const struct worker *w, struct peer *peer)
{
	if (peer->idle_known && peer->idle_allowed == peer->allowed)
		peer->written_off = peer->sq->posted + w->fixed.recv_depth - peer->allowed;
	peer->idle_known = true;
	peer->idle_allowed = peer->allowed;
}

void credit_received(struct worker *w, struct peer *peer, uint32_t imm)
{
	/* both counts modulo 2^31: shifted up so that the difference has a sign */
	int32_t more = w->fixed.counted ? (int32_t)w->fixed.refill :
			(int32_t)((imm - (uint32_t)peer->allowed) << 1) / 2;
	struct send_queue *const sq = peer->sq;

	if (more > 0)
		peer->allowed += (uint32_t)more;
	if (!w->fixed.reliable && imm & CREDIT_IDLE && sq->starved && peer->starved_since_ns &&
	    clock_ns() - peer->starved_since_ns >= w->fixed.resync_ns)
		idle_received(w, peer);
	if (peer->allowed + peer->written_off <= sq->credit)
		return;
	sq->credit = peer->allowed + peer->written_off;
	w->live.starved -= sq->starved;
	sq->starved = false;
	peer->starved_since_ns = 0;
	peer->idle_known = false;
	if (!sq->listed && sq->posted < sq->target)
		send_list(w, sq);
}

int credit_take(struct worker *w)
{
	const bool shared = w->share.sharing != SHARING_NONE;
	struct ibv_wc wc[STATE_BATCH];
	int n = w->fixed.poll_came(w->fixed.rcq, STATE_BATCH, wc), rc = 0;

	if (n < 0)
		return state_fail_poll(w, n, FAIL_RCQ);
	for (int i = 0; i < n && !rc; i++) {
		struct peer *peer = state_peer(w, &wc[i]);
		struct recv_queue *rq = peer->rq;

		if (wc[i].status || wc[i].byte_len != w->fixed.credit_bytes)
			return state_fail_wc(w, &wc[i], 1, FAIL_RCQ);
		credit_received(w, peer, ntohl(wc[i].imm_data));
		rq->taken++;
		if (shared)
			recv_chain(&w->share, &wc[i]);
		else
			rc = recv_repost(w, rq);
	}
	if (shared && !rc)
		rc = recv_repost_shared(w);
	w->events.credits += n != 0;
	return rc ? rc : n;
}

/*
 * Gives peer credit, whatever the queue, if that is at least so many messages. Where receives are
 * shared, its count of messages is ahead.
 */
static int give_any(struct worker *w, struct peer *peer, uint64_t least, uint32_t flags)
{
	const bool shared = w->share.sharing != SHARING_NONE;
	int rc = 0;

	if (shared)
		state_count(peer);
	if (peer->received - peer->credited >= least)
		rc = credit_give(w, peer, flags);
	if (shared)
		state_expect(w, peer);
	return rc;
}

int credit_pay(struct worker *w)
{
	for (uint32_t i = 0; i < w->fixed.n_qps && w->live.owing; i++) {
		struct peer *peer = &w->fixed.peers[i];
		int rc = peer->credit_owed ? give_any(w, peer, 0, 0) : 0;

		if (rc)
			return rc;
	}
	return 0;
}

int credit_send_idle(struct worker *w)
{
	for (uint32_t i = 0; i < w->fixed.n_qps; i++) {
		struct peer *peer = &w->fixed.peers[i];
		struct recv_queue *rq = peer->rq;
		int rc = 0;

		if (w->share.sharing != SHARING_NONE)
			rc = recv_repost_shared(w);
		else if (rq->taken != rq->reposted)
			rc = recv_repost(w, rq);
		if (!rc)
			rc = give_any(w, peer, 0, CREDIT_IDLE);
		if (rc)
			return rc;
	}
	return 0;
}

int credit_refill_shared(struct worker *w, struct peer *peer)
{
	int rc = recv_repost_shared(w);

	return rc ? rc : give_any(w, peer, w->fixed.credits ? w->fixed.refill : UINT64_MAX, 0);
}

int credit_low(struct worker *w)
{
	/* as few as plan_refill() has at least: so many credit messages have receives */
	const uint32_t part = w->fixed.recv_depth / 8, least = part ? part : 1;
	struct worker_share *const share = &w->share;
	struct ibv_srq_attr attr = { .srq_limit = share->limit };
	int rc;

	share->limits_seen = atomic_load_explicit(share->limit_events, memory_order_relaxed);
	rc = recv_repost_shared(w);
	for (uint32_t i = 0; i < w->fixed.n_qps && !rc && w->fixed.receives; i++)
		rc = give_any(w, &w->fixed.peers[i], w->fixed.credits ? least : UINT64_MAX, 0);
	if (rc)
		return rc;
	/* the event comes once: ibv_modify_srq(3) */
	rc = ibv_modify_srq(w->fixed.rqs->srq, &attr, IBV_SRQ_LIMIT);
	return rc ? state_fail(w, FAIL_SRQ_LIMIT, rc < 0 ? -rc : rc, 0) : 0;
}
