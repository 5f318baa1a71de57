/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The only measured code: streams in loops_stream.h, latency in loops_lat.h, and here what both
 * have. engine.c compiles each body once per row of kinds.def, with the kind as a constant, so the
 * compiler decides every test of k. If a kind is not a constant, KIND_MUST_FOLD makes it a compile
 * error. Besides the provider (post, poll) the loops call batch.c, credit.c, fail.c, idle.c, recv.c
 * and send.c. docs/method.md describes what each timed region contains.
 */
#ifndef LOOPS_H
#define LOOPS_H

#include "loop/idle.h"

/* Justified by KIND_MUST_FOLD: with plain inline the compilers keep one generic body. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#ifdef __OPTIMIZE__
void loops_kind_does_not_fold(void) __attribute__((error("struct kind is not a constant here")));
#define KIND_MUST_FOLD(k) \
	(__builtin_constant_p((k).tp) && __builtin_constant_p((k).op) && \
	 __builtin_constant_p((k).cm) && __builtin_constant_p((k).sharing) ? \
	 (void)0 : loops_kind_does_not_fold())
#else
#define KIND_MUST_FOLD(k) ((void)(k))
#endif

#define LOOPS_IDLE_POLLS 64u  /* empty polls between two looks at the clock; a power of two */

/* For the controlling thread: as long as the number grows, the loop moves. */
ALWAYS_INLINE void loops_progress(struct worker *w, uint64_t count)
{
	atomic_store_explicit(&w->live.progress, count, memory_order_relaxed);
}

/* A poll has found something. */
ALWAYS_INLINE void loops_found(struct worker *w, struct kind k)
{
	if (k.cm != CM_POLL)
		w->events.woken = false;
	if (k.cm == CM_HYBRID)
		w->idle.spin_from_ns = 0;
}

/* A poll has found nothing: sleep or look around, if it is time for it. 0 to poll again. */
ALWAYS_INLINE int loops_idle(struct worker *w, struct kind k, unsigned cqs,
			     int (*look)(struct worker *))
{
	bool due = (w->live.empty_polls & (LOOPS_IDLE_POLLS - 1)) == 0;
	int rc = 0;

	if (k.cm == CM_EVENT)
		rc = idle_sleep(w, cqs);
	else if (k.cm == CM_HYBRID && due)
		rc = idle_spin(w, cqs);
	return !rc && (k.cm == CM_EVENT || due) ? look(w) : rc;
}

#endif
