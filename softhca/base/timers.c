/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The heap of timers; see timers.h. Called by transport/progress.c. */
#include "config.h"
#include "base/timers.h"

#include <errno.h>
#include <stdlib.h>

static bool before(const struct timer *a, const struct timer *b)
{
	return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->order < b->order;
}

static void swap(struct timers *t, uint32_t a, uint32_t b)
{
	struct timer was = t->heap[a];

	t->heap[a] = t->heap[b];
	t->heap[b] = was;
}

static void up(struct timers *t, uint32_t i)
{
	while (i && before(&t->heap[i], &t->heap[(i - 1) / 2])) {
		swap(t, i, (i - 1) / 2);
		i = (i - 1) / 2;
	}
}

static void down(struct timers *t, uint32_t i)
{
	for (;;) {
		uint32_t min = i;

		for (uint32_t c = 2 * i + 1; c <= 2 * i + 2 && c < t->n; c++)
			if (before(&t->heap[c], &t->heap[min]))
				min = c;
		if (min == i)
			return;
		swap(t, i, min);
		i = min;
	}
}

static void publish(struct timers *t)
{
	atomic_store(&t->next_ns, t->n ? t->heap[0].due_ns : 0);
}

/* Under the lock. */
static int add(struct timers *t, const struct timer *timer)
{
	if (t->n == t->cap) {
		uint32_t cap = t->cap ? 2 * t->cap : 256;
		struct timer *heap = realloc(t->heap, cap * sizeof(*heap));

		if (!heap)
			return -ENOMEM;
		t->heap = heap;
		t->cap = cap;
	}
	t->heap[t->n] = *timer;
	if (!timer->order)
		t->heap[t->n].order = ++t->order;
	up(t, t->n++);
	publish(t);
	return timer->due_ns == t->heap[0].due_ns;
}

int timers_add(struct timers *t, const struct timer *timer)
{
	int rc;

	pthread_mutex_lock(&t->lock);
	rc = add(t, timer);
	pthread_mutex_unlock(&t->lock);
	return rc;
}

bool timers_take(struct timers *t, uint64_t now_ns, struct timer *timer)
{
	bool due;

	pthread_mutex_lock(&t->lock);
	due = t->n && t->heap[0].due_ns <= now_ns;
	if (due) {
		*timer = t->heap[0];
		t->heap[0] = t->heap[--t->n];
		down(t, 0);
		publish(t);
	}
	pthread_mutex_unlock(&t->lock);
	return due;
}

void timers_remove(struct timers *t, const void *owner)
{
	uint32_t kept = 0;

	pthread_mutex_lock(&t->lock);
	for (uint32_t i = 0; i < t->n; i++)
		if (t->heap[i].owner != owner)
			t->heap[kept++] = t->heap[i];
	t->n = kept;
	for (uint32_t i = 1; i < t->n; i++)
		up(t, i);
	publish(t);
	pthread_mutex_unlock(&t->lock);
}
