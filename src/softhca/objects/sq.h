/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Posting to the send queue: ibv_post_send() in sq.c, ibv_wr_*() in sq_wr.c. */
#ifndef SQ_H
#define SQ_H

#include <infiniband/verbs.h>

#include "transport/object.h"

int sq_post(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);

/* All below: under the lock of the QP. */

/* The next slot, with all fields zero; NULL: the queue is full. */
struct wqe *sq_slot(struct qp *qp);
/* 0, or EINVAL: nothing can be posted in the state of the QP. */
int sq_may_post(const struct qp *qp);
/* Executes or flushes the requests that were put into the queue. */
void sq_execute(struct qp *qp);

/* sq_wr.c: sets the functions of ibv_wr_*(); without a lock. */
void sq_wr_fill(struct qp *qp);

#endif
