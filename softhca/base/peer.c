/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Other processes of the fabric; see peer.h. */
#include "config.h"
#include "base/peer.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/alive.h"
#include "base/hca.h"
#include "base/pages.h"
#include "meet/shared.h"

static int map_arena(struct peer *p)
{
	void *map;

	p->fd = shared_open(p->pid, hca.fabric->proc[p->slot].arena_fd,
			    SHM_ARENA_OFF + SHM_ARENA_BYTES);
	if (p->fd < 0)
		return p->fd;
	map = mmap(NULL, SHM_ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, p->fd,
		   (off_t)SHM_ARENA_OFF);
	if (map == MAP_FAILED)
		return -errno;
	p->arena = map;
	return p->arena->magic == SHM_MAGIC && p->arena->slot == p->slot &&
	       p->arena->gen == p->gen ? 0 : -ESRCH;
}

static void destroy(struct peer *p)
{
	for (uint32_t i = 0; i < PEER_CHUNKS; i++) {
		uint8_t *w = atomic_load(&p->chunk[i]);

		if (w)
			munmap(w, (size_t)1 << PEER_CHUNK_SHIFT);
	}
	if (p->arena && !p->self)
		munmap(p->arena, SHM_ARENA_BYTES);
	if (p->fd >= 0 && !p->self)
		close(p->fd);
	free(p);
}

static struct peer *make(uint32_t slot, uint32_t gen)
{
	struct peer *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	/* no assignment of a whole struct: it is large, and would be built on the stack */
	p->slot = slot;
	p->gen = gen;
	p->pid = hca.fabric->proc[slot].pid;
	p->fd = -1;
	p->refs = 2; /* of the caller, and of the list while the process lives */
	p->self = slot == hca.slot && gen == hca.gen;
	if (p->self) {
		p->arena = hca.arena;
		p->fd = hca.arena_fd;
		return p;
	}
	if (map_arena(p) || !alive_process(slot, gen)) {
		destroy(p);
		return NULL;
	}
	return p;
}

struct peer *peer_get(uint32_t slot, uint32_t gen)
{
	struct peer *p;

	if (slot >= SHM_PROCS || peer_is_given_up(slot, gen))
		return NULL;
	pthread_mutex_lock(&hca.peers_lock);
	for (p = hca.peers; p; p = p->next)
		if (p->slot == slot && p->gen == gen)
			break;
	if (p && atomic_load(&p->dead)) {
		p = NULL;
	} else if (p) {
		p->refs++;
	} else {
		p = make(slot, gen);
		if (p) {
			p->next = hca.peers;
			hca.peers = p;
		}
	}
	pthread_mutex_unlock(&hca.peers_lock);
	return p;
}

/* Under hca.peers_lock. */
static void drop(struct peer *peer)
{
	struct peer **at = &hca.peers;

	if (--peer->refs)
		return;
	while (*at != peer)
		at = &(*at)->next;
	*at = peer->next;
	destroy(peer);
}

void peer_put(struct peer *peer)
{
	pthread_mutex_lock(&hca.peers_lock);
	drop(peer);
	pthread_mutex_unlock(&hca.peers_lock);
}

void peer_died(uint32_t slot, uint32_t gen)
{
	struct peer *p;

	pthread_mutex_lock(&hca.peers_lock);
	for (p = hca.peers; p; p = p->next)
		if (p->slot == slot && p->gen == gen)
			break;
	if (p && !atomic_exchange(&p->dead, true))
		drop(p);
	pthread_mutex_unlock(&hca.peers_lock);
}

void peer_give_up(uint32_t slot, uint32_t gen)
{
	if (slot >= SHM_PROCS || slot == hca.slot)
		return;
	atomic_store(&hca.given_up[slot], gen + 1);
	peer_died(slot, gen);
}

bool peer_is_given_up(uint32_t slot, uint32_t gen)
{
	return slot < SHM_PROCS && atomic_load(&hca.given_up[slot]) == gen + 1;
}

uint8_t *peer_map_chunk(struct peer *peer, uint64_t addr)
{
	uint32_t i = (addr >> PEER_CHUNK_SHIFT) & (PEER_CHUNKS - 1);
	uint8_t *w;

	pthread_mutex_lock(&hca.peers_lock);
	w = atomic_load(&peer->chunk[i]);
	if (!w) {
		w = mmap(NULL, (size_t)1 << PEER_CHUNK_SHIFT, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_NORESERVE, peer->fd, (off_t)i << PEER_CHUNK_SHIFT);
		if (w == MAP_FAILED)
			w = NULL;
		atomic_store_explicit(&peer->chunk[i], w, memory_order_release);
	}
	pthread_mutex_unlock(&hca.peers_lock);
	return w;
}

static void populate(struct peer *peer, uint64_t addr, uint64_t len)
{
	while (len) {
		uint64_t n;
		uint8_t *at = peer_ptr(peer, addr, &n);

		if (!at)
			return;
		n = n < len ? n : len;
		pages_populate(at, n);
		addr += n;
		len -= n;
	}
}

/* The rows are those of the peer, who may have written anything there: no more than it has. */
void peer_populate(struct peer *peer)
{
	const uint32_t n = atomic_load_explicit(&peer->arena->n_mrs, memory_order_acquire);
	struct stat file;
	uint64_t most;
	uint32_t i;

	pthread_mutex_lock(&hca.peers_lock);
	i = n - peer->n_mrs < SHM_MRS ? peer->n_mrs : n - SHM_MRS;
	peer->n_mrs = n;
	pthread_mutex_unlock(&hca.peers_lock);
	if (i == n || peer->self || fstat(peer->fd, &file))
		return;
	most = (uint64_t)file.st_blocks * 512;
	for (; i != n; i++) {
		const struct shm_mr *mr = &peer->arena->mr[i & (SHM_MRS - 1)];
		const uint64_t addr = mr->addr, len = mr->len;

		if (!atomic_load_explicit(&mr->key, memory_order_acquire) ||
		    mr->kind != SHM_MR_SHARED || mr->type != SHM_MR || len > most)
			continue;
		most -= len;
		populate(peer, addr, len);
	}
}

void peer_write(struct peer *peer, int fd, const void *data, uint32_t len)
{
	int own = fd;
	ssize_t n;

	if (fd < 0)
		return;
	if (!peer->self)
		own = shared_open_pipe(peer->pid, fd);
	if (own < 0)
		return;
	n = write(own, data, len);
	(void)n; /* a full pipe has enough events */
	if (!peer->self)
		close(own);
}

void peer_report_error(struct peer *peer)
{
	atomic_fetch_add(&peer->arena->errors, 1);
	peer_write(peer, hca.fabric->proc[peer->slot].wake_fd, "", 1);
}

static int private_copy(struct peer *peer, uint64_t addr, void *local, uint64_t len, bool write)
{
	struct iovec here = { .iov_base = local, .iov_len = len };
	struct iovec there = { .iov_base = (void *)(uintptr_t)addr, .iov_len = len };
	ssize_t n = write ? process_vm_writev(peer->pid, &here, 1, &there, 1, 0) :
			    process_vm_readv(peer->pid, &here, 1, &there, 1, 0);

	return n == (ssize_t)len ? 0 : -EFAULT;
}

/*
 * The last byte is written last: programs wait for a change of the last byte of a buffer, because
 * HCAs write in order. memcpy() may use any order.
 */
static void copy_in_order(uint8_t *to, const uint8_t *from, uint64_t len)
{
	memcpy(to, from, len - 1);
	atomic_thread_fence(memory_order_release);
	*(volatile uint8_t *)(to + len - 1) = from[len - 1];
}

int peer_put_bytes(struct peer *peer, const struct shm_mr *mr, uint64_t addr, const void *from,
		   uint64_t len)
{
	const uint8_t *p = from;

	if (mr->kind == SHM_MR_PRIVATE && !peer->self)
		return private_copy(peer, addr, (void *)(uintptr_t)from, len, true);
	while (len) {
		uint64_t n;
		uint8_t *to = peer_ptr(peer, addr, &n);

		if (!to)
			return -EFAULT;
		n = n < len ? n : len;
		copy_in_order(to, p, n);
		addr += n;
		p += n;
		len -= n;
	}
	return 0;
}

int peer_get_bytes(struct peer *peer, const struct shm_mr *mr, uint64_t addr, void *to,
		   uint64_t len)
{
	uint8_t *p = to;

	if (mr->kind == SHM_MR_PRIVATE && !peer->self)
		return private_copy(peer, addr, to, len, false);
	while (len) {
		uint64_t n;
		const uint8_t *from = peer_ptr(peer, addr, &n);

		if (!from)
			return -EFAULT;
		n = n < len ? n : len;
		copy_in_order(p, from, n);
		addr += n;
		p += n;
		len -= n;
	}
	return 0;
}
