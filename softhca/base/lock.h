/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A spinlock in shared memory that survives its holder: it contains which process holds it, and a
 * waiter takes it from a process that is dead, or that does not go on. Therefore the data under a
 * lock must be valid after every instruction; only one last store may be missing.
 *
 * A process that is stopped may go on later, inside a section that it has lost. So it checks that
 * it has the lock before the stores that matter (lock_is_held()), and what is under a lock that was
 * taken from a living process is never used for another object (lock_is_spoilt()).
 */
#ifndef LOCK_H
#define LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/hca.h"
#include "base/shm.h"

/* A lock in the memory of this process alone. */
void lock_take(struct lock *lock);
/*
 * A lock in shared memory: waits no longer than LOCK_STUCK_NS for each process that has it. To this
 * process, the one that lost it is dead from then on: peer_give_up().
 */
void lock_take_shared(struct lock *lock);

/* A holder that is stopped (SIGSTOP, a debugger), and any other. Sections take microseconds. */
#define LOCK_STOPPED_NS UINT64_C(1000000000)
#define LOCK_STUCK_NS UINT64_C(5000000000)
/* A thread of this process, which may itself wait for peers; or a peer has written nonsense. */
#define LOCK_OWN_NS (4 * LOCK_STUCK_NS)

static inline void lock_drop(struct lock *lock)
{
	atomic_store_explicit(&lock->owner, 0, memory_order_release);
}

static inline void lock_drop_shared(struct lock *lock)
{
	uint32_t own = hca.self;

	/* if another process has taken it, it stays with that one */
	atomic_compare_exchange_strong_explicit(&lock->owner, &own, 0, memory_order_release,
						memory_order_relaxed);
}

/* Whether no process has taken the lock from this one. */
static inline bool lock_is_held(const struct lock *lock)
{
	return atomic_load_explicit(&lock->owner, memory_order_relaxed) == hca.self;
}

/* Whether a process that may still go on has lost the lock. */
static inline bool lock_is_spoilt(const struct lock *lock)
{
	return atomic_load_explicit(&lock->spoilt, memory_order_relaxed);
}

#endif
