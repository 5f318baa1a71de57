/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* A receive queue that several peers share; see shared.h. */
#include "config.h"

#include "loop/shared.h"

#include <arpa/inet.h>

#include "loop/batch.h"
#include "loop/count.h"
#include "loop/credit.h"
#include "loop/fail.h"
#include "loop/recv.h"
#include "loop/send.h"

int shared_refill(struct worker *w, struct peer *peer)
{
	int rc = recv_repost_shared(w);

	if (rc)
		return rc;
	state_count(peer);
	if (w->fixed.credits && peer->received - peer->credited >= w->fixed.refill)
		rc = credit_give(w, peer, 0);
	state_expect(w, peer);
	return rc;
}

int shared_low(struct worker *w)
{
	/* as few as plan_refill() has at least: so many credit messages have receives */
	const uint32_t part = w->fixed.recv_depth / 8, least = part ? part : 1;
	struct worker_share *const share = &w->share;
	struct ibv_srq_attr attr = { .srq_limit = share->limit };
	int rc;

	share->limits_seen = atomic_load_explicit(share->limit_events, memory_order_relaxed);
	rc = recv_repost_shared(w);
	for (uint32_t i = 0; i < w->fixed.n_qps && !rc && w->fixed.receives; i++) {
		struct peer *peer = &w->fixed.peers[i];

		state_count(peer);
		if (w->fixed.credits && peer->received - peer->credited >= least)
			rc = credit_give(w, peer, 0);
		state_expect(w, peer);
	}
	if (rc)
		return rc;
	/* the event comes once: ibv_modify_srq(3) */
	rc = ibv_modify_srq(w->fixed.rqs->srq, &attr, IBV_SRQ_LIMIT);
	return rc ? fail_set(w, FAIL_SRQ_LIMIT, rc < 0 ? -rc : rc, 0) : 0;
}

int shared_take_credits(struct worker *w)
{
	struct ibv_wc wc[STATE_BATCH];
	int n = w->fixed.poll_came(w->fixed.rcq, STATE_BATCH, wc);

	if (n < 0)
		return fail_poll(w, n, FAIL_RCQ);
	for (int i = 0; i < n; i++) {
		if (wc[i].status || wc[i].byte_len != w->fixed.credit_bytes)
			return fail_wc(w, &wc[i], 1, FAIL_RCQ);
		credit_received(w, state_peer(w, &wc[i]), ntohl(wc[i].imm_data));
		w->fixed.rqs->taken++;
		shared_chain(&w->share, &wc[i]);
	}
	if (n) {
		int rc = recv_repost_shared(w);

		w->events.woken = false;
		w->events.credits++;
		if (rc)
			return rc;
	}
	return n;
}

int shared_batch_end(struct worker *w)
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
	return rc || !shared_is_low(&w->share) ? rc : shared_low(w);
}

int shared_out_of_order(struct worker *w, struct peer *peer, const struct ibv_wc *after)
{
	return recv_out_of_order(w, peer, after - 1);
}

int shared_stranger(struct worker *w, const struct ibv_wc *wc)
{
	count_received(w);
	w->fail.wc = *wc;
	w->fail.rx = true;
	w->fail.expected = w->share.sharing == SHARING_ONE_QP ? wc->src_qp : wc->qp_num;
	return fail_set(w, FAIL_STRANGER, 0, 0);
}
