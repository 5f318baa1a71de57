/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The progress thread; see progress.h. It removes peers that die, and runs timers when no thread
 * polls. It sleeps until shortly before the next timer, and then spins. While a thread polls, that
 * thread runs the timers with the least delay, and the progress thread would only use CPU time.
 */
#include "config.h"
#include "transport/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alive.h"
#include "base/clock.h"
#include "base/fabric.h"

/* The thread wakes this long before a timer, and spins: as long as its sleeps ended late. */
#define WINDOW_MIN_NS 10000
#define WINDOW_MAX_NS 200000
#define POLLED_NS 50000    /* a thread that polled within this time still polls */
#define ARMED_NS 50000000  /* a program that armed a CQ within this time sleeps between events */
/*
 * While a thread polls, the progress thread sleeps this long; longer if the polling goes on. A
 * timer is at most this late when the polling stops.
 */
#define NAP_MIN_NS 100000
#define NAP_MAX_NS 1000000
#define LATE_NS 5000       /* a timer that is this late: no thread polls any more, so */
#define PRECISE_NS 5000000 /* the progress thread runs the timers for this long */

static struct hca_progress *const p = &hca.progress;

static void wake(void)
{
	ssize_t n = write(hca.wake_out, "", 1);

	(void)n; /* a full pipe wakes the thread, too */
}

/*
 * A thread that sleeps without a limit must be woken. Otherwise it wakes soon, or a thread polls.
 */
void progress_due(void)
{
	progress_start();
	if (atomic_load(&p->wakes_ns) == UINT64_MAX)
		wake();
}

void progress_polled(uint64_t now_ns)
{
	clockid_t clock;

	pthread_getcpuclockid(pthread_self(), &clock);
	atomic_store_explicit(&p->poller_clock, clock, memory_order_relaxed);
	atomic_store_explicit(&p->polled_ns, now_ns, memory_order_relaxed);
}

void progress_sleep(void)
{
	uint64_t due = timers_next(&hca.timers);

	atomic_store_explicit(&p->polled_ns, 0, memory_order_relaxed);
	if (due < atomic_load(&p->wakes_ns))
		wake();
}

void progress_armed(void)
{
	if (!atomic_load_explicit(&p->started, memory_order_relaxed))
		return;
	atomic_store_explicit(&p->armed_ns, clock_now(), memory_order_relaxed);
	progress_sleep();
}

void progress_disarmed(void)
{
	atomic_store_explicit(&p->armed_ns, 0, memory_order_relaxed);
}

static uint32_t fill(struct pollfd *fds)
{
	uint32_t n;

	fds[0] = (struct pollfd) { .fd = hca.wake_in, .events = POLLIN };
	pthread_mutex_lock(&p->lock);
	n = p->n;
	for (uint32_t i = 0; i < n; i++)
		fds[i + 1] = (struct pollfd) { .fd = p->watched[i].fd, .events = POLLIN };
	pthread_mutex_unlock(&p->lock);
	return n + 1;
}

/* The process of this pidfd is dead. */
static void remove_dead(int fd)
{
	struct hca_watched dead = { .fd = -1 };

	pthread_mutex_lock(&p->lock);
	for (uint32_t i = 0; i < p->n; i++) {
		if (p->watched[i].fd != fd)
			continue;
		dead = p->watched[i];
		p->watched[i] = p->watched[--p->n];
		break;
	}
	pthread_mutex_unlock(&p->lock);
	if (dead.fd < 0)
		return;
	close(dead.fd);
	/*
	 * the kernel has released the file locks of the process before its pidfd becomes readable
	 */
	fabric_remove(dead.slot, dead.gen);
	peer_died(dead.slot, dead.gen);
}

/* Sleeps for ns. True: the time is over; false: something else woke the thread. */
static bool nap(uint64_t ns)
{
	struct pollfd fds[SHM_PROCS + 1];
	struct timespec t = { .tv_sec = (time_t)(ns / 1000000000), .tv_nsec = ns % 1000000000 };
	uint32_t n = fill(fds);
	char bytes[64];

	if ((int64_t)ns < 0 && ns != UINT64_MAX)
		return false;
	if (ppoll(fds, n, ns == UINT64_MAX ? NULL : &t, NULL) <= 0)
		return true;
	while (fds[0].revents && read(hca.wake_in, bytes, sizeof(bytes)) > 0)
		continue;
	for (uint32_t i = 1; i < n; i++)
		if (fds[i].revents)
			remove_dead(fds[i].fd);
	return false;
}

static bool is_runnable(int tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	return alive_state(path) == 'R';
}

/*
 * The clock of the CPU time of a thread contains the number of the thread (the kernel's interface,
 * see MAKE_THREAD_CPUCLOCK of include/linux/posix-timers.h).
 */
static int tid_of(clockid_t clock)
{
	return ~(clock >> 3);
}

/*
 * Whether the thread that polled last is runnable but has no CPU. It polls again as soon as it has
 * one. A progress thread that spins meanwhile would delay it, or the thread that polls in the peer.
 */
static bool is_poller_preempted(void)
{
	uint64_t polled = atomic_load_explicit(&p->polled_ns, memory_order_relaxed), cpu;
	clockid_t clock = atomic_load_explicit(&p->poller_clock, memory_order_relaxed);
	struct timespec t;

	if (!polled || !clock || clock_gettime(clock, &t))
		return false;
	cpu = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	if (polled != p->seen_polled_ns) {
		p->seen_polled_ns = polled;
		p->seen_cpu_ns = cpu;
	}
	return cpu - p->seen_cpu_ns < POLLED_NS && is_runnable(tid_of(clock));
}

/*
 * Whether a thread polls, and so runs the timers. One that has no CPU still does: also while this
 * thread is precise because it was late.
 */
static bool is_polled(uint64_t now)
{
	const uint64_t polled = atomic_load_explicit(&p->polled_ns, memory_order_relaxed);

	if (atomic_load_explicit(&p->armed_ns, memory_order_relaxed) + ARMED_NS >= now)
		return false;
	return (now >= p->precise_until_ns && polled + POLLED_NS > now) || is_poller_preempted();
}

static bool are_timers_running(void)
{
	if (pthread_mutex_trylock(&hca.timers.running))
		return true;
	pthread_mutex_unlock(&hca.timers.running);
	return false;
}

/*
 * If no thread polls any more, timers become late; then the progress thread runs them for a while.
 * A thread still polls if it has polled since they were due, runs other timers, or waits for a CPU.
 */
static void check_pollers(uint64_t now)
{
	uint64_t due = timers_next(&hca.timers);

	if (due < now - LATE_NS && !are_timers_running() &&
	    atomic_load_explicit(&p->polled_ns, memory_order_relaxed) < due &&
	    !is_poller_preempted()) {
		p->precise_until_ns = now + PRECISE_NS;
		p->nap_ns = NAP_MIN_NS;
	} else if (p->nap_ns < NAP_MAX_NS) {
		p->nap_ns *= 2;
	}
}

/* late_ns: how late a sleep ended. The window follows the largest value of the last time. */
static void check_timer(uint64_t late_ns)
{
	uint64_t want = late_ns + late_ns / 4 + WINDOW_MIN_NS / 2;

	p->window_ns -= p->window_ns / 128;
	if (want > p->window_ns)
		p->window_ns = want;
	if (p->window_ns < WINDOW_MIN_NS)
		p->window_ns = WINDOW_MIN_NS;
	if (p->window_ns > WINDOW_MAX_NS)
		p->window_ns = WINDOW_MAX_NS;
}

/* Sleeps until a timer may be due. False: another thread runs it. */
static bool rest(void)
{
	uint64_t now = clock_now(), due = timers_next(&hca.timers);

	if (is_polled(now)) {
		atomic_store(&p->wakes_ns, now + p->nap_ns);
		nap(p->nap_ns);
		now = clock_now();
		check_pollers(now);
		/* a poller that waits for a CPU would wait for the lock of the timers, too */
		return now < p->precise_until_ns ||
		       (timers_next(&hca.timers) < now - LATE_NS && !is_poller_preempted());
	}
	if (due == UINT64_MAX) {
		atomic_store(&p->wakes_ns, UINT64_MAX);
		/* a timer that was set before this store did not wake the thread */
		if (timers_next(&hca.timers) == UINT64_MAX)
			nap(UINT64_MAX);
		return true;
	}
	if (due <= now + p->window_ns)
		return true;
	now = due - p->window_ns;
	atomic_store(&p->wakes_ns, now);
	if (nap(now - clock_now()))
		check_timer(clock_now() - now);
	return true;
}

/*
 * With a short time slice, a thread that wakes preempts one with a longer slice
 * (kernel/sched/fair.c, since Linux 6.12). Otherwise a program that polls memory keeps the CPU
 * until the next tick. Older kernels refuse this call.
 */
static void ask_short_slice(void)
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

static void *run(void *arg)
{
	(void)arg;
	prctl(PR_SET_NAME, "softhca");
	prctl(PR_SET_TIMERSLACK, 1);
	ask_short_slice();
	while (!atomic_load(&p->stop)) {
		const bool mine = rest();

		atomic_load(&p->check)();
		if (mine)
			progress_timers(clock_now());
	}
	return NULL;
}

int progress_start(void)
{
	sigset_t all, old;
	int rc = 0;

	if (atomic_load_explicit(&p->started, memory_order_acquire))
		return 0;
	pthread_mutex_lock(&p->lock);
	if (!atomic_load(&p->started)) {
		p->nap_ns = NAP_MIN_NS;
		if (!p->window_ns)
			p->window_ns = WINDOW_MIN_NS;
		atomic_store(&p->stop, false);
		/* signals are for the threads of the program */
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &old);
		rc = -pthread_create(&p->thread, NULL, run, NULL);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
		if (!rc)
			atomic_store_explicit(&p->started, true, memory_order_release);
	}
	pthread_mutex_unlock(&p->lock);
	return rc;
}

void progress_stop(void)
{
	if (!atomic_load_explicit(&p->started, memory_order_acquire))
		return;
	atomic_store(&p->stop, true);
	wake();
	pthread_join(p->thread, NULL);
	atomic_store_explicit(&p->started, false, memory_order_release);
}

void progress_open(void (*check)(void))
{
	atomic_store(&p->check, check);
	if (p->n)
		progress_start();
}

/* Under the lock. A peer is in the list once. */
static int add(int fd, const struct peer *peer)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (p->watched[i].slot == peer->slot && p->watched[i].gen == peer->gen)
			return -EEXIST;
	if (p->n == SHM_PROCS)
		return -EUSERS;
	p->watched[p->n++] = (struct hca_watched) {
		.fd = fd, .slot = peer->slot, .gen = peer->gen,
	};
	return 0;
}

int progress_watch(const struct peer *peer)
{
	int fd = (int)syscall(SYS_pidfd_open, peer->pid, 0), rc;

	if (fd < 0)
		return -errno;
	pthread_mutex_lock(&p->lock);
	rc = add(fd, peer);
	pthread_mutex_unlock(&p->lock);
	if (rc) {
		close(fd);
		return rc == -EEXIST ? 0 : rc;
	}
	progress_start();
	wake(); /* the thread sleeps without the new descriptor */
	return 0;
}
