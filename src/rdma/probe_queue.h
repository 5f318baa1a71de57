/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Tries out which queues the QPs of a test can have. Length, elements and inline data of a queue
 * are not limited apart from each other: mlx5 counts max_qp_wr in blocks of 64 bytes, and a request
 * takes more of them with inline data or with more elements (rdma-core, providers/mlx5/verbs.c:
 * mlx5_calc_sq_size()); others take inline data from the room of the elements. So all of them are
 * asked for together, as the test will ask.
 */
#ifndef PROBE_QUEUE_H
#define PROBE_QUEUE_H

#include <stdint.h>

#include "plan/plan_needs.h"
#include "rdma/dev.h"

/* What a QP of the test is asked for on this side. */
struct probe_queue {
	struct plan_needs needs; /* inline_bytes: as asked, or the most that is of use */
	enum transport tp;
	uint64_t ops;            /* IBV_QP_EX_WITH_*; 0: ibv_post_send() */
	bool inline_is_auto;     /* the length comes first: no less of it for more inline data */
};

/*
 * Fills max_inline_bytes, max_send_wr and max_recv_wr of dev->limits. All fits: the last two are
 * max_wr. Else they are the most that can be had with the inline data that is granted. -errno with
 * an error message: not even the smallest QP can be created.
 */
int probe_queue(struct dev *dev, const struct probe_queue *ask) __attribute__((warn_unused_result));

#endif
