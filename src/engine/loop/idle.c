/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Nothing to do: a look around, and sleeping until an event; see calls.h.
 *
 * A lost event is noticed. A sleeper that was not woken for TICK_MS and then finds completions has
 * either been overtaken by its event, which then comes, or the event is lost and the CQ is not
 * armed any more. An event that comes later still, because what sends it got no processor, was not
 * lost: it is one more than the CQ was armed for since, or comes when nothing was found since.
 */
#include "config.h"

#include "loop/calls.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "loop/state.h"
#include "util/clock.h"
#include "util/minmax.h"
#include "loop/send.h"
#include "loop/recv.h"

#define ACK_BATCH 1024u /* events acknowledged at a time: each ack takes the CQ's mutex */
#define TICK_MS 20 /* a sleeper looks around this often */
#define SPIN_FIRST_NS 1000000000u

/* The last arrival, the end over UC and UD, and the message of an idle receiver. */
static int idle_receiver(struct worker *w, uint64_t now)
{
	struct worker_idle *idle = &w->idle;

	if (w->live.received != idle->received || !idle->since_ns) {
		idle->received = w->live.received;
		idle->since_ns = now;
		idle->since_ticks = clock_ticks();
		return 0;
	}
	if (w->fixed.reliable)
		return 0;
	if (atomic_load(&w->control.peer_finished) && !idle->finished_ns)
		idle->finished_ns = now;
	if (idle->finished_ns && state_rx_open(w) &&
	    now - idle->finished_ns >= w->fixed.quiet_ns &&
	    now - idle->since_ns >= w->fixed.quiet_ns) {
		w->live.rx_t1 = idle->since_ticks;
		atomic_store(&w->control.recv_target, w->live.received);
		return 0;
	}
	if (!w->fixed.credits || idle->finished_ns ||
	    now - idle->since_ns < w->fixed.resync_ns / 2 ||
	    now - idle->credit_sent_ns < w->fixed.resync_ns / 2)
		return 0;
	idle->credit_sent_ns = now;
	return credit_send_idle(w);
}

/* Notes since when senders have no credit, as far as this look can tell. */
static void note_starved(struct worker *w, uint64_t now)
{
	for (uint32_t i = 0; i < w->fixed.n_qps; i++) {
		struct peer *peer = &w->fixed.peers[i];

		if (peer->sq->starved && !peer->starved_since_ns) {
			peer->starved_since_ns = now;
			w->live.credit_stalls++;
		}
	}
}

int idle_stream(struct worker *w)
{
	uint64_t now = clock_ns();
	int rc = w->live.owing ? credit_pay(w) : 0;

	if (!rc && w->fixed.receives)
		rc = idle_receiver(w, now);
	if (!w->live.tx_open && atomic_load(&w->control.peer_finished))
		send_open(w);
	if (!w->fixed.reliable && w->live.starved)
		note_starved(w, now);
	return rc;
}

static void ack(struct ibv_cq *cq, uint32_t *unacked, uint32_t at_least)
{
	if (*unacked < at_least)
		return;
	ibv_ack_cq_events(cq, *unacked);
	*unacked = 0;
}

/*
 * A number that changes whenever a poll has found something. progress grows then, but also with a
 * round that is lost, and not with an answer that is late.
 */
static uint64_t found_so_far(const struct worker *w)
{
	return atomic_load_explicit(&w->live.progress, memory_order_relaxed) + w->events.credits +
	       w->live.late - w->live.lost;
}

static int arm(struct worker *w, unsigned cqs)
{
	int rc = 0;

	if (cqs & FAIL_SCQ)
		rc = ibv_req_notify_cq(w->fixed.scq, 0);
	if (!rc && cqs & FAIL_RCQ)
		rc = ibv_req_notify_cq(w->fixed.rcq, w->fixed.solicited != 0);
	if (rc)
		return state_fail(w, FAIL_ARM, rc < 0 ? -rc : rc, 0);
	w->events.armed |= cqs;
	if (w->events.doubted & cqs)
		w->events.doubted_found = found_so_far(w);
	return 0;
}

static uint32_t count_of(unsigned cqs)
{
	return (cqs & FAIL_SCQ ? 1 : 0) + (cqs & FAIL_RCQ ? 1 : 0);
}

/* An event of a CQ that was not armed for it: it is late, or spurious. */
static void note_extra(struct worker *w, unsigned from)
{
	if (w->events.doubted & from)
		w->events.lost--;
	else
		w->events.spurious++;
	w->events.doubted &= ~from;
}

/* After an event: has a poll found something since, of what the worker waits for? */
static void note_woken(struct worker *w, unsigned cqs)
{
	const uint64_t found = found_so_far(w);
	const unsigned late = found == w->events.doubted_found ?
				      w->events.doubted & w->events.woken & cqs : 0;

	w->events.lost -= count_of(late);
	w->events.spurious += w->events.woken && !late && found == w->events.woken_found;
	w->events.doubted &= ~w->events.woken;
	w->events.woken = 0;
}

/* Takes every event there is; the channel does not block. Which CQ fired decides what is armed. */
static int take_events(struct worker *w)
{
	struct ibv_cq *cq;
	void *context;
	uint32_t *unacked;
	unsigned fired = 0;
	int taken = 0;

	while (!ibv_get_cq_event(w->fixed.channel, &cq, &context)) {
		const unsigned from = cq == w->fixed.scq ? FAIL_SCQ : FAIL_RCQ;

		w->events.taken++;
		/* it was asked for one */
		if (fired & from)
			note_extra(w, from);
		fired |= from;
		unacked = cq == w->fixed.scq ? &w->events.unacked_s : &w->events.unacked_r;
		(*unacked)++;
		ack(cq, unacked, ACK_BATCH);
	}
	if (errno != EAGAIN)
		return state_fail(w, FAIL_WAIT, errno, 0);
	w->events.woken = fired;
	w->events.woken_found = found_so_far(w);
	w->events.armed &= ~fired;
	w->events.suspect &= ~fired;
	if (fired & FAIL_RCQ && w->live.starved && !w->fixed.receives)
		taken = credit_take(w);
	return taken < 0 ? taken : 0;
}

/*
 * A receiver's window opens with the first arrival, a sender's by time with the first completion:
 * until then it polls, whatever the completion mode, so that neither that wait nor the first
 * wake-up is part of the window.
 */
static bool before_first(struct worker *w)
{
	if ((!w->fixed.receives || w->live.received) &&
	    (!w->fixed.timed || w->live.cut.open != UINT64_MAX))
		return false;
	if (!w->idle.began_ns)
		w->idle.began_ns = clock_ns();
	return clock_ns() - w->idle.began_ns < SPIN_FIRST_NS;
}

/* The queues that completions were found in since a sleep that ended without an event. */
static unsigned found_since(const struct worker *w)
{
	unsigned found = w->events.credits != w->events.tick_credits ? FAIL_RCQ : 0;

	if (atomic_load_explicit(&w->live.progress, memory_order_relaxed) ==
	    w->events.tick_progress)
		return found;
	if (w->fixed.receives && w->live.received != w->events.tick_received)
		return found | FAIL_RCQ;
	return found | (w->fixed.sends ? FAIL_SCQ : w->events.armed);
}

static void not_woken(struct worker *w)
{
	/* completions that are not solicited come without an event */
	const unsigned silent = w->fixed.solicited > 1 ? FAIL_RCQ : 0;
	const unsigned lost = w->events.suspect & w->events.armed & ~silent;

	w->events.lost += count_of(lost);
	w->events.doubted |= lost;
	w->events.armed &= ~lost;
	w->events.suspect = 0;
	w->events.ticked = true;
	w->events.tick_credits = w->events.credits;
	w->events.tick_received = w->live.received;
	w->events.tick_progress = atomic_load_explicit(&w->live.progress, memory_order_relaxed);
}

/*
 * How long to sleep: a tick, or until the next message is due if it can be posted then. Hybrid: for
 * the last part of that time the loop polls.
 */
static struct timespec sleep_time(const struct worker *w, bool posts)
{
	uint64_t ns = TICK_MS * UINT64_C(1000000);

	if (w->pace && posts) {
		const uint64_t now = clock_ticks(), due = w->pace->next.due;
		const uint64_t left = due > now ? clock_to_ns(due - now, w->pace->ns_per_tick) : 0;
		const uint64_t spin = w->fixed.cm == CM_HYBRID ? w->fixed.spin_ns : 0;

		ns = min_u64(ns, left > spin ? left - spin : 0);
	}
	return (struct timespec){ .tv_nsec = (long)ns };
}

void idle_until_due(struct worker *w)
{
	struct pollfd wake = { .fd = w->fixed.wake_fd, .events = POLLIN };
	const struct timespec time = sleep_time(w, true);
	uint64_t word;

	/* after an error it polls: a message is not late because of it */
	if (time.tv_nsec && ppoll(&wake, 1, &time, NULL) > 0 &&
	    read(w->fixed.wake_fd, &word, sizeof(word)) < 0)
		return;
}

static int sleep_until_event(struct worker *w, unsigned cqs)
{
	const struct timespec time =
		sleep_time(w, w->fixed.sends && w->live.work_n && w->live.tx_open);

	struct pollfd fds[2] = { { .fd = w->fixed.channel->fd, .events = POLLIN },
				 { .fd = w->fixed.wake_fd, .events = POLLIN } };
	uint64_t word;
	int n;

	if (before_first(w))
		return 0;
	note_woken(w, cqs);
	if (w->events.ticked)
		w->events.suspect |= found_since(w) & w->events.armed;
	w->events.ticked = false;
	if (cqs & ~w->events.armed)
		return arm(w, cqs & ~w->events.armed);
	n = ppoll(fds, 2, &time, NULL);
	if (n < 0)
		return errno == EINTR ? 0 : state_fail(w, FAIL_WAIT, errno, 0);
	if (!n && time.tv_nsec == TICK_MS * 1000000)
		not_woken(w);
	if (fds[1].revents && read(w->fixed.wake_fd, &word, sizeof(word)) < 0 && errno != EAGAIN)
		return state_fail(w, FAIL_WAIT, errno, 0);
	return fds[0].revents ? take_events(w) : 0;
}

static int spin(struct worker *w, unsigned cqs)
{
	const uint64_t now = clock_ns(), found = found_so_far(w);

	if (!w->idle.spin_from_ns || found != w->idle.spin_found)
		w->idle.spin_from_ns = now;
	w->idle.spin_found = found;
	return now - w->idle.spin_from_ns < w->fixed.spin_ns ? 0 : sleep_until_event(w, cqs);
}

int idle_wait(struct worker *w, unsigned cqs)
{
	if (w->fixed.cm == CM_POLL)
		return 0;
	return w->fixed.cm == CM_EVENT ? sleep_until_event(w, cqs) : spin(w, cqs);
}

void idle_ack_all(struct worker *w)
{
	if (w->fixed.scq)
		ack(w->fixed.scq, &w->events.unacked_s, 1);
	if (w->fixed.rcq)
		ack(w->fixed.rcq, &w->events.unacked_r, 1);
}
