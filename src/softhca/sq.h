/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Filling the send queue: ibv_post_send() here, ibv_wr_*() in sq_wr.c, both from these parts. */
#ifndef SQ_H
#define SQ_H

#include "hca.h"

int sq_post(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad);
/* The next slot, cleared but for its payload; NULL: the queue is full. Under qp->lock. */
struct wqe *sq_slot(struct qp *qp);
/* 0 or an errno if requests may not be posted in this state. */
int sq_may_post(const struct qp *qp);
/* What was put in the queue is carried out, or flushed. */
void sq_go(struct qp *qp);

/* sq_wr.c */
void sq_wr_fill(struct qp *qp);

#endif
