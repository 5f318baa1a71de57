/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The only measured code: streams here, latency in loops_lat.h. Each body is instantiated by
 * engine.c once per row of kinds.def, with its kind a compile-time constant: what is tested below
 * with k is decided by the compiler, and the guard KIND_MUST_FOLD makes that a compile error if it
 * ever is not. What the loops call besides the provider (post, poll) is in flow.c. docs/method.md
 * says what each timed region contains.
 */
#ifndef LOOPS_H
#define LOOPS_H

#include <arpa/inet.h>
#include <errno.h>

#include "util/clock.h"
#include "loop/credit.h"
#include "loop/flow.h"

/* Justified by KIND_MUST_FOLD: with plain inline the compilers keep one generic body. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#ifdef __OPTIMIZE__
void loops_kind_does_not_fold(void) __attribute__((error("struct kind is not a constant here")));
#define KIND_MUST_FOLD(k) \
	(__builtin_constant_p((k).tp) && __builtin_constant_p((k).op) && \
	 __builtin_constant_p((k).cm) ? (void)0 : loops_kind_does_not_fold())
#else
#define KIND_MUST_FOLD(k) ((void)(k))
#endif

#define LOOPS_IDLE_POLLS 64u  /* empty polls between two looks at the clock; a power of two */

enum loops_dir { LOOPS_TX, LOOPS_RX, LOOPS_BOTH };
enum loops_end { LOOPS_CLIENT, LOOPS_SERVER };

/* For the controlling thread: a number that grows is a loop that moves. */
ALWAYS_INLINE void loops_progress(struct worker *l, uint64_t count)
{
	atomic_store_explicit(&l->progress, count, memory_order_relaxed);
}

/* A poll has found something. */
ALWAYS_INLINE void loops_found(struct worker *l, struct kind k)
{
	if (k.cm != CM_POLL)
		l->woken = false;
	if (k.cm == CM_HYBRID)
		l->spin_from_ns = 0;
}

/* A poll has found nothing: sleep or look around, if it is time for it. 0 to poll again. */
ALWAYS_INLINE int loops_idle(struct worker *l, struct kind k, unsigned cqs,
			     int (*look)(struct worker *))
{
	bool due = (l->empty_polls & (LOOPS_IDLE_POLLS - 1)) == 0;
	int rc = 0;

	if (k.cm == CM_EVENT)
		rc = flow_sleep(l, cqs);
	else if (k.cm == CM_HYBRID && due)
		rc = flow_spin(l, cqs);
	return !rc && (k.cm == CM_EVENT || due) ? look(l) : rc;
}

/* Immediate values number the messages of a list; the prebuilt requests have all else. */
ALWAYS_INLINE void loops_number(struct ibv_send_wr *wr, uint64_t number)
{
	do {
		wr->imm_data = htonl((uint32_t)number++);
		wr = wr->next;
	} while (wr);
}

/* One QP's turn: whole lists while there is room, at most quantum requests. */
ALWAYS_INLINE int loops_burst(struct worker *l, struct kind k, struct flow *f)
{
	const uint64_t end = f->posted + l->quantum < f->limit ? f->posted + l->quantum : f->limit;
	const int64_t list = l->post_list;
	struct ibv_send_wr *at = f->at, *const ring_end = f->ring_end;
	struct ibv_qp *const qp = f->qp;
	int64_t room = (int64_t)(end - f->posted);
	int rc = 0;

	while ((room -= list) >= 0) {
		struct ibv_send_wr *bad;

		if (kind_has_imm(k.op))
			loops_number(at, end - (uint64_t)(room + list));
		rc = l->post(qp, at, &bad);
		if (unlikely(rc))
			break;
		at += list;
		if (at == ring_end)
			at = f->ring;
	}
	f->posted = end - (uint64_t)(room + list);
	f->at = at;
	return likely(!rc) ? 0 : flow_post_failed(l, f, rc);
}

/*
 * A turn for every QP on the work list; those without room leave it until a completion or a credit.
 */
ALWAYS_INLINE int loops_post(struct worker *l, struct kind k)
{
	for (uint32_t n = l->work_n; n; n--) {
		struct flow *f = l->work[l->work_head & l->work_mask];
		int rc;

		flow_set_limit(f, l->depth);
		rc = loops_burst(l, k, f);

		if (unlikely(rc))
			return rc;
		l->work_head++;
		l->work_n--;
		f->listed = false;
		if (f->posted + l->post_list <= f->limit) {
			flow_list(l, f);
		} else if (unlikely(f->posted >= f->bulk && f->posted < f->target)) {
			rc = flow_tail(l, f);
			if (rc)
				return rc;
		} else if (kind_takes_recv(k.op) && f->limit == f->credit) {
			flow_starve(l, f);
		}
	}
	return 0;
}

/* A flow that was off the work list, after a completion. */
ALWAYS_INLINE void loops_relist(struct worker *l, struct kind k, struct flow *f)
{
	flow_set_limit(f, l->depth);
	if (likely(f->posted + l->post_list <= f->limit)) {
		flow_list(l, f);
	} else if (f->done == f->target) {
		if (--l->unfinished == 0)
			flow_tx_finished(l);
	} else if (unlikely(f->posted >= f->bulk && f->posted < f->target)) {
		flow_list(l, f); /* the tail is posted in its turn */
	} else if (kind_takes_recv(k.op) && f->limit == f->credit) {
		flow_starve(l, f);
	}
}

/* n completions of requests: every status is looked at, none is counted twice. */
ALWAYS_INLINE int loops_retire(struct worker *l, struct kind k, enum loops_dir d,
			       const struct ibv_wc *wc, int n)
{
	for (const struct ibv_wc *const end = wc + n; wc < end; wc++) {
		struct flow *f;

		if (unlikely(wc->status))
			return flow_wc_failed(l, wc, 1, FLOW_SCQ);
		if (kind_takes_recv(k.op) && d == LOOPS_BOTH && wc->wr_id & FLOW_CREDIT_ID) {
			flow_of_any(l, wc->wr_id)->credits_flying--;
			continue;
		}
		f = flow_of(l, wc->wr_id);
		flow_retire(f, wc->wr_id);
		if (!f->listed)
			loops_relist(l, k, f);
	}
	return 0;
}

ALWAYS_INLINE bool loops_bad(const struct ibv_wc *wc, int n)
{
	unsigned bad = 0;

	for (int i = 0; i < n; i++)
		bad |= (unsigned)wc[i].status;
	return bad;
}

/* Of a batch of arrivals: what is wrong with them, their bytes, whether one is out of turn. */
struct loops_sum {
	uint32_t amiss, bytes, number, astray;
};

ALWAYS_INLINE void loops_add(struct loops_sum *sum, const struct worker *l, struct kind k,
			     const struct ibv_wc *wc)
{
	sum->amiss |= (uint32_t)wc->status;
	sum->bytes += wc->byte_len;
	/* a write with immediate may be of any length: its receive has no buffer */
	if (kind_takes_recv(k.op) && !kind_fills_recv(k.op))
		sum->amiss |= wc->byte_len ^ l->recv_bytes;
	if (kind_has_imm(k.op))
		sum->astray |= ntohl(wc->imm_data) ^ sum->number++;
}

/*
 * Status and length of n arrivals. A send cannot be longer than its receive, which has exactly the
 * message's length, so that one is shorter if and only if their sum is (l->sums: it fits 32 bits).
 */
ALWAYS_INLINE struct loops_sum loops_look(const struct worker *l, struct kind k,
					  const struct ibv_wc *wc, int n)
{
	struct loops_sum sum = { .number = l->flows->imm_next };
	int i = 0;

	for (; i + 4 <= n; i += 4) {
		loops_add(&sum, l, k, &wc[i]);
		loops_add(&sum, l, k, &wc[i + 1]);
		loops_add(&sum, l, k, &wc[i + 2]);
		loops_add(&sum, l, k, &wc[i + 3]);
	}
	for (; i < n; i++)
		loops_add(&sum, l, k, &wc[i]);
	for (i = 0; i < n && unlikely(!l->sums); i++)
		sum.amiss |= wc[i].byte_len ^ l->recv_bytes;
	sum.amiss |= sum.bytes ^ (l->recv_bytes * (uint32_t)n);
	return sum;
}

/* One arrival whose status is good. */
ALWAYS_INLINE int loops_take_one(struct worker *l, struct kind k, enum loops_dir d,
				 const struct ibv_wc *wc)
{
	struct flow *f = flow_of(l, wc->wr_id);

	if (d == LOOPS_BOTH && wc->byte_len != l->recv_bytes) {
		if (unlikely(wc->byte_len != l->credit_bytes))
			return flow_wc_failed(l, wc, 1, FLOW_RCQ);
		credit_hear(l, f, ntohl(wc->imm_data));
		f->credits_taken++;
		f->taken++;
		/* a credit message's receive is replaced at once: there are few */
		return credit_refill(l, f);
	}
	if (kind_has_imm(k.op) && unlikely(ntohl(wc->imm_data) != f->imm_next)) {
		int rc = flow_imm(l, f, wc);

		if (rc)
			return rc;
	} else if (kind_has_imm(k.op)) {
		f->imm_next++;
	}
	f->taken++;
	l->recvd++;
	if (d == LOOPS_BOTH ? flow_recvd(f) - f->told < l->refill : f->taken < f->refill_at)
		return 0;
	return credit_refill(l, f);
}

/* n arrivals: status, length and order of each are looked at. */
ALWAYS_INLINE int loops_take(struct worker *l, struct kind k, enum loops_dir d,
			     const struct ibv_wc *wc, int n)
{
	struct flow *const f = l->flows;

	if (d == LOOPS_RX) {
		const struct loops_sum sum = loops_look(l, k, wc, n);

		if (unlikely(sum.amiss))
			return flow_wc_failed(l, wc, n, FLOW_RCQ);
		/* all on the one QP, in turn: counted as one */
		if (l->n_flows == 1 && likely(!sum.astray)) {
			f->imm_next += (uint32_t)n;
			f->taken += (uint32_t)n;
			l->recvd += (uint32_t)n;
			return f->taken < f->refill_at ? 0 : credit_refill(l, f);
		}
	} else if (unlikely(loops_bad(wc, n))) {
		return flow_wc_failed(l, wc, n, FLOW_RCQ);
	}
	for (int i = 0; i < n; i++) {
		int rc = loops_take_one(l, k, d, &wc[i]);

		if (unlikely(rc))
			return rc;
	}
	return 0;
}

/*
 * stream: every QP is kept as full as its depth (and the receiver's credit) allows, in lists of
 * post_list, the QPs in turn; receives are refilled in lists. Timed region: this call, from before
 * the first post to after the last completion; for the receiver from the last empty poll before the
 * first arrival. Both ways, the server's first post waits for the first arrival: only then is the
 * client's loop there to see what comes when it comes. Ends when all requests are done and all
 * messages received; over UC and UD also when the sender has finished and nothing has come for
 * quiet_ns.
 */
ALWAYS_INLINE int loops_stream(struct worker *l, struct kind k, enum loops_dir d)
{
	const bool tx = d != LOOPS_RX, rx = d != LOOPS_TX;
	struct ibv_wc wc[FLOW_BATCH];

	KIND_MUST_FOLD(k);
	while ((tx && l->unfinished) || (rx && flow_rx_open(l))) {
		int sent = 0, came = 0, rc = 0;

		if (unlikely(flow_stop_changed(l)))
			rc = flow_stopped(l);
		if (tx && likely(l->tx_open && !rc))
			rc = loops_post(l, k);
		else if (d == LOOPS_BOTH && l->recvd)
			flow_tx_open(l);
		if (unlikely(rc))
			return rc;
		if (tx) {
			sent = l->poll_sent(l->scq, FLOW_BATCH, wc);
			if (sent > 0)
				rc = loops_retire(l, k, d, wc, sent);
			else if (unlikely(sent < 0))
				rc = flow_poll_failed(l, sent, FLOW_SCQ);
			if (kind_takes_recv(k.op) && !rx && unlikely(l->starved) && !rc)
				rc = came = credit_take(l);
		}
		if (rx && likely(!rc)) {
			came = l->poll_came(l->rcq, FLOW_BATCH, wc);
			if (came > 0)
				rc = loops_take(l, k, d, wc, came);
			else if (unlikely(came < 0))
				rc = flow_poll_failed(l, came, FLOW_RCQ);
			else if (unlikely(l->recvd == 0))
				l->rx_t0 = clock_ticks();
			if (d == LOOPS_BOTH && unlikely(!l->rx_t1 && !flow_rx_open(l)))
				l->rx_t1 = clock_ticks();
		}
		if (unlikely(rc < 0))
			return rc;
		l->polls++;
		if (likely(sent > 0 || came > 0)) {
			loops_found(l, k);
			loops_progress(l, l->polls);
			continue;
		}
		l->empty_polls++;
		if (tx && l->work_n && l->tx_open)
			continue;
		rc = loops_idle(l, k, (tx ? FLOW_SCQ : 0) | (rx || l->starved ? FLOW_RCQ : 0),
				flow_idle);
		if (unlikely(rc))
			return rc;
	}
	return 0;
}


#endif
