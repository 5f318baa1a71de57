/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The measured loops of latency; see loops.h, which has those of streams. The QPs of a worker have
 * their rounds in turn. What rounds leave to do (receives to post again, own completions to take,
 * the ring to begin anew) is done between two stretches of rounds, and so between two samples.
 */
#ifndef LOOPS_LAT_H
#define LOOPS_LAT_H

#include "loop/loops.h"

/* Is there another round to do after so many? */
ALWAYS_INLINE bool loops_again(const struct worker *l, uint64_t rounds)
{
	return rounds < atomic_load_explicit(&l->rounds, memory_order_relaxed);
}

/* Posts one message. tag numbers it: immediate, or the last byte of the payload. */
ALWAYS_INLINE int loops_say(struct worker *l, struct kind k, struct flow *f, uint32_t tag)
{
	struct ibv_send_wr *wr = f->at, *bad;
	int rc;

	if (kind_has_imm(k.op))
		wr->imm_data = htonl(tag);
	else if (kind_is_silent(k.op) || kind_is_lossy(k.tp))
		*f->tx_flag = (uint8_t)tag;
	rc = l->post(f->qp, wr, &bad);
	if (unlikely(rc))
		return flow_post_failed(l, f, rc);
	f->posted++;
	/* over RC a stretch is known to end with the ring at the latest */
	flow_advance(f, 1, kind_is_lossy(k.tp));
	return 0;
}

/* Before another look at an empty queue: 0 to go on. */
ALWAYS_INLINE int loops_pause(struct worker *l, struct kind k, unsigned cqs)
{
	l->empty_polls++;
	return loops_idle(l, k, cqs, flow_wait);
}

/* Waits for the peer's plain write: its target gets no completion, so the last byte is watched. */
ALWAYS_INLINE int loops_hear_write(struct worker *l, struct kind k, struct flow *f, uint32_t *tag)
{
	uint8_t seen;

	while ((seen = *f->rx_flag) == (uint8_t)*tag) {
		int rc = loops_pause(l, k, FLOW_SCQ);

		if (unlikely(rc))
			return rc;
	}
	atomic_thread_fence(memory_order_acquire);
	*tag = seen;
	f->taken++;
	return 0;
}

/*
 * Waits for a message of the peer. *from is the QP it is expected on, and over UC and UD and at the
 * side that answers becomes the QP it came on; *tag becomes its number.
 */
ALWAYS_INLINE int loops_hear_recv(struct worker *l, struct kind k, struct flow **from,
				  uint32_t *tag, bool answers)
{
	struct ibv_wc wc;
	struct flow *f;
	int n;

	while ((n = l->poll_came(l->rcq, 1, &wc)) <= 0) {
		int rc = n < 0 ? flow_poll_failed(l, n, FLOW_RCQ) : loops_pause(l, k, FLOW_RCQ);

		if (unlikely(rc))
			return rc;
	}
	loops_found(l, k);
	if (unlikely((unsigned)wc.status | (wc.byte_len ^ l->recv_bytes)))
		return flow_wc_failed(l, &wc, 1, FLOW_RCQ);
	if (kind_is_lossy(k.tp) || answers)
		*from = flow_of(l, wc.wr_id);
	f = *from;
	if (kind_has_imm(k.op))
		*tag = ntohl(wc.imm_data);
	else if (kind_is_lossy(k.tp))
		*tag = flow_last_byte(l, f, (uint32_t)wc.wr_id);
	if (!kind_is_lossy(k.tp) && kind_has_imm(k.op)) {
		if (unlikely(*tag != f->imm_next))
			return flow_imm(l, f, &wc);
		f->imm_next++;
	}
	f->taken++;
	return 0;
}

ALWAYS_INLINE int loops_hear(struct worker *l, struct kind k, struct flow **from, uint32_t *tag,
			     bool answers)
{
	return kind_is_silent(k.op) ? loops_hear_write(l, k, *from, tag) :
				  loops_hear_recv(l, k, from, tag, answers);
}

/*
 * Is the heard message the answer to tag? Over RC nothing else can come; a late one is passed over.
 */
ALWAYS_INLINE bool loops_answers(struct kind k, uint32_t heard, uint32_t tag)
{
	if (!kind_is_lossy(k.tp))
		return true;
	return kind_has_imm(k.op) ? heard == tag : (uint8_t)heard == (uint8_t)tag;
}

/* Until the answer to tag on f is there. */
ALWAYS_INLINE int loops_await(struct worker *l, struct kind k, struct flow *f, uint32_t tag)
{
	uint32_t heard = kind_is_silent(k.op) ? f->heard : 0;
	struct flow *from = f;
	int rc;

	while (!(rc = loops_hear(l, k, &from, &heard, false)) &&
	       unlikely(!loops_answers(k, heard, tag) || from != f))
		l->late++;
	if (kind_is_silent(k.op))
		f->heard = heard;
	return rc;
}

/* One round of f and its sample; counter: clock_counter_on, a constant here. */
ALWAYS_INLINE int loops_round(struct worker *l, struct kind k, struct flow *f, bool counter)
{
	const uint32_t tag = (uint32_t)f->posted + (kind_has_imm(k.op) ? 0 : 1);
	const uint64_t t0 = clock_ticks_by(counter);
	int rc;

	if (kind_is_lossy(k.tp))
		l->said_ns = 0;
	rc = loops_say(l, k, f, tag);
	if (likely(!rc))
		rc = loops_await(l, k, f, tag);
	if (likely(!rc))
		histogram_record(l->histogram, clock_ticks_by(counter) - t0);
	else if (kind_is_lossy(k.tp) && rc == -EAGAIN)
		rc = 0, l->lost++;
	return rc;
}

/*
 * ping-pong: one message under way, the client's first. A sample is one round trip: from before the
 * client's post to after the poll that saw the answer; refilling receives and taking own
 * completions come between two stretches of rounds. Over UC and UD an answer that does not come
 * counts as lost. Ends after l->rounds or, at the end of a stretch, when told.
 */
ALWAYS_INLINE int loops_ping(struct worker *l, struct kind k, bool counter)
{
	struct flow *f = l->flows;
	uint64_t round = 0;

	KIND_MUST_FOLD(k);
	while (loops_again(l, round)) {
		const uint64_t end = flow_stretch(l, round);
		int rc;

		do {
			rc = loops_round(l, k, f, counter);
			if (unlikely(rc))
				return rc;
			f = f->next;
			loops_progress(l, ++round);
		} while (round < end);
		rc = flow_tidy(l);
		if (rc)
			return rc;
	}
	return flow_ended(l);
}

/*
 * The other side: answers on the QP on which it hears. A plain write makes no completion that would
 * say which: there it is the next in turn.
 */
ALWAYS_INLINE int loops_pong(struct worker *l, struct kind k)
{
	struct flow *f = l->flows;
	uint64_t round = 0;

	KIND_MUST_FOLD(k);
	while (loops_again(l, round)) {
		const uint64_t end = flow_stretch(l, round);
		int rc;

		do {
			uint32_t heard = kind_is_silent(k.op) ? f->heard : 0;

			rc = loops_hear(l, k, &f, &heard, true);
			if (likely(!rc))
				rc = loops_say(l, k, f, heard);
			if (unlikely(rc))
				return rc == -ESHUTDOWN ? 0 : rc;
			if (kind_is_silent(k.op)) {
				f->heard = heard;
				f = f->next;
			}
			loops_progress(l, ++round);
		} while (round < end);
		rc = flow_tidy(l);
		if (rc)
			return rc;
	}
	return flow_ended(l);
}

/* One request of f and its sample: from before its post to after the poll that saw it done. */
ALWAYS_INLINE int loops_request(struct worker *l, struct kind k, struct flow *f, bool counter)
{
	const uint64_t t0 = clock_ticks_by(counter);
	struct ibv_wc wc;
	uint64_t t1;
	int n, rc = loops_say(l, k, f, 0);

	while (likely(!rc) && (n = l->poll_sent(l->scq, 1, &wc)) <= 0)
		rc = n < 0 ? flow_poll_failed(l, n, FLOW_SCQ) : loops_pause(l, k, FLOW_SCQ);
	if (unlikely(rc))
		return rc;
	t1 = clock_ticks_by(counter);
	if (unlikely(wc.status))
		return flow_wc_failed(l, &wc, 1, FLOW_SCQ);
	histogram_record(l->histogram, t1 - t0);
	loops_found(l, k);
	f->done++;
	return 0;
}

/* probe: one request under way. The peer takes no part. Ends as a ping-pong. */
ALWAYS_INLINE int loops_probe(struct worker *l, struct kind k, bool counter)
{
	struct flow *f = l->flows;
	uint64_t round = 0;

	KIND_MUST_FOLD(k);
	while (loops_again(l, round)) {
		const uint64_t end = flow_stretch(l, round);

		do {
			int rc = loops_request(l, k, f, counter);

			if (unlikely(rc))
				return rc;
			f = f->next;
			loops_progress(l, ++round);
		} while (round < end);
		flow_rewind(l);
	}
	return flow_ended(l);
}

#endif
