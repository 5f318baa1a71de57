/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The engine thread: runs due events when nobody polls, buries peers that die, and answers bells.
 * It sleeps until shortly before the next event and then spins, unless somebody is polling: a
 * poller does the work to the nanosecond, and the engine would only take its CPU.
 */
#define _GNU_SOURCE
#include "engine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fabric.h"
#include "hca.h"
#include "peer.h"
#include "req.h"
#include "agenda.h"

#define WINDOW_MIN_NS 10000   /* how early it is up before an event, and spins: as much as timers */
#define WINDOW_MAX_NS 200000  /* were seen to be late */
#define POLLED_NS 50000       /* polled this recently: somebody is polling */
#define ARMED_NS 50000000     /* a CQ was armed this recently: the program sleeps between events */
#define NAP_MIN_NS 100000     /* what polling may be late once it stops unannounced, */
#define NAP_MAX_NS 1000000    /* or, after it went on for long, stops */
#define LATE_NS 5000          /* an event this late: pollers do not do it; */
#define PRECISE_NS 5000000    /* the engine does, for so long */

struct watched {
	int fd;
	uint32_t slot, gen;
};

struct engine {
	pthread_mutex_t lock;
	bool started;
	atomic_bool stop;
	pthread_t thread;
	struct watched watched[SHM_PROCS];
	uint32_t n;
	_Atomic uint64_t wakes_ns; /* when the engine will look again by itself */
	_Atomic uint64_t polled_ns, armed_ns;
	_Atomic int poller;        /* thread that polled last; 0 none */
	_Atomic int poller_clock;  /* its CPU time */
	/* the engine's own */
	uint64_t nap_ns, window_ns, precise_until_ns;
	uint64_t seen_polled_ns, seen_cpu_ns; /* at the last look at the poller */
};

static struct engine engine = {
	.lock = PTHREAD_MUTEX_INITIALIZER, .nap_ns = NAP_MIN_NS, .window_ns = WINDOW_MIN_NS,
};

static void ring(void)
{
	ssize_t n = write(hca.bell_out, "", 1);

	(void)n; /* a full pipe is a bell that rings already */
}

/* Asleep for good it must be told; else it looks soon enough by itself, or somebody polls. */
void engine_due(uint64_t due_ns)
{
	(void)due_ns;
	engine_start();
	if (atomic_load(&engine.wakes_ns) == UINT64_MAX)
		ring();
}

void engine_polled(uint64_t now_ns)
{
	static _Thread_local int self;
	static _Thread_local clockid_t clock;

	if (!self) {
		self = gettid();
		pthread_getcpuclockid(pthread_self(), &clock);
	}
	atomic_store_explicit(&engine.poller, self, memory_order_relaxed);
	atomic_store_explicit(&engine.poller_clock, clock, memory_order_relaxed);
	atomic_store_explicit(&engine.polled_ns, now_ns, memory_order_relaxed);
}

void engine_sleep(void)
{
	uint64_t due = atomic_load(&agenda_next);

	atomic_store_explicit(&engine.polled_ns, 0, memory_order_relaxed);
	if (due < atomic_load(&engine.wakes_ns))
		ring();
}

void engine_armed(void)
{
	if (!__atomic_load_n(&engine.started, __ATOMIC_RELAXED))
		return;
	atomic_store_explicit(&engine.armed_ns, agenda_now(), memory_order_relaxed);
	engine_sleep();
}

static uint32_t fill(struct pollfd *fds)
{
	uint32_t n;

	fds[0] = (struct pollfd) { .fd = hca.bell_in, .events = POLLIN };
	pthread_mutex_lock(&engine.lock);
	n = engine.n;
	for (uint32_t i = 0; i < n; i++)
		fds[i + 1] = (struct pollfd) { .fd = engine.watched[i].fd, .events = POLLIN };
	pthread_mutex_unlock(&engine.lock);
	return n + 1;
}

static void bury(int fd)
{
	struct watched dead = { .fd = -1 };

	pthread_mutex_lock(&engine.lock);
	for (uint32_t i = 0; i < engine.n; i++) {
		if (engine.watched[i].fd != fd)
			continue;
		dead = engine.watched[i];
		engine.watched[i] = engine.watched[--engine.n];
		break;
	}
	pthread_mutex_unlock(&engine.lock);
	if (dead.fd < 0)
		return;
	close(dead.fd);
	/* exiting is not yet having let go of the lock, but a pidfd says so only after */
	fabric_bury(dead.slot, dead.gen);
	peer_died(dead.slot, dead.gen);
}

/* True: the time is over. */
static bool nap(uint64_t ns)
{
	struct pollfd fds[SHM_PROCS + 1];
	struct timespec t = { .tv_sec = (time_t)(ns / 1000000000), .tv_nsec = ns % 1000000000 };
	uint32_t n = fill(fds);
	char bells[64];

	if ((int64_t)ns < 0 && ns != UINT64_MAX)
		return false;
	if (ppoll(fds, n, ns == UINT64_MAX ? NULL : &t, NULL) <= 0)
		return true;
	while (fds[0].revents && read(hca.bell_in, bells, sizeof(bells)) > 0)
		continue;
	for (uint32_t i = 1; i < n; i++)
		if (fds[i].revents)
			bury(fds[i].fd);
	return false;
}

/* proc_pid_stat(5): the state follows the name, which may hold anything but stands in brackets. */
static bool is_runnable(int tid)
{
	char path[64], text[256], *name_end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	name_end = strrchr(text, ')');
	return name_end && name_end[1] && name_end[2] == 'R';
}

/*
 * The thread that polled last wants to run and does not get a processor. It will poll when it does;
 * an engine that spun meanwhile would keep it, or the peer's poller, waiting.
 */
static bool is_poller_preempted(void)
{
	uint64_t polled = atomic_load_explicit(&engine.polled_ns, memory_order_relaxed), cpu;
	int tid = atomic_load_explicit(&engine.poller, memory_order_relaxed);
	struct timespec t;

	if (!polled || !tid || clock_gettime(atomic_load(&engine.poller_clock), &t))
		return false;
	cpu = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	if (polled != engine.seen_polled_ns) {
		engine.seen_polled_ns = polled;
		engine.seen_cpu_ns = cpu;
	}
	return cpu - engine.seen_cpu_ns < POLLED_NS && is_runnable(tid);
}

/* Somebody polls, and sees to events better than the engine could. */
static bool is_polled(uint64_t now)
{
	return now >= engine.precise_until_ns &&
	       atomic_load_explicit(&engine.armed_ns, memory_order_relaxed) + ARMED_NS < now &&
	       (atomic_load_explicit(&engine.polled_ns, memory_order_relaxed) + POLLED_NS > now ||
		is_poller_preempted());
}

/*
 * A poller that stopped leaves its events behind: then they are the engine's for a while. One that
 * polled since they were due, is busy with others, or waits for a processor, has not stopped.
 */
static void check_pollers(uint64_t now)
{
	uint64_t due = atomic_load(&agenda_next);

	if (due < now - LATE_NS && !agenda_busy() &&
	    atomic_load_explicit(&engine.polled_ns, memory_order_relaxed) < due &&
	    !is_poller_preempted()) {
		engine.precise_until_ns = now + PRECISE_NS;
		engine.nap_ns = NAP_MIN_NS;
	} else if (engine.nap_ns < NAP_MAX_NS) {
		engine.nap_ns *= 2;
	}
}

/* Timers are late by what the machine makes of them: the window follows the worst seen lately. */
static void check_timer(uint64_t late_ns)
{
	uint64_t want = late_ns + late_ns / 4 + WINDOW_MIN_NS / 2;

	engine.window_ns -= engine.window_ns / 128;
	if (want > engine.window_ns)
		engine.window_ns = want;
	if (engine.window_ns < WINDOW_MIN_NS)
		engine.window_ns = WINDOW_MIN_NS;
	if (engine.window_ns > WINDOW_MAX_NS)
		engine.window_ns = WINDOW_MAX_NS;
}

/* Sleeps until there may be something to do. False: somebody else does it. */
static bool rest(void)
{
	uint64_t now = agenda_now(), due = atomic_load(&agenda_next);

	if (is_polled(now)) {
		atomic_store(&engine.wakes_ns, now + engine.nap_ns);
		nap(engine.nap_ns);
		now = agenda_now();
		check_pollers(now);
		return now < engine.precise_until_ns ||
		       atomic_load(&agenda_next) < now - LATE_NS;
	}
	if (due == UINT64_MAX) {
		atomic_store(&engine.wakes_ns, UINT64_MAX);
		if (atomic_load(&agenda_next) == UINT64_MAX) /* looked at again: not rung for yet */
			nap(UINT64_MAX);
		return true;
	}
	if (due <= now + engine.window_ns)
		return true;
	now = due - engine.window_ns;
	atomic_store(&engine.wakes_ns, now);
	if (nap(now - agenda_now()))
		check_timer(agenda_now() - now);
	return true;
}

/*
 * A short slice lets a woken thread preempt one with a longer (kernel/sched/fair.c: since 6.12);
 * programs that watch memory would otherwise keep the CPU to the next tick. Older kernels refuse.
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
	while (!atomic_load(&engine.stop)) {
		uint64_t polled;
		bool mine = rest();

		req_attend();
		if (!mine)
			continue;
		polled = atomic_load_explicit(&engine.polled_ns, memory_order_relaxed);
		agenda_run();
		/* the engine is no poller */
		atomic_store_explicit(&engine.polled_ns, polled, memory_order_relaxed);
	}
	return NULL;
}

int engine_start(void)
{
	sigset_t all, old;
	int rc = 0;

	if (__atomic_load_n(&engine.started, __ATOMIC_ACQUIRE))
		return 0;
	pthread_mutex_lock(&engine.lock);
	if (!engine.started) {
		/* the program's signals are the program's */
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &old);
		atomic_store(&engine.stop, false);
		rc = -pthread_create(&engine.thread, NULL, run, NULL);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
		if (!rc)
			__atomic_store_n(&engine.started, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&engine.lock);
	return rc;
}

/* No device is open any more. */
void engine_stop(void)
{
	bool started = __atomic_load_n(&engine.started, __ATOMIC_ACQUIRE);

	if (!started)
		return;
	atomic_store(&engine.stop, true);
	ring();
	pthread_join(engine.thread, NULL);
	__atomic_store_n(&engine.started, false, __ATOMIC_RELEASE);
}

/* A device is open again: peers known from before are watched again. */
void engine_resume(void)
{
	if (engine.n)
		engine_start();
}

int engine_watch(uint32_t slot, uint32_t gen, int pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0)
		return -errno;
	pthread_mutex_lock(&engine.lock);
	for (uint32_t i = 0; i < engine.n; i++) {
		if (engine.watched[i].slot == slot && engine.watched[i].gen == gen) {
			close(fd);
			pthread_mutex_unlock(&engine.lock);
			return 0;
		}
	}
	if (engine.n == SHM_PROCS) {
		close(fd);
		pthread_mutex_unlock(&engine.lock);
		return -EUSERS;
	}
	engine.watched[engine.n++] = (struct watched) { .fd = fd, .slot = slot, .gen = gen };
	pthread_mutex_unlock(&engine.lock);
	engine_start();
	ring(); /* it waits for one more */
	return 0;
}

void engine_forget(void)
{
	engine = (struct engine) {
		.lock = PTHREAD_MUTEX_INITIALIZER, .nap_ns = NAP_MIN_NS,
		.window_ns = WINDOW_MIN_NS,
	};
}
