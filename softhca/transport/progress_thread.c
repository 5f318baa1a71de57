/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The progress thread; see progress.h. It removes peers that die, and runs timers when no thread
 * polls: it sleeps until the next timer. While a thread polls, that thread runs the timers with the
 * least delay, and this one only looks now and then whether it still polls.
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

#include "base/clock.h"
#include "base/fabric.h"
#include "transport/completion.h"

#define SLEPT_NS 50000000 /* a program that slept within this time sleeps between events */
/*
 * While a thread polls, the progress thread sleeps this long; longer if the polling goes on. A
 * timer is at most this late when the polling stops.
 */
#define NAP_MIN_NS 100000
#define NAP_MAX_NS 1000000
#define BUSY_NS 20000 /* while another thread runs timers */

static struct hca_progress *const p = &hca.progress;

static void wake(void)
{
	ssize_t n = write(hca.wake_out, "", 1);

	(void)n; /* a full pipe wakes the thread, too */
}

/* While a thread polls, that one runs the timer. */
void progress_due(void)
{
	progress_start();
	if (!atomic_load(&p->polled) && timers_next(&hca.timers) < atomic_load(&p->wakes_ns))
		wake();
}

void progress_sleep(void)
{
	if (!atomic_load_explicit(&p->started, memory_order_relaxed))
		return;
	atomic_store(&p->slept_ns, clock_now());
	if (timers_next(&hca.timers) < atomic_load(&p->wakes_ns))
		wake();
}

void progress_disarmed(void)
{
	atomic_store_explicit(&p->slept_ns, 0, memory_order_relaxed);
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
	completion_peer_died(dead.slot, dead.gen);
}

/* Sleeps for ns, UINT64_MAX: without end, or until something wakes the thread. */
static void nap(uint64_t ns)
{
	struct pollfd fds[SHM_PROCS + 1];
	struct timespec t = { .tv_sec = (time_t)(ns / 1000000000), .tv_nsec = ns % 1000000000 };
	uint32_t n = fill(fds);
	char bytes[64];

	if (ppoll(fds, n, ns == UINT64_MAX ? NULL : &t, NULL) <= 0)
		return;
	while (fds[0].revents && read(hca.wake_in, bytes, sizeof(bytes)) > 0)
		continue;
	for (uint32_t i = 1; i < n; i++)
		if (fds[i].revents)
			remove_dead(fds[i].fd);
}

static bool has_slept(uint64_t now)
{
	return atomic_load(&p->slept_ns) + SLEPT_NS >= now;
}

/* Not if a timer was set, or a thread of the program slept, before wakes_ns could tell it. */
static void sleep_until(uint64_t due, uint64_t now)
{
	atomic_store(&p->wakes_ns, due);
	if (atomic_load(&p->polled) ? !has_slept(now) : timers_next(&hca.timers) >= due)
		nap(due == UINT64_MAX ? due : due - now);
	atomic_store(&p->wakes_ns, 0);
}

/* Sleeps until a timer may be due. False: a thread that polls runs the timers. */
static bool rest(void)
{
	const uint64_t now = clock_now();
	const bool polled = progress_is_polled(now) && !has_slept(now);
	uint64_t due;

	atomic_store(&p->polled, polled);
	if (polled) {
		sleep_until(now + p->nap_ns, now);
		if (p->nap_ns < NAP_MAX_NS)
			p->nap_ns *= 2;
		return false;
	}
	p->nap_ns = NAP_MIN_NS;
	due = timers_next(&hca.timers);
	if (due > now)
		sleep_until(due, now);
	return true;
}

static void *run(void *arg)
{
	(void)arg;
	prctl(PR_SET_NAME, "softhca");
	prctl(PR_SET_TIMERSLACK, 1);
	progress_ask_short_slice();
	while (!atomic_load(&p->stop)) {
		const bool mine = rest();

		atomic_load(&p->check)();
		if (mine && !progress_timers(clock_now(), &p->ran))
			nap(BUSY_NS);
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
