/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The network of the fake: carries out what was posted, in order per QP (IBA vol. 1, 9.5), lets UC
 * and UD lose, double and delay messages as the test says, and makes completions and events.
 */
#include "config.h"

#include "fake.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#define GRH_FILL 0xee

static void raise_event(struct fake_cq *cq)
{
	struct fake_side *s = cq->side;
	uint64_t one = 1;

	if (s->event_put - s->event_got == FAKE_EVENTS) {
		fake_bad(s->fake, "events overflow");
		return;
	}
	s->events[s->event_put++ % FAKE_EVENTS] = cq;
	if (write(s->channel.ibv.fd, &one, sizeof(one)) < 0)
		fake_bad(s->fake, "the channel is full");
}

static void complete(struct fake_cq *cq, const struct fake_cqe *cqe)
{
	struct fake *f = cq->side->fake;

	if (cq->put - cq->got == cq->size) {
		fake_bad(f, "CQ overflow on side %d", cq->side->side);
		return;
	}
	cq->cqes[cq->put++ % cq->size] = *cqe;
	f->moved = true;
	if (!cq->armed || (cq->solicited_only && !cqe->solicited && !cqe->wc.status))
		return;
	cq->armed = false;
	cq->events_due++;
	cq->withheld = cq->events_due == f->late_event;
	if (cq->events_due != f->lost_event && !cq->withheld)
		raise_event(cq);
	if (cq->events_due == f->double_event)
		raise_event(cq);
}

/* What only a successful completion says is filled with what must not be believed. */
static struct fake_cqe blank(struct fake_qp *q, uint64_t wr_id, enum ibv_wc_status status)
{
	struct fake_cqe cqe = { .qp = q };

	memset(&cqe.wc, 0xa5, sizeof(cqe.wc));
	cqe.wc.wr_id = wr_id;
	cqe.wc.status = status;
	cqe.wc.vendor_err = status ? 0x77 : 0;
	cqe.wc.qp_num = q->ibv.qp_num;
	return cqe;
}

static bool takes_recv(const struct fake_req *r)
{
	return r->wr.opcode == IBV_WR_SEND || r->wr.opcode == IBV_WR_SEND_WITH_IMM ||
	       r->wr.opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}

static const uint8_t *payload_of(const struct fake_req *r)
{
	if (r->wr.send_flags & IBV_SEND_INLINE)
		return r->payload;
	return (const uint8_t *)(uintptr_t)r->sge.addr;
}

static uint32_t length_of(const struct fake_req *r)
{
	return r->credit ? 0 : r->sge.length;
}

/* Messages of different QPs that share an SRQ complete in any order. */
static void swap_last(struct fake_cq *cq)
{
	struct fake_cqe *a, *b, was;

	if (cq->put - cq->got < 2)
		return;
	a = &cq->cqes[(cq->put - 2) % cq->size];
	b = &cq->cqes[(cq->put - 1) % cq->size];
	if (a->qp == b->qp || !fake_random(cq->side->fake, 2))
		return;
	was = *a;
	*a = *b;
	*b = was;
}

/* The receive of one message at q: its completion. */
static void receive(struct fake_qp *q, const struct fake_req *r, const uint8_t *payload)
{
	struct fake *f = q->side->fake;
	const uint32_t grh = q->side->ep.mem.layout.grh_bytes;
	const bool write = r->wr.opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
	struct fake_recv *recv = f->plan.work.kind.sharing ? fake_srq_take(&q->side->srq) :
						     &q->rq[q->recv_used % q->rq_size];
	struct fake_cqe cqe = blank(q, recv->wr_id, IBV_WC_SUCCESS);
	uint32_t len = length_of(r);

	q->recv_used++;
	cqe.wc.byte_len = len + grh;
	/* without immediate data the field means nothing */
	cqe.wc.imm_data = f->plan.path.iwarp ? fake_random(f, UINT32_MAX) : r->wr.imm_data;
	cqe.wc.opcode = write ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV;
	cqe.solicited = r->wr.send_flags & IBV_SEND_SOLICITED;
	if (!write && recv->num_sge) {
		uint8_t *to = (uint8_t *)(uintptr_t)recv->sge.addr;

		if (len + grh > recv->sge.length)
			fake_bad(f, "a message longer than its receive");
		memset(to, GRH_FILL, grh);
		if (len)
			memcpy(to + grh, payload, len);
	} else if (!write && len + grh > 0 && !r->credit) {
		fake_bad(f, "a receive without a buffer for data");
	}
	if (!r->credit) {
		uint64_t n = q->arrived++;

		if (fake_hits(q, FAKE_RECV_LENGTH, n))
			cqe.wc.byte_len = (uint32_t)f->fault.value;
		if (fake_hits(q, FAKE_RECV_IMM, n))
			cqe.wc.imm_data = htonl((uint32_t)f->fault.value);
		if (fake_hits(q, FAKE_RECV_STATUS, n))
			cqe = blank(q, recv->wr_id, (enum ibv_wc_status)f->fault.value);
	}
	complete(&q->side->rcq, &cqe);
	if (f->plan.work.kind.sharing)
		swap_last(&q->side->rcq);
}

static void atomic(const struct fake_req *r)
{
	uint64_t *word = (uint64_t *)(uintptr_t)r->wr.wr.atomic.remote_addr, old = *word;

	if (r->wr.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
		*word += r->wr.wr.atomic.compare_add;
	else if (old == r->wr.wr.atomic.compare_add)
		*word = r->wr.wr.atomic.swap;
	memcpy((void *)(uintptr_t)r->sge.addr, &old, sizeof(old));
}

/* One message reaches the peer of q. */
static void arrive(struct fake_qp *q, const struct fake_req *r, const uint8_t *payload)
{
	struct fake *f = q->side->fake;
	uint8_t *remote = (uint8_t *)(uintptr_t)r->wr.wr.rdma.remote_addr;

	const struct fake_srq *srq = f->plan.work.kind.sharing ? &q->peer->side->srq : NULL;

	if (takes_recv(r) && (srq ? !fake_srq_left(srq) :
				    q->peer->recv_used == q->peer->recv_posted)) {
		if (!f->overrun)
			fake_bad(f, "a message met no receive on side %d", q->peer->side->side);
		return;
	}
	switch ((int)r->wr.opcode) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
	case IBV_WR_ATOMIC_WRITE:
	case IBV_WR_FLUSH:
		if (length_of(r))
			memcpy(remote, payload, length_of(r));
		break;
	case IBV_WR_RDMA_READ:
		if (length_of(r))
			memcpy((void *)(uintptr_t)r->sge.addr, remote, length_of(r));
		break;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		atomic(r);
		break;
	default:
		break;
	}
	if (takes_recv(r))
		receive(q->peer, r, payload);
}

static void hold(struct fake_qp *q, const struct fake_req *r)
{
	if (q->holds)
		fake_bad(q->side->fake, "the test delays two messages at once");
	q->held = *r;
	q->holds = true;
	if (length_of(r))
		memcpy(q->held_payload, payload_of(r), length_of(r));
}

static void release(struct fake_qp *q)
{
	if (!q->holds)
		return;
	q->holds = false;
	arrive(q, &q->held, q->held_payload);
}

static void deliver(struct fake_qp *q, const struct fake_req *r)
{
	struct fake *f = q->side->fake;
	const struct fake_msg msg = {
		.from = q->side->side, .qp = q->index, .credit = r->credit, .number = r->number
	};
	enum fake_fate fate = FAKE_ARRIVES;

	q->need_recv -= takes_recv(r);
	if (!r->credit && fake_hits(q, FAKE_SEND_STATUS, r->number)) {
		q->broken = true;
		return;
	}
	if (f->fate && kind_is_lossy(f->plan.work.kind.tp))
		fate = f->fate(&msg, f->arg);
	if (fate == FAKE_LATE) {
		hold(q, r);
		return;
	}
	if (fate != FAKE_LOST)
		arrive(q, r, payload_of(r));
	if (fate == FAKE_TWICE)
		arrive(q, r, payload_of(r));
	release(q);
}

static enum ibv_wc_opcode wc_opcode(const struct fake_req *r)
{
	switch ((int)r->wr.opcode) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return IBV_WC_RDMA_WRITE;
	case IBV_WR_ATOMIC_WRITE:
		return (enum ibv_wc_opcode)9; /* IBV_WC_ATOMIC_WRITE: rdma-core 44 */
	case IBV_WR_FLUSH:
		return (enum ibv_wc_opcode)8; /* IBV_WC_FLUSH: rdma-core 45 */
	case IBV_WR_RDMA_READ:
		return IBV_WC_RDMA_READ;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		return IBV_WC_COMP_SWAP;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return IBV_WC_FETCH_ADD;
	default:
		return IBV_WC_SEND;
	}
}

/* In a QP in error every request completes, asked for or not (IBA vol. 1, 10.3.1.5). */
static void finish(struct fake_qp *q, uint64_t index)
{
	const struct fake_fault *fault = &q->side->fake->fault;
	const struct fake_req *r = &q->sq[index % q->sq_size];
	enum ibv_wc_status status = IBV_WC_SUCCESS;
	struct fake_cqe cqe;

	if (!r->credit && fake_hits(q, FAKE_SEND_STATUS, r->number))
		status = (enum ibv_wc_status)fault->value;
	else if (q->broken && index >= q->delivered)
		status = IBV_WC_WR_FLUSH_ERR;
	if (!status && !(r->wr.send_flags & IBV_SEND_SIGNALED))
		return;
	cqe = blank(q, r->wr.wr_id, status);
	if (!status)
		cqe.wc.opcode = wc_opcode(r);
	cqe.send = true;
	cqe.request = index;
	complete(&q->side->scq, &cqe);
}

static void move_qp(struct fake_qp *q, uint32_t most)
{
	const struct fake *f = q->side->fake;
	uint64_t deliveries = f->serve ? q->sq_size : fake_random(q->side->fake, most + 1);
	uint64_t completions = f->serve ? q->sq_size : fake_random(q->side->fake, most + 1), to;

	while (deliveries-- && q->delivered < q->posted && !q->broken &&
	       q->sq[q->delivered % q->sq_size].ready_ns <= f->now_ns) {
		deliver(q, &q->sq[q->delivered % q->sq_size]);
		q->delivered++;
		q->side->fake->moved = true;
	}
	to = q->broken ? q->posted : q->delivered;
	while (completions-- && q->completed < to)
		finish(q, q->completed++);
}

void fake_move(struct fake *f, uint32_t most)
{
	for (int i = 0; i < 2; i++)
		for (uint32_t qp = 0; qp < f->plan.work.qps; qp++)
			move_qp(&f->sides[i].qps[qp], most);
}

static void polled(struct fake_side *s, const struct fake_cqe *cqe)
{
	struct fake_qp *q = cqe->qp;
	const struct fake_req *r = &q->sq[cqe->request % q->sq_size];

	if (cqe->wc.status)
		s->failed = true;
	if (!cqe->send) {
		if (s->fake->plan.work.kind.sharing)
			fake_srq_polled(&s->srq, cqe->wc.wr_id);
		else
			q->slot_posted[(uint32_t)cqe->wc.wr_id] = false;
		return;
	}
	q->retired = cqe->request + 1;
	if (r->credit)
		q->credits_done = r->number + 1;
	else
		q->data_done = r->number + 1;
}

static bool fault_of_poll(struct fake_cq *cq)
{
	const struct fake_fault *fault = &cq->side->fake->fault;
	enum fake_what what = cq == &cq->side->scq ? FAKE_POLL_SEND : FAKE_POLL_RECV;

	return fault->what == what && fault->side == cq->side->side && fault->at == cq->calls;
}

int fake_poll_cq(struct ibv_cq *ibv, int n, struct ibv_wc *wc)
{
	struct fake_cq *cq = (struct fake_cq *)ibv;
	struct fake_side *s = cq->side;
	int most = s->fake->serve ? n : 1 + (int)fake_random(s->fake, 16), got = 0;

	s->polls++;
	if (fault_of_poll(cq)) {
		s->failed = true;
		return s->fake->fault.value;
	}
	cq->calls++;
	while (got < n && got < most && cq->got < cq->put) {
		const struct fake_cqe *cqe = &cq->cqes[cq->got++ % cq->size];

		wc[got++] = cqe->wc;
		polled(s, cqe);
	}
	if (got)
		s->fake->moved = true;
	if (!got || !fake_random(s->fake, 8))
		fake_sched_yield();
	return got;
}

int fake_req_notify_cq(struct ibv_cq *ibv, int solicited_only)
{
	struct fake_cq *cq = (struct fake_cq *)ibv;
	struct fake *f = cq->side->fake;
	const struct fake_fault *fault = &f->fault;

	if (!solicited_only != !(f->plan.work.solicited && cq == &cq->side->rcq))
		return fake_bad(f, "armed for %s completions",
				solicited_only ? "solicited" : "all");
	if (fault->what == FAKE_ARM && fault->side == cq->side->side && fault->at == cq->arms) {
		cq->side->failed = true;
		return fault->value;
	}
	cq->arms++;
	if (f->rush_at_arm)
		for (int i = 0; i < 8; i++)
			fake_move(f, 64);
	cq->armed = true;
	cq->solicited_only = solicited_only;
	if (cq->withheld)
		raise_event(cq);
	cq->withheld = false;
	if (f->spurious_every && cq->arms % f->spurious_every == 0) {
		cq->armed = false;
		raise_event(cq);
	}
	return 0;
}

bool fake_misses(const struct fake_side *s)
{
	const struct fake_cq *cqs[] = { &s->scq, &s->rcq };

	if (s->event_put != s->event_got)
		return false;
	for (int i = 0; i < 2; i++) {
		const struct fake_cq *cq = cqs[i];

		for (uint64_t at = cq->got; cq->armed && at < cq->put; at++)
			if (!cq->solicited_only || cq->cqes[at % cq->size].solicited)
				return true;
	}
	return false;
}

/* The two calls of the event path that are functions of libibverbs, not pointers. */
int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **context)
{
	struct fake_side *s = ((struct fake_channel *)channel)->side;
	struct fake_cq *from;
	uint64_t word;

	if (read(channel->fd, &word, sizeof(word)) < 0)
		return -1; /* EAGAIN */
	from = s->events[s->event_got++ % FAKE_EVENTS];
	from->events_got++;
	*cq = &from->ibv;
	*context = NULL;
	return 0;
}

void ibv_ack_cq_events(struct ibv_cq *ibv, unsigned int n)
{
	struct fake_cq *cq = (struct fake_cq *)ibv;

	cq->events_acked += n;
	if (cq->events_acked > cq->events_got)
		fake_bad(cq->side->fake, "more events acked than taken");
}
