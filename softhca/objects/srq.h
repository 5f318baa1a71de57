/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Shared receive queues, also those of XRC. */
#ifndef SRQ_H
#define SRQ_H

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/shm.h"

struct srq {
	struct ibv_srq ib;
	struct shm_srq *s;
	struct lock lock; /* of the threads that post */
	uint32_t idx, id;
	uint32_t async_seen; /* events that the program got */
	atomic_uint refs;
	struct xrcd *xrcd; /* XRC; else NULL */
	struct cq *cq;     /* XRC */
	struct srq *next;
};

int srq_post(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
struct ibv_srq *srq_create(struct ibv_pd *pd, struct ibv_srq_init_attr *attr);
struct ibv_srq *srq_create_ex(struct ibv_context *ctx, struct ibv_srq_init_attr_ex *attr);
int srq_get_num(struct ibv_srq *srq, uint32_t *num);
int srq_modify(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask);
int srq_query(struct ibv_srq *srq, struct ibv_srq_attr *attr);
int srq_destroy(struct ibv_srq *srq);

#endif
