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

/* An arrival that is not the expected one of its peer: another number, or a credit message. */
ALWAYS_INLINE int loops_number_of(struct worker *w, struct kind k, struct peer *peer,
				  const struct ibv_wc *wc)
{
	if (!kind_has_imm(k.op))
		return 0;
	if (unlikely(ntohl(wc->imm_data) != peer->number))
		return recv_out_of_order(w, peer, wc);
	peer->number++;
	return 0;
}

/*
 * n arrivals of one direction, whose status and length are good. Only the counts of the peer and
 * the chain of used receives are written for each.
 */
ALWAYS_INLINE int loops_take_peers(struct worker *w, struct kind k, const struct ibv_wc *wc, int n)
{
	const struct ibv_wc *from = wc, *const end = wc + n;
	struct loops_used used = { .tail = w->share.tail };
	int rc;

	w->live.received += (uint32_t)n;
	for (; wc < end; wc++) {
		struct peer *peer = state_peer_first(&w->share, state_peer_key(k.sharing, wc));

		if (unlikely(peer->qpn != state_peer_key(k.sharing, wc))) {
			peer = state_peer_search(&w->share, state_peer_key(k.sharing, wc));
			if (!peer)
				return shared_stranger(w, wc);
		}
		rc = loops_number_of(w, k, peer, wc);
		if (unlikely(rc))
			return rc;
		loops_use(&used, wc);
		if (likely(++peer->received != peer->credit_due))
			continue;
		loops_used(w, &used, (uint32_t)(wc + 1 - from));
		from = wc + 1;
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
	rc = loops_number_of(w, k, peer, wc);
	if (unlikely(rc))
		return rc;
	w->live.received++;
	return likely(++peer->received != peer->credit_due) ? 0 : shared_refill(w, peer);
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
