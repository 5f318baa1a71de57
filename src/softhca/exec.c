/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The responder's side, see exec.h: finding the QP, and what needs no receive. */
#include "config.h"
#include "exec.h"

#include <errno.h>
#include <string.h>

#include "dev.h"
#include "fabric.h"
#include "mr.h"

void exec_forget(struct remote *r)
{
	if (r->peer)
		peer_put(r->peer);
	*r = (struct remote) { 0 };
}

int exec_find(struct remote *r, uint32_t qpn)
{
	uint64_t dir = fabric_find(qpn);

	if (r->peer && r->dir == dir && dir &&
	    !atomic_load_explicit(&r->peer->dead, memory_order_relaxed))
		return 0;
	exec_forget(r);
	if (!dir)
		return -ESRCH;
	r->peer = peer_get(fabric_dir_slot(dir), fabric_dir_gen(dir));
	if (!r->peer)
		return -ESRCH;
	r->s = &r->peer->arena->qp[fabric_dir_qp(dir)];
	r->dir = dir;
	r->qpn = qpn;
	return 0;
}

uint64_t exec_rnr_ns(uint8_t code)
{
	static const uint32_t us[32] = {
		655360, 10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960, 1280, 1920,
		2560, 3840, 5120, 7680, 10240, 15360, 20480, 30720, 40960, 61440, 81920, 122880,
		163840, 245760, 327680, 491520,
	};

	return us[code & 31] * UINT64_C(1000);
}

static struct shm_mr *target(struct remote *r, const struct msg *m, uint32_t need, uint64_t *addr)
{
	struct mr_span span = { .addr = m->raddr, .len = m->len };
	struct shm_mr *mr = mr_find(r->peer->arena, m->rkey, r->s->pd, need, &span);

	*addr = span.addr;
	if (mr && mr->type == SHM_MW2 && mr->qpn != r->s->qpn)
		return NULL;
	return mr;
}

static enum exec_result write_to(struct remote *r, const struct msg *m, struct shm_mr *mr,
				 uint64_t addr)
{
	for (uint32_t i = 0; i < m->n_iov; i++) {
		if (peer_put_bytes(r->peer, mr, addr, m->src[i].iov_base, m->src[i].iov_len))
			return EXEC_BROKEN;
		addr += m->src[i].iov_len;
	}
	return EXEC_OK;
}

static enum exec_result read_from(struct remote *r, const struct msg *m, struct shm_mr *mr,
				  uint64_t addr)
{
	for (uint32_t i = 0; i < m->n_iov; i++) {
		if (peer_get_bytes(r->peer, mr, addr, m->into[i].iov_base, m->into[i].iov_len))
			return EXEC_BROKEN;
		addr += m->into[i].iov_len;
	}
	return EXEC_OK;
}

/* Of memory that is not shared: atomic among emulated HCAs, by the lock of the whole fabric. */
static enum exec_result atomic_far(struct remote *r, struct msg *m, struct shm_mr *mr,
				   uint64_t addr)
{
	uint64_t v;
	int rc;

	lock_take(&hca.fabric->lock);
	rc = peer_get_bytes(r->peer, mr, addr, &v, 8);
	m->old = v;
	if (m->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
		v += m->compare;
	else if (v == m->compare)
		v = m->swap;
	if (!rc)
		rc = peer_put_bytes(r->peer, mr, addr, &v, 8);
	lock_drop(&hca.fabric->lock);
	return rc ? EXEC_BROKEN : EXEC_OK;
}

static enum exec_result atomic_on(struct remote *r, struct msg *m, struct shm_mr *mr,
				  uint64_t addr)
{
	uint64_t n, *p;

	if (mr->kind == SHM_MR_PRIVATE)
		return atomic_far(r, m, mr, addr);
	p = (uint64_t *)(void *)peer_ptr(r->peer, addr, &n);
	if (!p)
		return EXEC_BROKEN;
	if (m->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		m->old = __atomic_fetch_add(p, m->compare, __ATOMIC_SEQ_CST);
		return EXEC_OK;
	}
	m->old = m->compare;
	__atomic_compare_exchange_n(p, &m->old, m->swap, false, __ATOMIC_SEQ_CST,
				    __ATOMIC_SEQ_CST);
	return EXEC_OK;
}

/*
 * What the QP must grant, and then the region. The former is answered as an invalid request, as
 * Soft-RoCE does (drivers/infiniband/sw/rxe/rxe_resp.c, check_op_valid).
 */
enum exec_result exec_one_sided(struct remote *r, struct msg *m)
{
	bool write = m->opcode == IBV_WR_RDMA_WRITE || m->opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
	bool read = m->opcode == IBV_WR_RDMA_READ;
	uint32_t need = write ? IBV_ACCESS_REMOTE_WRITE :
			read ? IBV_ACCESS_REMOTE_READ : IBV_ACCESS_REMOTE_ATOMIC;
	struct shm_mr *mr;
	uint64_t addr;

	if (!(r->s->access & need) || (!write && !r->s->max_dest_rd_atomic))
		return EXEC_INVALID;
	if (!write && !read && m->raddr & 7)
		return EXEC_INVALID;
	if (!m->len)
		return EXEC_OK; /* IBA vol. 1, 9.7.4.1.5: no key is checked */
	mr = target(r, m, need, &addr);
	if (!mr)
		return EXEC_ACCESS;
	return write ? write_to(r, m, mr, addr) :
	       read ? read_from(r, m, mr, addr) : atomic_on(r, m, mr, addr);
}

static bool answers(const struct remote *r, const struct msg *m)
{
	const struct shm_qp *s = r->s;
	uint32_t state = atomic_load_explicit(&s->state, memory_order_relaxed);

	if (s->qpn != r->qpn || s->type != m->type)
		return false;
	if (state != IBV_QPS_RTR && state != IBV_QPS_RTS && state != IBV_QPS_SQD &&
	    state != IBV_QPS_SQE)
		return false;
	if (atomic_load_explicit(&hca.fabric->proc[r->peer->slot].port[s->dev].down,
				 memory_order_relaxed))
		return false;
	if (m->has_grh && !m->multicast && !dev_has_gid(s->dev, &m->dgid))
		return false;
	if (m->type == IBV_QPT_UD)
		return true;
	return s->dest_qpn == m->src_qpn && s->rq_psn == m->rq_psn;
}

static enum exec_result dispatch(struct remote *r, struct msg *m)
{
	switch (m->opcode) {
	case IBV_WR_RDMA_WRITE_WITH_IMM:
	case IBV_WR_SEND:
	case IBV_WR_SEND_WITH_IMM:
	case IBV_WR_SEND_WITH_INV:
		return exec_recv(r, m);
	default:
		return exec_one_sided(r, m);
	}
}

/*
 * A request that cannot be served ends the connection (IBA vol. 1, 9.7.5.2.4): class C errors put
 * the responder into the error state and raise an event there.
 */
static void fail(struct remote *r, enum exec_result res)
{
	exec_async(r->peer, r->s, res == EXEC_ACCESS ? IBV_EVENT_QP_ACCESS_ERR :
		   IBV_EVENT_QP_REQ_ERR);
	exec_error(r->peer, r->s);
}

enum exec_result exec(struct remote *r, struct msg *m)
{
	enum exec_result res = EXEC_SILENT;

	lock_take(&r->s->lock);
	if (answers(r, m)) {
		res = dispatch(r, m);
		if (m->type == IBV_QPT_RC && (res == EXEC_INVALID || res == EXEC_ACCESS))
			fail(r, res);
	}
	lock_drop(&r->s->lock);
	return res;
}
