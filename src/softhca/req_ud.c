/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * UC and UD: requests complete when they have left, whatever becomes of them. Copies in flight
 * belong to no QP, as packets on a wire. Called by req.c, under qp->lock but req_deliver().
 */
#include "config.h"
#include "req.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine.h"
#include "exec.h"
#include "fabric.h"
#include "wire.h"

#define SETTLE_NS UINT64_C(1000000000) /* later than this is never */

static struct remote *cached(struct qp *qp, uint32_t qpn)
{
	return qp->cache ? &qp->cache[qpn % QP_DEST_CACHE] : &qp->dest;
}

/* To all members of the group but, as with InfiniBand, nobody else; the sender's QP included. */
static void to_group(struct msg *m)
{
	uint32_t qpn[SHM_MEMBERS], n = fabric_members(m->dgid.raw, qpn);

	for (uint32_t i = 0; i < n; i++) {
		struct remote r = { 0 };

		if (!exec_find(&r, qpn[i]))
			exec(&r, m);
		exec_forget(&r);
	}
}

static void to_peer(struct qp *qp, struct msg *m)
{
	struct remote *r = cached(qp, m->dest_qpn);

	if (m->multicast)
		to_group(m);
	else if (!exec_find(r, m->dest_qpn))
		exec(r, m);
}

static bool port_down(const struct qp *qp)
{
	return atomic_load_explicit(&qp->port->down, memory_order_relaxed);
}

static void done(struct qp *qp, struct wqe *w)
{
	w->acked = true;
	w->status = IBV_WC_SUCCESS;
	req_retire(qp);
}

void req_fire(struct qp *qp, struct wqe *w, const struct iovec *iov, uint32_t n)
{
	struct agenda_event e = {
		.qp = qp, .kind = AGENDA_SENT, .idx = qp->nxt, .epoch = qp->epoch,
	};
	struct msg m;

	if (qp->port->used) {
		e.due_ns = wire_send(qp->port, agenda_now(), w->len).sent_ns;
		qp->nxt++;
		(void)agenda_push(&e);
		return;
	}
	if (!port_down(qp)) {
		req_message(qp, w, &m);
		m.src = iov;
		m.n_iov = n;
		to_peer(qp, &m);
	}
	qp->exp = ++qp->nxt;
	done(qp, w);
}

/* The message with its bytes behind it, one block. */
static struct msg *copy(const struct msg *m, const struct iovec *iov, uint32_t n)
{
	struct msg *c = malloc(sizeof(*c) + sizeof(struct iovec) + m->len);
	struct iovec *one;
	uint8_t *to;

	if (!c)
		return NULL;
	*c = *m;
	one = (struct iovec *)(void *)(c + 1);
	to = (uint8_t *)(one + 1);
	*one = (struct iovec) { .iov_base = to, .iov_len = m->len };
	c->src = one;
	c->n_iov = m->len ? 1 : 0;
	for (uint32_t i = 0; i < n; i++) {
		memcpy(to, iov[i].iov_base, iov[i].iov_len);
		to += iov[i].iov_len;
	}
	return c;
}

static void landed(void)
{
	if (atomic_fetch_sub(&hca.in_flight, 1) == 1 && atomic_load(&hca.settling))
		syscall(SYS_futex, &hca.in_flight, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static void fly(struct qp *qp, struct wqe *w, uint64_t due_ns)
{
	struct iovec iov[SHM_MAX_SGE];
	struct agenda_event e = { .due_ns = due_ns, .kind = AGENDA_DELIVER };
	struct msg m;
	uint32_t n;

	if (req_gather(qp, w, iov, &n))
		return;
	req_message(qp, w, &m);
	e.msg = copy(&m, iov, n);
	if (!e.msg)
		return;
	atomic_fetch_add(&hca.in_flight, 1);
	if (agenda_push(&e)) {
		free(e.msg);
		landed();
	}
}

/* The last byte has left: the message is on its way, or not, or twice, and the request is done. */
void req_sent(struct qp *qp, struct wqe *w, uint64_t due_ns)
{
	const struct cfg_dev *cfg = &ctx_of(qp->ib.context)->cfg;
	unsigned int fate = wire_fate(cfg, qp->ordinal, qp->messages++);
	uint64_t arrives = due_ns + wire_delay_ns(qp->port);

	wire_count(qp->port, fate);
	if (!(fate & WIRE_LOST) && !port_down(qp)) {
		fly(qp, w, arrives + (fate & WIRE_REORDERED ? cfg->reorder_ns : 0));
		if (fate & WIRE_DUPLICATED)
			fly(qp, w, arrives);
	}
	qp->exp = qp->una + 1;
	done(qp, w);
}

void req_deliver(struct msg *m)
{
	struct remote r = { 0 };

	if (m->multicast)
		to_group(m);
	else if (!exec_find(&r, m->dest_qpn))
		exec(&r, m);
	exec_forget(&r);
	free(m);
	landed();
}

static uint64_t longest_flight_ns(void)
{
	uint64_t max = 0;

	for (uint32_t i = 0; i < SHM_DEVS; i++) {
		uint64_t ns = cfg_dev(i)->delay_ns + cfg_dev(i)->reorder_ns;

		max = ns > max ? ns : max;
	}
	return max;
}

/* The engine delivers meanwhile. The last to land wakes whoever said that it waits. */
void req_settle(void)
{
	uint64_t now = agenda_now(), end = now + longest_flight_ns() + SETTLE_NS;
	uint32_t n;

	engine_sleep();
	atomic_fetch_add(&hca.settling, 1);
	while ((n = atomic_load(&hca.in_flight)) && now < end) {
		struct timespec left = {
			.tv_sec = (time_t)((end - now) / 1000000000),
			.tv_nsec = (long)((end - now) % 1000000000),
		};

		syscall(SYS_futex, &hca.in_flight, FUTEX_WAIT_PRIVATE, n, &left, NULL, 0);
		now = agenda_now();
	}
	atomic_fetch_sub(&hca.settling, 1);
}
