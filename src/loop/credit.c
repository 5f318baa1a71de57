/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Receives and the credit that goes with them; see flow.h for the scheme. Called by the loops once
 * per refill, and by flow.c when nothing is to do. Not in the path of a message.
 */
#include "config.h"

#include "loop/credit.h"

#include <arpa/inet.h>
#include <errno.h>

#include "util/clock.h"

/* A receiver's own send queue holds nothing but credit messages. */
static int reap_credits(struct worker *l)
{
	struct ibv_wc wc[FLOW_BATCH];
	int n;

	n = l->poll_sent(l->scq, FLOW_BATCH, wc);
	if (n < 0)
		return flow_poll_failed(l, n, FLOW_SCQ);
	for (int i = 0; i < n; i++) {
		if (wc[i].status)
			return flow_wc_failed(l, &wc[i], 1, FLOW_SCQ);
		flow_of_any(l, wc[i].wr_id)->credits_flying--;
	}
	return 0;
}

static int send_credit(struct worker *l, struct flow *f, uint32_t flags)
{
	struct ibv_send_wr *bad;
	/* copies took receives, too, but those are posted again: they make up for no message */
	const uint64_t messages = flow_recvd(f) - f->duplicated;
	const uint32_t allowed = (uint32_t)(messages + l->recv_depth) & ~FLOW_CREDIT_IDLE;
	int rc = 0;

	if (f->credits_flying >= FLOW_CREDIT_WINDOW / 2 && !l->unfinished)
		rc = reap_credits(l);
	if (rc)
		return rc;
	f->told = flow_recvd(f);
	l->owing -= f->credit_owed;
	f->credit_owed = f->credits_flying >= FLOW_CREDIT_WINDOW;
	l->owing += f->credit_owed;
	if (f->credit_owed)
		return 0;
	f->credit_wr->imm_data = htonl(allowed | flags);
	rc = l->post_credit(f->qp, f->credit_wr, &bad);
	if (rc) {
		l->fail.wc.wr_id = f->credit_wr->wr_id;
		return flow_post_failed(l, f, rc);
	}
	f->credits_flying++;
	return 0;
}

static int repost(struct worker *l, struct flow *f)
{
	uint32_t last = f->rslot + (uint32_t)(f->taken - f->reposted) - 1;
	struct ibv_recv_wr *next, *bad;
	int rc;

	if (last >= f->rring_n)
		last -= f->rring_n;
	next = f->rring[last].next;
	f->rring[last].next = NULL;
	rc = ibv_post_recv(f->qp, &f->rring[f->rslot], &bad);
	f->rring[last].next = next;
	if (rc) {
		l->fail.rx = true;
		l->fail.message = flow_recvd(f);
		return flow_fail(l, FLOW_POST_RECV, rc, f->index);
	}
	f->rslot = last + 1 == f->rring_n ? 0 : last + 1;
	f->reposted = f->taken;
	f->refill_at = f->taken + l->refill;
	return 0;
}

int credit_refill(struct worker *l, struct flow *f)
{
	int rc = repost(l, f);

	/* never for a credit message: the two sides would go on thanking each other */
	if (rc || !l->credits || !l->receives || flow_recvd(f) - f->told < l->refill)
		return rc;
	return send_credit(l, f, 0);
}

/*
 * Between a receiver's look at its queue and its message it may have slept for long, and all that
 * was under way has come since. The same count again means a look after the first message, and that
 * was sent when nothing was under way any more: what is missing now is lost.
 */
static void hear_idle(const struct worker *l, struct flow *f)
{
	if (f->idle_heard && f->idle_allowed == f->allowed)
		f->written_off = f->posted + l->recv_depth - f->allowed;
	f->idle_heard = true;
	f->idle_allowed = f->allowed;
}

void credit_hear(struct worker *l, struct flow *f, uint32_t imm)
{
	/* both counts modulo 2^31: shifted up so that the difference has a sign */
	int32_t more = (int32_t)((imm - (uint32_t)f->allowed) << 1) / 2;

	if (more > 0)
		f->allowed += (uint32_t)more;
	if (!l->reliable && imm & FLOW_CREDIT_IDLE && f->starved && f->starved_since_ns &&
	    clock_ns() - f->starved_since_ns >= l->resync_ns)
		hear_idle(l, f);
	if (f->allowed + f->written_off <= f->credit)
		return;
	f->credit = f->allowed + f->written_off;
	flow_set_limit(f, l->depth);
	l->starved -= f->starved;
	f->starved = false;
	f->starved_since_ns = 0;
	f->idle_heard = false;
	if (!f->listed && f->posted < f->target)
		flow_list(l, f);
}

int credit_take(struct worker *l)
{
	struct ibv_wc wc[FLOW_BATCH];
	int n = l->poll_came(l->rcq, FLOW_BATCH, wc);

	if (n < 0)
		return flow_poll_failed(l, n, FLOW_RCQ);
	for (int i = 0; i < n; i++) {
		struct flow *f = flow_of(l, wc[i].wr_id);
		int rc;

		if (wc[i].status || wc[i].byte_len != l->credit_bytes)
			return flow_wc_failed(l, &wc[i], 1, FLOW_RCQ);
		credit_hear(l, f, ntohl(wc[i].imm_data));
		f->taken++;
		f->credits_taken++;
		rc = repost(l, f);
		if (rc)
			return rc;
	}
	if (n) {
		l->woken = false;
		l->credits_taken++;
	}
	return n;
}

int credit_pay(struct worker *l)
{
	for (uint32_t i = 0; i < l->n_flows && l->owing; i++) {
		int rc = l->flows[i].credit_owed ? send_credit(l, &l->flows[i], 0) : 0;

		if (rc)
			return rc;
	}
	return 0;
}

int credit_tell_idle(struct worker *l)
{
	for (uint32_t i = 0; i < l->n_flows; i++) {
		struct flow *f = &l->flows[i];
		int rc = f->taken != f->reposted ? repost(l, f) : 0;

		if (!rc)
			rc = send_credit(l, f, FLOW_CREDIT_IDLE);
		if (rc)
			return rc;
	}
	return 0;
}
