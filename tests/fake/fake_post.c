/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What is posted to the fake: every request and receive is held against what the kind, the plan and
 * the verbs manual pages say of it. Called through the inline verbs. Moves nothing.
 */
#include "config.h"

#include "fake.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "loop/calls.h"
#include "worker/ring.h"

/* Written here a second time, from ibv_post_send(3): it is ring.c that is checked. */
static enum ibv_wr_opcode opcode_of(enum opcode op)
{
	switch (op) {
	case OP_SEND:
		return IBV_WR_SEND;
	case OP_SEND_IMM:
		return IBV_WR_SEND_WITH_IMM;
	case OP_WRITE:
		return IBV_WR_RDMA_WRITE;
	case OP_WRITE_IMM:
		return IBV_WR_RDMA_WRITE_WITH_IMM;
	case OP_READ:
		return IBV_WR_RDMA_READ;
	case OP_CMP_SWAP:
		return IBV_WR_ATOMIC_CMP_AND_SWP;
	case OP_ATOMIC_WRITE:
		return IBV_WR_ATOMIC_WRITE;
	case OP_WRITE_FLUSH:
		return IBV_WR_FLUSH; /* with the write before it: fake_wr.c */
	default:
		return IBV_WR_ATOMIC_FETCH_AND_ADD;
	}
}

static bool fetches(enum opcode op)
{
	return op == OP_READ || op == OP_CMP_SWAP || op == OP_FETCH_ADD;
}

static int check_remote(struct fake_qp *q, const struct ibv_send_wr *wr, uint64_t slot)
{
	struct fake *f = q->side->fake;
	const struct fake_side *peer = fake_peer(q->side);
	const struct layout *lay = &q->side->ep.mem.layout;
	const enum opcode op = f->plan.work.kind.op;
	const uint64_t base = (uintptr_t)peer->ep.mem.base;
	uint64_t want;

	if (op == OP_SEND || op == OP_SEND_IMM)
		return 0;
	if (op == OP_CMP_SWAP || op == OP_FETCH_ADD) {
		want = base + layout_tx_off(lay, q->index, slot);
		if (wr->wr.atomic.remote_addr != want || wr->wr.atomic.rkey != peer->mr.rkey)
			return fake_bad(f, "atomic %llu aims at the wrong word",
					(unsigned long long)q->data_posted);
		return 0;
	}
	want = base + (op == OP_READ ? layout_tx_off(lay, q->index, slot) :
				       layout_rx_off(lay, q->index, slot));
	if (wr->wr.rdma.remote_addr != want || wr->wr.rdma.rkey != peer->mr.rkey)
		return fake_bad(f, "request %llu of QP %u aims at the wrong buffer",
				(unsigned long long)q->data_posted, q->index);
	return 0;
}

static int check_address(struct fake_qp *q, const struct ibv_send_wr *wr)
{
	const struct fake_side *s = q->side;

	if (kind_names_srq(s->fake->plan.work.kind.tp) &&
	    wr->qp_type.xrc.remote_srqn != fake_srqn(q->peer))
		return fake_bad(s->fake, "a request of QP %u names the wrong SRQ", q->index);
	if (s->fake->plan.work.kind.tp != TP_UD)
		return 0;
	if (wr->wr.ud.ah != &s->ah || wr->wr.ud.remote_qpn != q->peer->ibv.qp_num ||
	    wr->wr.ud.remote_qkey != fake_peer(q->side)->addr.qkey)
		return fake_bad(s->fake, "a datagram of QP %u has the wrong address", q->index);
	return 0;
}

static int check_credit(struct fake_qp *q, const struct ibv_send_wr *wr)
{
	struct fake *f = q->side->fake;

	const unsigned flags =
		IBV_SEND_SIGNALED | (f->plan.work.solicited ? IBV_SEND_SOLICITED : 0u);
	const enum ibv_wr_opcode opcode =
		f->plan.path.iwarp ? IBV_WR_SEND : IBV_WR_SEND_WITH_IMM;
	const uint32_t allowed = ntohl(wr->imm_data) & ~CREDIT_IDLE;

	if (wr->opcode != opcode || wr->num_sge || wr->send_flags != flags)
		return fake_bad(f, "a malformed credit message");
	if (!kind_takes_recv(f->plan.work.kind.op) || f->plan.work.pattern != PATTERN_STREAM)
		return fake_bad(f, "a credit message where there are none");
	if (q->credits_posted - q->credits_done >= CREDIT_WINDOW)
		return fake_bad(f, "more than %u credit messages in flight", CREDIT_WINDOW);
	if (!f->plan.path.iwarp && allowed > q->arrived + f->plan.work.recv_depth)
		return fake_bad(f, "side %d, QP %u: credit for %u messages, %llu have come",
				q->side->side, q->index, allowed, (unsigned long long)q->arrived);
	return 0;
}

/* The single SGE of a request of data: the buffer that is this request's. */
static int check_sge(struct fake_qp *q, const struct ibv_send_wr *wr, uint64_t slot)
{
	struct fake *f = q->side->fake;
	const struct mem *mem = &q->side->ep.mem;
	const struct ibv_sge *sge = wr->sg_list;
	const bool fetch = fetches(f->plan.work.kind.op);
	const bool empty = !f->point.size_bytes;
	const bool inlined = !fetch && !empty &&
			     f->point.size_bytes <= f->plan.work.inline_bytes;
	uint64_t off = fetch ? layout_rx_off(&mem->layout, q->index, slot) :
			       layout_tx_off(&mem->layout, q->index, slot);

	/* one of no bytes stands for 2^31 on some devices */
	if (empty)
		return wr->num_sge ? fake_bad(f, "an SGE without payload") : 0;
	if (wr->num_sge != 1 || sge->length != f->point.size_bytes || sge->lkey != q->side->mr.lkey)
		return fake_bad(f, "request %llu: wrong SGE", (unsigned long long)q->data_posted);
	if (sge->addr != (uintptr_t)mem->base + off || off + sge->length > mem->layout.total_bytes)
		return fake_bad(f, "request %llu of QP %u: wrong buffer",
				(unsigned long long)q->data_posted, q->index);
	if (!!(wr->send_flags & IBV_SEND_INLINE) != inlined)
		return fake_bad(f, "request %llu: inline or not",
				(unsigned long long)q->data_posted);
	return 0;
}

/* ibv_post_send(3). Signals are counted by the tests. */
static int check_flags(struct fake_qp *q, const struct ibv_send_wr *wr)
{
	struct fake *f = q->side->fake;
	const uint32_t every = f->plan.work.solicited;
	const uint64_t n = q->data_posted + 1;
	const bool last = n == f->point.messages;
	unsigned want = (f->plan.work.fence ? IBV_SEND_FENCE : 0u) |
			(every && (n % every == 0 || last) ? IBV_SEND_SOLICITED : 0u);

	/* what ends a run by time is the last message, too */
	if (every && !f->point.messages)
		want |= wr->send_flags & IBV_SEND_SOLICITED;
	if ((wr->send_flags & ~(unsigned)(IBV_SEND_SIGNALED | IBV_SEND_INLINE)) != want)
		return fake_bad(f, "request %llu of QP %u: flags 0x%x",
				(unsigned long long)q->data_posted, q->index, wr->send_flags);
	return 0;
}

static int check_data(struct fake_qp *q, const struct ibv_send_wr *wr)
{
	struct fake *f = q->side->fake;
	const bool stream = f->plan.work.pattern == PATTERN_STREAM;
	const uint64_t slot = (q->data_posted + ring_first(&f->plan, &f->point)) %
			      q->side->ep.mem.layout.tx.slots;
	int rc;

	if (wr->opcode != opcode_of(f->plan.work.kind.op))
		return fake_bad(f, "wrong opcode %d", wr->opcode);
	if (q->data_posted - q->data_done >= f->plan.work.depth && stream)
		return fake_bad(f, "request %llu of QP %u exceeds the depth",
				(unsigned long long)q->data_posted, q->index);
	/* over UC and UD what is received twice is answered twice */
	if (q->data_posted >= f->point.messages && f->point.messages &&
	    (stream || q->side->side == SIDE_CLIENT || !kind_is_lossy(f->plan.work.kind.tp)))
		return fake_bad(f, "more requests than messages");
	if (kind_has_imm(f->plan.work.kind.op) && stream &&
	    ntohl(wr->imm_data) != (uint32_t)q->data_posted)
		return fake_bad(f, "request %llu: immediate %u", (unsigned long long)q->data_posted,
				ntohl(wr->imm_data));
	rc = check_flags(q, wr);
	if (!rc)
		rc = check_sge(q, wr, slot);
	return rc ? rc : check_remote(q, wr, slot);
}

/* All QPs of the side together must not have more under way than the SRQ has receives. */
static int check_shared_room(struct fake_qp *q)
{
	struct fake *f = q->side->fake;
	uint64_t need = 0;

	for (uint32_t i = 0; i < f->plan.work.qps; i++)
		need += q->side->qps[i].need_recv;
	if (need >= fake_srq_left(&fake_peer(q->side)->srq))
		return fake_bad(f, "side %d, QP %u: message %llu outruns the SRQ", q->side->side,
				q->index, (unsigned long long)q->data_posted);
	return 0;
}

static int check_room(struct fake_qp *q, const struct ibv_send_wr *wr)
{
	struct fake *f = q->side->fake;
	const struct fake_qp *peer = q->peer;

	if (q->side->failed)
		return fake_bad(f, "a post after a failure");
	if (q->posted - q->retired >= q->sq_size)
		return fake_bad(f, "send queue overflow on QP %u", q->index);
	if (wr->opcode == IBV_WR_ATOMIC_WRITE || wr->opcode == IBV_WR_FLUSH)
		return 0;
	if (wr->opcode == IBV_WR_RDMA_WRITE || fetches(f->plan.work.kind.op) || f->overrun)
		return 0;
	if (q->need_recv >= peer->recv_posted - peer->recv_used && !f->plan.work.kind.sharing)
		return fake_bad(f, "side %d, QP %u: message %llu outruns the posted receives",
				q->side->side, q->index, (unsigned long long)q->data_posted);
	return f->plan.work.kind.sharing ? check_shared_room(q) : 0;
}

static void take(struct fake_qp *q, const struct ibv_send_wr *wr)
{
	struct fake_req *r = &q->sq[q->posted % q->sq_size];
	const bool credit = wr->wr_id & STATE_CREDIT_ID;
	uint8_t *payload = r->payload;

	*r = (struct fake_req){ .wr = *wr, .payload = payload, .credit = credit };
	if (!credit) {
		struct fake *f = q->side->fake;

		if (f->serve && q->side->side == SIDE_CLIENT)
			r->ready_ns = f->serve(f, f->now_ns, f->arg);
		if (wr->num_sge)
			r->sge = *wr->sg_list;
		r->number = q->data_posted++;
		if (wr->send_flags & IBV_SEND_INLINE)
			memcpy(payload, (const void *)(uintptr_t)r->sge.addr, r->sge.length);
		if (wr->send_flags & IBV_SEND_SIGNALED) {
			q->signalled++;
			q->last_signalled = q->data_posted;
		}
	} else {
		r->number = q->credits_posted++;
	}
	q->need_recv += credit || kind_takes_recv(q->side->fake->plan.work.kind.op);
	q->posted++;
	q->side->fake->moved = true;
}

int fake_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct fake_qp *q = (struct fake_qp *)qp;
	const struct plan *plan = &q->side->fake->plan;
	uint32_t chain = 0, list = plan->work.post_list, group = plan->work.signal_interval;

	q->send_posts++;
	for (; wr; wr = wr->next, chain++) {
		const bool credit = wr->wr_id & STATE_CREDIT_ID;
		int rc = 0;

		*bad = wr;
		if (q->side->failed)
			return fake_bad(q->side->fake, "a request posted after a failure");
		if (credit ? fake_hits(q, FAKE_POST_CREDIT, q->credits_posted) :
			     fake_hits(q, FAKE_POST_SEND, q->data_posted))
			rc = q->side->fake->fault.value;
		if (rc) {
			q->side->failed = true;
			return rc;
		}
		rc = check_room(q, wr);
		if (!rc)
			rc = check_address(q, wr);
		if (!rc)
			rc = credit ? check_credit(q, wr) : check_data(q, wr);
		if (rc)
			return rc;
		take(q, wr);
	}
	/*
	 * a list is whole, but for the requests that do not fill one at the end, or must end with a
	 * solicited one
	 */
	if (chain != list && chain != 1 &&
	    chain >= (list > group ? list : group) + (plan->work.solicited != 0))
		return fake_bad(q->side->fake, "a list of %u requests", chain);
	return 0;
}

static int check_recv(struct fake_qp *q, const struct ibv_recv_wr *wr)
{
	struct fake_side *s = q->side;
	struct fake *f = s->fake;
	const struct mem *mem = &s->ep.mem;
	const uint32_t slot = (uint32_t)wr->wr_id;
	const bool buffer = f->plan.work.kind.op != OP_WRITE_IMM;

	if (s->failed)
		return fake_bad(f, "a receive posted after a failure");
	if (q->recv_posted - q->recv_used >= q->rq_size)
		return fake_bad(f, "receive queue overflow on QP %u", q->index);
	if (wr->wr_id != state_recv_id(q->index, slot) || slot >= q->rq_slots)
		return fake_bad(f, "a receive of another QP");
	if (q->slot_posted[slot])
		return fake_bad(f, "receive slot %u is posted already", slot);
	if (wr->num_sge != (buffer && f->point.size_bytes + mem->layout.grh_bytes))
		return fake_bad(f, "a receive with %d SGEs", wr->num_sge);
	if (!wr->num_sge)
		return 0;
	if (wr->sg_list->lkey != s->mr.lkey ||
	    wr->sg_list->length != f->point.size_bytes + mem->layout.grh_bytes ||
	    wr->sg_list->addr != (uintptr_t)mem->base + layout_rx_off(&mem->layout, q->index, slot))
		return fake_bad(f, "receive slot %u: wrong SGE", slot);
	return 0;
}

static int post_recv(struct fake_qp *q, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	for (; wr; wr = wr->next) {
		struct fake_recv *r = &q->rq[q->recv_posted % q->rq_size];
		int rc = check_recv(q, wr);

		*bad = wr;
		if (!rc && fake_hits(q, FAKE_POST_RECV, q->recv_posted)) {
			q->side->failed = true;
			rc = q->side->fake->fault.value;
		}
		if (rc)
			return rc;
		*r = (struct fake_recv){ .wr_id = wr->wr_id, .num_sge = wr->num_sge };
		if (wr->num_sge)
			r->sge = *wr->sg_list;
		q->slot_posted[(uint32_t)wr->wr_id] = true;
		q->recv_posted++;
	}
	return 0;
}

int fake_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct fake_qp *q = (struct fake_qp *)qp;

	if (q->side->srq_list)
		return fake_bad(q->side->fake, "a receive for a QP that only sends");
	return post_recv(q, wr, bad);
}

int fake_post_xrc_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	return post_recv((struct fake_qp *)srq->srq_context, wr, bad);
}
