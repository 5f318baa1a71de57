/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The responder: checks of a message, and operations that need no receive; see responder.h. */
#include "config.h"
#include "transport/responder.h"

#include "base/lock.h"
#include "transport/async.h"
#include "transport/key.h"
#include "transport/migrate.h"
#include "transport/path.h"
#include "transport/progress.h"

uint64_t responder_rnr_ns(uint8_t code)
{
	static const uint32_t us[32] = {
		655360, 10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960, 1280, 1920,
		2560, 3840, 5120, 7680, 10240, 15360, 20480, 30720, 40960, 61440, 81920, 122880,
		163840, 245760, 327680, 491520,
	};

	return us[code & 31] * UINT64_C(1000);
}

/* Of a FLUSH, which has no payload: the length is in compare, type and level are in swap. */
static uint8_t flush_type(const struct msg *m)
{
	return (uint8_t)m->swap;
}

static uint64_t flush_level(const struct msg *m)
{
	return m->swap >> 8;
}

/* A FLUSH of the whole region may name any address: check_rkey() of rxe_resp.c. */
static struct key_span span_of(const struct remote *r, const struct msg *m)
{
	const struct shm_mr *row = &r->peer->arena->mr[(m->rkey >> 8) & (SHM_MRS - 1)];
	const bool flush = m->opcode == IBV_WR_FLUSH;

	if (flush && flush_level(m) == IBV_FLUSH_MR)
		return (struct key_span) { .addr = row->iova };
	return (struct key_span) { .addr = m->raddr, .len = flush ? m->compare : m->len };
}

static struct shm_mr *target(struct remote *r, const struct msg *m, uint32_t need, uint64_t *addr)
{
	struct key_span span = span_of(r, m);
	struct shm_mr *mr = key_find(r->peer->arena, m->rkey, r->pd, need, &span);

	*addr = span.addr;
	if (mr && mr->type == SHM_MW2 && mr->qpn != r->s->qpn)
		return NULL;
	return mr;
}

static enum responder_result write_to(struct remote *r, const struct msg *m, struct shm_mr *mr,
				      uint64_t addr)
{
	for (uint32_t i = 0; i < m->n_iov; i++) {
		if (peer_put_bytes(r->peer, mr, addr, m->src[i].iov_base, m->src[i].iov_len))
			return RESPONDER_OP_ERROR;
		addr += m->src[i].iov_len;
	}
	return RESPONDER_OK;
}

static enum responder_result read_from(struct remote *r, const struct msg *m, struct shm_mr *mr,
				       uint64_t addr)
{
	for (uint32_t i = 0; i < m->n_iov; i++) {
		if (m->into[i].iov_base &&
		    peer_get_bytes(r->peer, mr, addr, m->into[i].iov_base, m->into[i].iov_len))
			return RESPONDER_OP_ERROR;
		addr += m->into[i].iov_len;
	}
	return RESPONDER_OK;
}

/*
 * Memory that is not shared: the lock of the fabric makes the operation atomic among emulated HCAs.
 */
static enum responder_result atomic_far(struct remote *r, struct msg *m, struct shm_mr *mr,
					uint64_t addr)
{
	uint64_t v;
	int rc;

	lock_take_shared(&hca.fabric->lock);
	rc = peer_get_bytes(r->peer, mr, addr, &v, 8);
	m->old = v;
	if (m->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
		v += m->compare;
	else if (m->opcode == IBV_WR_ATOMIC_WRITE || v == m->compare)
		v = m->swap;
	if (!rc)
		rc = peer_put_bytes(r->peer, mr, addr, &v, 8);
	lock_drop_shared(&hca.fabric->lock);
	return rc ? RESPONDER_OP_ERROR : RESPONDER_OK;
}

static enum responder_result atomic_on(struct remote *r, struct msg *m, struct shm_mr *mr,
				       uint64_t addr)
{
	uint64_t n, *p;

	if (mr->kind == SHM_MR_PRIVATE)
		return atomic_far(r, m, mr, addr);
	p = (uint64_t *)(void *)peer_ptr(r->peer, addr, &n);
	if (!p || n < sizeof(*p))
		return RESPONDER_OP_ERROR;
	if (m->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		m->old = __atomic_fetch_add(p, m->compare, __ATOMIC_SEQ_CST);
		return RESPONDER_OK;
	}
	if (m->opcode == IBV_WR_ATOMIC_WRITE) {
		__atomic_store_n(p, m->swap, __ATOMIC_SEQ_CST);
		return RESPONDER_OK;
	}
	m->old = m->compare;
	__atomic_compare_exchange_n(p, &m->old, m->swap, false, __ATOMIC_SEQ_CST,
				    __ATOMIC_SEQ_CST);
	return RESPONDER_OK;
}

/* What the QP and the region must grant; 0: there is no such operation. */
static uint32_t rights(const struct msg *m)
{
	switch (m->opcode) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
	case IBV_WR_ATOMIC_WRITE:
		return IBV_ACCESS_REMOTE_WRITE;
	case IBV_WR_RDMA_READ:
		return IBV_ACCESS_REMOTE_READ;
	case IBV_WR_FLUSH:
		if (flush_type(m) & ~(IBV_FLUSH_GLOBAL | IBV_FLUSH_PERSISTENT) ||
		    flush_level(m) > IBV_FLUSH_MR)
			return 0;
		return (flush_type(m) & IBV_FLUSH_GLOBAL ? IBV_ACCESS_FLUSH_GLOBAL : 0) |
		       (flush_type(m) & IBV_FLUSH_PERSISTENT ? IBV_ACCESS_FLUSH_PERSISTENT : 0);
	default:
		return IBV_ACCESS_REMOTE_ATOMIC;
	}
}

/*
 * IBA vol. 1, annex A19: what the QP wrote before is seen by all, or persists. Here a write is in
 * the memory of its process once it is executed; no process has memory that persists.
 */
static enum responder_result flush(void)
{
	atomic_thread_fence(memory_order_seq_cst);
	return RESPONDER_OK;
}

/*
 * The QP must grant the operation, and then the region must. If the QP does not, the answer is an
 * invalid request, as with Soft-RoCE (drivers/infiniband/sw/rxe/rxe_resp.c, check_op_valid).
 */
enum responder_result responder_one_sided(struct remote *r, struct msg *m)
{
	bool write = m->opcode == IBV_WR_RDMA_WRITE || m->opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
	bool read = m->opcode == IBV_WR_RDMA_READ, flushes = m->opcode == IBV_WR_FLUSH;
	uint32_t need = rights(m);
	struct shm_mr *mr;
	uint64_t addr;

	if (!need || (r->s->access & need) != need || (!write && !r->s->max_dest_rd_atomic))
		return RESPONDER_INVALID;
	if (!write && !read && !flushes && m->raddr & 7)
		return RESPONDER_INVALID;
	if (!m->len && !flushes)
		return RESPONDER_OK; /* IBA vol. 1, 9.7.4.1.5: the key is not checked */
	mr = target(r, m, need, &addr);
	if (!mr)
		return RESPONDER_ACCESS;
	return write ? write_to(r, m, mr, addr) :
	       read ? read_from(r, m, mr, addr) :
	       flushes ? flush() : atomic_on(r, m, mr, addr);
}

/* A packet that is larger than the MTU of a port is dropped there. */
static bool fits(const struct remote *r, const struct msg *m, uint32_t port)
{
	const uint8_t own = m->from->addr.mtu;
	const uint8_t to = hca_port(r->peer->slot, r->s->dev, port)->addr.mtu;
	const uint32_t packet = m->mtu && m->len > path_mtu(m->mtu) ? path_mtu(m->mtu) : m->len;

	return packet <= path_mtu(own < to ? own : to);
}

/* The P_Keys of both QPs; a wrong one is counted, and the message dropped (IBA vol. 1, 10.9.4). */
static bool is_member(struct remote *r, const struct msg *m, uint32_t port)
{
	if (path_pkeys_match(m->pkey, r->s->pkey))
		return true;
	atomic_fetch_add(&hca_port(r->peer->slot, r->s->dev, port)->pkey_violations, 1);
	return false;
}

/* Whether the QP accepts messages of this sender. If not, it does not answer. */
static bool accepts(struct remote *r, const struct msg *m)
{
	const struct shm_qp *s = r->s;
	uint32_t state = atomic_load_explicit(&s->state, memory_order_relaxed), port;

	if (s->qpn != r->qpn || s->type != m->type)
		return false;
	if (state != IBV_QPS_RTR && state != IBV_QPS_RTS && state != IBV_QPS_SQD &&
	    state != IBV_QPS_SQE)
		return false;
	port = path_port(r, m);
	if (!port || atomic_load_explicit(&hca_port(r->peer->slot, s->dev, port)->down,
					  memory_order_relaxed))
		return false;
	if (!is_member(r, m, port) || !fits(r, m, port))
		return false;
	if (m->type == IBV_QPT_UD || m->type == SHM_QPT_DCT)
		return port == s->path.port;
	return s->dest_qpn == m->src_qpn && s->rq_psn == m->rq_psn && migrate_accepts(r, m, port);
}

static enum responder_result dispatch(struct remote *r, struct msg *m)
{
	switch (m->opcode) {
	case IBV_WR_RDMA_WRITE_WITH_IMM:
	case IBV_WR_SEND:
	case IBV_WR_SEND_WITH_IMM:
	case IBV_WR_SEND_WITH_INV:
		return responder_receive(r, m);
	default:
		return responder_one_sided(r, m);
	}
}

/*
 * A request that cannot be executed ends the connection (IBA vol. 1, 9.7.5.2.4): a class C error
 * puts the responder into the error state and raises an event there.
 */
static void fail(struct remote *r, enum responder_result res)
{
	async_qp(r->peer, r->s, res == RESPONDER_ACCESS ? IBV_EVENT_QP_ACCESS_ERR :
		 IBV_EVENT_QP_REQ_ERR);
	responder_error(r->peer, r->s);
}

/*
 * The queue, the CQ and the PD of the message. With XRC, they are of the SRQ that it names (IBA
 * vol. 1, annex A14). False: there is no such SRQ in the domain of the QP.
 */
static bool resolve(struct remote *r, const struct msg *m)
{
	struct shm_arena *arena = r->peer->arena;

	r->srqn = m->srqn;
	if (m->type != IBV_QPT_XRC_RECV) {
		r->srq = r->s->srq ? &arena->srq[(r->s->srq - 1) % SHM_SRQS] : NULL;
		r->pd = r->s->pd;
		r->recv_cq = r->s->recv_cq;
		return true;
	}
	r->srq = &arena->srq[m->srqn % SHM_SRQS];
	r->pd = r->srq->pd;
	r->recv_cq = r->srq->cq;
	return m->srqn && r->srq->num == m->srqn && r->srq->xrcd == r->s->xrcd;
}

/* Whether the error ends a connection of the responder. That of DC ends for the DCI alone. */
static bool has_connection(const struct msg *m)
{
	return m->type == IBV_QPT_RC || m->type == IBV_QPT_XRC_RECV;
}

/* A DCT takes only requests that have its key. */
static bool has_key(const struct remote *r, const struct msg *m)
{
	return m->type != SHM_QPT_DCT || m->dc_key == r->s->dc_key;
}

/*
 * Packets of the message are longer than the path MTU of this side (IBA vol. 1, 9.7.4.1.6: invalid
 * request).
 */
static bool is_too_long(const struct remote *r, const struct msg *m)
{
	return m->mtu > r->s->mtu && r->s->mtu && m->len > path_mtu(r->s->mtu);
}

static void set_partner(uint32_t of, uint32_t partner)
{
	_Atomic uint32_t *at = &hca.fabric->proc[of % SHM_PROCS].partner;

	/* other processors read it often */
	if (atomic_load_explicit(at, memory_order_relaxed) != partner + 1)
		atomic_store_explicit(at, partner + 1, memory_order_relaxed);
}

enum responder_result responder_execute(struct remote *r, struct msg *m)
{
	enum responder_result res = RESPONDER_NO_ANSWER;

	if (!r->peer->self) {
		set_partner(hca.slot, r->peer->slot);
		set_partner(r->peer->slot, hca.slot);
	}
	lock_take_shared(&r->s->lock);
	if (accepts(r, m)) {
		res = !resolve(r, m) || is_too_long(r, m) ? RESPONDER_INVALID :
		      !has_key(r, m) ? RESPONDER_ACCESS :
				       dispatch(r, m);
		if (has_connection(m) && (res == RESPONDER_INVALID || res == RESPONDER_ACCESS))
			fail(r, res);
	}
	lock_drop_shared(&r->s->lock);
	if (!r->peer->self)
		progress_delivered(r->peer->slot);
	return res;
}
