/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Receive queues: their rings, and posting to the receive queue of a QP. srq.h has shared ones. */
#ifndef RQ_H
#define RQ_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "base/shm.h"

int rq_post(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
/* A ring of cap receives of max_sge SGEs in the arena; 0 or -ENOMEM. Under hca.mutex. */
int rq_open(struct shm_ring *q, uint32_t cap, uint32_t max_sge);
void rq_close(struct shm_ring *q);
/* Adds one receive to the ring; 0, ENOMEM or EINVAL. Under the lock of its producers. */
int rq_push(struct shm_ring *q, const struct ibv_recv_wr *wr);

#endif
