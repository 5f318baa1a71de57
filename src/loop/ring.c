/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Prebuilt requests, receives and credit messages of a flow; see ring.h. Cold: built before the
 * loop.
 */
#include "config.h"

#include "loop/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"
#include "loop/worker.h"
#include "rdma/verbs_code.h"

#define LINE_BYTES 64u

static bool streams(const struct plan *plan)
{
	return plan->work.pattern == PATTERN_STREAM;
}

uint32_t ring_first(const struct plan *plan, const struct point *point)
{
	const uint32_t tidy = plan_batch(plan);

	/* where every request is signalled, so is the last */
	if (plan->work.pattern != PATTERN_PINGPONG || plan->work.signal_interval == 1)
		return 0;
	return (uint32_t)((tidy - point->messages % tidy) % tidy);
}

uint32_t ring_receives_posted(const struct plan *plan, enum side side)
{
	switch (plan->work.role[side]) {
	case ROLE_STREAM_TX:
		return kind_takes_recv(plan->work.kind.op) ? PLAN_CREDIT_SLOTS : 0;
	case ROLE_STREAM_BOTH:
		return plan->work.recv_depth + PLAN_CREDIT_SLOTS;
	case ROLE_STREAM_RX:
		return plan->work.recv_depth;
	case ROLE_PING:
	case ROLE_PONG:
		return kind_takes_recv(plan->work.kind.op) ? plan->work.recv_depth : 0;
	default:
		return 0;
	}
}

uint32_t ring_receive_slots(const struct plan *plan, enum side side, const struct layout *lay)
{
	const uint32_t posted = ring_receives_posted(plan, side);
	const bool buffers = kind_fills_recv(plan->work.kind.op);
	const enum role role = plan->work.role[side];

	return buffers && role != ROLE_STREAM_TX ? lay->rx.slots : posted;
}

static void set_target(struct ibv_send_wr *wr, const struct worker_setup *in, uint32_t qp,
		       uint32_t slot)
{
	const struct layout *lay = &in->ep->mem.layout;
	const uint32_t turn = slot / lay->tx.bufs, turns = lay->tx.slots / lay->tx.bufs;
	const enum opcode op = in->plan->work.kind.op;

	switch (kind_access(op)) {
	case ACCESS_WRITE:
		wr->wr.rdma.remote_addr = in->peer->buf_addr + layout_rx_off(lay, qp, slot);
		wr->wr.rdma.rkey = in->peer->rkey;
		break;
	case ACCESS_READ:
		wr->wr.rdma.remote_addr = in->peer->buf_addr + layout_tx_off(lay, qp, slot);
		wr->wr.rdma.rkey = in->peer->rkey;
		break;
	case ACCESS_ATOMIC:
		/*
		 * each word counts: by one, or through the ring's walks over the words, so that
		 * every swap happens
		 */
		wr->wr.atomic.remote_addr = in->peer->buf_addr + layout_tx_off(lay, qp, slot);
		wr->wr.atomic.rkey = in->peer->rkey;
		wr->wr.atomic.compare_add = kind_compares(op) ? turn : 1;
		wr->wr.atomic.swap = (turn + 1) % turns;
		break;
	case ACCESS_NONE:
		break;
	}
}

static void set_address(struct ibv_send_wr *wr, const struct worker_setup *in, uint32_t qp)
{
	if (!kind_is_datagram(in->plan->work.kind.tp))
		return;
	wr->wr.ud.ah = in->ep->ah;
	wr->wr.ud.remote_qpn = in->peer->qps[qp].qpn;
	wr->wr.ud.remote_qkey = in->peer->qkey;
}

/* Zeroed. On a cache line: what a provider reads of a request is then in one, not in two. */
static void *alloc_ring(uint32_t slots, size_t slot_bytes)
{
	const size_t bytes = (slots * slot_bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
	void *ring = aligned_alloc(LINE_BYTES, bytes);

	return ring ? memset(ring, 0, bytes) : NULL;
}

int ring_requests(struct flow *f, const struct worker_setup *in)
{
	const struct plan *plan = in->plan;
	const struct mem *mem = &in->ep->mem;
	const enum opcode op = plan->work.kind.op;
	const bool fetches = kind_fetches(op);
	const bool inlined = !fetches && in->point->size_bytes <= plan->work.inline_bytes;
	struct ibv_sge *sges;

	f->ring_n = mem->layout.tx.slots;
	f->ring = alloc_ring(f->ring_n, sizeof(*f->ring) + sizeof(*sges));
	if (!f->ring)
		return err_set(-ENOMEM, "allocate a ring of %u requests", f->ring_n);
	f->done_slot = ring_first(plan, in->point);
	f->at = f->ring + f->done_slot;
	f->ring_end = f->ring + f->ring_n;
	sges = (struct ibv_sge *)f->ring_end;
	for (uint32_t i = 0; i < f->ring_n; i++) {
		struct ibv_send_wr *wr = &f->ring[i];
		uint64_t off = fetches ? layout_rx_off(&mem->layout, f->index, i) :
					 layout_tx_off(&mem->layout, f->index, i);
		bool list_end = !streams(plan) || (i + 1) % plan->work.post_list == 0;
		bool signalled = (i + 1) % plan->work.signal_interval == 0;

		sges[i] = (struct ibv_sge){ .addr = (uintptr_t)mem->base + off,
					    .length = (uint32_t)in->point->size_bytes,
					    .lkey = mem->mr->lkey };
		wr->wr_id = flow_wr_id(f->index, i);
		wr->next = list_end ? NULL : wr + 1;
		wr->sg_list = &sges[i];
		wr->num_sge = 1;
		wr->opcode = verbs_code_wr(op);
		wr->send_flags =
			(signalled ? IBV_SEND_SIGNALED : 0u) | (inlined ? IBV_SEND_INLINE : 0u);
		set_target(wr, in, f->index, i);
		set_address(wr, in, f->index);
	}
	return 0;
}

/*
 * Receives of data need a buffer; those that only take an immediate (write_imm, credits) need none.
 */
int ring_receives(struct flow *f, const struct worker_setup *in)
{
	const struct mem *mem = &in->ep->mem;
	const bool buffers = kind_fills_recv(in->plan->work.kind.op);
	const uint32_t posted = ring_receives_posted(in->plan, in->side);
	struct ibv_recv_wr *bad, *next;
	struct ibv_sge *sges;
	int rc;

	if (!posted)
		return 0;
	f->rring_n = ring_receive_slots(in->plan, in->side, &mem->layout);
	f->rring = alloc_ring(f->rring_n, sizeof(*f->rring) + sizeof(*sges));
	if (!f->rring)
		return err_set(-ENOMEM, "allocate a ring of %u receives", f->rring_n);
	sges = (struct ibv_sge *)(f->rring + f->rring_n);
	for (uint32_t i = 0; i < f->rring_n; i++) {
		uint64_t off = layout_rx_off(&mem->layout, f->index, i);

		sges[i] = (struct ibv_sge){
			.addr = (uintptr_t)mem->base + off,
			.length = (uint32_t)in->point->size_bytes + mem->layout.grh_bytes,
			.lkey = mem->mr->lkey,
		};
		f->rring[i].wr_id = flow_wr_id(f->index, i);
		f->rring[i].next = &f->rring[i + 1 == f->rring_n ? 0 : i + 1]; /* circular */
		f->rring[i].sg_list = buffers ? &sges[i] : NULL;
		f->rring[i].num_sge = buffers;
	}
	next = f->rring[posted - 1].next;
	f->rring[posted - 1].next = NULL;
	rc = ibv_post_recv(f->qp, f->rring, &bad);
	f->rring[posted - 1].next = next;
	f->rslot = posted == f->rring_n ? 0 : posted;
	if (rc)
		return err_set(-rc, "post %u receives on QP 0x%06x: %s", posted, f->qp->qp_num,
			       strerror(rc));
	return 0;
}

int ring_credit(struct flow *f, const struct worker_setup *in)
{
	f->credit_wr = calloc(1, sizeof(*f->credit_wr));
	if (!f->credit_wr)
		return err_set(-ENOMEM, "allocate a credit message");
	f->credit_wr->wr_id = FLOW_CREDIT_ID | flow_wr_id(f->index, 0);
	f->credit_wr->opcode = IBV_WR_SEND_WITH_IMM;
	f->credit_wr->send_flags = IBV_SEND_SIGNALED;
	set_address(f->credit_wr, in, f->index);
	return 0;
}

void ring_close(struct flow *f)
{
	free(f->ring);
	free(f->rring);
	free(f->credit_wr);
	f->ring = NULL;
	f->rring = NULL;
	f->credit_wr = NULL;
}
