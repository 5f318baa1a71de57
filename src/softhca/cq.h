/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Completion queues. Producers are this process and its peers, under the lock in shared memory;
 * consumers are this process's threads. An entry is published by its own sequence number, so a
 * poller touches one cache line per completion.
 */
#ifndef CQ_H
#define CQ_H

#include "hca.h"
#include "peer.h"

struct ibv_cq *cq_create(struct ibv_context *ctx, const struct ibv_cq_init_attr_ex *attr);
int cq_destroy(struct ibv_cq *cq);
int cq_resize(struct ibv_cq *cq, int cqe);
int cq_notify(struct ibv_cq *cq, int solicited_only);
int cq_poll(struct ibv_cq *cq, int n, struct ibv_wc *wc);
/* The next completion, or NULL; to be given back with cq_pop() after use. Under the CQ's lock. */
struct shm_cqe *cq_peek(struct cq *cq);
void cq_pop(struct cq *cq, const struct shm_cqe *cqe);
struct cq *cq_by_id(uint32_t id); /* under hca.mutex */

/* A completion for the CQ of that index in the peer's arena. */
void cq_push(struct peer *peer, uint32_t idx, const struct shm_cqe *cqe, bool solicited);

/* Its event, if the owner asked for one; what is to be seen was published before. */
void cq_raise(struct peer *peer, struct shm_cq *cq, bool solicited);

/* cq_ex.c */
void cq_ex_fill(struct cq *cq, uint64_t wc_flags);

#endif
