/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The books of the arena, see arena.h. Blocks come in powers of two and are kept in lists by size;
 * rows are used in turn, so that a stale reference of a peer meets an empty row, not a new object.
 */
#define _GNU_SOURCE
#include "arena.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "hca.h"

#define MIN_SHIFT 12
#define SIZES 20

struct block {
	struct block *next;
	uint64_t off;
};

struct arena {
	bool qp[SHM_QPS], cq[SHM_CQS], srq[SHM_SRQS];
	uint32_t next_qp, next_cq, next_srq;
	uint64_t used;
	struct block *free[SIZES];
};

static struct arena arena;

static int row(bool *used, uint32_t rows, uint32_t *next, uint32_t *idx)
{
	for (uint32_t n = 0; n < rows; n++) {
		uint32_t i = (*next)++ % rows;

		if (used[i])
			continue;
		used[i] = true;
		*idx = i;
		return 0;
	}
	return -ENOMEM;
}

int arena_qp(uint32_t *idx)
{
	return row(arena.qp, SHM_QPS, &arena.next_qp, idx);
}

int arena_cq(uint32_t *idx)
{
	return row(arena.cq, SHM_CQS, &arena.next_cq, idx);
}

int arena_srq(uint32_t *idx)
{
	return row(arena.srq, SHM_SRQS, &arena.next_srq, idx);
}

void arena_free_qp(uint32_t idx)
{
	arena.qp[idx] = false;
}

void arena_free_cq(uint32_t idx)
{
	arena.cq[idx] = false;
}

void arena_free_srq(uint32_t idx)
{
	arena.srq[idx] = false;
}

static uint32_t size_of(uint64_t bytes)
{
	uint32_t i = 0;

	while ((UINT64_C(1) << (MIN_SHIFT + i)) < bytes)
		i++;
	return i;
}

int arena_alloc(uint64_t bytes, uint64_t *off)
{
	uint32_t i = size_of(bytes);
	uint64_t size = UINT64_C(1) << (MIN_SHIFT + i);
	struct block *b;

	if (i >= SIZES)
		return -ENOMEM;
	b = arena.free[i];
	if (b) {
		arena.free[i] = b->next;
		*off = b->off;
		free(b);
		return 0;
	}
	if (SHM_HEAP_OFF + arena.used + size > SHM_ARENA_BYTES)
		return -ENOMEM;
	*off = SHM_HEAP_OFF + arena.used;
	arena.used += size;
	return 0;
}

/* A hole reads as zeros: that is what the next user is promised. */
void arena_free(uint64_t off, uint64_t bytes)
{
	uint32_t i = size_of(bytes);
	uint64_t size = UINT64_C(1) << (MIN_SHIFT + i);
	struct block *b = malloc(sizeof(*b));

	if (fallocate(hca.arena_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		      (off_t)(SHM_ARENA_OFF + off), (off_t)size))
		memset(hca_at(hca.arena, off), 0, size);
	if (!b)
		return; /* lost to this process, no more */
	b->off = off;
	b->next = arena.free[i];
	arena.free[i] = b;
}

void arena_forget(void)
{
	arena = (struct arena) { 0 };
}
