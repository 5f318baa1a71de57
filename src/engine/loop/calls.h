/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What the loops call outside the path of a message: credit (credit.c), the end of a batch of
 * latency rounds (batch.c), a poll that has found nothing (idle.c), and the probes of a multicast
 * group (group.c). Unless a comment says otherwise, all return 0, or negative to be returned by the
 * loop at once.
 */
#ifndef CALLS_H
#define CALLS_H

#include "loop/state.h"

/*
 * ---- credit
 *
 * Credit limits a sender to the receives that the receiver has posted: the sender never has more
 * messages in flight. With each refill the receiver sends a message without payload; its immediate
 * is the number of messages (modulo 2^31) that the sender may have sent in all.
 *
 * Most iWARP devices have no immediate data (and only RC): over iWARP the receiver sends a message
 * for each refill instead, which is worth exactly that many messages (fixed.counted).
 *
 * Over UC and UD lost messages use up credit. A receiver that has been idle for some time reports
 * it (CREDIT_IDLE). A sender that has had no credit for resync_ns then knows that the missing
 * messages are lost, not in flight.
 */

#define CREDIT_IDLE (1u << 31) /* in the immediate: nothing has come lately */
#define CREDIT_WINDOW 8        /* credit messages in flight per peer */

/* Posts the receives used since the last time and, where credit is given, gives it. */
STATE_CALL int credit_refill(struct worker *w, struct recv_queue *rq);

/* A sender without credit: takes credit messages from the receive CQ. How many, or negative. */
STATE_CALL int credit_take(struct worker *w);

/* A credit message of peer was received; its immediate in host order. */
__attribute__((noinline)) void credit_received(struct worker *w, struct peer *peer, uint32_t imm);

/*
 * Gives peer credit for the receives it has used, which are posted again; flags: CREDIT_IDLE or 0.
 */
STATE_CALL int credit_give(struct worker *w, struct peer *peer, uint32_t flags);

/* Sends the credit messages that could not be sent when they were due. */
STATE_CALL int credit_pay(struct worker *w);

/* Receiver over UC and UD, nothing has come for a while: the senders may be out of credit. */
STATE_CALL int credit_send_idle(struct worker *w);

/*
 * Of a queue that several peers share: the peer has used the receives of a list. Posts all that
 * were used, and gives it credit.
 */
STATE_CALL int credit_refill_shared(struct worker *w, struct peer *peer);

/*
 * After a limit event of the SRQ: posts what was used without waiting for whole lists, gives credit
 * to every peer that has used an eighth of its share, and asks for the next event.
 */
STATE_COLD int credit_low(struct worker *w);

/*
 * ---- latency
 *
 * A batch is so many rounds of each QP. Between two batches, and so between two samples, the loops
 * do what does not belong to a round: they post receives again, take own completions, start the
 * rings again.
 */

/* Before a batch of the side that measures: waits for the pause of the plan. */
__attribute__((noinline)) void batch_pause(const struct worker *w);

/* After so many rounds of all QPs: the count of rounds at which the next batch ends. */
static inline uint64_t batch_until(const struct worker *w, uint64_t done)
{
	const uint64_t end = done + (done ? w->fixed.rounds : w->fixed.first_rounds);
	const uint64_t rounds =
		atomic_load_explicit(&w->control.rounds, memory_order_relaxed);

	/* 0: to end after this batch, which is a whole one */
	return rounds < end && rounds ? rounds : end;
}

/*
 * Ping-pong, after a batch: posts receives again, starts the rings again, takes own completions.
 * 0, or negative to be returned by the loop at once.
 */
STATE_CALL int batch_end(struct worker *w);

/* Probe, after a batch: starts the rings again. */
__attribute__((noinline)) void batch_rewind(struct worker *w);

/*
 * Waiting for an answer, now and then: 0 to wait on, -EAGAIN when it counts as lost, -ESHUTDOWN
 * when a side that answers is to finish, -ECANCELED to leave, -EIO.
 */
STATE_COLD int batch_wait(struct worker *w);

/* Takes own completions until at most so many requests of the queue are in flight. */
STATE_CALL int batch_reap(struct worker *w, struct send_queue *sq, uint32_t in_flight);

/* The rounds are over: -ECANCELED when that is because of STATE_LEAVE, else 0. */
STATE_COLD int batch_over(struct worker *w);

/* ---- a poll that has found nothing: credit and lost messages are checked, or the loop sleeps */

/* Stream: after so many empty polls, or after each sleep. */
STATE_COLD int idle_stream(struct worker *w);

/*
 * Sleeps, as the completion mode has it: never, after each empty poll, or (hybrid) once nothing has
 * come for spin_ns. Of two calls the first arms the CQs (bits of enum fail_cq) and returns, so that
 * they are polled again: a completion may have come before. The second sleeps until an event, a
 * wake-up by the controlling thread, or a tick.
 */
STATE_COLD int idle_wait(struct worker *w, unsigned cqs);

/*
 * Open loop, nothing is under way: sleeps until the next message is due, a wake-up by the
 * controlling thread, or a tick.
 */
__attribute__((cold, noinline)) void idle_until_due(struct worker *w);

/* Acknowledges every event taken; before the CQs are destroyed. */
void idle_ack_all(struct worker *w);

/*
 * ---- multicast
 *
 * Probes before the loop: empty messages with a number, by which receivers learn that they are
 * members; the QPs are connected, the thread of the worker does not run yet. And a filter: other
 * programs may send to the group, too.
 */

/* Sends probe number n and waits for its completion. -errno with an error message. */
int group_send(struct worker *w, uint32_t n) __attribute__((warn_unused_result));

/*
 * Takes what has arrived, and posts its receives again; adds the number of probes to *probes.
 * -errno with an error message.
 */
int group_take(struct worker *w, uint32_t *probes) __attribute__((warn_unused_result));

/*
 * Of a receiver: from now on w->fixed.poll_came gives only what the sender's QP has sent; the
 * receives of other messages are posted again. rcq->cq_context becomes w. fixed.poll_came must give
 * the src_qp of completions.
 */
void group_filter(struct worker *w, uint32_t sender_qpn);

#endif
