/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What the main thread does to the queues of running loops, again and again (--disturb): it changes
 * the size of the CQs up and down (ibv_resize_cq(3)), or drains one send queue after the other: RTS
 * to SQD, wait for IBV_EVENT_SQ_DRAINED, SQD to RTS (IBA vol. 1, 10.3.1.4). No completion may be
 * lost by either.
 */
#ifndef DISTURB_H
#define DISTURB_H

#include <stdint.h>

#include "plan/plan.h"
#include "ep/ep.h"

/* The queues of one side. Set the first three fields, zero the others. */
struct disturb {
	const struct plan *plan;
	struct ep **eps;      /* one per thread; owned */
	uint32_t n;           /* of them; 0: nothing is disturbed */
	uint64_t count;       /* disturbances so far */

	uint64_t due_ns;      /* of the next step; 0: at once */
	uint32_t thread, qp;  /* whose turn it is */
	bool grown;           /* the CQs of this thread are larger than they were */
	bool draining;
	uint64_t drained;     /* events of the QP when it began */
	uint64_t give_up_ns;
	int *cqe;             /* of each thread's CQs before: send, receive; owned */
};

/* -ENOMEM with an error message. */
int disturb_open(struct disturb *d) __attribute__((warn_unused_result));

/*
 * Carries out the step that is due, if one is. Errors of verbs, or -ETIMEDOUT if a send queue is
 * not drained within the stall timeout, with an error message.
 */
int disturb_step(struct disturb *d, uint64_t now_ns) __attribute__((warn_unused_result));

/* When the next step is due; UINT64_MAX: never. */
uint64_t disturb_due_ns(const struct disturb *d);

/* Accepts a zeroed one. */
void disturb_close(struct disturb *d);

#endif
