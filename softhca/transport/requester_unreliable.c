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

#define MARGIN_NS UINT64_C(1000000000) /* a message that is this late is not waited for */

/*
 * To all members of the group that are at this port; NULL: at any. As with InfiniBand, that
 * includes the QP of the sender.
 */
static void to_group(struct msg *m, const struct shm_port *port)
{
	uint32_t qpn[SHM_MEMBERS], n = mcast_members(m->dgid.raw, qpn), taken = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct remote r = { 0 };

		if (!remote_find(&r, qpn[i]) && (!port || link_port_of(&r) == port) &&
		    responder_execute(&r, m) == RESPONDER_OK && port && !taken++)
			link_count_arrival(&r, m->len);
		remote_release(&r);
	}
}

static void to_peer(struct qp *qp, struct msg *m)
{
	struct remote *r = requester_remote(qp, m->dest_qpn);

	if (m->multicast)
		to_group(m, NULL);
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
		const uint64_t now_ns = requester_turn(qp, w->len);
		const struct link_times times = link_send(qp->port, now_ns, w->len);

		w->paused_ps = times.paused_ps;
		record_sent(qp->ib.qp_num, qp->next_send++, link_departure(now_ns, w->len, &times));
		t.due_ns = times.sent_ns;
		(void)progress_at(&t);
		return;
	}
	if (qp->pace.kbit_s)
		(void)requester_turn(qp, w->len);
	if (!port_down(qp)) {
		requester_message(qp, w, &m);
		m.src = iov;
		m.n_iov = n;
		to_peer(qp, &m);
	}
	qp->expected = ++qp->next_send;
	complete(qp, w);
}

/* One message less is on the link. The last one wakes the threads that wait. */
static void arrived(void)
{
	if (atomic_fetch_sub(&hca.in_flight, 1) == 1 && atomic_load(&hca.waiting))
		syscall(SYS_futex, &hca.in_flight, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* A message on its way, with its data behind it in the same block. */
struct parcel {
	struct way way;
	const struct shm_port *port; /* of a message to a group: each port gets one */
	uint64_t paused_ps; /* of struct link_transit */
	struct msg msg;
	struct iovec data;
};

/* On its way: the timer comes again, with the next hop. */
static enum requester_passage pass(const struct timer *t)
{
	struct parcel *p = t->owner;
	struct link_transit at = {
		.from = p->msg.from, .way = &p->way, .hop = t->kind, .at_ns = t->due_ns,
		.len_bytes = p->msg.len,
	};
	struct timer next = *t;
	const uint64_t held_ns = at.hop && at.hop <= at.way->n ?
				 link_held_ns(link_before(&at), &p->paused_ps) : 0;

	next.due_ns += held_ns;
	if (held_ns)
		return progress_at(&next) ? REQUESTER_DROPPED : REQUESTER_ON_ITS_WAY;
	for (; at.hop < p->way.n; at.hop++) {
		next.due_ns = link_pass(&at);
		p->paused_ps = at.paused_ps;
		next.kind = at.hop + 1;
		if (next.due_ns == LINK_DROPPED)
			return REQUESTER_DROPPED;
		if (next.due_ns)
			return progress_at(&next) ? REQUESTER_DROPPED : REQUESTER_ON_ITS_WAY;
	}
	return REQUESTER_ARRIVED;
}

/* The message has left its last hop. */
static void hand_over(const struct timer *t)
{
	struct remote r = { 0 };
	struct parcel *p = t->owner;
	struct msg *m = &p->msg;

	if (m->from->of_node)
		link_arrives(m->from, t->due_ns);
	if (m->multicast)
		to_group(m, p->port);
	else if (!remote_find(&r, m->dest_qpn) && responder_execute(&r, m) == RESPONDER_OK)
		link_count_arrival(&r, m->len);
	remote_release(&r);
	record_arrived(m->src_qpn, m->number, t->due_ns);
}

static void deliver(const struct timer *t)
{
	const enum requester_passage where = pass(t);

	if (where == REQUESTER_ON_ITS_WAY)
		return;
	if (where == REQUESTER_ARRIVED)
		hand_over(t);
	free(t->owner);
	arrived();
}

/* The request as a message, with a copy of its data; NULL: no memory, or it cannot be executed. */
static struct parcel *pack(struct qp *qp, struct wqe *w)
{
	struct iovec iov[SHM_MAX_SGE];
	struct parcel *p;
	uint8_t *to;
	uint32_t n;

	if (requester_gather(qp, w, iov, &n))
		return NULL;
	p = malloc(sizeof(*p) + w->len);
	if (!p)
		return NULL;
	p->way = (struct way) { 0 };
	p->port = NULL;
	p->paused_ps = 0;
	requester_message(qp, w, &p->msg);
	to = (uint8_t *)(p + 1);
	p->data = (struct iovec) { .iov_base = to, .iov_len = w->len };
	p->msg.src = &p->data;
	p->msg.n_iov = w->len ? 1 : 0;
	for (uint32_t i = 0; i < n; i++) {
		memcpy(to, iov[i].iov_base, iov[i].iov_len);
		to += iov[i].iov_len;
	}
	return p;
}

static void put_on_way(struct parcel *p, uint64_t due_ns)
{
	const struct timer t = { .due_ns = due_ns, .run = deliver, .owner = p };

	atomic_fetch_add(&hca.in_flight, 1);
	if (progress_at(&t)) {
		free(p);
		arrived();
	}
}

/* Where a QP is; NULL: there is no such one. */
static const struct shm_port *find_port(uint32_t qpn, struct way_end *at)
{
	const struct shm_port *port = NULL;
	struct remote r = { 0 };

	if (!remote_find(&r, qpn)) {
		*at = (struct way_end) { r.peer->slot, r.s->dev, r.s->path.port };
		port = link_port_of(&r);
	}
	remote_release(&r);
	return port;
}

static bool is_among(const struct shm_port *port, const struct shm_port *const *list, uint32_t n)
{
	while (n && list[n - 1] != port)
		n--;
	return n;
}

/* To each port that has members of the group. */
static void deliver_to_ports(struct qp *qp, struct wqe *w, uint64_t due_ns)
{
	const struct settings_dev *set = &ctx_of(qp->ib.context)->settings;
	uint32_t qpn[SHM_MEMBERS], ports = 0;
	const uint32_t n = mcast_members(w->ud.ah->attr.grh.dgid.raw, qpn);
	const struct shm_port *port[SHM_MEMBERS];

	for (uint32_t i = 0; i < n; i++) {
		struct way_end there;
		struct parcel *p;

		port[ports] = find_port(qpn[i], &there);
		if (!port[ports] || is_among(port[ports], port, ports))
			continue;
		p = pack(qp, w);
		if (!p)
			return;
		p->port = port[ports++];
		requester_way_to(qp, w, &there, due_ns, &p->way);
		if (link_loses(&p->way, set, qp->ordinal, qp->messages ^ ports << 20))
			free(p);
		else
			put_on_way(p, due_ns);
	}
}

static void deliver_at(struct qp *qp, struct wqe *w, uint64_t due_ns)
{
	struct parcel *p;

	if (!qp->port->of_node)
		link_arrives(qp->port, due_ns);
	if (qp->ib.qp_type == IBV_QPT_UD && w->ud.qpn == HCA_MCAST_QPN) {
		deliver_to_ports(qp, w, due_ns);
		return;
	}
	p = pack(qp, w);
	if (!p)
		return;
	requester_way(qp, w, due_ns, false, &p->way);
	put_on_way(p, due_ns);
}

void requester_sent(struct qp *qp, struct wqe *w, uint64_t due_ns)
{
	const struct settings_dev *set = &ctx_of(qp->ib.context)->settings;
	const uint32_t number = qp->messages++, idx = qp->oldest;
	const unsigned int outcome = requester_is_lost(qp, w, number, due_ns) ? LINK_LOST :
				     link_outcome(set, qp->ordinal, number);
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
