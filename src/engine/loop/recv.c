/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Receives that are posted again, and messages out of order; see recv.h. */
#include "config.h"

#include "loop/recv.h"

#include <arpa/inet.h>

#include "loop/state.h"

int recv_repost(struct worker *w, struct recv_queue *rq)
{
	uint32_t last = rq->slot + (uint32_t)(rq->taken - rq->reposted) - 1;
	struct ibv_recv_wr *next;
	int rc;

	if (last >= rq->slots)
		last -= rq->slots;
	next = rq->ring[last].next;
	rq->ring[last].next = NULL;
	rc = recv_post(rq, &rq->ring[rq->slot]);
	rq->ring[last].next = next;
	if (rc) {
		state_count_received(w);
		w->fail.rx = true;
		w->fail.message = rq->peer->received;
		return state_fail(w, FAIL_POST_RECV, rc, rq->index);
	}
	rq->slot = last + 1 == rq->slots ? 0 : last + 1;
	rq->reposted = rq->taken;
	rq->refill_at = rq->taken + w->fixed.refill;
	return 0;
}

/* Takes n receives, one at least, from the front of the chain, and leaves the spare ones. */
static struct ibv_recv_wr *take_front(struct worker_share *share, uint64_t n)
{
	struct ibv_recv_wr *const first = share->chain.next, *last = first;

	if (!share->spare) {
		last = share->tail;
		share->tail = &share->chain;
	} else {
		while (--n)
			last = last->next;
		share->chain.next = last->next;
	}
	last->next = NULL;
	return first;
}

int recv_repost_shared(struct worker *w)
{
	struct recv_queue *const rq = w->fixed.rqs;
	struct worker_share *const share = &w->share;
	const uint64_t used = rq->taken - rq->reposted;
	struct ibv_recv_wr *first;
	int rc;

	if (!used)
		return 0;
	first = take_front(share, used);
	rq->reposted = rq->taken;
	rc = recv_post(rq, first);
	if (!rc)
		return 0;
	state_count_received(w);
	w->fail.rx = true;
	w->fail.message = rq->reposted;
	return state_fail(w, FAIL_POST_RECV, rc, 0);
}

int recv_out_of_order(struct worker *w, struct peer *peer, const struct ibv_wc *wc)
{
	uint32_t imm = ntohl(wc->imm_data);
	int32_t ahead;

	if (w->fixed.reliable)
		state_count_received(w);
	ahead = (int32_t)(imm - peer->number);
	if (w->fixed.reliable) {
		w->fail.wc = *wc;
		w->fail.rx = true;
		w->fail.message = peer->received;
		w->fail.expected = peer->number;
		return state_fail(w, FAIL_IMM, 0, peer->sq->index);
	}
	if (ahead < 0) {
		/* one that was skipped is late, not a second one */
		if (sequence_fill(peer->sequence, imm)) {
			peer->out_of_order++;
			return 0;
		}
		peer->duplicated++;
		/* it is none of those that are waited for */
		if (atomic_load(&w->control.recv_target) != UINT64_MAX)
			atomic_fetch_add(&w->control.recv_target, 1);
		return 0;
	}
	sequence_skip(peer->sequence, peer->number, (uint32_t)ahead);
	peer->number = imm + 1;
	return 0;
}

int recv_out_of_order_before(struct worker *w, struct peer *peer, const struct ibv_wc *after)
{
	return recv_out_of_order(w, peer, after - 1);
}

int recv_unknown(struct worker *w, const struct ibv_wc *wc)
{
	state_count_received(w);
	w->fail.wc = *wc;
	w->fail.rx = true;
	w->fail.expected = w->share.sharing == SHARING_ONE_QP ? wc->src_qp : wc->qp_num;
	return state_fail(w, FAIL_UNKNOWN, 0, 0);
}
