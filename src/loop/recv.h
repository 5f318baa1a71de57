/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What the loops need of a receive queue besides its counters: posting receives again, in lists,
 * and messages that arrive out of order. Not in the path of a message.
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
 * the receiver begins here, and what had waited for a thread that came late is not in it.
 */
static inline void recv_none(struct worker *w)
{
	w->live.rx_before = w->live.received;
	w->live.rx_t0 = clock_ticks();
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
__attribute__((noinline, warn_unused_result)) int recv_repost_shared(struct worker *w);

/*
 * A message of peer has another immediate than the expected one: counted over UC and UD, a failure
 * over RC. 0, or negative to be returned by the loop at once.
 */
__attribute__((cold, noinline, warn_unused_result)) int
recv_out_of_order(struct worker *w, struct peer *peer, const struct ibv_wc *wc);

#endif
