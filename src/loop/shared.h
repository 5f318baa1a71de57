/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A receive queue that several peers share: an SRQ, or that of the only QP of a side. What
 * credit.h, recv.h and batch.h are for queues of one QP.
 *
 * Messages of different peers end in another order than their receives were posted in (a long one
 * began before a short one). So used receives are chained when they complete, and posted again
 * from the front of the chain: worker_share.chain. The wr_id of such a receive is its address.
 *
 * Credit is given to each peer for itself, as in credit.h, and no more than there are receives: all
 * that were used are posted before any of them is given away again.
 *
 * All but the inline functions are outside the path of a message, and return 0, or negative to be
 * returned by the loop at once.
 */
#ifndef SHARED_H
#define SHARED_H

#include "loop/state.h"

#define SHARED_CALL __attribute__((noinline, warn_unused_result))

/* The receive of this completion is used. */
static inline struct ibv_recv_wr *shared_receive(const struct ibv_wc *wc)
{
	return (struct ibv_recv_wr *)(uintptr_t)wc->wr_id;
}

static inline void shared_chain(struct worker_share *share, const struct ibv_wc *wc)
{
	struct ibv_recv_wr *const wr = shared_receive(wc);

	share->tail->next = wr;
	share->tail = wr;
}

/* Has the SRQ raised a limit event since the last shared_low()? */
static inline bool shared_is_low(const struct worker_share *share)
{
	return atomic_load_explicit(share->limit_events, memory_order_relaxed) !=
	       share->limits_seen;
}

/* Peer has used the receives of a list: posts all that were used, and gives it credit. */
SHARED_CALL int shared_refill(struct worker *w, struct peer *peer);

/*
 * After a limit event: posts what was used without waiting for whole lists, gives credit to every
 * peer that has used an eighth of its share, and asks for the next event.
 */
__attribute__((cold, noinline, warn_unused_result)) int shared_low(struct worker *w);

/* As credit_take(). */
SHARED_CALL int shared_take_credits(struct worker *w);

/* As batch_end(). */
SHARED_CALL int shared_batch_end(struct worker *w);

/* recv_out_of_order() of the arrival before after: a loop that has gone on needs no copy of it. */
__attribute__((cold, noinline, warn_unused_result)) int
shared_out_of_order(struct worker *w, struct peer *peer, const struct ibv_wc *after);

/* A message of a QP that is no peer. */
__attribute__((cold, noinline, warn_unused_result)) int shared_stranger(struct worker *w,
									const struct ibv_wc *wc);

#endif
