/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What is in use of this process's arena: rows of its tables and blocks of its heap. Only the owner
 * allocates, so the books are private. All under hca.mutex.
 */
#ifndef ARENA_H
#define ARENA_H

#include <stdbool.h>
#include <stdint.h>

#include "shm.h"

enum { ARENA_SIZES = 20 };

struct arena_block {
	struct arena_block *next;
	uint64_t off;
};

/* hca.books */
struct arena_books {
	bool qp[SHM_QPS], cq[SHM_CQS], srq[SHM_SRQS];
	uint32_t next_qp, next_cq, next_srq;
	uint64_t used;
	struct arena_block *free[ARENA_SIZES]; /* by size */
};

/* A row nobody uses; 0 or -ENOMEM. */
int arena_qp(uint32_t *idx);
int arena_cq(uint32_t *idx);
int arena_srq(uint32_t *idx);
void arena_free_qp(uint32_t idx);
void arena_free_cq(uint32_t idx);
void arena_free_srq(uint32_t idx);
/* Zeroed memory; *off is its place in the arena. 0 or -ENOMEM. */
int arena_alloc(uint64_t bytes, uint64_t *off);
void arena_free(uint64_t off, uint64_t bytes);

#endif
