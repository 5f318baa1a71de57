/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Rows and blocks of the arena; see arena.h. The size of a block is a power of two, and free blocks
 * are in a list for each size. Rows are used round-robin, so that an old reference of a peer finds
 * a free row, and not a new object. A row whose lock was taken from a living process is not used
 * again: that process may still write to it.
 */
#include "config.h"
#include "base/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/hca.h"
#include "base/lock.h"

#define MIN_SHIFT 12

struct arena_block {
	struct arena_block *next;
	uint64_t off;
};

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
	return row(hca.arena_use.qp, SHM_QPS, &hca.arena_use.next_qp, idx);
}

int arena_cq(uint32_t *idx)
{
	return row(hca.arena_use.cq, SHM_CQS, &hca.arena_use.next_cq, idx);
}

int arena_srq(uint32_t *idx)
{
	return row(hca.arena_use.srq, SHM_SRQS, &hca.arena_use.next_srq, idx);
}

void arena_free_qp(uint32_t idx)
{
	hca.arena_use.qp[idx] = lock_is_spoilt(&hca.arena->qp[idx].lock);
}

void arena_free_cq(uint32_t idx)
{
	hca.arena_use.cq[idx] = lock_is_spoilt(&hca.arena->cq[idx].lock);
}

bool arena_has_cq(uint32_t idx)
{
	return hca.arena_use.cq[idx];
}

void arena_free_srq(uint32_t idx)
{
	hca.arena_use.srq[idx] = lock_is_spoilt(&hca.arena->srq[idx].lock);
}

/* The size of a block, by its number; HCA_BLOCK_SIZES: there is no block as large. */
static uint32_t size_of(uint64_t bytes)
{
	uint32_t i = 0;

	while (i < HCA_BLOCK_SIZES && (UINT64_C(1) << (MIN_SHIFT + i)) < bytes)
		i++;
	return i;
}

int arena_alloc(uint64_t bytes, uint64_t *off)
{
	uint32_t i = size_of(bytes);
	uint64_t size = UINT64_C(1) << (MIN_SHIFT + i);
	struct arena_block *b;

	if (i >= HCA_BLOCK_SIZES)
		return -ENOMEM;
	b = hca.arena_use.free[i];
	if (b) {
		hca.arena_use.free[i] = b->next;
		*off = b->off;
		free(b);
		return 0;
	}
	if (SHM_HEAP_OFF + hca.arena_use.heap + size > SHM_ARENA_BYTES)
		return -ENOMEM;
	*off = SHM_HEAP_OFF + hca.arena_use.heap;
	hca.arena_use.heap += size;
	return 0;
}

/* A hole of a file reads as zeros, which arena_alloc() promises. */
void arena_free(uint64_t off, uint64_t bytes)
{
	uint32_t i = size_of(bytes);
	uint64_t size = UINT64_C(1) << (MIN_SHIFT + i), end = SHM_HEAP_OFF + hca.arena_use.heap;
	struct arena_block *b;

	/* the row of the object, which says where its block is, is shared */
	if (i >= HCA_BLOCK_SIZES || off < SHM_HEAP_OFF || off % ((uint64_t)1 << MIN_SHIFT) ||
	    off > end || size > end - off)
		return;
	b = malloc(sizeof(*b));
	if (fallocate(hca.arena_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		      (off_t)(SHM_ARENA_OFF + off), (off_t)size))
		memset(hca_at(hca.arena, off), 0, size);
	if (!b)
		return; /* the block stays unused */
	b->off = off;
	b->next = hca.arena_use.free[i];
	hca.arena_use.free[i] = b;
}
