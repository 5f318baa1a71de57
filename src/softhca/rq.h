/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Receives: posting to a QP's own queue and to an SRQ, and SRQs themselves. */
#ifndef RQ_H
#define RQ_H

#include "hca.h"

int rq_post(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
int rq_post_srq(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
/* A ring of cap receives of max_sge SGEs in the arena; under hca.mutex. */
int rq_open(struct shm_ring *q, uint32_t cap, uint32_t max_sge);
void rq_close(struct shm_ring *q);

struct ibv_srq *rq_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr);
int rq_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask);
int rq_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr);
int rq_destroy_srq(struct ibv_srq *srq);

#endif
