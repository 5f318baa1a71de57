/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Time, and what is due at a time: one heap of events per process. Due events are run by whoever
 * polls a CQ, and by the engine, a thread that is started with the first event or the first peer.
 * The engine also waits for peers to die (pidfd) and for their bell (a pipe).
 */
#ifndef AGENDA_H
#define AGENDA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct qp;
struct msg;

enum agenda_kind {
	AGENDA_ARRIVE,  /* RC: a request reaches the responder */
	AGENDA_ACK,     /* RC: its answer is back, wqe->status says which */
	AGENDA_RESUME,  /* RC: a time-out, a NAK or the end of an RNR wait: go on from wqe idx */
	AGENDA_SENT,    /* UC, UD: the last byte has left */
	AGENDA_DELIVER, /* UC, UD: a copy of a message reaches its destination */
	AGENDA_DEVICE,  /* a fault of a device: no QP */
};

struct agenda_event {
	uint64_t due_ns, order;
	struct qp *qp;
	struct msg *msg;
	uint32_t kind, idx, epoch, arg;
};

static inline uint64_t agenda_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

extern _Atomic uint64_t agenda_next; /* due time of the first event; UINT64_MAX: none */

int agenda_push(const struct agenda_event *event);
void agenda_run(void);
bool agenda_busy(void); /* somebody is running events */
/* No event of this QP is left or running. */
void agenda_cancel(struct qp *qp);
void agenda_forget(void);

/* For pollers: what is due is done. One load if nothing is pending. */
static inline void agenda_poll(void)
{
	if (atomic_load_explicit(&agenda_next, memory_order_relaxed) != UINT64_MAX)
		agenda_run();
}

#endif
