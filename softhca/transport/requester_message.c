/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Makes a message from a request, copies responses, and has both received by the ports at which
 * they arrive; see requester.h.
 */
#include "config.h"
#include "transport/requester.h"

#include <string.h>

#include "base/gid.h"
#include "transport/key.h"
#include "transport/link.h"
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

/* ---- ports of nodes, which receive at a rate */

/* A message that is at a port now. */
struct at_port {
	struct shm_port *from, *to;
	uint32_t bytes;
};

/* Whether the port first receives others: then the timer of that kind comes later. */
static bool receives(struct qp *qp, const struct timer *t, uint32_t kind, const struct at_port *at)
{
	const struct link_arrival a = {
		.from = at->from, .at_ns = t->due_ns, .len_bytes = at->bytes,
	};
	const uint64_t later_ns = link_receive(at->to, &a);

	if (at->from->of_node || at->to->of_node)
		link_arrives(at->from, later_ns ? later_ns : t->due_ns);
	if (later_ns)
		requester_at(qp, kind, t->idx, later_ns, t->arg);
	return later_ns;
}

bool requester_receives_request(struct qp *qp, const struct timer *t)
{
	const struct wqe *w = qp_wqe(qp, t->idx);
	struct remote *dest = requester_dest(qp, w);
	struct at_port at = { .from = qp->port, .bytes = wqe_is_read(w) ? 0 : w->len };

	/* arg: it is lost */
	if (t->epoch != qp->epoch || t->arg || remote_find(dest, requester_dest_qpn(qp, w)))
		return false;
	at.to = link_port_of(dest);
	return receives(qp, t, REQUESTER_EXECUTE, &at);
}

bool requester_receives_response(struct qp *qp, const struct timer *t)
{
	const struct wqe *w = qp_wqe(qp, t->idx);
	struct remote *dest = requester_dest(qp, w);
	struct at_port at = { .to = qp->port, .bytes = w->len };

	if (requester_is_before(t->idx, qp->oldest) ||
	    !requester_is_before(t->idx, qp->next_post) ||
	    remote_find(dest, requester_dest_qpn(qp, w)))
		return false;
	at.from = link_port_of(dest);
	return receives(qp, t, REQUESTER_ACK, &at);
}

bool requester_peer_has_link(struct qp *qp, const struct wqe *w)
{
	const uint32_t qpn = qp->ib.qp_type == IBV_QPT_UD ? w->ud.qpn : requester_dest_qpn(qp, w);
	struct remote *dest = requester_remote(qp, qpn);

	return !remote_find(dest, qpn) && link_port_of(dest)->used;
}
