/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Sleeping until an event, see flow.h. An event that does not come is found out: a sleeper that was
 * not woken for TICK_MS and then finds completions has either been overtaken by its event, which
 * then comes, or it comes no more, and the CQ is not armed any more either.
 */
#include "config.h"

#include "loop/flow.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "util/clock.h"
#include "loop/credit.h"

#define ACK_BATCH 1024u /* events acknowledged at a time: each ack takes the CQ's mutex */
#define TICK_MS 20 /* a sleeper looks around this often */
#define SPIN_FIRST_NS 1000000000u

static int arm(struct worker *l, unsigned cqs)
{
	int rc = 0;

	if (cqs & FLOW_SCQ)
		rc = ibv_req_notify_cq(l->scq, 0);
	if (!rc && cqs & FLOW_RCQ)
		rc = ibv_req_notify_cq(l->rcq, 0);
	if (rc)
		return flow_fail(l, FLOW_ARM, rc < 0 ? -rc : rc, 0);
	l->armed |= cqs;
	return 0;
}

static void ack(struct ibv_cq *cq, uint32_t *unacked, uint32_t at_least)
{
	if (*unacked < at_least)
		return;
	ibv_ack_cq_events(cq, *unacked);
	*unacked = 0;
}

/* Takes every event there is; the channel does not block. Which CQ fired decides what is armed. */
static int take_events(struct worker *l)
{
	struct ibv_cq *cq;
	void *context;
	uint32_t *unacked;
	unsigned fired = 0;
	int taken = 0;

	while (!ibv_get_cq_event(l->channel, &cq, &context)) {
		const unsigned from = cq == l->scq ? FLOW_SCQ : FLOW_RCQ;

		l->events++;
		/* it was asked for one */
		l->spurious_events += (fired & from) != 0;
		l->woken = true;
		fired |= from;
		unacked = cq == l->scq ? &l->unacked_s : &l->unacked_r;
		(*unacked)++;
		ack(cq, unacked, ACK_BATCH);
	}
	if (errno != EAGAIN)
		return flow_fail(l, FLOW_WAIT, errno, 0);
	l->armed &= ~fired;
	l->suspect &= ~fired;
	if (fired & FLOW_RCQ && l->starved && !l->receives)
		taken = credit_take(l);
	return taken < 0 ? taken : 0;
}

/*
 * A receiver's window opens with the first arrival: until then it polls, whatever the completion
 * mode, so that neither the wait for the sender nor the first wake-up is part of the window.
 */
static bool before_first(struct worker *l)
{
	if (!l->receives || l->recvd)
		return false;
	if (!l->began_ns)
		l->began_ns = clock_ns();
	return clock_ns() - l->began_ns < SPIN_FIRST_NS;
}

/* The queues that completions were found in since a sleep that ended without an event. */
static unsigned found_since(const struct worker *l)
{
	unsigned found = l->credits_taken != l->tick_credits ? FLOW_RCQ : 0;

	if (atomic_load_explicit(&l->progress, memory_order_relaxed) == l->tick_progress)
		return found;
	if (l->receives && l->recvd != l->tick_recvd)
		return found | FLOW_RCQ;
	return found | (l->sends ? FLOW_SCQ : l->armed);
}

static void not_woken(struct worker *l)
{
	const unsigned lost = l->suspect & l->armed;

	l->lost_events += (lost & FLOW_SCQ ? 1 : 0) + (lost & FLOW_RCQ ? 1 : 0);
	l->armed &= ~lost;
	l->suspect = 0;
	l->ticked = true;
	l->tick_credits = l->credits_taken;
	l->tick_recvd = l->recvd;
	l->tick_progress = atomic_load_explicit(&l->progress, memory_order_relaxed);
}

int flow_sleep(struct worker *l, unsigned cqs)
{
	struct pollfd fds[2] = { { .fd = l->channel->fd, .events = POLLIN },
				 { .fd = l->wake_fd, .events = POLLIN } };
	uint64_t word;
	int n;

	if (before_first(l))
		return 0;
	l->spurious_events += l->woken;
	l->woken = false;
	if (l->ticked)
		l->suspect |= found_since(l) & l->armed;
	l->ticked = false;
	if (cqs & ~l->armed)
		return arm(l, cqs & ~l->armed);
	n = poll(fds, 2, TICK_MS);
	if (n < 0)
		return errno == EINTR ? 0 : flow_fail(l, FLOW_WAIT, errno, 0);
	if (!n)
		not_woken(l);
	if (fds[1].revents && read(l->wake_fd, &word, sizeof(word)) < 0 && errno != EAGAIN)
		return flow_fail(l, FLOW_WAIT, errno, 0);
	return fds[0].revents ? take_events(l) : 0;
}

int flow_spin(struct worker *l, unsigned cqs)
{
	uint64_t now = clock_ns();

	if (!l->spin_from_ns)
		l->spin_from_ns = now;
	return now - l->spin_from_ns < l->spin_ns ? 0 : flow_sleep(l, cqs);
}

void flow_ack_all(struct worker *l)
{
	if (l->scq)
		ack(l->scq, &l->unacked_s, 1);
	if (l->rcq)
		ack(l->rcq, &l->unacked_r, 1);
}
