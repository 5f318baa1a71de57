/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The part of the measured loops that differs where several peers share a receive queue; see
 * loops.h and shared.h. k.sharing is a constant here, as the rest of the kind.
 */
#ifndef LOOPS_SHARED_H
#define LOOPS_SHARED_H

#include <arpa/inet.h>

#include "loop/credit.h"
#include "loop/fail.h"
#include "loop/loops.h"
#include "loop/recv.h"
#include "loop/shared.h"

/* What a batch has used so far, kept out of memory. */
struct loops_used {
	struct ibv_recv_wr *tail;
	uint32_t n;
};

ALWAYS_INLINE void loops_use(struct loops_used *used, const struct ibv_wc *wc)
{
	struct ibv_recv_wr *const wr = shared_receive(wc);

	used->tail->next = wr;
	used->tail = wr;
}

/* Writes it back, before a call that posts. */
ALWAYS_INLINE void loops_used(struct worker *w, const struct loops_used *used, uint32_t n)
{
	w->share.tail = used->tail;
	w->fixed.rqs->taken += n;
}

/*
 * The immediate of the arrival before after is number. The fence costs nothing: with it the number
 * of the peer is compared and counted in memory, one instruction each, instead of in a register.
 */
ALWAYS_INLINE int loops_number_of(struct worker *w, struct kind k, struct peer *peer,
				  const struct ibv_wc *after, uint32_t number)
{
	if (!kind_has_imm(k.op))
		return 0;
	if (unlikely(number != peer->number))
		return shared_out_of_order(w, peer, after);
	atomic_signal_fence(memory_order_acq_rel);
	peer->number++;
	return 0;
}

/* Ends a batch: no peer is found for it, so that the loop need not look whether it has ended. */
ALWAYS_INLINE void loops_end_peers(struct kind k, struct ibv_wc *end)
{
	if (k.sharing == SHARING_ONE_QP)
		end->src_qp = STATE_NO_QPN;
	else
		end->qp_num = STATE_NO_QPN;
}

/*
 * n arrivals of one direction, whose status and length are good, in an array with room for one
 * more. Only the counts of the peer and the chain of used receives are written for each.
 */
ALWAYS_INLINE int loops_take_peers(struct worker *w, struct kind k, struct ibv_wc *first, int n)
{
	const struct ibv_wc *wc = first, *from = first, *const end = first + n;
	struct loops_used used = { .tail = w->share.tail };
	/* not in memory, which the loop writes to */
	struct peer **const table = w->share.table;
	const uint32_t mask = w->share.mask;
	uint32_t number;
	int rc;

	loops_end_peers(k, first + n);
	w->live.received += (uint32_t)n;
	for (;;) {
		const uint32_t key = state_peer_key(k.sharing, wc);
		struct peer *peer = table[key & mask];

		if (unlikely(peer->qpn != key)) {
			if (wc == end)
				break;
			peer = state_peer_search(&w->share, key);
			if (!peer)
				return shared_stranger(w, wc);
		}
		number = ntohl(wc->imm_data);
		loops_use(&used, wc++);
		rc = loops_number_of(w, k, peer, wc, number);
		if (unlikely(rc))
			return rc;
		if (likely(--peer->credit_left))
			continue;
		loops_used(w, &used, (uint32_t)(wc - from));
		from = wc;
		rc = shared_refill(w, peer);
		if (unlikely(rc))
			return rc;
		used.tail = w->share.tail;
	}
	loops_used(w, &used, (uint32_t)(end - from));
	return 0;
}

/* One arrival of both directions: of data, or a credit message. */
ALWAYS_INLINE int loops_take_either(struct worker *w, struct kind k, const struct ibv_wc *wc)
{
	struct peer *const peer = state_peer_search(&w->share, state_peer_key(k.sharing, wc));
	const bool credit = wc->byte_len != w->fixed.recv_bytes;
	int rc;

	if (unlikely(!peer))
		return shared_stranger(w, wc);
	if (unlikely(credit && wc->byte_len != w->fixed.credit_bytes))
		return fail_wc(w, wc, 1, FAIL_RCQ);
	shared_chain(&w->share, wc);
	w->fixed.rqs->taken++;
	if (credit) {
		credit_received(w, peer, ntohl(wc->imm_data));
		return shared_refill(w, peer);
	}
	rc = loops_number_of(w, k, peer, wc + 1, ntohl(wc->imm_data));
	if (unlikely(rc))
		return rc;
	w->live.received++;
	return likely(--peer->credit_left) ? 0 : shared_refill(w, peer);
}

/*
 * Latency: the message of a completion. Its peer; NULL after a failure of the loop, with *rc.
 * Over RC the QPs take turns, so it is known which one it is.
 */
ALWAYS_INLINE struct peer *loops_accept_shared(struct worker *w, struct kind k,
					       const struct ibv_wc *wc, int *rc)
{
	struct peer *const peer = state_peer_search(&w->share, state_peer_key(k.sharing, wc));

	if (unlikely(!peer)) {
		*rc = shared_stranger(w, wc);
		return NULL;
	}
	shared_chain(&w->share, wc);
	w->fixed.rqs->taken++;
	peer->received++;
	return peer;
}

/* Of the message that this receive took. */
ALWAYS_INLINE uint8_t loops_shared_last_byte(const struct worker *w, const struct ibv_wc *wc)
{
	return *(const uint8_t *)(shared_receive(wc)->sg_list->addr + w->fixed.recv_last);
}

#endif
