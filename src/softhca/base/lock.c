/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Takes a lock in shared memory, also from a dead process; see lock.h. */
#include "config.h"
#include "base/lock.h"

#include <sched.h>

#include "base/alive.h"
#include "base/hca.h"

#define SPINS 200
#define YIELDS_PER_CHECK 2000

static bool try(struct lock *lock)
{
	uint32_t free = 0;

	return atomic_compare_exchange_strong_explicit(&lock->owner, &free, hca.self,
						       memory_order_acquire,
						       memory_order_relaxed);
}

/*
 * The holder may have lost its CPU, so the waiter yields its own. The check whether the holder
 * lives is a system call, so it is rare.
 */
static void wait(struct lock *lock)
{
	for (uint32_t n = 1;; n++) {
		uint32_t owner = atomic_load_explicit(&lock->owner, memory_order_relaxed);

		if (!owner && try(lock))
			return;
		if (n < SPINS) {
			atomic_signal_fence(memory_order_seq_cst);
			continue;
		}
		sched_yield();
		if (n % YIELDS_PER_CHECK || !owner || owner == hca.self || alive_owner(owner))
			continue;
		if (atomic_compare_exchange_strong(&lock->owner, &owner, hca.self))
			return;
	}
}

void lock_take(struct lock *lock)
{
	if (!try(lock))
		wait(lock);
}
