/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The only measured code: streams in loops_stream.h, latency in loops_lat.h, and here what both
 * have. engine.c compiles each body once per row of kinds.def, with the kind as a constant, so the
 * compiler decides every test of k. If a kind is not a constant, KIND_MUST_FOLD makes it a compile
 * error. Besides the provider (post, poll) the loops call batch.c, credit.c, idle.c, recv.c, send.c
 * and state.c. docs/method.md describes what each timed region contains.
 */
#ifndef LOOPS_H
#define LOOPS_H

#include <arpa/inet.h>

#include "loop/calls.h"
#include "loop/recv.h"

/* Justified by KIND_MUST_FOLD: with plain inline the compilers keep one generic body. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#ifdef __OPTIMIZE__
void loops_kind_does_not_fold(void) __attribute__((error("the kind is not a constant here")));
#define KIND_MUST_FOLD(k) \
	(__builtin_constant_p((k).tp) && __builtin_constant_p((k).op) && \
	 __builtin_constant_p((k).sharing) && __builtin_constant_p((k).kept) ? \
	 (void)0 : loops_kind_does_not_fold())
#else
#define KIND_MUST_FOLD(k) ((void)(k))
#endif

/*
 * What the compiler knows of struct kind. The completion mode is not part of it: it changes only
 * what happens after an empty poll.
 */
struct loops_kind {
	enum transport tp;
	enum opcode op;
	enum sharing sharing;
	bool kept; /* samples are kept: engine_kept.c */
};

/* For the controlling thread: as long as the number grows, the loop moves. */
ALWAYS_INLINE void loops_progress(struct worker *w, uint64_t count)
{
	atomic_store_explicit(&w->live.progress, count, memory_order_relaxed);
}

/* After an empty poll, now and then: sleep or look around. 0 to poll again. */
ALWAYS_INLINE int loops_idle(struct worker *w, unsigned cqs, int (*look)(struct worker *))
{
	int rc;

	if (w->live.empty_polls & w->fixed.idle_mask)
		return 0;
	rc = idle_wait(w, cqs);
	return rc ? rc : look(w);
}

/*
 * ---- receive queues that several peers share: recv.h
 *
 * k.sharing is a constant here, as the rest of the kind.
 */

/* What a batch has used so far, kept out of memory. */
struct loops_used {
	struct ibv_recv_wr *tail;
	uint32_t n;
};

ALWAYS_INLINE void loops_use(struct loops_used *used, const struct ibv_wc *wc)
{
	struct ibv_recv_wr *const wr = recv_of(wc);

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
ALWAYS_INLINE int loops_number_of(struct worker *w, struct loops_kind k, struct peer *peer,
				  const struct ibv_wc *after, uint32_t number)
{
	if (!kind_has_imm(k.op))
		return 0;
	if (unlikely(number != peer->number))
		return recv_out_of_order_before(w, peer, after);
	atomic_signal_fence(memory_order_acq_rel);
	peer->number++;
	return 0;
}

/* Ends a batch: no peer is found for it, so that the loop need not look whether it has ended. */
ALWAYS_INLINE void loops_end_peers(struct loops_kind k, struct ibv_wc *end)
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
ALWAYS_INLINE int loops_take_peers(struct worker *w, struct loops_kind k, struct ibv_wc *first,
				   int n)
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
				return recv_unknown(w, wc);
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
		rc = credit_refill_shared(w, peer);
		if (unlikely(rc))
			return rc;
		used.tail = w->share.tail;
	}
	loops_used(w, &used, (uint32_t)(end - from));
	return 0;
}

/* One arrival of both directions: of data, or a credit message. */
ALWAYS_INLINE int loops_take_either(struct worker *w, struct loops_kind k, const struct ibv_wc *wc)
{
	struct peer *const peer = state_peer_search(&w->share, state_peer_key(k.sharing, wc));
	const bool credit = wc->byte_len != w->fixed.recv_bytes;
	int rc;

	if (unlikely(!peer))
		return recv_unknown(w, wc);
	if (unlikely(credit && wc->byte_len != w->fixed.credit_bytes))
		return state_fail_wc(w, wc, 1, FAIL_RCQ);
	recv_chain(&w->share, wc);
	w->fixed.rqs->taken++;
	if (credit) {
		credit_received(w, peer, ntohl(wc->imm_data));
		return credit_refill_shared(w, peer);
	}
	rc = loops_number_of(w, k, peer, wc + 1, ntohl(wc->imm_data));
	if (unlikely(rc))
		return rc;
	w->live.received++;
	return likely(--peer->credit_left) ? 0 : credit_refill_shared(w, peer);
}

/*
 * Latency: the message of a completion. Its peer; NULL after a failure of the loop, with *rc.
 * Over RC the QPs take turns, so it is known which one it is.
 */
ALWAYS_INLINE struct peer *loops_accept_shared(struct worker *w, struct loops_kind k,
					       const struct ibv_wc *wc, int *rc)
{
	struct peer *const peer = state_peer_search(&w->share, state_peer_key(k.sharing, wc));

	if (unlikely(!peer)) {
		*rc = recv_unknown(w, wc);
		return NULL;
	}
	recv_chain(&w->share, wc);
	w->fixed.rqs->taken++;
	peer->received++;
	return peer;
}

/* Of the message that this receive took. */
ALWAYS_INLINE uint8_t loops_shared_last_byte(const struct worker *w, const struct ibv_wc *wc)
{
	return *(const uint8_t *)(recv_of(wc)->sg_list->addr + w->fixed.recv_last);
}

#endif
