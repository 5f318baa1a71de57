/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The heap of events and who runs it; see agenda.h. The engine thread is engine.c's. */
#include "agenda.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "engine.h"
#include "req.h"

struct agenda {
	pthread_mutex_t heap_lock; /* the heap; innermost */
	pthread_mutex_t run_lock;  /* one runner at a time keeps the order of events */
	struct agenda_event *heap;
	uint32_t n, cap;
	uint64_t order;
};

static struct agenda agenda = {
	.heap_lock = PTHREAD_MUTEX_INITIALIZER,
	.run_lock = PTHREAD_MUTEX_INITIALIZER,
};
_Atomic uint64_t agenda_next = UINT64_MAX;

static bool before(const struct agenda_event *a, const struct agenda_event *b)
{
	return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->order < b->order;
}

static void swap(uint32_t a, uint32_t b)
{
	struct agenda_event t = agenda.heap[a];

	agenda.heap[a] = agenda.heap[b];
	agenda.heap[b] = t;
}

static void up(uint32_t i)
{
	while (i && before(&agenda.heap[i], &agenda.heap[(i - 1) / 2])) {
		swap(i, (i - 1) / 2);
		i = (i - 1) / 2;
	}
}

static void down(uint32_t i)
{
	for (;;) {
		uint32_t min = i;

		for (uint32_t c = 2 * i + 1; c <= 2 * i + 2 && c < agenda.n; c++)
			if (before(&agenda.heap[c], &agenda.heap[min]))
				min = c;
		if (min == i)
			return;
		swap(i, min);
		i = min;
	}
}

static void publish(void)
{
	atomic_store(&agenda_next, agenda.n ? agenda.heap[0].due_ns : UINT64_MAX);
}

int agenda_push(const struct agenda_event *event)
{
	bool first;

	pthread_mutex_lock(&agenda.heap_lock);
	if (agenda.n == agenda.cap) {
		uint32_t cap = agenda.cap ? 2 * agenda.cap : 256;
		struct agenda_event *heap = realloc(agenda.heap, cap * sizeof(*heap));

		if (!heap) {
			pthread_mutex_unlock(&agenda.heap_lock);
			return -ENOMEM;
		}
		agenda.heap = heap;
		agenda.cap = cap;
	}
	agenda.heap[agenda.n] = *event;
	agenda.heap[agenda.n].order = agenda.order++;
	up(agenda.n++);
	first = event->due_ns == agenda.heap[0].due_ns;
	publish();
	pthread_mutex_unlock(&agenda.heap_lock);
	if (first)
		engine_due(event->due_ns);
	return 0;
}

static bool pop(uint64_t now, struct agenda_event *e)
{
	bool due;

	pthread_mutex_lock(&agenda.heap_lock);
	due = agenda.n && agenda.heap[0].due_ns <= now;
	if (due) {
		*e = agenda.heap[0];
		agenda.heap[0] = agenda.heap[--agenda.n];
		down(0);
		publish();
	}
	pthread_mutex_unlock(&agenda.heap_lock);
	return due;
}

void agenda_run(void)
{
	uint64_t now = agenda_now();
	struct agenda_event e;

	engine_polled(now);
	if (atomic_load_explicit(&agenda_next, memory_order_relaxed) > now)
		return;
	if (pthread_mutex_trylock(&agenda.run_lock))
		return;
	/* what an event makes due at once, at no delay, is run here too */
	while (pop(now, &e))
		req_event(&e);
	pthread_mutex_unlock(&agenda.run_lock);
}

bool agenda_busy(void)
{
	if (pthread_mutex_trylock(&agenda.run_lock))
		return true;
	pthread_mutex_unlock(&agenda.run_lock);
	return false;
}

static void drop_events(struct qp *qp)
{
	uint32_t kept = 0;

	pthread_mutex_lock(&agenda.heap_lock);
	for (uint32_t i = 0; i < agenda.n; i++) {
		if (agenda.heap[i].qp != qp)
			agenda.heap[kept++] = agenda.heap[i];
	}
	agenda.n = kept;
	for (uint32_t i = 1; i < agenda.n; i++)
		up(i);
	publish();
	pthread_mutex_unlock(&agenda.heap_lock);
}

/* Deliveries are events of no QP: they go on without it, as packets on a wire do. */
void agenda_cancel(struct qp *qp)
{
	pthread_mutex_lock(&agenda.run_lock);
	drop_events(qp);
	pthread_mutex_unlock(&agenda.run_lock);
}

void agenda_forget(void)
{
	agenda = (struct agenda) {
		.heap_lock = PTHREAD_MUTEX_INITIALIZER,
		.run_lock = PTHREAD_MUTEX_INITIALIZER,
	};
	atomic_store(&agenda_next, UINT64_MAX);
	engine_forget();
}
