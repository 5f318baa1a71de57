/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Other processes: their arena and their registered pages, mapped here when first needed and kept
 * as long as a QP refers to them. A peer that died keeps its mapping, so nothing here ever faults.
 */
#ifndef PEER_H
#define PEER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shm.h"

#define PEER_WINDOW_SHIFT 30 /* pages are mapped by windows of 1 GiB of the owner's addresses */
#define PEER_WINDOWS (1u << (47 - PEER_WINDOW_SHIFT))

struct peer {
	uint32_t slot, gen;
	int pid, fd;
	bool self;
	atomic_bool dead;
	uint32_t refs;
	struct shm_arena *arena;
	struct peer *next;
	_Atomic(uint8_t *) window[PEER_WINDOWS];
};

/* A reference to the process in that slot; NULL if it is not that process any more. */
struct peer *peer_get(uint32_t slot, uint32_t gen);
void peer_put(struct peer *peer);
void peer_died(uint32_t slot, uint32_t gen);
uint8_t *peer_map_window(struct peer *peer, uint64_t addr);

/* Where byte addr of a peer's shared region is here; *len: how many follow. NULL: no memory. */
static inline uint8_t *peer_ptr(struct peer *peer, uint64_t addr, uint64_t *len)
{
	uint64_t in = addr & ((UINT64_C(1) << PEER_WINDOW_SHIFT) - 1);
	uint8_t *w;

	if (peer->self) {
		*len = UINT64_MAX;
		return (uint8_t *)(uintptr_t)addr;
	}
	w = atomic_load_explicit(&peer->window[(addr >> PEER_WINDOW_SHIFT) & (PEER_WINDOWS - 1)],
				 memory_order_acquire);
	if (!w)
		w = peer_map_window(peer, addr);
	*len = (UINT64_C(1) << PEER_WINDOW_SHIFT) - in;
	return w ? w + in : NULL;
}

/* Writes to a pipe of the process, whose descriptor there is fd. A system call or three: rare. */
void peer_write(struct peer *peer, int fd, const void *data, uint32_t len);
/* Something of the owner's needs its attention: a QP of its is in error. */
void peer_alert(struct peer *peer);

/* To and from a region of the peer; 0 or -EFAULT. The last byte is written last. */
int peer_put_bytes(struct peer *peer, const struct shm_mr *mr, uint64_t addr, const void *from,
		   uint64_t len);
int peer_get_bytes(struct peer *peer, const struct shm_mr *mr, uint64_t addr, void *to,
		   uint64_t len);

#endif
