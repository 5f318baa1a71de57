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
#include "way/way.h"

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
	REQUESTER_ARRIVE, /* RC: the request reaches the responder, or a hop before it */
	REQUESTER_RETURN, /* RC: the data of a read are back, or at a hop before the port */
	REQUESTER_ACK,    /* RC: the response is back; its status is in the WQE */
	REQUESTER_RESUME, /* RC: end of a timeout or of a wait: send from request idx on */
	REQUESTER_SENT,   /* UC, UD: the last byte leaves */
	REQUESTER_PACED,  /* the next message may leave */
};

/* The number of the QP that the request is for; not UD. */
static inline uint32_t requester_dest_qpn(const struct qp *qp, const struct wqe *w)
{
	return qp->dc == QP_DCI ? w->dc.dctn : qp->attr.dest_qp_num;
}

/* The QP of that number, as a destination of this one; see remote_find(). */
static inline struct remote *requester_remote(struct qp *qp, uint32_t qpn)
{
	return qp->cache ? &qp->cache[qpn % QP_DEST_CACHE] : &qp->dest;
}

/* Of a request that has a number; a DCI has many destinations. */
static inline struct remote *requester_dest(struct qp *qp, const struct wqe *w)
{
	return requester_remote(qp, requester_dest_qpn(qp, w));
}

static inline bool requester_is_before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

/* Sets a timer of that kind, enum requester_timer_kind. */
void requester_at(struct qp *qp, uint32_t kind, uint32_t idx, uint64_t due_ns, uint32_t arg);

/* requester_message.c */

/* Fills iov[] with the memory of the request. IBV_WC_SUCCESS, or why it cannot be executed. */
enum ibv_wc_status requester_gather(const struct qp *qp, const struct wqe *w,
				    struct iovec iov[SHM_MAX_SGE], uint32_t *n);
/* Fills *m, except for its data. */
void requester_message(const struct qp *qp, const struct wqe *w, struct msg *m);
/* Copies the response of a read or atomic from the bounce buffer to the memory of the request. */
void requester_copy_response(const struct qp *qp, struct wqe *w);

/* The way to a port. */
void requester_way_to(struct qp *qp, const struct wqe *w, const struct way_end *there,
		      uint64_t at_ns, struct way *way);
/* The way to the QP that the request is for, or back; of a QP that is not there: without hops. */
void requester_way(struct qp *qp, const struct wqe *w, uint64_t at_ns, bool back, struct way *way);
/* Whether message number of the QP, which leaves at this time, is lost behind the own port. */
bool requester_is_lost(struct qp *qp, const struct wqe *w, uint32_t number, uint64_t at_ns);
/* Delay of the whole way. */
uint64_t requester_delay_ns(struct qp *qp, const struct wqe *w);
/*
 * At a timer REQUESTER_ARRIVE or REQUESTER_RETURN: where the message is. On its way: the timer
 * comes again, with the next hop in its kind.
 */
enum requester_passage { REQUESTER_ARRIVED, REQUESTER_ON_ITS_WAY, REQUESTER_DROPPED };
enum requester_passage requester_pass(struct qp *qp, const struct timer *t);
/* Whether the own port is paused, so that the message has not left. Then the timer comes again. */
bool requester_is_held(struct qp *qp, const struct timer *t);
/* Whether the port of the other QP has a link. */
bool requester_peer_has_link(struct qp *qp, const struct wqe *w);

/* Whether a message takes time, on the link of the own port or of the other one. */
static inline bool requester_needs_link(struct qp *qp, const struct wqe *w)
{
	return qp->port->used || (qp->port->of_node && requester_peer_has_link(qp, w));
}

/* The kind of a timer has the hop, too, at which the message is. */
static inline uint32_t requester_kind(const struct timer *t)
{
	return t->kind & 0xff;
}

static inline uint32_t requester_hop(const struct timer *t)
{
	return t->kind >> 8;
}

static inline uint32_t requester_step(const struct timer *t, uint32_t hop)
{
	return requester_kind(t) | hop << 8;
}

/*
 * The rate of the QP: ibv_modify_qp_rate_limit(). Has the next request to wait for its turn? Then a
 * timer runs the queue.
 */
bool requester_is_paced(struct qp *qp);
/*
 * When the next request leaves, which is now, or was its turn: a timer that is late changes no
 * time. Bytes of payload count.
 */
uint64_t requester_turn(struct qp *qp, uint32_t bytes);

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
