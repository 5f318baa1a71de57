/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A spinlock in shared memory that survives the death of its holder: it contains which process
 * holds it, and a waiter takes it from a dead process. Therefore the data under a lock must be
 * valid after every instruction; only one last store may be missing.
 */
#ifndef LOCK_H
#define LOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/shm.h"

void lock_take(struct lock *lock);

static inline void lock_drop(struct lock *lock)
{
	atomic_store_explicit(&lock->owner, 0, memory_order_release);
}

#endif
