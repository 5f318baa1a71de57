/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Runs timers, and knows who polls; see progress.h. Called by all who set timers and by all who
 * poll.
 */
#include "config.h"
#include "transport/progress.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/alive.h"
#include "base/clock.h"

/*
 * A thread that polls does it this often; one that waits for a change of memory may poll now and
 * then, too.
 */
#define POLL_GAP_NS 5000
#define LOOK_NS 100000     /* between two looks at who polls */
#define PREEMPTED_NS 50000 /* a thread with less CPU time between two looks had no processor */
#define POLLS_PER_LOOK 16u /* of empty polls, between two looks at the peer: 1 us */
/* A third thread got the processor for a time slice: for so long, a poll waits for its peer. */
#define SLICE_NS 300000
#define CROWDED_NS 100000000
#define WAIT_NS 1000000 /* at most: a message may come by another way */
#define SOON_NS 100000  /* a sleep may end this late */
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

/* Under the lock. */
static void run_due(uint64_t now, _Atomic uint64_t *ran)
{
	struct timer t;

	atomic_store_explicit(&hca.timers.at_work, true, memory_order_relaxed);
	/* this includes timers that another timer sets for now */
	while (timers_take(&hca.timers, now, &t)) {
		t.run(&t);
		atomic_fetch_add_explicit(ran, 1, memory_order_relaxed);
	}
	atomic_store_explicit(&hca.timers.at_work, false, memory_order_release);
	pthread_mutex_unlock(&hca.timers.running);
}

bool progress_timers(uint64_t now, _Atomic uint64_t *ran)
{
	if (atomic_load_explicit(&hca.timers.at_work, memory_order_relaxed))
		return false;
	if (timers_next(&hca.timers) > now)
		return true;
	if (pthread_mutex_trylock(&hca.timers.running))
		return false;
	run_due(now, ran);
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

/*
 * With a short time slice, a thread that wakes preempts one with a longer slice
 * (kernel/sched/fair.c, since Linux 6.12). Otherwise a program that polls memory keeps the CPU
 * until the next tick. Older kernels refuse this call.
 */
void progress_ask_short_slice(void)
{
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} attr = { .size = 48, .runtime = 100000 };

	syscall(SYS_sched_setattr, 0, &attr, 0);
}

static void give_way(void)
{
	const uint64_t begun_ns = clock_now();
	uint64_t now_ns;

	atomic_fetch_add_explicit(&p->yields, 1, memory_order_relaxed);
	sched_yield();
	now_ns = clock_now();
	if (now_ns - begun_ns <= SLICE_NS)
		return;
	own()->crowded_until_ns = now_ns + CROWDED_NS;
	progress_ask_short_slice();
}

/*
 * Beside a third thread, each yield may cost a time slice: Linux 6.18 takes the rest of its slice
 * from a thread that yields (kernel/sched/fair.c, yield_task_fair). So a thread that polls sleeps
 * until its peer has a message for it. It says so first, and sleeps only if the next poll finds
 * nothing either: then no message has come in between.
 */
static void wait_for_peer(uint64_t now_ns)
{
	const uint64_t due_ns = timers_next(&hca.timers);
	_Atomic uint32_t *const waits = &own()->waits;
	struct timespec t = { .tv_nsec = WAIT_NS };
	uint32_t soon = SHM_WAITS_SOON;

	if (due_ns < now_ns + SOON_NS + WAIT_NS)
		t.tv_nsec = due_ns > now_ns + SOON_NS ? (long)(due_ns - now_ns - SOON_NS) : 0;
	if (!t.tv_nsec)
		return;
	if (!atomic_compare_exchange_strong(waits, &soon, SHM_WAITS)) {
		atomic_store(waits, SHM_WAITS_SOON);
		return;
	}
	atomic_fetch_add_explicit(&p->yields, 1, memory_order_relaxed);
	syscall(SYS_futex, waits, FUTEX_WAIT, SHM_WAITS, &t, NULL, 0);
	atomic_store(waits, SHM_WAITS_NOT);
}

void progress_delivered(uint32_t slot)
{
	_Atomic uint32_t *const waits = &hca.fabric->proc[slot % SHM_PROCS].waits;

	if (atomic_load(waits) && atomic_exchange(waits, SHM_WAITS_NOT) == SHM_WAITS)
		syscall(SYS_futex, waits, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
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
	uint64_t now_ns;
	uint32_t partner;

	if (!hca.fabric || ++p->empty % POLLS_PER_LOOK)
		return;
	partner = atomic_load_explicit(&own()->partner, memory_order_relaxed);
	if (!partner || partner - 1 >= SHM_PROCS || partner - 1 == hca.slot)
		return;
	peer = &hca.fabric->proc[partner - 1];
	if (atomic_load_explicit(&peer->poll_cpu, memory_order_relaxed) !=
	    atomic_load_explicit(&own()->poll_cpu, memory_order_relaxed))
		return;
	now_ns = clock_now();
	if (own()->crowded_until_ns > now_ns || peer->crowded_until_ns > now_ns)
		wait_for_peer(now_ns);
	else if (is_its_turn(peer))
		give_way();
}

void progress_run(void)
{
	(void)progress_timers(clock_now(), &p->ran);
}

/*
 * Another thread that runs timers may be at the one for which this poll is here, or may have begun
 * before that was due.
 */
void progress_run_all(void)
{
	const uint64_t now = clock_now();

	/* in this order: a thread is at work before it takes a timer */
	if (timers_next(&hca.timers) > now &&
	    !atomic_load_explicit(&hca.timers.at_work, memory_order_acquire))
		return;
	pthread_mutex_lock(&hca.timers.running);
	run_due(now, &p->ran);
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
		      cpu_ns - p->seen_cpu_ns < PREEMPTED_NS &&
		      (own()->waits == SHM_WAITS || alive_is_runnable(clock)));
	p->looked_ns = now_ns;
	p->seen_polls = polls;
	p->seen_cpu_ns = cpu_ns;
	p->seen_clock = clock;
	return p->goes_on;
}
