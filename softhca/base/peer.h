/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Other processes of the fabric. Their arena and their registered pages are mapped at the first
 * use, and stay mapped while a QP has a reference. The mapping of a dead peer stays valid, so an
 * access to it does not fault.
 */
#ifndef PEER_H
#define PEER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/shm.h"

#define PEER_CHUNK_SHIFT 30 /* pages are mapped in chunks of 1 GiB of the addresses of the peer */
#define PEER_CHUNKS (1u << (47 - PEER_CHUNK_SHIFT))

struct peer {
	uint32_t slot, gen;
	int pid, fd;
	bool self; /* this process */
	atomic_bool dead, watched;
	uint32_t refs; /* under hca.peers_lock */
	struct shm_arena *arena;
	uint32_t n_mrs; /* of arena->n_mrs, those whose pages are populated; under hca.peers_lock */
	struct peer *next;
	_Atomic(uint8_t *) chunk[PEER_CHUNKS];
};

/* A reference to the process in that slot; NULL: it does not live. */
struct peer *peer_get(uint32_t slot, uint32_t gen);
void peer_put(struct peer *peer);
/* The process is dead: marks it, and drops the reference of the list. */
void peer_died(uint32_t slot, uint32_t gen);
/*
 * The process in that slot does not go on, and a lock was taken from it: to this process it is dead
 * from now on, also when it goes on later.
 */
void peer_give_up(uint32_t slot, uint32_t gen);
bool peer_is_given_up(uint32_t slot, uint32_t gen);
/*
 * Makes the pages present here that the peer has registered since the last call. A message would
 * wait for a page fault of each page that it is the first to touch.
 */
void peer_populate(struct peer *peer);
/* Maps the chunk that has this address; NULL: no memory. For peer_ptr(). */
uint8_t *peer_map_chunk(struct peer *peer, uint64_t addr);

/*
 * Address in this process of the byte at addr of a shared region of the peer; *len: number of bytes
 * that are mapped from there. NULL: no memory.
 */
static inline uint8_t *peer_ptr(struct peer *peer, uint64_t addr, uint64_t *len)
{
	uint64_t in = addr & ((UINT64_C(1) << PEER_CHUNK_SHIFT) - 1);
	uint8_t *w;

	if (peer->self) {
		*len = UINT64_MAX;
		return (uint8_t *)(uintptr_t)addr;
	}
	w = atomic_load_explicit(&peer->chunk[(addr >> PEER_CHUNK_SHIFT) & (PEER_CHUNKS - 1)],
				 memory_order_acquire);
	if (!w)
		w = peer_map_chunk(peer, addr);
	*len = (UINT64_C(1) << PEER_CHUNK_SHIFT) - in;
	return w ? w + in : NULL;
}

/*
 * Writes to a pipe of the peer; fd is the descriptor in the peer. Needs up to six system calls.
 */
void peer_write(struct peer *peer, int fd, const void *data, uint32_t len);
/* A QP or CQ of the peer is in error: counts it and wakes the progress thread of the peer. */
void peer_report_error(struct peer *peer);

/* Copies to and from a region of the peer; 0 or -EFAULT. The last byte is written last. */
int peer_put_bytes(struct peer *peer, const struct shm_mr *mr, uint64_t addr, const void *from,
		   uint64_t len);
int peer_get_bytes(struct peer *peer, const struct shm_mr *mr, uint64_t addr, void *to,
		   uint64_t len);

#endif
