/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Runs timers, and knows who polls; see progress.h. Called by all who set timers and by all who
 * poll.
 */
#include "config.h"
#include "transport/progress.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "base/alive.h"
#include "base/clock.h"

/*
 * A thread that polls does it this often; one that waits for a change of memory may poll now and
 * then, too.
 */
#define POLL_GAP_NS 5000
#define LOOK_NS 100000     /* between two looks at who polls */
#define PREEMPTED_NS 50000 /* a thread with less CPU time between two looks had no processor */
/* Of empty polls, and of polls while another thread runs timers: each look after so many, 1 us. */
#define POLLS_PER_LOOK 16u
/* A peer that was given the processor, and has not polled since, sleeps or is not chosen. */
#define SKIPPED_LOOKS_MAX 1024u

static struct hca_polling *const p = &hca.polling;

int progress_at(const struct timer *timer)
{
	int rc = timers_add(&hca.timers, timer);

	if (rc < 0)
		return rc;
	if (rc)
		progress_due();
	return 0;
}

bool progress_timers(uint64_t now, _Atomic uint64_t *ran)
{
	struct timer t;

	if (atomic_load_explicit(&hca.timers.at_work, memory_order_relaxed))
		return false;
	if (timers_next(&hca.timers) > now)
		return true;
	if (pthread_mutex_trylock(&hca.timers.running))
		return false;
	atomic_store_explicit(&hca.timers.at_work, true, memory_order_relaxed);
	/* this includes timers that another timer sets for now */
	while (timers_take(&hca.timers, now, &t)) {
		t.run(&t);
		atomic_fetch_add_explicit(ran, 1, memory_order_relaxed);
	}
	atomic_store_explicit(&hca.timers.at_work, false, memory_order_relaxed);
	pthread_mutex_unlock(&hca.timers.running);
	return true;
}

void progress_cancel(const void *owner)
{
	pthread_mutex_lock(&hca.timers.running);
	timers_remove(&hca.timers, owner);
	pthread_mutex_unlock(&hca.timers.running);
}

/* ---- threads that poll */

static struct shm_proc *own(void)
{
	return &hca.fabric->proc[hca.slot % SHM_PROCS];
}

void progress_count(void)
{
	struct shm_proc *proc;
	clockid_t clock;

	if (!hca.fabric)
		return;
	proc = own();
	pthread_getcpuclockid(pthread_self(), &clock);
	atomic_store_explicit(&p->clock, clock, memory_order_relaxed);
	atomic_store_explicit(&proc->poll_cpu, (uint32_t)sched_getcpu() + 1, memory_order_relaxed);
	/* a poll of another thread at the same time may not be counted */
	atomic_store_explicit(&proc->polls,
			      atomic_load_explicit(&proc->polls, memory_order_relaxed) + 1,
			      memory_order_relaxed);
}

static void give_way(void)
{
	atomic_fetch_add_explicit(&p->yields, 1, memory_order_relaxed);
	sched_yield();
}

/*
 * Whether it is time to give the processor to this peer, which polled last on this processor, so it
 * waits for it. If it has not polled since the last time, the kernel preferred another thread: the
 * time to the next try doubles, so that a third program gets little of what is meant for the peer.
 */
static bool is_its_turn(const struct shm_proc *peer)
{
	const uint32_t polls = atomic_load_explicit(&peer->polls, memory_order_relaxed);

	if (polls != p->peer_polls) {
		p->peer_polls = polls;
		p->skip = p->skipped = 0;
		return true;
	}
	if (p->skipped++ < p->skip)
		return false;
	p->skipped = 0;
	p->skip = p->skip < SKIPPED_LOOKS_MAX ? 2 * p->skip + 1 : SKIPPED_LOOKS_MAX;
	return true;
}

void progress_empty(void)
{
	const struct shm_proc *peer;
	uint32_t partner;

	if (!hca.fabric || ++p->empty % POLLS_PER_LOOK)
		return;
	partner = atomic_load_explicit(&own()->partner, memory_order_relaxed);
	if (!partner || partner - 1 >= SHM_PROCS || partner - 1 == hca.slot)
		return;
	peer = &hca.fabric->proc[partner - 1];
	if (atomic_load_explicit(&peer->poll_cpu, memory_order_relaxed) ==
	    atomic_load_explicit(&own()->poll_cpu, memory_order_relaxed) && is_its_turn(peer))
		give_way();
}

/* The timers are due, but another thread of this process runs them. */
static void kept_out(void)
{
	if (!(++p->kept_out % POLLS_PER_LOOK))
		give_way();
}

void progress_run(void)
{
	if (!progress_timers(clock_now(), &hca.polling.ran))
		kept_out();
}

bool progress_is_polled(uint64_t now_ns)
{
	const uint32_t polls = atomic_load_explicit(&own()->polls, memory_order_relaxed);
	const uint64_t n = polls - p->seen_polls, passed_ns = now_ns - p->looked_ns;
	const clockid_t clock = atomic_load_explicit(&p->clock, memory_order_relaxed);
	struct timespec t = { 0 };
	uint64_t cpu_ns;

	if (passed_ns < LOOK_NS || !clock)
		return p->goes_on;
	if (clock_gettime(clock, &t))
		return p->goes_on = false;
	cpu_ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	p->goes_on = n * POLL_GAP_NS >= passed_ns ||
		     (p->goes_on && clock == p->seen_clock &&
		      cpu_ns - p->seen_cpu_ns < PREEMPTED_NS && alive_is_runnable(clock));
	p->looked_ns = now_ns;
	p->seen_polls = polls;
	p->seen_cpu_ns = cpu_ns;
	p->seen_clock = clock;
	return p->goes_on;
}
