/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Takes a lock in shared memory, also from a dead or stopped process; see lock.h. */
#include "config.h"
#include "base/lock.h"

#include <sched.h>

#include "base/alive.h"
#include "base/clock.h"
#include "base/peer.h"

#define SPINS 200
#define YIELDS_PER_LOOK 50
#define LOOK_NS 2000000

/* A process that has the lock while this one waits. */
struct holder {
	uint32_t owner;
	uint64_t since_ns, looked_ns;
};

static bool try(struct lock *lock)
{
	uint32_t free = 0;

	return atomic_compare_exchange_strong_explicit(&lock->owner, &free, hca.self,
						       memory_order_acquire,
						       memory_order_relaxed);
}

/* Whether the holder has had the lock for too long. */
static bool is_stuck(uint32_t owner, uint64_t waited_ns)
{
	if (owner == hca.self)
		return waited_ns >= LOCK_OWN_NS;
	if (waited_ns >= LOCK_STUCK_NS)
		return true;
	if (waited_ns < LOCK_STOPPED_NS && !peer_is_given_up(alive_slot(owner), alive_gen(owner)))
		return false;
	return alive_is_stopped(owner);
}

/* True: this process has the lock now. */
static bool take_from(struct lock *lock, struct holder *h)
{
	uint32_t owner = h->owner;
	uint64_t now = clock_now();
	bool lives;

	if (now - h->looked_ns < LOOK_NS)
		return false;
	h->looked_ns = now;
	lives = alive_owner(owner);
	if (lives && !is_stuck(owner, now - h->since_ns))
		return false;
	if (lives)
		atomic_store(&lock->spoilt, 1);
	if (!atomic_compare_exchange_strong(&lock->owner, &owner, hca.self))
		return false;
	if (lives)
		peer_give_up(alive_slot(owner), alive_gen(owner));
	return true;
}

/*
 * The holder may have lost its CPU, so the waiter yields its own. To look at the holder needs
 * system calls, so it is rare.
 */
static void wait_shared(struct lock *lock)
{
	struct holder h = { 0 };

	for (uint32_t n = 1;; n++) {
		uint32_t owner = atomic_load_explicit(&lock->owner, memory_order_relaxed);

		if (!owner && try(lock))
			return;
		if (n < SPINS) {
			atomic_signal_fence(memory_order_seq_cst);
			continue;
		}
		sched_yield();
		if (n % YIELDS_PER_LOOK || !owner)
			continue;
		if (owner != h.owner)
			h = (struct holder) { owner, clock_now(), 0 };
		if (take_from(lock, &h))
			return;
	}
}

void lock_take_shared(struct lock *lock)
{
	if (!try(lock))
		wait_shared(lock);
}

/* Its holder is a thread of this process, which gets a CPU some time. */
void lock_take(struct lock *lock)
{
	for (uint32_t n = 0; !try(lock); n++) {
		if (n < SPINS)
			atomic_signal_fence(memory_order_seq_cst);
		else
			sched_yield();
	}
}
