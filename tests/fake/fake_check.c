/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* After a run on the fake: nothing was violated, all was counted, the payload is right. */
#include "config.h"

#include "fake.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "util/err.h"
#include "worker/ring.h"
#include "endpoint/verify.h"

static void describe(const struct fake *f)
{
	const struct plan *p = &f->plan;

	print_message(
		"%s of %s %s by %s%s: %u QPs, depth %u, list %u, signal %u, recv %u, inline %u, "
		"%llu messages of %llu bytes\n",
		kind_test_names[p->work.test], kind_transport_names[p->work.kind.tp],
		kind_opcode_names[p->work.kind.op], kind_completion_names[p->work.kind.cm],
		p->work.bidir ? " both ways" : "", p->work.qps, p->work.depth, p->work.post_list,
		p->work.signal_interval, p->work.recv_depth, p->work.inline_bytes,
		(unsigned long long)f->point.messages, (unsigned long long)f->point.size_bytes);
	for (int i = 0; i < 2; i++)
		if (f->sides[i].rc)
			print_message("side %d: %d %s\n", i, f->sides[i].rc,
				      f->sides[i].result.reason);
}

static void count_qps(const struct fake_side *s, uint64_t *sent, uint64_t *received)
{
	for (uint32_t i = 0; i < s->fake->plan.work.qps; i++) {
		sent[i] = s->has_worker ? s->run.worker.fixed.sqs[i].done : 0;
		received[i] = s->has_worker ? s->run.worker.fixed.peers[i].received : 0;
	}
}

static void assert_payload(struct fake_side *s)
{
	const uint32_t qps = s->fake->plan.work.qps;
	uint64_t *counts = test_calloc(4 * (size_t)qps, sizeof(*counts)), checked;
	struct verify v = { .ep = &s->ep,
			    .plan = &s->fake->plan,
			    .first_slot = ring_first(&s->fake->plan, &s->fake->point),
			    .side = s->side,
			    .sent = counts,
			    .received = counts + qps,
			    .peer_sent = counts + 2 * (size_t)qps };

	count_qps(s, counts, counts + qps);
	count_qps(fake_peer(s), counts + 2 * (size_t)qps, counts + 3 * (size_t)qps);
	if (verify_check(&v, &checked)) {
		describe(s->fake);
		fail_msg("side %d: %s", s->side, err_text());
	}
	test_free(counts);
}

/* Every request is done and was retired by the one completion that says so. */
static void assert_queues(const struct fake_side *s)
{
	for (uint32_t i = 0; i < s->fake->plan.work.qps; i++) {
		const struct fake_qp *q = &s->qps[i];

		assert_int_equal(q->data_done, q->data_posted);
		assert_int_equal(q->last_signalled, q->data_posted);
		assert_int_equal(s->run.worker.fixed.sqs[i].done, q->data_posted);
		assert_int_equal(s->run.worker.fixed.sqs[i].posted, q->data_posted);
	}
}

void fake_assert_clean(struct fake *f)
{
	if (f->violation[0])
		describe(f);
	if (f->violation[0])
		fail_msg("%s", f->violation);
	for (int i = 0; i < 2; i++) {
		struct fake_side *s = &f->sides[i];

		if (s->has_worker && !s->rc)
			assert_queues(s);
		/* the word counts requests that a sender that failed did not see completed */
		if (!kind_is_atomic(f->plan.work.kind.op) || !f->sides[SIDE_CLIENT].rc)
			assert_payload(s);
	}
}
