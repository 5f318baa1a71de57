/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Memory keys. A key is a row of the table in the arena of its process, with a tag in the lowest 8
 * bits. Peers read the row at each access. Only the owner writes it; a window is also written by a
 * remote invalidate.
 */
#ifndef KEY_H
#define KEY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hca.h"
#include "base/shm.h"

/* The bytes that a request names. */
struct key_span {
	uint64_t addr, len;
};

/*
 * Whether this process has registered the bytes. A peer can write to the row of a key, and this
 * process must not use memory that it names there. A window is a part of its region.
 */
static inline bool key_is_own(uint32_t row, uint32_t parent, const struct key_span *span)
{
	const struct hca_region *r = &hca.regions[row];

	if (!r->len)
		r = &hca.regions[(parent >> 8) & (SHM_MRS - 1)];
	return span->addr >= r->addr && span->addr - r->addr <= r->len &&
	       span->len <= r->len - (span->addr - r->addr);
}

/*
 * The region or window of a key. NULL unless it belongs to the PD, contains all of the span and
 * grants all of need (IBV_ACCESS_*). Replaces the address of the span by the address in the memory
 * of the owner of the arena; 0: a null region, which has all addresses and no memory.
 */
static inline struct shm_mr *key_find(struct shm_arena *arena, uint32_t key, uint32_t pd,
				      uint32_t need, struct key_span *span)
{
	struct shm_mr *mr = &arena->mr[(key >> 8) & (SHM_MRS - 1)];
	uint64_t off = span->addr - mr->iova;

	if (atomic_load_explicit(&mr->key, memory_order_acquire) != key || !key || key >> 24)
		return NULL;
	if (mr->pd != pd || (mr->access & need) != need)
		return NULL;
	if (mr->type == SHM_NULL) {
		span->addr = 0;
		return mr;
	}
	if (off > mr->len || span->len > mr->len - off)
		return NULL;
	span->addr = mr->addr + off;
	if (arena == hca.arena && span->len &&
	    !key_is_own((key >> 8) & (SHM_MRS - 1), mr->parent, span))
		return NULL;
	return mr;
}

#endif
