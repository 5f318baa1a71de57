/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Receives are refilled in lists, and with each list the sender is told how many messages it may
 * have sent in all: the scheme is described in flow.h. All return 0, or negative to be returned by
 * the loop at once.
 */
#ifndef CREDIT_H
#define CREDIT_H

#include <stdint.h>

#include "loop/flow.h"

#define CREDIT_CALL __attribute__((noinline, warn_unused_result))

/* Posts the receives used since the last time and, where credits are given, tells the sender. */
CREDIT_CALL int credit_refill(struct worker *l, struct flow *f);

/* Sender without credit: takes credit messages from the receive CQ. How many, or negative. */
CREDIT_CALL int credit_take(struct worker *l);

/* A credit message of the peer (immediate in host order). */
__attribute__((noinline)) void credit_hear(struct worker *l, struct flow *f, uint32_t imm);

/* Sends what could not be sent when it was due. */
CREDIT_CALL int credit_pay(struct worker *l);

/* Receiver over UC and UD, nothing has come for a while: the sender may be out of credit. */
CREDIT_CALL int credit_tell_idle(struct worker *l);

#endif
