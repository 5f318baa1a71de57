/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Builds the two nodes of the fake and drives a run. See fake.h. */
#include "config.h"

#include "fake.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/err.h"
#include "decide/layout.h"
#include "worker/ring.h"
#include "verbs/api.h"
#include "endpoint/verify.h"

#define FIRST_QPN 0x100u

const struct kind fake_kinds[FAKE_KINDS] = {
#define KIND_BY(T, O, C) { .tp = TP_##T, .op = OP_##O, .cm = CM_##C },
#define KIND(T, O) KIND_BY(T, O, POLL) KIND_BY(T, O, EVENT) KIND_BY(T, O, HYBRID)
#include "options/kinds.def"
#undef KIND
};

int fake_bad(struct fake *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (!f->violation[0])
		vsnprintf(f->violation, sizeof(f->violation), fmt, ap);
	va_end(ap);
	return EINVAL;
}

/* xorshift64* (Vigna 2016): any order will do, as long as it is the same every time. */
uint32_t fake_random(struct fake *f, uint32_t below)
{
	f->rng ^= f->rng >> 12;
	f->rng ^= f->rng << 25;
	f->rng ^= f->rng >> 27;
	return (uint32_t)((f->rng * 0x2545f4914f6cdd1dull) >> 32) % below;
}

struct fake_side *fake_peer(struct fake_side *s)
{
	return &s->fake->sides[!s->side];
}

bool fake_hits(const struct fake_qp *q, enum fake_what what, uint64_t number)
{
	const struct fake_fault *fault = &q->side->fake->fault;

	return fault->what == what && fault->side == q->side->side && fault->qp == q->index &&
	       fault->at == number;
}

enum test fake_stream_test(struct kind k)
{
	switch (k.op) {
	case OP_SEND:
	case OP_SEND_IMM:
		return TEST_SEND_BW;
	case OP_WRITE:
	case OP_WRITE_IMM:
		return TEST_WRITE_BW;
	case OP_READ:
		return TEST_READ_BW;
	default:
		return TEST_ATOMIC_BW;
	}
}

enum test fake_latency_test(struct kind k)
{
	return (enum test)(fake_stream_test(k) + 1);
}

bool fake_allowed(const struct fake_spec *s)
{
	const uint32_t l = s->post_list, i = s->signal_interval;

	if (l > s->depth || i > s->depth || (l % i && i % l))
		return false;
	return !kind_takes_recv(s->kind.op) ||
	       l <= s->recv_depth - (s->recv_depth < 8 ? 1 : s->recv_depth / 8) + 1;
}

static uint32_t or_default(uint32_t value, uint32_t def)
{
	return value ? value : def;
}

static void make_plan(struct fake *f, const struct fake_spec *spec)
{
	struct plan *plan = &f->plan;
	const bool stream = !kind_test_is_lat(spec->test);

	plan->work.test = spec->test;
	plan->work.pattern = kind_pattern(spec->test, spec->kind.op);
	plan->work.kind = spec->kind;
	plan->work.server_completion = spec->kind.cm;
	plan->work.srq_limit = spec->srq_limit;
	plan->work.bidir = spec->bidir;
	role_resolve(plan->work.role, plan->work.pattern, spec->kind.op, spec->bidir);
	plan->work.flush = kind_flushes(spec->kind.op) ? FLUSH_PERSISTENT_MR : FLUSH_NONE;
	plan->work.post_api = spec->extended || kind_needs_wr(spec->kind.op) ? APIS_POST_WR :
									       APIS_POST_SEND;
	plan->work.verify = true;
	plan->work.threads = 1;
	plan->work.qps = or_default(spec->qps, 1);
	plan->work.depth = stream ? or_default(spec->depth, 16) : 1;
	if (kind_takes_recv(spec->kind.op))
		plan->work.recv_depth = or_default(spec->recv_depth, 32);
	plan->work.rate_milli = spec->rate_milli;
	plan->work.arrival = spec->poisson ? ARRIVAL_POISSON : ARRIVAL_FIXED;
	plan->work.post_list = or_default(spec->post_list, 1);
	plan->work.signal_interval =
		or_default(spec->signal_interval, plan->work.pattern == PATTERN_PINGPONG &&
							   !kind_is_lossy(spec->kind.tp) ?
						   plan_batch(plan) : 1);
	plan->work.inline_bytes = kind_is_store(spec->kind.op) ? 0 : spec->inline_bytes;
	plan->path.iwarp = spec->iwarp;
	plan->work.fence = spec->fence;
	plan->work.solicited = spec->solicited;
	f->point.size_bytes = kind_is_atomic(spec->kind.op) ? 8 :
			      spec->empty		    ? 0 :
			      spec->size_bytes		    ? spec->size_bytes :
							      64;
	f->point.server_size_bytes = f->point.size_bytes;
	plan->work.walk = spec->walk ? spec->walk : WALK_SEQ;
	if (plan_marks_payload(plan))
		plan->work.walk = WALK_SAME;
	f->point.footprint_bytes = spec->footprint_bytes ? spec->footprint_bytes :
							   layout_auto_bytes(plan, &f->point);
	f->point.messages = spec->by_time ? 0 : or_default((uint32_t)spec->messages, 1);
	f->point.duration_ns = spec->by_time;
}

static void open_cq(struct fake_side *s, struct fake_cq *cq, uint32_t entries)
{
	cq->ibv.context = &s->ctx;
	cq->ibv.channel = &s->channel.ibv;
	cq->side = s;
	cq->size = entries;
	cq->cqes = test_calloc(entries, sizeof(*cq->cqes));
}

/* As ep.c sizes it. */
static uint32_t fake_sq_size(const struct plan *plan)
{
	return plan->work.pattern == PATTERN_STREAM ? plan->work.depth + PLAN_CREDIT_SLOTS :
						      PLAN_ANSWER_SLOTS;
}

static void open_qp(struct fake_side *s, uint32_t index)
{
	const struct plan *plan = &s->fake->plan;
	struct fake_qp *q = &s->qps[index];

	q->ibv.context = &s->ctx;
	q->ibv.send_cq = &s->scq.ibv;
	q->ibv.recv_cq = &s->rcq.ibv;
	q->ibv.qp_type = api_code_qp_type(plan->work.kind.tp);
	q->srq.context = &s->ctx;
	q->srq.srq_context = q;
	fake_wr_open(q);
	q->ibv.qp_num = FIRST_QPN * (1 + (uint32_t)s->side) + index;
	q->side = s;
	q->peer = &fake_peer(s)->qps[index];
	q->index = index;
	q->sq_size = fake_sq_size(plan);
	q->sq = test_calloc(q->sq_size, sizeof(*q->sq));
	for (uint32_t i = 0; i < q->sq_size; i++)
		q->sq[i].payload = test_calloc(1, plan->work.inline_bytes + 1);
	q->held_payload = test_calloc(1, s->fake->point.size_bytes + 1);
	q->rq_size = ring_receives_posted(plan, s->side);
	q->rq_slots = ring_receive_slots(plan, s->side, &s->ep.mem.layout);
	assert_true(q->rq_slots >= q->rq_size);
	assert_true(q->rq_size <= plan->work.recv_depth + PLAN_CREDIT_SLOTS);
	q->rq = test_calloc(q->rq_size + 1, sizeof(*q->rq));
	q->slot_posted = test_calloc(q->rq_slots + 1, sizeof(*q->slot_posted));
	s->qp_list[index] = &q->ibv;
	s->ids[index].qpn = q->ibv.qp_num;
	s->ids[index].srqn = fake_srqn(q);
	if (s->srq_list)
		s->srq_list[index] = &q->srq;
}

static void open_memory(struct fake_side *s)
{
	struct mem *mem = &s->ep.mem;

	layout_resolve(&mem->layout, &s->fake->plan, &s->fake->point, s->side);
	mem->base = aligned_alloc(64, mem->layout.total_bytes);
	assert_non_null(mem->base);
	mem->addr = (uintptr_t)mem->base;
	memset(mem->base, 0, mem->layout.total_bytes);
	s->mr.lkey = 0x1000 + (uint32_t)s->side;
	s->mr.rkey = 0x2000 + (uint32_t)s->side;
	mem->mr = &s->mr;
}

static void open_side(struct fake *f, enum side side)
{
	struct fake_side *s = &f->sides[side];
	const struct plan *plan = &f->plan;

	s->fake = f;
	s->side = side;
	s->ctx.ops.post_send =
		plan->work.post_api == APIS_POST_WR ? fake_wrong_post : fake_post_send;
	s->ctx.ops.post_recv = fake_post_recv;
	s->ctx.ops.post_srq_recv = fake_post_xrc_recv;
	s->ctx.ops.poll_cq = fake_poll_cq;
	s->ctx.ops.req_notify_cq = fake_req_notify_cq;
	s->channel.side = s;
	s->channel.ibv.fd = eventfd(0, EFD_NONBLOCK | EFD_SEMAPHORE | EFD_CLOEXEC);
	assert_true(s->channel.ibv.fd >= 0);
	open_cq(s, &s->scq, fake_sq_size(plan) * plan->work.qps);
	open_cq(s, &s->rcq, (plan->work.recv_depth + PLAN_CREDIT_SLOTS) * plan->work.qps);
	s->qps = test_calloc(plan->work.qps, sizeof(*s->qps));
	s->qp_list = test_calloc(plan->work.qps, sizeof(struct ibv_qp *));
	s->ids = test_calloc(plan->work.qps, sizeof(*s->ids));
	if (kind_names_srq(plan->work.kind.tp))
		s->srq_list = test_calloc(plan->work.qps, sizeof(struct ibv_srq *));
	open_memory(s);
	s->addr = (struct ep_addr){ .qkey = 0x3000 + (uint32_t)side,
				    .buf_addr = s->ep.mem.addr,
				    .rkey = s->mr.rkey,
				    .n_qps = plan->work.qps,
				    .qps = s->ids };
	s->ep.scq = &s->scq.ibv;
	s->ep.rcq = plan->work.recv_depth ? &s->rcq.ibv : NULL;
	s->ep.channel = plan->work.kind.cm != CM_POLL ? &s->channel.ibv : NULL;
	s->ep.ah = &s->ah;
	s->ep.qps = s->qp_list;
	s->ep.halves.srqs = s->srq_list;
	s->ep.n_qps = plan->work.qps;
	s->ep.addr = s->addr;
	if (plan->work.kind.sharing == SHARING_SRQ)
		fake_srq_open(s);
}

static void open_worker(struct fake_side *s)
{
	struct fake *f = s->fake;

	assert_int_equal(verify_fill(&s->ep, &f->plan, s->side, 0), 0);
	s->setup = (struct worker_setup){ .ep = &s->ep,
					.plan = &f->plan,
					.point = &f->point,
					.side = s->side,
					.peer = &fake_peer(s)->addr,
					.kept = s->side == SIDE_CLIENT ? f->kept : 0 };
	s->has_worker = role_has_loop(f->plan.work.role[s->side]);
	if (!s->has_worker)
		return;
	if (worker_open(&s->run, &s->setup))
		fail_msg("worker_open: %s", err_text());
	assert_non_null(s->run.loop);
	if (role_receives(f->plan.work.role[s->side]))
		s->srq.limit = f->plan.work.srq_limit;
}

struct fake *fake_open(const struct fake_spec *spec)
{
	/* test_calloc() would not keep the alignment of a worker */
	struct fake *f = aligned_alloc(_Alignof(struct fake), sizeof(*f));

	assert_non_null(f);
	memset(f, 0, sizeof(*f));
	f->rng = 0x9e3779b97f4a7c15ull + spec->seed;
	f->rate = 16;
	f->now_ns = 1000000000;
	f->kept = spec->kept;
	make_plan(f, spec);
	fake_sched_open(f);
	for (int i = 0; i < 2; i++)
		open_side(f, (enum side)i);
	for (int i = 0; i < 2; i++)
		for (uint32_t qp = 0; qp < f->plan.work.qps; qp++)
			open_qp(&f->sides[i], qp);
	for (int i = 0; i < 2; i++)
		open_worker(&f->sides[i]);
	return f;
}

void fake_run(struct fake *f)
{
	for (int i = 0; i < 2; i++) {
		struct fake_side *s = &f->sides[i];

		if (!s->has_worker)
			continue;
		if (f->loss_ns)
			s->run.worker.fixed.loss_ns = f->loss_ns;
		assert_int_equal(worker_start(&s->run), 0);
	}
	fake_sched_run();
	for (int i = 0; i < 2; i++) {
		struct fake_side *s = &f->sides[i];

		if (!s->has_worker)
			continue;
		assert_true(atomic_load(&s->run.ended));
		s->rc = worker_join(&s->run);
		worker_result(&s->run, &s->result);
	}
}

static void close_side(struct fake_side *s)
{
	for (uint32_t i = 0; i < s->fake->plan.work.qps; i++) {
		struct fake_qp *q = &s->qps[i];

		for (uint32_t r = 0; r < q->sq_size; r++)
			test_free(q->sq[r].payload);
		test_free(q->sq);
		test_free(q->rq);
		test_free(q->slot_posted);
		test_free(q->held_payload);
	}
	fake_srq_close(s);
	test_free(s->qps);
	test_free(s->qp_list);
	if (s->srq_list)
		test_free(s->srq_list);
	test_free(s->ids);
	test_free(s->scq.cqes);
	test_free(s->rcq.cqes);
	free(s->ep.mem.base);
	close(s->channel.ibv.fd);
}

void fake_close(struct fake *f)
{
	for (int i = 0; i < 2; i++)
		if (f->sides[i].has_worker)
			worker_close(&f->sides[i].run);
	for (int i = 0; i < 2; i++) {
		const struct fake_side *s = &f->sides[i];

		assert_int_equal(s->scq.events_got, s->scq.events_acked);
		assert_int_equal(s->rcq.events_got, s->rcq.events_acked);
	}
	if (f->violation[0])
		print_message("note: %s\n", f->violation);
	for (int i = 0; i < 2; i++)
		close_side(&f->sides[i]);
	fake_sched_close();
	free(f);
}
