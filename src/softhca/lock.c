/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Waiting for a lock in shared memory, and taking it from a dead process; see lock.h. */
#include "config.h"
#include "lock.h"

#include <sched.h>

#include "fabric.h"
#include "hca.h"

#define SPINS 200
#define YIELDS_PER_CHECK 2000

uint32_t lock_self(void)
{
	return hca.self;
}

void lock_take(struct lock *lock)
{
	if (!lock_try(lock, hca.self))
		lock_wait(lock);
}

/*
 * A holder may have lost its CPU, so the waiter gives its own away. Asking whether the holder
 * lives is a system call, and only worth it after a while.
 */
void lock_wait(struct lock *lock)
{
	for (uint32_t n = 1;; n++) {
		uint32_t owner = atomic_load_explicit(&lock->owner, memory_order_relaxed);

		if (!owner && lock_try(lock, hca.self))
			return;
		if (n < SPINS) {
			atomic_signal_fence(memory_order_seq_cst);
			continue;
		}
		sched_yield();
		if (n % YIELDS_PER_CHECK || !owner || owner == hca.self || fabric_lives(owner))
			continue;
		if (atomic_compare_exchange_strong(&lock->owner, &owner, hca.self))
			return;
	}
}
