/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The books of the arena, see arena.h. Blocks come in powers of two and are kept in lists by size;
 * rows are used in turn, so that a stale reference of a peer meets an empty row, not a new object.
 */
#include "config.h"
#include "arena.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "hca.h"

#define MIN_SHIFT 12

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
	return row(hca.books.qp, SHM_QPS, &hca.books.next_qp, idx);
}

int arena_cq(uint32_t *idx)
{
	return row(hca.books.cq, SHM_CQS, &hca.books.next_cq, idx);
}

int arena_srq(uint32_t *idx)
{
	return row(hca.books.srq, SHM_SRQS, &hca.books.next_srq, idx);
}

void arena_free_qp(uint32_t idx)
{
	hca.books.qp[idx] = false;
}

void arena_free_cq(uint32_t idx)
{
	hca.books.cq[idx] = false;
}

void arena_free_srq(uint32_t idx)
{
	hca.books.srq[idx] = false;
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
	struct arena_block *b;

	if (i >= ARENA_SIZES)
		return -ENOMEM;
	b = hca.books.free[i];
	if (b) {
		hca.books.free[i] = b->next;
		*off = b->off;
		free(b);
		return 0;
	}
	if (SHM_HEAP_OFF + hca.books.used + size > SHM_ARENA_BYTES)
		return -ENOMEM;
	*off = SHM_HEAP_OFF + hca.books.used;
	hca.books.used += size;
	return 0;
}

/* A hole reads as zeros: that is what the next user is promised. */
void arena_free(uint64_t off, uint64_t bytes)
{
	uint32_t i = size_of(bytes);
	uint64_t size = UINT64_C(1) << (MIN_SHIFT + i);
	struct arena_block *b = malloc(sizeof(*b));

	if (fallocate(hca.arena_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		      (off_t)(SHM_ARENA_OFF + off), (off_t)size))
		memset(hca_at(hca.arena, off), 0, size);
	if (!b)
		return; /* lost to this process, no more */
	b->off = off;
	b->next = hca.books.free[i];
	hca.books.free[i] = b;
}
