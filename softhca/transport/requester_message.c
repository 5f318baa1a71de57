/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Makes a message from a request, says when it may leave and which way it goes, and copies
 * responses; see requester.h.
 */
#include "config.h"
#include "transport/requester.h"

#include <string.h>

#include "base/clock.h"
#include "base/gid.h"
#include "transport/key.h"
#include "transport/link.h"
#include "transport/progress.h"
#include "transport/remote.h"

/* IBA vol. 1, 10.8.1: whether the transport has this operation. */
static bool has_operation(const struct qp *qp, const struct wqe *w)
{
	switch (w->opcode) {
	case IBV_WR_SEND:
	case IBV_WR_SEND_WITH_IMM:
		return true;
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
	case IBV_WR_BIND_MW:
	case IBV_WR_LOCAL_INV:
	case IBV_WR_SEND_WITH_INV:
		return qp->ib.qp_type != IBV_QPT_UD;
	case IBV_WR_RDMA_READ:
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return qp_is_reliable(qp) && qp->attr.max_rd_atomic;
	case IBV_WR_ATOMIC_WRITE:
	case IBV_WR_FLUSH:
		return qp->ib.qp_type == IBV_QPT_RC && qp->attr.max_rd_atomic;
	default:
		return false;
	}
}

/* Of a null region: what is sent is read from zeros, what arrives is dropped (NULL). */
static void *memory_of(const struct wqe *w, const struct key_span *span)
{
	if (!span->addr)
		return wqe_is_read(w) ? NULL : hca.zeros;
	return (void *)(uintptr_t)span->addr;
}

static enum ibv_wc_status gather_sges(const struct qp *qp, const struct wqe *w,
				      struct iovec iov[SHM_MAX_SGE], uint32_t *n)
{
	uint32_t need = wqe_is_read(w) ? qp->read_sink : 0;

	for (uint32_t i = 0; i < w->n_sge; i++) {
		struct key_span span = { .addr = w->sge[i].addr, .len = w->sge[i].length };

		if (!span.len)
			continue;
		if (!key_find(hca.arena, w->sge[i].lkey, qp->s->pd, need, &span))
			return IBV_WC_LOC_PROT_ERR;
		iov[*n] = (struct iovec) {
			.iov_base = memory_of(w, &span), .iov_len = span.len,
		};
		(*n)++;
	}
	return IBV_WC_SUCCESS;
}

enum ibv_wc_status requester_gather(const struct qp *qp, const struct wqe *w,
				    struct iovec iov[SHM_MAX_SGE], uint32_t *n)
{
	*n = 0;
	if (w->refused)
		return w->refused;
	if (!has_operation(qp, w))
		return IBV_WC_LOC_QP_OP_ERR;
	if (w->len > qp->max_msg)
		return IBV_WC_LOC_LEN_ERR;
	if (w->opcode != IBV_WR_RDMA_READ && wqe_is_read(w) && w->len != 8)
		return IBV_WC_LOC_LEN_ERR;
	if (qp->dc == QP_DCI &&
	    (!w->dc.ah || container_of(w->dc.ah->ib.pd, struct pd, ib)->id != qp->s->pd))
		return IBV_WC_LOC_QP_OP_ERR;
	if (qp->ib.qp_type == IBV_QPT_UD &&
	    container_of(w->ud.ah->ib.pd, struct pd, ib)->id != qp->s->pd)
		return IBV_WC_LOC_QP_OP_ERR;
	if (!(w->flags & IBV_SEND_INLINE))
		return gather_sges(qp, w, iov, n);
	iov[0] = (struct iovec) { .iov_base = (void *)(uintptr_t)w->data, .iov_len = w->len };
	*n = w->len ? 1 : 0;
	return IBV_WC_SUCCESS;
}

/* The type of the QPs that take its messages. */
static uint32_t type_of_peer(const struct qp *qp)
{
	return qp->dc == QP_DCI			    ? (uint32_t)SHM_QPT_DCT :
	       qp->ib.qp_type == IBV_QPT_XRC_SEND ? IBV_QPT_XRC_RECV :
						    qp->ib.qp_type;
}

void requester_message(const struct qp *qp, const struct wqe *w, struct msg *m)
{
	const struct ibv_ah_attr *ah = &qp->attr.ah_attr;

	*m = (struct msg) {
		.opcode = w->opcode,
		.type = type_of_peer(qp),
		.imm = w->imm,
		.len = w->len,
		.src_qpn = qp->ib.qp_num,
		.rkey = w->rkey,
		.srqn = w->srqn,
		.number = qp->oldest,
		.raddr = w->raddr,
		.solicited = !!(w->flags & IBV_SEND_SOLICITED),
		.mig_state = atomic_load_explicit(&qp->s->path.state, memory_order_relaxed),
		.from = qp->port,
		.pkey = qp->s->pkey,
		.mtu = qp->s->mtu,
	};
	if (qp->ib.qp_type == IBV_QPT_UD) {
		ah = &w->ud.ah->attr;
		m->dest_qpn = w->ud.qpn;
		/* IBA vol. 1, 10.2.5: if the top bit is set, the Q_Key of the QP is sent */
		m->qkey = w->ud.qkey >> 31 ? qp->attr.qkey : w->ud.qkey;
		m->sgid = gid_of_port(qp->s->dev, qp->attr.port_num, ah->grh.sgid_index);
		m->multicast = m->dest_qpn == HCA_MCAST_QPN;
	} else {
		m->dest_qpn = requester_dest_qpn(qp, w);
		m->rq_psn = qp->attr.sq_psn;
		m->compare = w->compare;
		m->swap = w->swap;
	}
	if (qp->dc == QP_DCI) {
		ah = &w->dc.ah->attr;
		m->dc_key = w->dc.key;
	}
	m->has_grh = ah->is_global;
	m->dlid = ah->dlid;
	m->sgid_index = ah->grh.sgid_index;
	m->dgid = ah->grh.dgid;
	m->sl = ah->sl;
}

void requester_copy_response(const struct qp *qp, struct wqe *w)
{
	struct iovec iov[SHM_MAX_SGE];
	const uint8_t *from = w->bounce;
	uint32_t n;

	if (!from || requester_gather(qp, w, iov, &n))
		return;
	for (uint32_t i = 0; i < n; i++) {
		if (iov[i].iov_base)
			memcpy(iov[i].iov_base, from, iov[i].iov_len);
		from += iov[i].iov_len;
	}
}

/* ---- the way to the port that receives the message */

static uint32_t qpn_of_peer(const struct qp *qp, const struct wqe *w)
{
	return qp->ib.qp_type == IBV_QPT_UD ? w->ud.qpn : requester_dest_qpn(qp, w);
}

static uint32_t flow_label(const struct qp *qp, const struct wqe *w)
{
	if (qp->ib.qp_type == IBV_QPT_UD)
		return w->ud.ah->attr.grh.flow_label;
	return qp->dc == QP_DCI ? w->dc.ah->attr.grh.flow_label :
				  qp->attr.ah_attr.grh.flow_label;
}

void requester_way_to(struct qp *qp, const struct wqe *w, const struct way_end *there,
		      uint64_t at_ns, struct way *way)
{
	way_find(&(struct way_ends) {
		.from = { hca.slot, qp->s->dev, qp->s->path.port }, .to = *there,
		.label = way_label(flow_label(qp, w), qp->ib.qp_num, qpn_of_peer(qp, w)),
	}, at_ns, way);
}

void requester_way(struct qp *qp, const struct wqe *w, uint64_t at_ns, bool back, struct way *way)
{
	const uint32_t qpn = qpn_of_peer(qp, w);
	struct remote *dest = requester_remote(qp, qpn);
	const struct way_end own = { hca.slot, qp->s->dev, qp->s->path.port };
	struct way_end there;

	*way = (struct way) { 0 };
	if (remote_find(dest, qpn))
		return;
	there = (struct way_end) { dest->peer->slot, dest->s->dev, dest->s->path.port };
	way_find(&(struct way_ends) {
		.from = back ? there : own, .to = back ? own : there,
		.label = way_label(flow_label(qp, w), qp->ib.qp_num, qpn),
	}, at_ns, way);
}

bool requester_is_lost(struct qp *qp, const struct wqe *w, uint32_t number, uint64_t at_ns)
{
	struct way way;

	if (!hca_settings()->topology)
		return false;
	requester_way(qp, w, at_ns, false, &way);
	return link_loses(&way, &ctx_of(qp->ib.context)->settings, qp->ordinal, number);
}

uint64_t requester_delay_ns(struct qp *qp, const struct wqe *w)
{
	struct way way = { 0 };

	if (hca_settings()->topology)
		requester_way(qp, w, hca.origin_ns, false, &way);
	return link_delay_ns(qp->port) + way.delay_ns * way.has_delay;
}

/* The same timer, in its order: messages of a QP do not pass each other. */
static enum requester_passage again(const struct timer *t, uint32_t hop, uint64_t due_ns)
{
	struct timer later = *t;

	later.due_ns = due_ns;
	later.kind = requester_step(t, hop);
	(void)progress_at(&later);
	return REQUESTER_ON_ITS_WAY;
}

bool requester_is_held(struct qp *qp, const struct timer *t)
{
	const uint64_t ns = link_held_ns(&qp->port->turn, &qp_wqe(qp, t->idx)->paused_ps);

	return ns && again(t, 0, t->due_ns + ns) == REQUESTER_ON_ITS_WAY;
}

enum requester_passage requester_pass(struct qp *qp, const struct timer *t)
{
	struct wqe *w = qp_wqe(qp, t->idx);
	const bool back = requester_kind(t) == REQUESTER_RETURN;
	struct link_transit at = {
		.from = qp->port, .hop = requester_hop(t), .kept = back, .at_ns = t->due_ns,
		.len_bytes = wqe_is_read(w) && !back ? 0 : w->len,
	};
	struct way way;
	uint64_t later_ns;

	requester_way(qp, w, t->due_ns, back, &way);
	if (way.n < at.hop || !way.n)
		return REQUESTER_ARRIVED; /* the peer has gone */
	if (back)
		at.from = link_port_of(requester_dest(qp, w));
	at.way = &way;
	later_ns = link_held_ns(link_before(&at), &w->paused_ps);
	if (later_ns)
		return again(t, at.hop, t->due_ns + later_ns);
	for (; at.hop < way.n; at.hop++) {
		later_ns = link_pass(&at);
		w->paused_ps = at.paused_ps;
		if (later_ns == LINK_DROPPED)
			return REQUESTER_DROPPED;
		if (later_ns)
			return again(t, at.hop + 1, later_ns);
	}
	link_arrives(at.from, t->due_ns);
	return REQUESTER_ARRIVED;
}

bool requester_peer_has_link(struct qp *qp, const struct wqe *w)
{
	const uint32_t qpn = qpn_of_peer(qp, w);
	struct remote *dest = requester_remote(qp, qpn);

	return !remote_find(dest, qpn) && link_port_of(dest)->used;
}

/*
 * ---- the rate of a QP
 *
 * Between the first bytes of two of its messages there is at least the time that the first one
 * takes at this rate, whatever the link does.
 */

#define KBIT_NS 8000000u /* ns of a byte at 1 kbit/s */

bool requester_is_paced(struct qp *qp)
{
	struct qp_pace *p = &qp->pace;
	struct timer t = {
		.due_ns = p->free_ns, .run = requester_timer, .owner = qp,
		.kind = REQUESTER_PACED, .epoch = qp->epoch,
	};

	if (!p->kbit_s || p->free_ns <= clock_now())
		return false;
	if (!p->timed)
		p->timed = !progress_at(&t);
	return true;
}

uint64_t requester_turn(struct qp *qp, uint32_t bytes)
{
	struct qp_pace *p = &qp->pace;
	const uint64_t now_ns = clock_now();
	const uint64_t at_ns = p->waits || p->free_ns > now_ns ? p->free_ns : now_ns;

	if (!p->kbit_s)
		return now_ns;
	p->free_ns = at_ns + ((uint64_t)bytes * KBIT_NS + p->kbit_s - 1) / p->kbit_s;
	return at_ns;
}
