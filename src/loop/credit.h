/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
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
 *
 * All return 0, or negative to be returned by the loop at once. Not in the path of a message.
 */
#ifndef CREDIT_H
#define CREDIT_H

#include "loop/state.h"

#define CREDIT_IDLE (1u << 31) /* in the immediate: nothing has come lately */
#define CREDIT_WINDOW 8        /* credit messages in flight per peer */
#define CREDIT_CALL __attribute__((noinline, warn_unused_result))

/* Posts the receives used since the last time and, where credit is given, gives it. */
CREDIT_CALL int credit_refill(struct worker *w, struct recv_queue *rq);

/* A sender without credit: takes credit messages from the receive CQ. How many, or negative. */
CREDIT_CALL int credit_take(struct worker *w);

/* A credit message of peer was received; its immediate in host order. */
__attribute__((noinline)) void credit_received(struct worker *w, struct peer *peer, uint32_t imm);

/*
 * Gives peer credit for the receives it has used, which are posted again; flags: CREDIT_IDLE or 0.
 */
CREDIT_CALL int credit_give(struct worker *w, struct peer *peer, uint32_t flags);

/* Sends the credit messages that could not be sent when they were due. */
CREDIT_CALL int credit_pay(struct worker *w);

/* Receiver over UC and UD, nothing has come for a while: the senders may be out of credit. */
CREDIT_CALL int credit_send_idle(struct worker *w);

#endif
