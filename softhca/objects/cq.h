/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Completion queues, as their consumers see them. transport/completion.h has the producers, which
 * are this process and its peers. An entry is valid when its sequence number is written, so a
 * thread that polls reads one cache line per completion.
 */
#ifndef CQ_H
#define CQ_H

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/shm.h"

/* A completion channel, see event.h. */
struct comp_channel {
	struct ibv_comp_channel ib;
	int write_fd;
};

struct cq {
	union {
		struct ibv_cq ib;
		struct ibv_cq_ex ex;
	};
	struct shm_cq *s;
	struct shm_cqe *ring;
	struct lock lock; /* of the consumers */
	bool single;      /* the program polls with one thread: no lock */
	uint32_t tail, mask;
	uint32_t idx, id;
	struct shm_cqe *cur; /* between start_poll and end_poll */
	uint32_t comp_seen, async_seen; /* events that the program got */
	atomic_uint refs;
	uint16_t vector;
	uint64_t pinned; /* bytes, counted in hca.pinned */
	struct cq *next, **at; /* at: what points to this CQ in the list of all */
};

struct ibv_cq *cq_create(struct ibv_context *ctx, const struct ibv_cq_init_attr_ex *attr);
int cq_destroy(struct ibv_cq *cq);
int cq_resize(struct ibv_cq *cq, int cqe);
int cq_notify(struct ibv_cq *cq, int solicited_only);
int cq_poll(struct ibv_cq *cq, int n, struct ibv_wc *wc);
/* The next completion, or NULL. Under the lock of the CQ. */
struct shm_cqe *cq_peek(struct cq *cq);
/* Frees the entry that cq_peek() returned. */
void cq_pop(struct cq *cq, const struct shm_cqe *cqe);
/* The CQ of this number; NULL: it was destroyed. Under hca.mutex. */
struct cq *cq_by_id(uint32_t id);

/* cq_ex.c: the functions of an extended CQ (ibv_create_cq_ex(3)). */
void cq_ex_fill(struct cq *cq);

#endif
