/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Peers that the loops have not found at once, counts that they do not keep, and why a loop stops;
 * see state.h.
 */
#include "config.h"

#include "loop/state.h"

#include <errno.h>

struct peer *state_peer_search(const struct worker_share *share, uint32_t qpn)
{
	for (uint32_t i = 0; i <= share->mask; i++) {
		struct peer *peer = state_peer_first(share, qpn + i);

		if (peer->qpn == qpn)
			return peer;
	}
	return NULL;
}

struct peer *state_peer(const struct worker *w, const struct ibv_wc *wc)
{
	struct peer *peer;

	if (w->share.sharing == SHARING_NONE)
		return state_recv(w, wc->wr_id)->peer;
	peer = state_peer_search(&w->share, state_peer_key(w->share.sharing, wc));
	return peer ? peer : w->fixed.peers;
}

uint64_t state_rounds(const struct worker *w, uint32_t qp)
{
	const uint64_t rounds = atomic_load_explicit(&w->live.progress, memory_order_relaxed);
	const uint32_t n = w->fixed.n_qps;

	return n == 1 ? rounds : (rounds + n - 1 - qp) / n;
}

void state_count_received(struct worker *w)
{
	const uint32_t n = w->fixed.n_qps;

	if (w->share.sharing != SHARING_NONE)
		for (uint32_t i = 0; i < n; i++)
			state_count(&w->fixed.peers[i]);
	if (!w->fixed.pingpong || !w->fixed.reliable)
		return;
	for (uint32_t i = 0; i < n; i++) {
		struct peer *peer = &w->fixed.peers[i];

		peer->received = state_rounds(w, i);
		peer->number = (uint32_t)peer->received;
	}
}

/* ---- failures */

int state_fail(struct worker *w, enum fail_what what, int err, uint32_t qp)
{
	w->fail.what = what;
	w->fail.err = err;
	w->fail.qp = qp;
	return -EIO;
}

/* The number of the request that slot names: the first one not done that uses it. */
static uint64_t number_of(const struct worker *w, const struct send_queue *sq, uint32_t slot)
{
	int64_t n = (int64_t)slot - sq->done_slot;

	if (w->histogram && !w->fixed.pingpong)
		return sq->done; /* one under way at a time */
	return sq->done + (uint64_t)(n < 0 ? n + sq->slots : n);
}

/* Can a receive of this worker hold a message of this length? */
static bool has_length(const struct worker *w, const struct ibv_wc *wc)
{
	const struct worker_fixed *fixed = &w->fixed;
	const bool takes_credits = fixed->credits && fixed->sends;
	const bool takes_data = !fixed->credits || fixed->receives;

	return (takes_data && wc->byte_len == fixed->recv_bytes) ||
	       (takes_credits && wc->byte_len == fixed->credit_bytes);
}

static int request_failed(struct worker *w, const struct ibv_wc *wc)
{
	const bool credit = wc->wr_id & STATE_CREDIT_ID;
	const struct send_queue *sq =
		credit ? state_credit_peer(w, wc->wr_id)->sq : state_send(w, wc->wr_id);

	w->fail.message = number_of(w, sq, (uint32_t)wc->wr_id);
	return state_fail(w, FAIL_WC, 0, sq->index);
}

/* wc[i] of a batch; those before it have arrived and are not counted yet. */
static int arrival_failed(struct worker *w, const struct ibv_wc *wc, int i)
{
	const struct peer *peer = state_peer(w, &wc[i]);

	state_count_received(w);
	w->fail.rx = true;
	w->fail.message = peer->received;
	for (int j = 0; j < i; j++)
		w->fail.message += state_peer(w, &wc[j]) == peer &&
				   wc[j].byte_len == w->fixed.recv_bytes;
	return state_fail(w, wc[i].status ? FAIL_WC : FAIL_LENGTH, 0, peer->sq->index);
}

int state_fail_wc(struct worker *w, const struct ibv_wc *wc, int n, enum fail_cq cq)
{
	for (int i = 0; i < n; i++) {
		if (!wc[i].status && (cq == FAIL_SCQ || has_length(w, &wc[i])))
			continue;
		w->fail.wc = wc[i];
		w->fail.expected = w->fixed.credits && !w->fixed.receives ? w->fixed.credit_bytes :
									    w->fixed.recv_bytes;
		return cq == FAIL_SCQ ? request_failed(w, &wc[i]) : arrival_failed(w, wc, i);
	}
	return state_fail(w, FAIL_POLL, EBADMSG, 0);
}

int state_fail_post(struct worker *w, const struct send_queue *sq, int rc)
{
	w->fail.message = sq->posted;
	return state_fail(w, FAIL_POST_SEND, rc < 0 ? -rc : rc, sq->index);
}

int state_fail_poll(struct worker *w, int rc, enum fail_cq cq)
{
	w->fail.rx = cq == FAIL_RCQ;
	return state_fail(w, FAIL_POLL, rc < -1 ? -rc : EIO, 0);
}
