/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The measured loops of latency; see loops.h. The QPs of a worker are used round-robin, one round
 * each. What rounds leave to do (post receives again, take own completions, start the ring again)
 * is done between two batches of rounds, and so between two samples; while an answer does not come,
 * batch_wait() takes own completions, too, since one of them may be an error.
 */
#ifndef LOOPS_LAT_H
#define LOOPS_LAT_H

#include <arpa/inet.h>
#include <errno.h>

#include "util/clock.h"
#include "loop/state.h"
#include "loop/calls.h"
#include "loop/loops.h"
#include "loop/recv.h"
#include "loop/send.h"

/* Is there another round to do after so many? */
ALWAYS_INLINE bool loops_again(const struct worker *w, uint64_t rounds)
{
	return rounds < atomic_load_explicit(&w->control.rounds, memory_order_relaxed);
}

/* Posts one message. tag numbers it: immediate, or the last byte of the payload. */
ALWAYS_INLINE int loops_send(struct worker *w, struct loops_kind k, struct send_queue *sq,
			     uint32_t tag)
{
	struct ibv_send_wr *wr = sq->at, *bad;
	int rc;

	if (kind_has_imm(k.op))
		wr->imm_data = htonl(tag);
	else if (kind_is_silent(k.op) || kind_is_lossy(k.tp))
		*sq->mark = (uint8_t)tag;
	rc = w->fixed.post(sq->qp, wr, &bad);
	if (unlikely(rc))
		return state_fail_post(w, sq, rc);
	sq->posted++;
	/* over RC a batch is known to end with the ring at the latest */
	send_advance(sq, 1, kind_is_lossy(k.tp));
	return 0;
}

/* Before another look at an empty queue: 0 to go on. */
ALWAYS_INLINE int loops_pause(struct worker *w, unsigned cqs)
{
	w->live.empty_polls++;
	return loops_idle(w, cqs, batch_wait);
}

/*
 * Waits for the peer's plain write: its target gets no completion, so the loop looks at the last
 * byte. *tag is the value there before, and becomes the new one.
 */
ALWAYS_INLINE int loops_await_write(struct worker *w, struct loops_kind k, struct peer *peer,
				    uint32_t *tag)
{
	const volatile uint8_t *const mark = peer->mark;
	uint8_t seen = *mark;

	while (unlikely(seen == (uint8_t)*tag)) {
		int rc = loops_pause(w, FAIL_SCQ);

		if (unlikely(rc))
			return rc;
		seen = *mark;
	}
	atomic_thread_fence(memory_order_acquire);
	*tag = seen;
	if (kind_is_lossy(k.tp)) {
		peer->seen = seen;
		peer->received++;
	}
	return 0;
}

/*
 * The message of a completion over a transport that can lose messages: the QP it came on becomes
 * *from, and *tag its number, unless the immediate gave it.
 */
ALWAYS_INLINE void loops_accept(struct worker *w, struct loops_kind k, struct send_queue **from,
				uint32_t *tag, const struct ibv_wc *wc)
{
	struct recv_queue *rq = state_recv(w, wc->wr_id);

	if (!kind_has_imm(k.op))
		*tag = recv_last_byte(w, rq, (uint32_t)wc->wr_id);
	rq->taken++;
	rq->peer->received++;
	*from = rq->peer->sq;
}

/* The same where several peers share the receives; over RC *from stays. */
ALWAYS_INLINE int loops_accept_peer(struct worker *w, struct loops_kind k, struct send_queue **from,
				    uint32_t *tag, const struct ibv_wc *wc)
{
	int rc = 0;
	struct peer *peer = loops_accept_shared(w, k, wc, &rc);

	if (unlikely(!peer))
		return rc;
	if (!kind_is_lossy(k.tp))
		return 0;
	if (!kind_has_imm(k.op))
		*tag = loops_shared_last_byte(w, wc);
	*from = peer->sq;
	return 0;
}

/*
 * Waits for a message that takes a receive. Over RC the messages come in order: *from is the QP it
 * is expected on, number its immediate; batch_count() counts it.
 */
ALWAYS_INLINE int loops_await_recv(struct worker *w, struct loops_kind k, struct send_queue **from,
				   uint32_t *tag, uint32_t number)
{
	struct ibv_wc wc;
	int n, rc;

	n = w->fixed.poll_came(w->fixed.rcq, 1, &wc);
	while (unlikely(n <= 0)) {
		rc = n < 0 ? state_fail_poll(w, n, FAIL_RCQ) : loops_pause(w, FAIL_RCQ);

		if (unlikely(rc))
			return rc;
		n = w->fixed.poll_came(w->fixed.rcq, 1, &wc);
	}
	if (unlikely((unsigned)wc.status | (wc.byte_len ^ w->fixed.recv_bytes)))
		return state_fail_wc(w, &wc, 1, FAIL_RCQ);
	if (kind_has_imm(k.op))
		*tag = ntohl(wc.imm_data);
	if (k.sharing != SHARING_NONE) {
		rc = loops_accept_peer(w, k, from, tag, &wc);
		if (unlikely(rc) || kind_is_lossy(k.tp))
			return rc;
	}
	if (kind_is_lossy(k.tp))
		loops_accept(w, k, from, tag, &wc);
	else if (kind_has_imm(k.op) && unlikely(*tag != number))
		return recv_out_of_order(w, (*from)->peer, &wc);
	return 0;
}

/*
 * Waits for a message of the peer: *from is the QP it is expected on, and becomes the one it came
 * on; number counts the messages that came before it, over RC; *tag becomes the number it has. Over
 * RC the peer writes the numbers from 1 on, so that the last one is the number of writes.
 */
ALWAYS_INLINE int loops_await(struct worker *w, struct loops_kind k, struct send_queue **from,
			      uint32_t *tag, uint32_t number)
{
	if (!kind_is_silent(k.op))
		return loops_await_recv(w, k, from, tag, number);
	*tag = !kind_is_lossy(k.tp) ? number : (*from)->peer->seen;
	return loops_await_write(w, k, (*from)->peer, tag);
}

/*
 * Does the message that came answer tag? Over RC nothing else can come; a late one is passed over.
 */
ALWAYS_INLINE bool loops_answers(struct loops_kind k, uint32_t came, uint32_t tag)
{
	if (!kind_is_lossy(k.tp))
		return true;
	return kind_has_imm(k.op) ? came == tag : (uint8_t)came == (uint8_t)tag;
}

/* Until the answer to tag on sq is there. */
ALWAYS_INLINE int loops_await_answer(struct worker *w, struct loops_kind k, struct send_queue *sq,
				     uint32_t tag)
{
	struct send_queue *from = sq;
	uint32_t came = 0;
	int rc;

	/* as many answers came before as messages were sent before this one */
	const uint32_t before = tag - (kind_has_imm(k.op) ? 0 : 1);

	while (!(rc = loops_await(w, k, &from, &came, before)) &&
	       unlikely(!loops_answers(k, came, tag) || from != sq))
		w->live.late++;
	return rc;
}

/* A message of sq and its answer. */
ALWAYS_INLINE int loops_exchange(struct worker *w, struct loops_kind k, struct send_queue *sq,
				 uint32_t tag)
{
	int rc;

	if (kind_is_lossy(k.tp))
		w->idle.posted_ns = 0;
	rc = loops_send(w, k, sq, tag);
	return likely(!rc) ? loops_await_answer(w, k, sq, tag) : rc;
}

ALWAYS_INLINE uint32_t loops_tag(struct loops_kind k, const struct send_queue *sq)
{
	return (uint32_t)sq->posted + (kind_has_imm(k.op) ? 0 : 1);
}

ALWAYS_INLINE void loops_sample(struct worker *w, struct loops_kind k, uint64_t ticks)
{
	histogram_record(w->histogram, ticks);
	if (k.kept)
		kept_closed(&w->kept, ticks);
}

/* One round of sq and its sample; counter: clock_counter_on, a constant here. */
ALWAYS_INLINE int loops_round(struct worker *w, struct loops_kind k, struct send_queue *sq,
			      bool counter)
{
	const uint32_t tag = loops_tag(k, sq);
	const uint64_t t0 = clock_ticks_by(counter);
	int rc = loops_exchange(w, k, sq, tag);

	if (likely(!rc))
		loops_sample(w, k, clock_ticks_by(counter) - t0);
	else if (kind_is_lossy(k.tp) && rc == -EAGAIN)
		rc = 0, w->live.lost++;
	return rc;
}

/*
 * ping-pong: one message under way, the client's first. A sample is one round trip: from before the
 * client's post to after the poll that saw the answer; refilling receives and taking own
 * completions come between two batches. Over UC and UD an answer that does not come counts as lost.
 * Ends after control.rounds, which the controlling thread may set to 0, at the end of a batch.
 */
ALWAYS_INLINE int loops_ping(struct worker *w, struct loops_kind k, bool counter)
{
	struct send_queue *sq = w->fixed.sqs;
	uint64_t round = 0;

	KIND_MUST_FOLD(k);
	while (loops_again(w, round)) {
		const uint64_t end = batch_until(w, round);
		int rc;

		if (unlikely(w->fixed.gap_ns))
			batch_pause(w);
		do {
			rc = loops_round(w, k, sq, counter);
			if (unlikely(rc))
				return rc;
			sq = sq->next;
			loops_progress(w, ++round);
		} while (round < end);
		rc = batch_end(w);
		if (rc)
			return rc;
	}
	return batch_over(w);
}

/*
 * The other side: answers on the QP that a message came on. Over RC, and with plain writes, which
 * make no completion that would name it, that is the next in turn.
 */
ALWAYS_INLINE int loops_pong(struct worker *w, struct loops_kind k)
{
	const bool in_turn = !kind_is_lossy(k.tp) || kind_is_silent(k.op);
	struct send_queue *sq = w->fixed.sqs;
	uint64_t round = 0;

	KIND_MUST_FOLD(k);
	while (loops_again(w, round)) {
		const uint64_t end = batch_until(w, round);
		int rc;

		do {
			uint32_t tag = 0;

			rc = loops_await(w, k, &sq, &tag, (uint32_t)sq->posted);
			if (likely(!rc))
				rc = loops_send(w, k, sq, tag);
			if (unlikely(rc))
				return rc == -ESHUTDOWN ? 0 : rc;
			if (in_turn)
				sq = sq->next;
			loops_progress(w, ++round);
		} while (round < end);
		rc = batch_end(w);
		if (rc)
			return rc;
	}
	return batch_over(w);
}

/* A request of sq and its completion. */
ALWAYS_INLINE int loops_fetch(struct worker *w, struct loops_kind k, struct send_queue *sq,
			      struct ibv_wc *wc)
{
	int n, rc = loops_send(w, k, sq, 0);

	if (unlikely(rc))
		return rc;
	n = w->fixed.poll_sent(w->fixed.scq, 1, wc);
	while (unlikely(n <= 0)) {
		rc = n < 0 ? state_fail_poll(w, n, FAIL_SCQ) : loops_pause(w, FAIL_SCQ);
		if (unlikely(rc))
			return rc;
		n = w->fixed.poll_sent(w->fixed.scq, 1, wc);
	}
	return 0;
}

/* One request of sq and its sample: from before its post to after the poll that saw it done. */
ALWAYS_INLINE int loops_request(struct worker *w, struct loops_kind k, struct send_queue *sq,
				bool counter)
{
	const uint64_t t0 = clock_ticks_by(counter);
	struct ibv_wc wc;
	uint64_t t1;
	int rc = loops_fetch(w, k, sq, &wc);

	if (unlikely(rc))
		return rc;
	t1 = clock_ticks_by(counter);
	if (unlikely(wc.status))
		return state_fail_wc(w, &wc, 1, FAIL_SCQ);
	loops_sample(w, k, t1 - t0);
	sq->done++;
	return 0;
}

/* probe: one request under way. The peer takes no part. Ends as a ping-pong. */
ALWAYS_INLINE int loops_probe(struct worker *w, struct loops_kind k, bool counter)
{
	struct send_queue *sq = w->fixed.sqs;
	uint64_t round = 0;

	KIND_MUST_FOLD(k);
	while (loops_again(w, round)) {
		const uint64_t end = batch_until(w, round);

		if (unlikely(w->fixed.gap_ns))
			batch_pause(w);
		do {
			int rc = loops_request(w, k, sq, counter);

			if (unlikely(rc))
				return rc;
			sq = sq->next;
			loops_progress(w, ++round);
		} while (round < end);
		batch_rewind(w);
	}
	return batch_over(w);
}

#endif
