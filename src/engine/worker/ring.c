/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Prebuilt requests, receives and credit messages, see ring.h. Built before the loop. */
#include "config.h"

#include "worker/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"
#include "util/minmax.h"
#include "loop/recv.h"
#include "verbs/api.h"

#define LINE_BYTES 64u
#define TABLE_LEAST 4u
/* slots per peer: devices number QPs in a row, which then have no collision */
#define TABLE_SPREAD 4u

static bool streams(const struct plan *plan)
{
	return plan->work.pattern == PATTERN_STREAM;
}

uint32_t ring_first(const struct plan *plan, const struct point *point)
{
	const uint32_t batch = plan_batch(plan);

	/* where every request is signalled, so is the last */
	if (plan->work.pattern != PATTERN_PINGPONG || plan->work.signal_interval == 1)
		return 0;
	return (uint32_t)((batch - point->messages % batch) % batch);
}

uint32_t ring_signal_interval(const struct worker_setup *in)
{
	return in->closed && !streams(in->plan) ? 1 : in->plan->work.signal_interval;
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

/* Of the byte at that offset, which the layout has in the part of that QP. */
static uint32_t rkey_of(const struct worker_setup *in, uint32_t qp, uint64_t off)
{
	if (in->plan->work.mw != MW_NONE)
		return in->peer->qps[qp].rkey;
	return in->peer->n_rkeys ? in->peer->rkeys[off / in->ep->mem.layout.region_bytes] :
				   in->peer->rkey;
}

static void set_target(struct ibv_send_wr *wr, const struct worker_setup *in, uint32_t qp,
		       uint32_t slot)
{
	const struct layout *lay = &in->ep->mem.layout;
	const uint32_t turn = slot / lay->tx.bufs, turns = lay->tx.slots / lay->tx.bufs;
	const enum opcode op = in->plan->work.kind.op;
	const enum access access = kind_access(op);
	const bool fetched = access == ACCESS_READ || access == ACCESS_ATOMIC;
	const uint64_t off = fetched ? layout_tx_off(lay, qp, slot) : layout_rx_off(lay, qp, slot);

	switch (access) {
	case ACCESS_WRITE:
	case ACCESS_STORE:
	case ACCESS_FLUSH:
	case ACCESS_READ:
		wr->wr.rdma.remote_addr = in->peer->buf_addr + off;
		wr->wr.rdma.rkey = rkey_of(in, qp, off);
		break;
	case ACCESS_ATOMIC:
		/*
		 * each word counts: by one, or through the ring's walks over the words, so that
		 * every swap happens
		 */
		wr->wr.atomic.remote_addr = in->peer->buf_addr + off;
		wr->wr.atomic.rkey = rkey_of(in, qp, off);
		wr->wr.atomic.compare_add = kind_compares(op) ? turn : 1;
		wr->wr.atomic.swap = (turn + 1) % turns;
		break;
	case ACCESS_NONE:
		break;
	}
}

static void set_address(struct ibv_send_wr *wr, const struct worker_setup *in, uint32_t qp)
{
	if (kind_names_srq(in->plan->work.kind.tp))
		wr->qp_type.xrc.remote_srqn = in->peer->qps[qp].srqn;
	if (kind_names_dct(in->plan->work.kind.tp) && in->ep->targets)
		dc_set_target(wr, &in->ep->targets[qp]);
	if (!kind_is_datagram(in->plan->work.kind.tp))
		return;
	wr->wr.ud.ah = ep_ah(in->ep, qp);
	wr->wr.ud.remote_qpn = in->peer->qps[in->peer->n_qps == 1 ? 0 : qp].qpn;
	wr->wr.ud.remote_qkey = in->peer->qkey;
}

/*
 * Zeroed, NULL with an error message: no memory, or not allowed. On a cache line: what a provider
 * reads of a request is then in one, not in two.
 */
static void *alloc_ring(const struct worker_setup *in, uint32_t slots, size_t slot_bytes)
{
	const size_t bytes = (slots * slot_bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
	void *ring;

	if (budget_take(worker_budget(in), bytes, "requests and receives"))
		return NULL;
	ring = aligned_alloc(LINE_BYTES, bytes);
	if (!ring) {
		(void)err_set(-ENOMEM, "cannot allocate a ring of %u requests or receives", slots);
		return NULL;
	}
	return memset(ring, 0, bytes);
}

/*
 * The SGEs of a buffer, one per piece; the first one also has what precedes the payload (grh).
 * Returns how many: a message without payload has none, as an SGE of no bytes stands for 2^31 bytes
 * on some devices.
 */
static int build_sges(struct ibv_sge *sges, const struct mem *mem, uint64_t off,
		      const struct pieces *pieces, uint32_t grh)
{
	for (uint32_t i = 0; i < pieces->n; i++)
		sges[i] = (struct ibv_sge){
			.addr = mem->addr + off + (i ? grh : 0) + pieces_at(pieces, i),
			.length = (uint32_t)pieces_len(pieces, i) + (i ? 0 : grh),
			.lkey = mem_lkey(mem, off),
		};
	return pieces->bytes + grh ? (int)pieces->n : 0;
}

/* Slot i of the ring of requests; the SGEs are its own. */
static void build_request(struct send_queue *sq, const struct worker_setup *in, uint32_t i,
			  struct ibv_sge *sges)
{
	const struct plan_work *work = &in->plan->work;
	const struct mem *mem = &in->ep->mem;
	const struct layout *lay = &mem->layout;
	const bool fetches = kind_fetches(work->kind.op);
	const uint64_t bytes = lay->tx_pieces.bytes;
	const bool inlined = !fetches && bytes && bytes <= work->inline_bytes;
	const bool solicited = work->solicited && (i + 1) % work->solicited == 0;
	const bool list_end = !streams(in->plan) || (i + 1) % work->post_list == 0;
	const bool signalled = (i + 1) % ring_signal_interval(in) == 0;
	struct ibv_send_wr *wr = &sq->ring[i];

	wr->wr_id = state_send_id(sq->index, i);
	wr->next = list_end ? NULL : wr + 1;
	wr->sg_list = sges;
	wr->num_sge = fetches ? build_sges(sges, mem, layout_rx_off(lay, sq->index, i),
					   &lay->rx_pieces, 0) :
				build_sges(sges, mem, layout_tx_off(lay, sq->index, i),
					   &lay->tx_pieces, 0);
	wr->opcode = api_code_wr(work->kind.op);
	wr->send_flags = (signalled ? IBV_SEND_SIGNALED : 0u) | (inlined ? IBV_SEND_INLINE : 0u) |
			 (work->fence ? IBV_SEND_FENCE : 0u) |
			 (solicited ? IBV_SEND_SOLICITED : 0u);
	set_target(wr, in, sq->index, i);
	set_address(wr, in, sq->index);
	if (kind_flushes(work->kind.op))
		api_set_flush(wr, work->flush);
}

static uint32_t most_pieces(const struct layout *lay)
{
	return max_u32(lay->tx_pieces.n, lay->rx_pieces.n);
}

void ring_restart(struct send_queue *sq, const struct worker_setup *in)
{
	const uint32_t n = most_pieces(&in->ep->mem.layout);
	struct ibv_sge *sges = (struct ibv_sge *)sq->ring_end;

	sq->done_slot = in->closed ? 0 : ring_first(in->plan, in->point);
	sq->at = sq->ring + sq->done_slot;
	for (uint32_t i = 0; i < sq->slots; i++)
		build_request(sq, in, i, &sges[(size_t)i * n]);
}

int ring_requests(struct send_queue *sq, const struct worker_setup *in)
{
	const struct layout *lay = &in->ep->mem.layout;

	sq->slots = lay->tx.slots;
	sq->ring = alloc_ring(in, sq->slots,
			      sizeof(*sq->ring) + most_pieces(lay) * sizeof(struct ibv_sge));
	if (!sq->ring)
		return -ENOMEM;
	sq->ring_end = sq->ring + sq->slots;
	ring_restart(sq, in);
	return 0;
}

/* Posts that many receives from the start of the ring. */
static int post_first(struct recv_queue *rq, uint32_t n)
{
	struct ibv_recv_wr *next = rq->ring[n - 1].next;
	int rc;

	rq->ring[n - 1].next = NULL;
	rc = recv_post(rq, rq->ring);
	rq->ring[n - 1].next = next;
	rq->slot = n == rq->slots ? 0 : n;
	if (rc)
		return err_set(-rc, "cannot post %u receives of QP %u: %s", n, rq->index,
			       strerror(rc));
	return 0;
}

/*
 * Receives of data need a buffer; those that only take an immediate (write_imm, credits) need none.
 */
void ring_receive_buffer(struct ibv_recv_wr *wr, struct ibv_sge *sges,
			 const struct worker_setup *in, uint32_t qp, uint64_t slot)
{
	const struct mem *mem = &in->ep->mem;
	const struct layout *lay = &mem->layout;

	wr->sg_list = NULL;
	wr->num_sge = 0;
	if (!kind_fills_recv(in->plan->work.kind.op))
		return;
	wr->sg_list = sges;
	wr->num_sge = build_sges(sges, mem, layout_rx_off(lay, qp, slot), &lay->rx_pieces,
				 lay->grh_bytes);
}

/*
 * A ring of receives. Shared ones are a chain, with the buffers of the QPs in turn, so that one is
 * used again as late as possible.
 */
static int build_receives(struct recv_queue *rq, const struct worker_setup *in, uint32_t slots,
			  bool shared)
{
	const uint32_t n = in->ep->mem.layout.rx_pieces.n, qps = in->plan->work.qps;
	struct ibv_sge *sges;

	rq->slots = slots;
	rq->ring = alloc_ring(in, slots, sizeof(*rq->ring) + n * sizeof(*sges));
	if (!rq->ring)
		return -ENOMEM;
	sges = (struct ibv_sge *)(rq->ring + slots);
	for (uint32_t i = 0; i < slots; i++) {
		struct ibv_recv_wr *wr = &rq->ring[i];

		wr->wr_id = shared ? (uintptr_t)wr : state_recv_id(rq->index, i);
		wr->next = i + 1 < slots ? wr + 1 : shared ? NULL : rq->ring;
		ring_receive_buffer(wr, &sges[(size_t)i * n], in, shared ? i % qps : rq->index,
				    shared ? i / qps : i);
	}
	return 0;
}

int ring_receives(struct recv_queue *rq, const struct worker_setup *in)
{
	const uint32_t posted = ring_receives_posted(in->plan, in->side);
	int rc;

	if (!posted)
		return 0;
	rc = build_receives(rq, in, ring_receive_slots(in->plan, in->side, &in->ep->mem.layout),
			    false);
	return rc ? rc : post_first(rq, posted);
}

int ring_credit(struct peer *peer, const struct worker_setup *in)
{
	const uint32_t index = peer->sq->index;

	peer->credit_wr = calloc(1, sizeof(*peer->credit_wr));
	if (!peer->credit_wr)
		return err_set(-ENOMEM, "cannot allocate a credit message");
	peer->credit_wr->wr_id = state_credit_id(index);
	peer->credit_wr->opcode = in->plan->path.iwarp ? IBV_WR_SEND : IBV_WR_SEND_WITH_IMM;
	/* who waits for credit waits for solicited completions, too */
	peer->credit_wr->send_flags =
		IBV_SEND_SIGNALED | (in->plan->work.solicited ? IBV_SEND_SOLICITED : 0u);
	set_address(peer->credit_wr, in, index);
	return 0;
}

/* ---- receives that several peers share */

/* What the SRQ of no endpoint raises. */
static const _Atomic uint64_t no_events;

/* The number that names peer i in a completion. */
static uint32_t key_of(const struct worker *w, const struct worker_setup *in, uint32_t i)
{
	return w->share.sharing == SHARING_ONE_QP ? in->peer->qps[i].qpn : in->ep->qps[i]->qp_num;
}

static int build_table(struct worker *w, const struct worker_setup *in)
{
	struct worker_share *share = &w->share;
	uint32_t slots = TABLE_LEAST;

	while (slots < TABLE_SPREAD * w->fixed.n_qps)
		slots *= 2;
	share->table = calloc(slots, sizeof(*share->table));
	if (!share->table)
		return err_set(-ENOMEM, "cannot allocate a table of %u peers", w->fixed.n_qps);
	share->mask = slots - 1;
	for (uint32_t i = 0; i < w->fixed.n_qps; i++) {
		struct peer *peer = &w->fixed.peers[i];
		uint32_t at;

		peer->qpn = key_of(w, in, i);
		at = peer->qpn & share->mask;
		while (share->table[at])
			at = (at + 1) & share->mask;
		share->table[at] = peer;
	}
	/* so that the loop need not look for NULL: no key of a free slot is that of peer 0 */
	for (uint32_t i = 0; i < slots; i++)
		if (!share->table[i])
			share->table[i] = w->fixed.peers;
	return 0;
}

/* The first n receives; the others wait in the chain. */
static int post_shared(struct worker *w, uint32_t n)
{
	struct recv_queue *const rq = w->fixed.rqs;
	struct worker_share *const share = &w->share;
	struct ibv_recv_wr *const last = &rq->ring[n - 1];
	int rc;

	share->spare = rq->slots - n;
	share->tail = share->spare ? &rq->ring[rq->slots - 1] : &share->chain;
	share->chain.next = last->next;
	last->next = NULL;
	rc = recv_post(rq, rq->ring);
	if (rc)
		return err_set(-rc, "cannot post %u receives on %s: %s", n,
			       rq->has_srq ? "an SRQ" : "a shared QP", strerror(rc));
	return 0;
}

int ring_shared(struct worker *w, const struct worker_setup *in)
{
	const uint32_t posted = ring_receives_posted(in->plan, in->side);
	const uint32_t each = ring_receive_slots(in->plan, in->side, &in->ep->mem.layout);
	struct recv_queue *const rq = w->fixed.rqs;
	int rc;

	w->share.limit = in->plan->work.srq_limit;
	w->share.limit_events = in->ep->srq_events ? &in->ep->srq_events->limit : &no_events;
	w->share.tail = &w->share.chain;
	for (uint32_t i = 0; i < w->fixed.n_qps; i++) {
		w->fixed.peers[i].rq = rq;
		if (w->fixed.receives)
			state_expect(w, &w->fixed.peers[i]);
	}
	rq->has_srq = in->ep->srq != NULL;
	if (rq->has_srq)
		rq->srq = in->ep->srq;
	else
		rq->qp = in->ep->qps[0];
	rc = build_table(w, in);
	if (rc || !posted)
		return rc;
	rc = build_receives(rq, in, each * w->fixed.n_qps, true);
	return rc ? rc : post_shared(w, posted * w->fixed.n_qps);
}
