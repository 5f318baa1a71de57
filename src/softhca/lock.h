/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A spinlock that lives in shared memory and survives the death of its holder: the word says which
 * process has it. What it protects must be right at every instruction but for one last store.
 */
#ifndef LOCK_H
#define LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct lock {
	_Atomic uint32_t owner; /* 0: free; else lock_self() of the process */
};

uint32_t lock_self(void);
void lock_wait(struct lock *lock);

static inline bool lock_try(struct lock *lock, uint32_t self)
{
	uint32_t free = 0;

	return atomic_compare_exchange_strong_explicit(&lock->owner, &free, self,
						       memory_order_acquire,
						       memory_order_relaxed);
}

static inline void lock_drop(struct lock *lock)
{
	atomic_store_explicit(&lock->owner, 0, memory_order_release);
}

void lock_take(struct lock *lock);

#endif
