/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Timers: a heap of calls that are due at a time. Knows neither who sets a timer nor who runs it;
 * transport/progress.h runs them. All functions may be called from any thread.
 */
#ifndef TIMERS_H
#define TIMERS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The fields after run belong to the code that sets the timer. */
struct timer {
	uint64_t due_ns, order; /* order: set by timers_add(), if it is 0 */
	void (*run)(const struct timer *timer);
	void *owner; /* for timers_remove() */
	uint32_t kind, idx, epoch, arg;
};

struct timers {
	pthread_mutex_t lock;
	struct timer *heap;
	uint32_t n, cap;
	uint64_t order;
	_Atomic uint64_t next_ns;     /* when the first timer is due; 0: there is none */
	pthread_mutex_t running;      /* held while timers run: one thread keeps their order */
	atomic_bool at_work;          /* a thread runs timers */
};

/* it turns a little before it sleeps; musl has none */
#ifndef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
#define PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP PTHREAD_MUTEX_INITIALIZER
#endif
#define TIMERS_INITIALIZER                                                                  \
	{ .lock = PTHREAD_MUTEX_INITIALIZER, .running = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP }

/* Copies *timer. 1: it is the first that is due; 0: it is not; -ENOMEM. */
int timers_add(struct timers *t, const struct timer *timer);
/*
 * Takes the first timer if it is due. Timers with the same time stay in the order of timers_add().
 * One that is added again as it was taken keeps its place.
 */
bool timers_take(struct timers *t, uint64_t now_ns, struct timer *timer);
/* Removes all timers of this owner. */
void timers_remove(struct timers *t, const void *owner);

/* When the first timer is due; UINT64_MAX: there is none. */
static inline uint64_t timers_next(struct timers *t)
{
	uint64_t next_ns = atomic_load(&t->next_ns);

	return next_ns ? next_ns : UINT64_MAX;
}

#endif
