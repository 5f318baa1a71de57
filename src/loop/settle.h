/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Probes of a multicast group before the loop: empty messages with a number, by which receivers
 * learn that they are members. The QPs are connected, the thread of the worker does not run yet.
 */
#ifndef SETTLE_H
#define SETTLE_H

#include "loop/state.h"

/* Sends probe number n and waits for its completion. -errno with an error message. */
int settle_send(struct worker *w, uint32_t n) __attribute__((warn_unused_result));

/*
 * Takes what has arrived, and posts its receives again; adds the number of probes to *probes.
 * Messages of other programs to the group are passed over. -errno with an error message.
 */
int settle_take(struct worker *w, uint32_t *probes) __attribute__((warn_unused_result));

#endif
