/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What the loops need of a receive queue besides its counters: posting receives again, in lists,
 * and messages that arrive out of order. Only the inline functions are in the path of a message.
 *
 * A receive queue that several peers share is an SRQ, or that of the only QP of a side. Messages of
 * different peers end in another order than their receives were posted in (a long one began before
 * a short one). So used receives are chained when they complete, and posted again from the front of
 * the chain: worker_share.chain. The wr_id of such a receive is its address. Credit is given to
 * each peer for itself, and no more than there are receives: all that were used are posted before
 * any of them is given away again.
 */
#ifndef RECV_H
#define RECV_H

#include "loop/state.h"
#include "util/clock.h"

/* Of the message that the receive in this slot took. */
static inline uint8_t recv_last_byte(const struct worker *w, const struct recv_queue *rq,
				     uint32_t slot)
{
	return *(const uint8_t *)(rq->ring[slot].sg_list->addr + w->fixed.recv_last);
}

/*
 * A poll for arrivals has found nothing, for the first time or since the first time: the window of
 * the receiver begins before it, and what had waited for a thread that came late is not in it. The
 * time before it is that after the one before; a thread may lose its processor after a poll.
 */
static inline __attribute__((always_inline)) void recv_none(struct worker *w)
{
	const uint64_t now = clock_ticks();

	w->live.rx_before = w->live.received;
	w->live.rx_t0 = w->live.rx_none ? w->live.rx_none : now;
	w->live.rx_none = now;
}

/* The receive of this completion is used. */
static inline struct ibv_recv_wr *recv_of(const struct ibv_wc *wc)
{
	return (struct ibv_recv_wr *)(uintptr_t)wc->wr_id;
}

static inline void recv_chain(struct worker_share *share, const struct ibv_wc *wc)
{
	struct ibv_recv_wr *const wr = recv_of(wc);

	share->tail->next = wr;
	share->tail = wr;
}

/* Has the SRQ raised a limit event since the last credit_low()? */
static inline bool recv_is_low(const struct worker_share *share)
{
	return atomic_load_explicit(share->limit_events, memory_order_relaxed) !=
	       share->limits_seen;
}

/* Posts a list to the queue. 0 or an errno. */
static inline int recv_post(const struct recv_queue *rq, struct ibv_recv_wr *list)
{
	struct ibv_recv_wr *bad;

	if (__builtin_expect(rq->has_srq, 0))
		return ibv_post_srq_recv(rq->srq, list, &bad);
	return ibv_post_recv(rq->qp, list, &bad);
}

/*
 * Posts the receives that were used since the last time, one at least. 0, or negative to be
 * returned by the loop at once.
 */
__attribute__((warn_unused_result)) int recv_repost(struct worker *w, struct recv_queue *rq);

/* The same of receives that several peers share; those that were used are chained (shared.h). */
STATE_CALL int recv_repost_shared(struct worker *w);

/*
 * A message of peer has another immediate than the expected one: counted over UC and UD, a failure
 * over RC. 0, or negative to be returned by the loop at once.
 */
STATE_COLD int recv_out_of_order(struct worker *w, struct peer *peer, const struct ibv_wc *wc);

/* The same of the arrival before after: a loop that has gone on needs no copy of it. */
STATE_COLD int recv_out_of_order_before(struct worker *w, struct peer *peer,
					const struct ibv_wc *after);

/* Shared receives: a message of a QP that is no peer. */
STATE_COLD int recv_unknown(struct worker *w, const struct ibv_wc *wc);

#endif
