/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The only measured code. Each body is instantiated by engine.c once per row of kinds.def, with its
 * kind a compile-time constant: what is tested below with k is decided by the compiler, and the
 * guard KIND_MUST_FOLD makes that a compile error if it ever is not. What the loops call besides
 * the provider (post, poll) is in flow.c. docs/method.md says what each timed region contains.
 */
#ifndef LOOPS_H
#define LOOPS_H

#include <arpa/inet.h>
#include <errno.h>

#include "clock.h"
#include "credit.h"
#include "flow.h"

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
#define LOOPS_REAP_WINDOW 8u  /* ping-pong: own completions are taken eight at a time */

enum loops_dir { LOOPS_TX, LOOPS_RX, LOOPS_BOTH };
enum loops_end { LOOPS_CLIENT, LOOPS_SERVER };

ALWAYS_INLINE void loops_progress(struct lane *l)
{
	atomic_store_explicit(&l->progress,
			      atomic_load_explicit(&l->progress, memory_order_relaxed) + 1,
			      memory_order_relaxed);
}

/* Immediate values number the messages; the prebuilt requests have all else. */
ALWAYS_INLINE void loops_number(const struct lane *l, struct ibv_send_wr *wr, uint64_t first)
{
	for (uint32_t i = 0; i < l->post_list; i++)
		wr[i].imm_data = htonl((uint32_t)(first + i));
}

/* One QP's turn: whole lists while there is room, at most quantum requests. */
ALWAYS_INLINE int loops_burst(struct lane *l, struct kind k, struct flow *f)
{
	int (*const post)(struct ibv_qp *, struct ibv_send_wr *, struct ibv_send_wr **) =
		f->qp->context->ops.post_send;
	const uint32_t list = l->post_list;
	struct ibv_qp *const qp = f->qp;
	uint64_t posted = f->posted, end = posted + l->quantum;
	uint32_t slot = f->slot;

	if (end > f->limit)
		end = f->limit;
	while (posted + list <= end) {
		struct ibv_send_wr *bad;
		int rc;

		if (kind_has_imm(k.op))
			loops_number(l, &f->ring[slot], posted);
		rc = post(qp, &f->ring[slot], &bad);
		if (unlikely(rc)) {
			f->posted = posted;
			return flow_post_failed(l, f, rc);
		}
		posted += list;
		slot += list;
		if (slot == f->ring_n)
			slot = 0;
	}
	f->posted = posted;
	f->slot = slot;
	return 0;
}

/*
 * A turn for every QP on the work list; those without room leave it until a completion or a credit.
 */
ALWAYS_INLINE int loops_post(struct lane *l, struct kind k)
{
	for (uint32_t n = l->work_n; n; n--) {
		struct flow *f = l->work[l->work_head & l->work_mask];
		int rc = loops_burst(l, k, f);

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

/* n completions of requests: every status is looked at, none is counted twice. */
ALWAYS_INLINE int loops_retire(struct lane *l, struct kind k, enum loops_dir d,
			       const struct ibv_wc *wc, int n)
{
	unsigned bad = 0;

	for (int i = 0; i < n; i++)
		bad |= (unsigned)wc[i].status;
	if (unlikely(bad))
		return flow_wc_failed(l, wc, n, FLOW_SCQ);
	for (int i = 0; i < n; i++) {
		struct flow *f = flow_of(l, wc[i].wr_id);

		if (kind_takes_recv(k.op) && d == LOOPS_BOTH && wc[i].wr_id & FLOW_CREDIT_ID) {
			f->credits_flying--;
			continue;
		}
		flow_retire(f, wc[i].wr_id);
		flow_set_limit(f, l->depth);
		if (f->listed)
			continue;
		if (likely(f->posted + l->post_list <= f->limit)) {
			flow_list(l, f);
		} else if (f->done == f->target) {
			if (--l->unfinished == 0)
				flow_tx_finished(l);
		} else if (unlikely(f->posted >= f->bulk && f->posted < f->target)) {
			int rc = flow_tail(l, f);

			if (rc)
				return rc;
		} else if (kind_takes_recv(k.op) && f->limit == f->credit) {
			flow_starve(l, f);
		}
	}
	return 0;
}

/* n arrivals: status, length and order of each are looked at. */
ALWAYS_INLINE int loops_take(struct lane *l, struct kind k, enum loops_dir d,
			     const struct ibv_wc *wc, int n)
{
	unsigned bad = 0;

	for (int i = 0; i < n; i++) {
		bad |= (unsigned)wc[i].status;
		if (d != LOOPS_BOTH)
			bad |= wc[i].byte_len ^ l->recv_bytes;
	}
	if (unlikely(bad))
		return flow_wc_failed(l, wc, n, FLOW_RCQ);
	for (int i = 0; i < n; i++) {
		struct flow *f = flow_of(l, wc[i].wr_id);
		bool due = true; /* a credit message's receive is replaced at once: there are few */

		if (d == LOOPS_BOTH && wc[i].byte_len != l->recv_bytes) {
			if (unlikely(wc[i].byte_len != l->credit_bytes))
				return flow_wc_failed(l, &wc[i], 1, FLOW_RCQ);
			credit_hear(l, f, ntohl(wc[i].imm_data));
		} else {
			if (kind_has_imm(k.op) && unlikely(ntohl(wc[i].imm_data) != f->imm_next)) {
				int rc = flow_imm(l, f, &wc[i]);

				if (rc)
					return rc;
			} else {
				f->imm_next++;
			}
			f->recvd++;
			l->recvd++;
			due = d == LOOPS_BOTH ? f->recvd - f->told >= l->refill :
						f->used + 1 == l->refill;
		}
		f->used++;
		if (due) {
			int rc = credit_refill(l, f);

			if (unlikely(rc))
				return rc;
		}
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
ALWAYS_INLINE int loops_stream(struct lane *l, struct kind k, enum loops_dir d)
{
	const bool tx = d != LOOPS_RX, rx = d != LOOPS_TX;
	struct ibv_cq *const scq = l->scq, *const rcq = l->rcq;
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
			sent = ibv_poll_cq(scq, FLOW_BATCH, wc);
			if (sent > 0)
				rc = loops_retire(l, k, d, wc, sent);
			else if (unlikely(sent < 0))
				rc = flow_poll_failed(l, sent, FLOW_SCQ);
			if (kind_takes_recv(k.op) && !rx && unlikely(l->starved) && !rc)
				rc = credit_take(l);
		}
		if (rx && likely(!rc)) {
			came = ibv_poll_cq(rcq, FLOW_BATCH, wc);
			if (came > 0)
				rc = loops_take(l, k, d, wc, came);
			else if (unlikely(came < 0))
				rc = flow_poll_failed(l, came, FLOW_RCQ);
			else if (unlikely(l->recvd == 0))
				l->rx_t0 = clock_ticks();
			if (d == LOOPS_BOTH && unlikely(!l->rx_t1 && !flow_rx_open(l)))
				l->rx_t1 = clock_ticks();
		}
		if (unlikely(rc))
			return rc;
		l->polls++;
		if (likely(sent > 0 || came > 0)) {
			l->woken = false;
			loops_progress(l);
			continue;
		}
		l->empty_polls++;
		if (tx && l->work_n && l->tx_open)
			continue;
		if (k.cm == CM_EVENT)
			rc = flow_sleep(l, (tx ? FLOW_SCQ : 0) | (rx || l->starved ? FLOW_RCQ : 0));
		if (!rc && (k.cm == CM_EVENT || (l->empty_polls & (LOOPS_IDLE_POLLS - 1)) == 0))
			rc = flow_idle(l);
		if (unlikely(rc))
			return rc;
	}
	return 0;
}

/* Posts one message of a ping-pong. tag numbers it: immediate, or the last byte of the payload. */
ALWAYS_INLINE int loops_say(struct lane *l, struct kind k, struct flow *f, uint32_t tag)
{
	struct ibv_send_wr *wr = &f->ring[f->slot], *bad;
	int rc;

	if (kind_has_imm(k.op))
		wr->imm_data = htonl(tag);
	else if (k.op == OP_WRITE || k.tp != TP_RC)
		*f->tx_flag = (uint8_t)tag;
	rc = ibv_post_send(f->qp, wr, &bad);
	if (unlikely(rc))
		return flow_post_failed(l, f, rc);
	f->posted++;
	if (++f->slot == f->ring_n)
		f->slot = 0;
	return 0;
}

/* Before another look at an empty queue: 0 to go on. */
ALWAYS_INLINE int loops_pause(struct lane *l, struct kind k, unsigned cqs)
{
	int rc = 0;

	l->empty_polls++;
	if (k.cm == CM_EVENT)
		rc = flow_sleep(l, cqs);
	if (!rc && (k.cm == CM_EVENT || (l->empty_polls & (LOOPS_IDLE_POLLS - 1)) == 0))
		rc = flow_wait(l);
	return rc;
}

/* Waits for the peer's plain write: its target gets no completion, so the last byte is watched. */
ALWAYS_INLINE int loops_hear_write(struct lane *l, struct kind k, struct flow *f, uint32_t *tag)
{
	uint8_t seen;

	while ((seen = *f->rx_flag) == (uint8_t)*tag) {
		int rc = loops_pause(l, k, FLOW_SCQ);

		l->polls++;
		if (unlikely(rc))
			return rc;
	}
	atomic_thread_fence(memory_order_acquire);
	*tag = seen;
	f->recvd++;
	return 0;
}

/* Waits for the peer's message; *tag becomes its number. */
ALWAYS_INLINE int loops_hear_recv(struct lane *l, struct kind k, struct flow *f, uint32_t *tag)
{
	struct ibv_wc wc;
	int n;

	while ((n = ibv_poll_cq(l->rcq, 1, &wc)) <= 0) {
		int rc = n < 0 ? flow_poll_failed(l, n, FLOW_RCQ) : loops_pause(l, k, FLOW_RCQ);

		l->polls++;
		if (unlikely(rc))
			return rc;
	}
	l->polls++;
	l->woken = false;
	if (unlikely(wc.status || wc.byte_len != l->recv_bytes))
		return flow_wc_failed(l, &wc, 1, FLOW_RCQ);
	if (kind_has_imm(k.op))
		*tag = ntohl(wc.imm_data);
	else if (k.tp != TP_RC)
		*tag = flow_last_byte(l, f, (uint32_t)wc.wr_id);
	if (k.tp == TP_RC && kind_has_imm(k.op)) {
		if (unlikely(*tag != f->imm_next))
			return flow_imm(l, f, &wc);
		f->imm_next++;
	}
	f->used++;
	f->recvd++;
	return 0;
}

ALWAYS_INLINE int loops_hear(struct lane *l, struct kind k, struct flow *f, uint32_t *tag)
{
	return k.op == OP_WRITE ? loops_hear_write(l, k, f, tag) : loops_hear_recv(l, k, f, tag);
}

/* After the answer, outside what a sample holds: receives and send queue. */
ALWAYS_INLINE int loops_tidy(struct lane *l, struct kind k, struct flow *f)
{
	int rc = 0;

	loops_progress(l);
	if (kind_takes_recv(k.op) && f->used >= l->refill)
		rc = credit_refill(l, f);
	if (f->posted - f->done >= LOOPS_REAP_WINDOW && likely(!rc))
		rc = flow_reap(l, f, LOOPS_REAP_WINDOW);
	return rc;
}

/*
 * Is the heard message the answer to tag? Over RC nothing else can come; a late one is passed over.
 */
ALWAYS_INLINE bool loops_answers(struct kind k, uint32_t heard, uint32_t tag)
{
	if (k.tp == TP_RC)
		return true;
	return kind_has_imm(k.op) ? heard == tag : (uint8_t)heard == (uint8_t)tag;
}

/*
 * ping-pong: one message under way, the client's first. A sample is one round trip: from before the
 * client's post to after the poll that saw the answer; refilling receives and taking own
 * completions come after it. Over UC and UD an answer that does not come counts as lost. Ends after
 * target rounds or, a responder whose peer has finished, when told.
 */
ALWAYS_INLINE int loops_ping(struct lane *l, struct kind k)
{
	struct flow *const f = l->flows;
	uint32_t heard = 0;

	KIND_MUST_FOLD(k);
	while (f->posted < f->target) {
		const uint32_t tag = (uint32_t)f->posted + (kind_has_imm(k.op) ? 0 : 1);
		uint64_t t0;
		int rc = 0;

		if (unlikely(flow_stop_changed(l)))
			rc = flow_stopped(l);
		if (unlikely(rc || f->posted >= f->target))
			return rc;
		if (k.tp != TP_RC)
			l->said_ns = 0;
		t0 = clock_ticks();
		rc = loops_say(l, k, f, tag);
		while (likely(!rc)) {
			rc = loops_hear(l, k, f, &heard);
			if (rc || likely(loops_answers(k, heard, tag)))
				break;
			l->late++;
		}
		if (likely(!rc))
			hist_record(l->hist, clock_ticks() - t0);
		else if (k.tp != TP_RC && rc == -EAGAIN)
			rc = 0, l->lost++;
		if (likely(!rc))
			rc = loops_tidy(l, k, f);
		if (unlikely(rc))
			return rc;
	}
	return 0;
}

ALWAYS_INLINE int loops_pong(struct lane *l, struct kind k)
{
	struct flow *const f = l->flows;
	uint32_t heard = 0;

	KIND_MUST_FOLD(k);
	while (f->recvd < f->target) {
		int rc = loops_hear(l, k, f, &heard);

		if (likely(!rc))
			rc = loops_say(l, k, f, heard);
		if (likely(!rc))
			rc = loops_tidy(l, k, f);
		if (unlikely(rc))
			return rc == -ESHUTDOWN ? 0 : rc;
	}
	return 0;
}

/*
 * probe: one request under way; a sample runs from before its post to after the poll that saw its
 * completion. The peer takes no part.
 */
ALWAYS_INLINE int loops_probe(struct lane *l, struct kind k)
{
	struct flow *const f = l->flows;

	KIND_MUST_FOLD(k);
	while (f->posted < f->target) {
		struct ibv_wc wc;
		uint64_t t0;
		int n, rc = 0;

		if (unlikely(flow_stop_changed(l)))
			rc = flow_stopped(l);
		if (unlikely(rc || f->posted >= f->target))
			return rc;
		t0 = clock_ticks();
		rc = loops_say(l, k, f, 0);
		while (likely(!rc) && (n = ibv_poll_cq(l->scq, 1, &wc)) <= 0) {
			rc = n < 0 ? flow_poll_failed(l, n, FLOW_SCQ) : loops_pause(l, k, FLOW_SCQ);
			l->polls++;
		}
		if (unlikely(rc))
			return rc;
		if (unlikely(wc.status))
			return flow_wc_failed(l, &wc, 1, FLOW_SCQ);
		hist_record(l->hist, clock_ticks() - t0);
		l->polls++;
		l->woken = false;
		flow_retire(f, wc.wr_id);
		loops_progress(l);
	}
	return 0;
}

#endif
