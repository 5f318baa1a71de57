/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The zero-cost mode: objects are as always, but a request completes where it is posted, a receive
 * too, and nothing is copied, so that what is measured is the program above. Called by ctx.c and
 * qp.c, instead of the data path.
 */
#ifndef NULL_H
#define NULL_H

#include "hca.h"

void null_fill_ops(struct ibv_context_ops *ops);
void null_fill_qp(struct qp *qp);

/* null_wr.c */
void null_fill_wr(struct ibv_qp_ex *ex);
struct shm_cqe *null_cqe(struct qp *qp, struct ibv_cq *cq);
void null_push(struct ibv_cq *cq, struct shm_cqe *cqe);
/* A write comes back as the peer's: see SOFTHCA_REFLECT. */
void null_reflect(struct qp *qp, const struct ibv_sge *sge, uint64_t raddr, uint32_t rkey);

#endif
