/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Messages received, from the rounds done. */
#ifndef COUNT_H
#define COUNT_H

#include "loop/state.h"

/* Rounds of a ping-pong that this QP has had: the QPs take turns. */
uint64_t count_rounds(const struct worker *w, uint32_t qp);

/*
 * Ping-pong over RC: sets what each QP has received, which is not counted in the loop. It follows
 * from the number of rounds: one message comes in each, and the QPs take turns. Does nothing else.
 */
void count_received(struct worker *w);

#endif
