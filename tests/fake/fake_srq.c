/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The SRQ of a side of the fake: receives are taken in the order in which they were posted,
 * whatever the QP of the message, and complete in another (fake_net.c). Once fewer are left than
 * the limit, it raises one event (ibv_modify_srq(3)), which the loop sees at once.
 */
#include "config.h"

#include "fake.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "worker/ring.h"

void fake_srq_open(struct fake_side *s)
{
	const struct plan *plan = &s->fake->plan;
	struct fake_srq *srq = &s->srq;

	srq->size = ring_receives_posted(plan, s->side) * plan->work.qps;
	srq->slots = ring_receive_slots(plan, s->side, &s->ep.mem.layout) * plan->work.qps;
	srq->ibv.context = &s->ctx;
	srq->side = s;
	srq->rq = test_calloc(srq->size + 1, sizeof(*srq->rq));
	srq->slot_posted = test_calloc(srq->slots + 1, sizeof(*srq->slot_posted));
	s->ctx.ops.post_srq_recv = fake_post_srq_recv;
	s->ep.srq = &srq->ibv;
	s->ep.srq_events = &srq->events;
}

void fake_srq_close(struct fake_side *s)
{
	test_free(s->srq.rq);
	test_free(s->srq.slot_posted);
}

uint64_t fake_srq_left(const struct fake_srq *srq)
{
	return srq->posted - srq->used;
}

static uint64_t slot_of(const struct fake_srq *srq, uint64_t wr_id)
{
	const struct ibv_recv_wr *ring = srq->side->run.worker.fixed.rqs->ring;

	return (wr_id - (uintptr_t)ring) / sizeof(*ring);
}

static int check(struct fake_srq *srq, const struct ibv_recv_wr *wr)
{
	struct fake_side *s = srq->side;
	struct fake *f = s->fake;
	const struct mem *mem = &s->ep.mem;
	const uint32_t qps = f->plan.work.qps;
	const uint64_t slot = slot_of(srq, wr->wr_id);
	const bool buffer = f->plan.work.kind.op != OP_WRITE_IMM;

	if (s->failed)
		return fake_bad(f, "a receive posted after a failure");
	if (fake_srq_left(srq) >= srq->size)
		return fake_bad(f, "SRQ overflow");
	if (slot >= srq->slots || wr->wr_id != (uintptr_t)wr)
		return fake_bad(f, "a receive that is not of the ring");
	if (srq->slot_posted[slot])
		return fake_bad(f, "receive slot %llu is in use", (unsigned long long)slot);
	if (wr->num_sge != buffer)
		return fake_bad(f, "a receive with %d SGEs", wr->num_sge);
	if (buffer && (wr->sg_list->lkey != s->mr.lkey ||
		       wr->sg_list->length != f->point.size_bytes + mem->layout.grh_bytes ||
		       wr->sg_list->addr != (uintptr_t)mem->base +
			       layout_rx_off(&mem->layout, (uint32_t)(slot % qps), slot / qps)))
		return fake_bad(f, "receive slot %llu: wrong SGE", (unsigned long long)slot);
	srq->slot_posted[slot] = true;
	return 0;
}

int fake_post_srq_recv(struct ibv_srq *ibv, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct fake_srq *srq = (struct fake_srq *)ibv;
	struct fake *f = srq->side->fake;

	srq->posts++;
	for (; wr; wr = wr->next) {
		struct fake_recv *r = &srq->rq[srq->posted % srq->size];
		int rc = check(srq, wr);

		*bad = wr;
		if (!rc && fake_hits(srq->side->qps, FAKE_POST_RECV, srq->posted)) {
			srq->side->failed = true;
			rc = f->fault.value;
		}
		if (rc)
			return rc;
		*r = (struct fake_recv){ .wr_id = wr->wr_id, .num_sge = wr->num_sge };
		if (wr->num_sge)
			r->sge = *wr->sg_list;
		srq->posted++;
	}
	return 0;
}

struct fake_recv *fake_srq_take(struct fake_srq *srq)
{
	struct fake_recv *r = &srq->rq[srq->used++ % srq->size];

	if (fake_srq_left(srq) < srq->limit) {
		srq->limit = 0;
		atomic_fetch_add(&srq->events.limit, 1);
	}
	return r;
}

void fake_srq_polled(struct fake_srq *srq, uint64_t wr_id)
{
	srq->slot_posted[slot_of(srq, wr_id)] = false;
}

/* A function of libibverbs, not a pointer. */
int ibv_modify_srq(struct ibv_srq *ibv, struct ibv_srq_attr *attr, int mask)
{
	struct fake_srq *srq = (struct fake_srq *)ibv;

	if (mask != IBV_SRQ_LIMIT || attr->srq_limit >= srq->size)
		return fake_bad(srq->side->fake, "a limit of %u", attr->srq_limit);
	if (srq->side->fake->fault.what == FAKE_SRQ_LIMIT)
		return srq->side->failed = true, srq->side->fake->fault.value;
	srq->limit = attr->srq_limit;
	srq->arms++;
	return 0;
}
