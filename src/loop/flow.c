/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What the loops need around them, all of it outside the path of a message: idle (nothing to do),
 * stop, tail, failure. Sleep is in flow_sleep.c, refill and credits are in credit.c. See flow.h.
 */
#include "config.h"

#include "loop/flow.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "util/clock.h"
#include "loop/credit.h"

int flow_fail(struct worker *l, enum flow_what what, int err, uint32_t flow)
{
	l->fail.what = what;
	l->fail.err = err;
	l->fail.flow = flow;
	return -EIO;
}

/* The number of the request that slot names: the first one not done that uses it. */
static uint64_t number_of(const struct worker *l, const struct flow *f, uint32_t slot)
{
	int64_t n = (int64_t)slot - f->done_slot;

	if (l->histogram && !l->pingpong)
		return f->done; /* one under way at a time */
	return f->done + (uint64_t)(n < 0 ? n + f->ring_n : n);
}

/* Is this the length of something that a receive of this worker may hold? */
static bool sized(const struct worker *l, const struct ibv_wc *wc)
{
	const bool takes_credits = l->credits && l->sends;
	const bool takes_data = !l->credits || l->receives;

	return (takes_data && wc->byte_len == l->recv_bytes) ||
	       (takes_credits && wc->byte_len == l->credit_bytes);
}

int flow_wc_failed(struct worker *l, const struct ibv_wc *wc, int n, enum flow_cq cq)
{
	for (int i = 0; i < n; i++) {
		const struct flow *f = flow_of_any(l, wc[i].wr_id);

		if (!wc[i].status && (cq == FLOW_SCQ || sized(l, &wc[i])))
			continue;
		l->fail.wc = wc[i];
		l->fail.rx = cq == FLOW_RCQ;
		l->fail.expected = l->credits && !l->receives ? l->credit_bytes : l->recv_bytes;
		l->fail.message = cq == FLOW_RCQ ? flow_recvd(f) :
						   number_of(l, f, (uint32_t)wc[i].wr_id);
		/* those before it in the batch have arrived, and are not counted yet */
		for (int j = 0; cq == FLOW_RCQ && j < i; j++)
			l->fail.message +=
				flow_of(l, wc[j].wr_id) == f && wc[j].byte_len == l->recv_bytes;
		return flow_fail(l, wc[i].status ? FLOW_WC : FLOW_LENGTH, 0, f->index);
	}
	return flow_fail(l, FLOW_POLL, EBADMSG, 0);
}

int flow_post_failed(struct worker *l, const struct flow *f, int err)
{
	l->fail.message = f->posted;
	return flow_fail(l, FLOW_POST_SEND, err < 0 ? -err : err, f->index);
}

int flow_poll_failed(struct worker *l, int rc, enum flow_cq cq)
{
	l->fail.rx = cq == FLOW_RCQ;
	return flow_fail(l, FLOW_POLL, rc < -1 ? -rc : EIO, 0);
}

void flow_tx_open(struct worker *l)
{
	if (!l->tx_open)
		l->tx_t0 = clock_ticks();
	l->tx_open = true;
}

void flow_tx_finished(struct worker *l)
{
	uint64_t one = 1, sent = 0;

	l->tx_t1 = clock_ticks();
	for (uint32_t i = 0; i < l->n_flows; i++)
		sent += l->flows[i].done;
	atomic_store(&l->sent, sent);
	if (write(l->note_fd, &one, sizeof(one)) < 0)
		return; /* an eventfd that is full is readable all the same */
}

int flow_tail(struct worker *l, struct flow *f)
{
	struct ibv_send_wr *first = f->at, *bad;
	uint64_t limit = f->done + l->depth, n;
	int rc;

	if (limit > f->credit)
		limit = f->credit;
	if (limit > f->target)
		limit = f->target;
	if (limit <= f->posted) {
		if (f->posted == f->credit)
			flow_starve(l, f);
		return 0;
	}
	n = limit - f->posted;
	for (uint64_t i = 0; i < n; i++) {
		struct ibv_send_wr *wr = first + i;
		bool last = i + 1 == n;

		wr->next = last ? NULL : wr + 1;
		wr->imm_data = htonl((uint32_t)(f->posted + i));
		wr->send_flags &= ~(unsigned)IBV_SEND_SIGNALED;
		if (last && limit == f->target)
			wr->send_flags |= IBV_SEND_SIGNALED;
	}
	rc = l->post(f->qp, first, &bad);
	if (rc)
		return flow_post_failed(l, f, rc);
	f->posted += n;
	flow_advance(f, (uint32_t)n, true);
	/* nothing of a part of the tail is signalled: only credit brings this flow back */
	if (f->posted == f->credit && f->posted < f->target)
		flow_starve(l, f);
	return 0;
}

/*
 * Where a flow ends that is told to: after what is posted, plus one request if the last is
 * unsignalled.
 */
static void end_flow(const struct worker *l, struct flow *f)
{
	if (f->posted >= f->bulk)
		return;
	f->bulk = f->posted;
	f->target = f->posted;
	if (f->done < f->posted && f->posted % l->signal_interval != 0)
		f->target++;
	flow_set_limit(f, l->depth);
}

int flow_stopped(struct worker *l)
{
	int stop = atomic_load(&l->stop);

	l->stop_seen = stop;
	if (stop == FLOW_LEAVE)
		return -ECANCELED;
	if (!l->unfinished)
		return 0;
	l->unfinished = 0;
	for (uint32_t i = 0; i < l->n_flows; i++) {
		struct flow *f = &l->flows[i];

		end_flow(l, f);
		l->unfinished += f->done < f->target;
		if (!f->listed && f->posted < f->target)
			flow_list(l, f);
	}
	if (!l->unfinished)
		flow_tx_finished(l);
	return 0;
}

int flow_imm(struct worker *l, struct flow *f, const struct ibv_wc *wc)
{
	uint32_t imm = ntohl(wc->imm_data);
	int32_t ahead = (int32_t)(imm - f->imm_next);

	if (l->reliable) {
		l->fail.wc = *wc;
		l->fail.rx = true;
		l->fail.message = flow_recvd(f);
		l->fail.expected = f->imm_next;
		return flow_fail(l, FLOW_IMM, 0, f->index);
	}
	if (ahead < 0) {
		/* one that fell into a gap is late, not twice */
		if (sequence_fill(f->sequence, imm)) {
			f->out_of_order++;
			return 0;
		}
		f->duplicated++;
		/* it stands for none of those that are waited for */
		if (atomic_load(&l->recv_target) != UINT64_MAX)
			atomic_fetch_add(&l->recv_target, 1);
		return 0;
	}
	sequence_skip(f->sequence, f->imm_next, (uint32_t)ahead);
	f->imm_next = imm + 1;
	return 0;
}

static int idle_receiver(struct worker *l, uint64_t now)
{
	if (l->recvd != l->idle_recvd || !l->idle_since_ns) {
		l->idle_recvd = l->recvd;
		l->idle_since_ns = now;
		l->idle_since_ticks = clock_ticks();
		return 0;
	}
	if (l->reliable)
		return 0;
	if (atomic_load(&l->peer_finished) && !l->finished_ns)
		l->finished_ns = now;
	if (l->finished_ns && flow_rx_open(l) && now - l->finished_ns >= l->quiet_ns &&
	    now - l->idle_since_ns >= l->quiet_ns) {
		l->rx_t1 = l->idle_since_ticks;
		atomic_store(&l->recv_target, l->recvd);
		return 0;
	}
	if (!l->credits || l->finished_ns || now - l->idle_since_ns < l->resync_ns / 2 ||
	    now - l->credit_sent_ns < l->resync_ns / 2)
		return 0;
	l->credit_sent_ns = now;
	return credit_tell_idle(l);
}

int flow_idle(struct worker *l)
{
	uint64_t now = clock_ns();
	int rc = l->owing ? credit_pay(l) : 0;

	if (!rc && l->receives)
		rc = idle_receiver(l, now);
	if (!l->tx_open && atomic_load(&l->peer_finished))
		flow_tx_open(l);
	if (!l->reliable && l->starved) {
		for (uint32_t i = 0; i < l->n_flows; i++) {
			struct flow *f = &l->flows[i];

			if (f->starved && !f->starved_since_ns) {
				f->starved_since_ns = now;
				l->credit_stalls++;
			}
		}
	}
	return rc;
}

/* Own completions. All of one QP: the last says how many requests are done. */
static int take_own(struct worker *l)
{
	struct ibv_wc wc[FLOW_BATCH];
	int n = l->poll_sent(l->scq, FLOW_BATCH, wc);
	unsigned bad = 0;

	if (n < 0)
		return flow_poll_failed(l, n, FLOW_SCQ);
	for (int i = 0; i < n; i++)
		bad |= (unsigned)wc[i].status;
	if (bad)
		return flow_wc_failed(l, wc, n, FLOW_SCQ);
	for (int i = n && l->n_flows == 1 ? n - 1 : 0; i < n; i++)
		flow_retire(flow_of(l, wc[i].wr_id), wc[i].wr_id);
	return 0;
}

int flow_wait(struct worker *l)
{
	int rc = 0;

	if (atomic_load(&l->stop) == FLOW_LEAVE)
		return -ECANCELED;
	if (l->pingpong)
		rc = take_own(l);
	if (rc)
		return rc;
	if (l->answers)
		return atomic_load(&l->peer_finished) ? -ESHUTDOWN : 0;
	if (l->reliable)
		return 0;
	if (!l->said_ns)
		l->said_ns = clock_ns();
	return clock_ns() - l->said_ns >= l->loss_ns ? -EAGAIN : 0;
}

int flow_reap(struct worker *l, struct flow *f, uint32_t in_flight)
{
	do {
		int rc = take_own(l);

		if (rc)
			return rc;
		if (atomic_load_explicit(&l->stop, memory_order_relaxed) == FLOW_LEAVE)
			return -ECANCELED;
	} while (f->posted - f->done > in_flight);
	return 0;
}

void flow_rewind(struct worker *l)
{
	for (uint32_t i = 0; i < l->n_flows; i++)
		flow_advance(&l->flows[i], 0, true);
}

int flow_tidy(struct worker *l)
{
	for (uint32_t i = 0; i < l->n_flows; i++) {
		struct flow *f = &l->flows[i];
		int rc = f->rring && f->taken != f->reposted ? credit_refill(l, f) : 0;

		flow_advance(f, 0, true);
		if (!rc)
			rc = flow_reap(l, f, l->tidy);
		if (rc)
			return rc;
	}
	return 0;
}

int flow_ended(struct worker *l)
{
	return atomic_load(&l->stop) == FLOW_LEAVE ? -ECANCELED : 0;
}
