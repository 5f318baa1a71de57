/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The requester: carries out a QP's send queue, on the link or at once, with its retries, and
 * completes it in order. Called by sq.c after posting and by agenda.c for events.
 */
#ifndef REQ_H
#define REQ_H

#include "hca.h"
#include "agenda.h"

struct msg;

/* All under qp->lock but req_event(), req_attend() and req_poll(). */
void req_pump(struct qp *qp);
void req_error(struct qp *qp, enum ibv_qp_state state); /* into ERR or SQE: everything flushed */
void req_flush(struct qp *qp);
void req_reset(struct qp *qp);
void req_event(const struct agenda_event *event);
/* QPs of this process that a peer has put into the error state have their sends flushed. */
void req_attend(void);

static inline void req_poll(void)
{
	if (hca.arena && atomic_load_explicit(&hca.arena->attention, memory_order_relaxed) !=
	    atomic_load_explicit(&hca.attention_seen, memory_order_relaxed))
		req_attend();
}

/* req_msg.c */
/* Whether this request is one the QP can carry out, and its memory; len of w->len bytes. */
enum ibv_wc_status req_gather(const struct qp *qp, const struct wqe *w,
			      struct iovec iov[SHM_MAX_SGE], uint32_t *n);
void req_message(const struct qp *qp, const struct wqe *w, struct msg *m);
bool req_is_read(const struct wqe *w);
bool req_is_local(const struct wqe *w);
/* A read's or atomic's answer, into the memory the request names. */
void req_land(const struct qp *qp, struct wqe *w);

/* req_ud.c: unreliable transports */
void req_fire(struct qp *qp, struct wqe *w, const struct iovec *iov, uint32_t n);
void req_sent(struct qp *qp, struct wqe *w, uint64_t due_ns);
void req_deliver(struct msg *m);
/*
 * Waits until the messages in flight have arrived. They do also when their sender goes away; only
 * what is later than the slowest link allows, by a second, is not waited for.
 */
void req_settle(void);

/* req_done.c: the end of requests */
void req_retire(struct qp *qp);

#endif
