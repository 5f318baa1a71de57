/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The requester: executes the send queue of a QP, on the link or at once, with its retries, and
 * completes the requests in order. Called after posting, and by timers. All functions are called
 * under the lock of the QP unless said otherwise.
 */
#ifndef REQUESTER_H
#define REQUESTER_H

#include <stdatomic.h>
#include <sys/uio.h>

#include "base/timers.h"
#include "transport/message.h"
#include "transport/object.h"

/*
 * When the message arrives that would arrive at_ns without jitter; draws the jitter. Messages of a
 * QP keep their order.
 */
uint64_t requester_arrival(struct qp *qp, uint32_t message, uint64_t at_ns);
/* Starts all requests that can start now. */
void requester_run(struct qp *qp);
/* The callback of the requester's timers; without a lock. owner: QP, idx: of the request. */
void requester_timer(const struct timer *timer);

enum requester_timer_kind {
	REQUESTER_ARRIVE, /* RC: the request reaches the responder */
	REQUESTER_ACK,    /* RC: the response is back; its status is in the WQE */
	REQUESTER_RESUME, /* RC: end of a timeout or of a wait: send from request idx on */
	REQUESTER_SENT,   /* UC, UD: the last byte leaves */
};

/* The number of the QP that the request is for; not UD. */
static inline uint32_t requester_dest_qpn(const struct qp *qp, const struct wqe *w)
{
	return qp->dc == QP_DCI ? w->dc.dctn : qp->attr.dest_qp_num;
}

/* requester_message.c */

/* Fills iov[] with the memory of the request. IBV_WC_SUCCESS, or why it cannot be executed. */
enum ibv_wc_status requester_gather(const struct qp *qp, const struct wqe *w,
				    struct iovec iov[SHM_MAX_SGE], uint32_t *n);
/* Fills *m, except for its data. */
void requester_message(const struct qp *qp, const struct wqe *w, struct msg *m);
/* Copies the response of a read or atomic from the bounce buffer to the memory of the request. */
void requester_copy_response(const struct qp *qp, struct wqe *w);

/* requester_unreliable.c: UC and UD */

void requester_send_unreliable(struct qp *qp, struct wqe *w, const struct iovec *iov, uint32_t n);
/* The last byte of the request has left, at due_ns. */
void requester_sent(struct qp *qp, struct wqe *w, uint64_t due_ns);
/*
 * Without a lock. Waits until the messages on the link have arrived; at most for the longest time
 * on the link and one second.
 */
void requester_wait_in_flight(void);

/* requester_complete.c */

/* Completes the oldest requests, as far as they are acknowledged. */
void requester_complete(struct qp *qp);
/* Puts the QP into the state ERR or SQE, and flushes all requests. */
void requester_error(struct qp *qp, enum ibv_qp_state state);
void requester_flush(struct qp *qp);
/* Drops all requests without a completion. */
void requester_reset(struct qp *qp);

/*
 * Without a lock. Peers have put QPs or CQs of this process into error: flushes the send queues.
 * The progress thread calls it, and requester_poll().
 */
void requester_check_errors(void);

/* For each poll of a CQ; without a lock. */
static inline void requester_poll(void)
{
	if (hca.arena && atomic_load_explicit(&hca.arena->errors, memory_order_relaxed) !=
	    atomic_load_explicit(&hca.errors_seen, memory_order_relaxed))
		requester_check_errors();
}

#endif
