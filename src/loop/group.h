/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What a multicast group needs besides the loops. Probes before the loop: empty messages with a
 * number, by which receivers learn that they are members; the QPs are connected, the thread of the
 * worker does not run yet. And a filter: other programs may send to the group, too.
 */
#ifndef GROUP_H
#define GROUP_H

#include "loop/state.h"

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
