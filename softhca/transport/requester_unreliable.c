/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Requests of UC and UD complete when their last byte leaves, whether the message arrives or not. A
 * message on the link belongs to no QP: it arrives also if its QP is destroyed. See requester.h.
 */
#include "config.h"
#include "transport/requester.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mcast.h"
#include "record/record.h"
#include "transport/link.h"
#include "transport/progress.h"
#include "transport/responder.h"

/* Kinds of the timer of a message: its port has received it. */
enum { COMES, RECEIVED };

#define MARGIN_NS UINT64_C(1000000000) /* a message that is this late is not waited for */

/* To all members of the group. As with InfiniBand, that includes the QP of the sender. */
static void to_group(struct msg *m)
{
	uint32_t qpn[SHM_MEMBERS], n = mcast_members(m->dgid.raw, qpn);

	for (uint32_t i = 0; i < n; i++) {
		struct remote r = { 0 };

		if (!remote_find(&r, qpn[i]))
			responder_execute(&r, m);
		remote_release(&r);
	}
}

static void to_peer(struct qp *qp, struct msg *m)
{
	struct remote *r = requester_remote(qp, m->dest_qpn);

	if (m->multicast)
		to_group(m);
	else if (!remote_find(r, m->dest_qpn))
		responder_execute(r, m);
}

static bool port_down(const struct qp *qp)
{
	return atomic_load_explicit(&qp->port->down, memory_order_relaxed);
}

static void complete(struct qp *qp, struct wqe *w)
{
	w->acked = true;
	w->status = IBV_WC_SUCCESS;
	requester_complete(qp);
}

void requester_send_unreliable(struct qp *qp, struct wqe *w, const struct iovec *iov, uint32_t n)
{
	struct timer t = {
		.run = requester_timer, .owner = qp, .kind = REQUESTER_SENT, .idx = qp->next_send,
		.epoch = qp->epoch,
	};
	struct msg m;

	if (requester_needs_link(qp, w)) {
		const uint64_t now_ns = clock_now();
		const struct link_times times = link_send(qp->port, now_ns, w->len);

		record_sent(qp->ib.qp_num, qp->next_send++, link_departure(now_ns, w->len, &times));
		t.due_ns = times.sent_ns;
		(void)progress_at(&t);
		return;
	}
	if (!port_down(qp)) {
		requester_message(qp, w, &m);
		m.src = iov;
		m.n_iov = n;
		to_peer(qp, &m);
	}
	qp->expected = ++qp->next_send;
	complete(qp, w);
}

/* A copy of the message, with its data behind it in the same block. */
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

/* One message less is on the link. The last one wakes the threads that wait. */
static void arrived(void)
{
	if (atomic_fetch_sub(&hca.in_flight, 1) == 1 && atomic_load(&hca.waiting))
		syscall(SYS_futex, &hca.in_flight, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/*
 * Whether the port of the QP first receives other messages: then the timer comes again, later. A
 * message to a group is not held up.
 */
static bool receives_later(const struct timer *t, const struct remote *r)
{
	const struct msg *m = t->owner;
	const struct link_arrival a = { .from = m->from, .at_ns = t->due_ns, .len_bytes = m->len };
	struct timer again = *t;

	again.due_ns = link_receive(link_port_of(r), &a);
	again.kind = RECEIVED;
	return again.due_ns && !progress_at(&again);
}

static void deliver(const struct timer *t)
{
	struct remote r = { 0 };
	struct msg *m = t->owner;
	const bool found = !m->multicast && !remote_find(&r, m->dest_qpn);

	if (found && t->kind != RECEIVED && receives_later(t, &r)) {
		remote_release(&r);
		return;
	}
	if (m->from->of_node)
		link_arrives(m->from, t->due_ns);
	if (m->multicast)
		to_group(m);
	else if (found && responder_execute(&r, m) == RESPONDER_OK)
		link_count_arrival(&r, m->len);
	remote_release(&r);
	record_arrived(m->src_qpn, m->number, t->due_ns);
	free(m);
	arrived();
}

static void deliver_at(struct qp *qp, struct wqe *w, uint64_t due_ns)
{
	struct iovec iov[SHM_MAX_SGE];
	struct timer t = { .due_ns = due_ns, .run = deliver };
	struct msg m;
	uint32_t n;

	if (requester_gather(qp, w, iov, &n))
		return;
	requester_message(qp, w, &m);
	t.owner = copy(&m, iov, n);
	if (!t.owner)
		return;
	if (!qp->port->of_node)
		link_arrives(qp->port, due_ns);
	atomic_fetch_add(&hca.in_flight, 1);
	if (progress_at(&t)) {
		free(t.owner);
		arrived();
	}
}

void requester_sent(struct qp *qp, struct wqe *w, uint64_t due_ns)
{
	const struct settings_dev *set = &ctx_of(qp->ib.context)->settings;
	const uint32_t number = qp->messages++, idx = qp->oldest;
	const unsigned int outcome = link_outcome(set, qp->ordinal, number);
	const uint64_t arrives = requester_arrival(qp, number, due_ns + link_delay_ns(qp->port));

	link_count(qp->port, &(struct link_message){ .outcome = outcome, .bytes = w->len });
	if (!(outcome & LINK_LOST) && !port_down(qp)) {
		deliver_at(qp, w, arrives + (outcome & LINK_REORDERED ? set->reorder_ns : 0));
		if (outcome & LINK_DUPLICATED)
			deliver_at(qp, w, arrives);
	}
	qp->expected = qp->oldest + 1;
	complete(qp, w);
	record_completed(qp->ib.qp_num, idx, due_ns);
}

static uint64_t longest_delay_ns(void)
{
	const struct settings_dev *set = hca_settings()->dev;
	uint64_t max = 0;

	for (uint32_t i = 0; i < SHM_DEVS; i++) {
		uint64_t ns = set[i].delay_ns + set[i].reorder_ns +
			      LINK_JITTER_MAX * set[i].jitter_ns;

		max = ns > max ? ns : max;
	}
	return max;
}

void requester_wait_in_flight(void)
{
	uint64_t now = clock_now(), end = now + longest_delay_ns() + MARGIN_NS;
	uint32_t n;

	progress_sleep(); /* the progress thread delivers the messages */
	atomic_fetch_add(&hca.waiting, 1);
	while ((n = atomic_load(&hca.in_flight)) && now < end) {
		struct timespec left = {
			.tv_sec = (time_t)((end - now) / 1000000000),
			.tv_nsec = (long)((end - now) % 1000000000),
		};

		syscall(SYS_futex, &hca.in_flight, FUTEX_WAIT_PRIVATE, n, &left, NULL, 0);
		now = clock_now();
	}
	atomic_fetch_sub(&hca.waiting, 1);
}
