/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Threads and time of the fake. The measuring thread of each worker is a coroutine; the symbols
 * defined here stand before those of the C library, so that worker.c and idle.c use them
 * unchanged. The only state of the fake that is not in struct fake is here, because those calls
 * carry no context.
 */
#include "config.h"

#include "fake.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define TASKS 2
#define STACK_BYTES (128u << 10)
#define ROUND_MAX_NS 50000u
#define HANG_ROUNDS 20000000u
#define READS_MOST 16u /* serve: one that reads the clock so often in a turn waits for a time */
#define HANG_NS 120000000000u

struct task {
	ucontext_t context;
	void *stack;
	void *(*main)(void *);
	void *arg;
	bool ended, asleep;
	uint64_t until_ns;
};

static struct sched {
	struct fake *fake;
	ucontext_t home;
	struct task tasks[TASKS];
	uint32_t n_tasks;
	struct task *current; /* NULL: the test itself runs */
	uint32_t reads;       /* of the clock, since the current task has its turn */
} sched;

static void task_main(void)
{
	struct task *t = sched.current;

	t->main(t->arg);
	t->ended = true;
	swapcontext(&t->context, &sched.home);
}

/* Its thread has not got a processor yet. */
static bool is_late(const struct task *t)
{
	struct fake *f = sched.fake;

	return f->rounds < f->late && t->arg == &f->sides[SIDE_SERVER].run;
}

static void resume(struct task *t)
{
	if (is_late(t))
		return;
	sched.current = t;
	sched.reads = 0;
	swapcontext(&sched.home, &t->context);
	sched.current = NULL;
}

void fake_sched_yield(void)
{
	struct task *t = sched.current;

	if (t)
		swapcontext(&t->context, &sched.home);
}

/* By itself, so that nothing lives across getcontext(), which may return twice. */
static void make_context(struct task *t)
{
	t->stack = malloc(STACK_BYTES);
	if (!t->stack || getcontext(&t->context))
		abort();
	t->context.uc_stack.ss_sp = t->stack;
	t->context.uc_stack.ss_size = STACK_BYTES;
	makecontext(&t->context, task_main, 0);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	uint32_t i = sched.n_tasks;
	struct task *t = &sched.tasks[i];

	(void)attr;
	if (i == TASKS)
		return EAGAIN;
	sched.n_tasks++;
	*t = (struct task){ .main = start, .arg = arg };
	make_context(t);
	*thread = (pthread_t)i;
	resume(t);
	return 0;
}

/* fake_sched_run() has been there before. */
int pthread_join(pthread_t thread, void **ret)
{
	struct task *t = &sched.tasks[thread];

	if (ret)
		*ret = NULL;
	if (!t->ended)
		fake_sched_run();
	return 0;
}

static void no_later(uint64_t *next_ns, uint64_t ns, uint64_t now_ns)
{
	if (ns > now_ns && ns < *next_ns)
		*next_ns = ns;
}

/* To the next event: a request is served, a message is due, a sleep is over. */
static void next_event(struct fake *f)
{
	uint64_t next_ns = UINT64_MAX;

	for (int i = 0; i < 2; i++) {
		const struct fake_side *s = &f->sides[i];
		const struct pace *p = s->has_worker ? s->run.worker.pace : NULL;

		if (p && p->start)
			no_later(&next_ns, p->next.due, f->now_ns);
		for (uint32_t qp = 0; qp < f->plan.work.qps; qp++) {
			const struct fake_qp *q = &s->qps[qp];

			if (q->delivered < q->posted)
				no_later(&next_ns, q->sq[q->delivered % q->sq_size].ready_ns,
					 f->now_ns);
		}
	}
	for (uint32_t i = 0; i < sched.n_tasks; i++)
		if (sched.tasks[i].asleep && !sched.tasks[i].ended)
			no_later(&next_ns, sched.tasks[i].until_ns, f->now_ns);
	f->now_ns = next_ns == UINT64_MAX ? f->now_ns + FAKE_ROUND_NS : next_ns;
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
	struct fake *f = sched.fake;

	if (!f || clock != CLOCK_MONOTONIC_RAW)
		return (int)syscall(SYS_clock_gettime, clock, t);
	f->now_ns++;
	if (f->serve && sched.current && ++sched.reads > READS_MOST)
		next_event(f);
	t->tv_sec = (time_t)(f->now_ns / 1000000000u);
	t->tv_nsec = (long)(f->now_ns % 1000000000u);
	return 0;
}

static int poll_now(struct pollfd *fds, nfds_t n)
{
	struct timespec none = { 0, 0 };

	return (int)syscall(SYS_ppoll, fds, n, &none, NULL, (size_t)0);
}

static struct fake_side *side_of_channel(struct fake *f, int fd)
{
	return f->sides[SIDE_CLIENT].channel.ibv.fd == fd ? &f->sides[SIDE_CLIENT] :
							    &f->sides[SIDE_SERVER];
}

/* The side whose loop sleeps: it waits for its channel, or until a message is due. */
static struct fake_side *sleeper(struct fake *f, const struct pollfd *fds, nfds_t n)
{
	if (n == 1)
		return f->sides[SIDE_CLIENT].run.worker.fixed.wake_fd == fds[0].fd ?
			       &f->sides[SIDE_CLIENT] : &f->sides[SIDE_SERVER];
	return side_of_channel(f, fds[0].fd);
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	const uint64_t ns = (uint64_t)timeout->tv_sec * 1000000000u + (uint64_t)timeout->tv_nsec;
	struct task *t = sched.current;
	struct fake_side *s;
	int ready = poll_now(fds, n);

	(void)mask;
	if (!t || ready || !ns)
		return ready;
	s = sleeper(sched.fake, fds, n);
	s->naps++;
	if (n > 1 && fake_misses(s))
		fake_bad(sched.fake, "side %d goes to sleep with a completion in an armed CQ",
			 s->side);
	t->asleep = true;
	t->until_ns = sched.fake->now_ns + ns;
	while (!ready && sched.fake->now_ns < t->until_ns) {
		fake_sched_yield();
		ready = poll_now(fds, n);
	}
	t->asleep = false;
	return ready;
}

/* What monitor.c does: the side that has sent its last says so, and so does one that failed. */
static void announce(struct fake *f)
{
	for (int i = 0; i < 2 && !f->mute; i++) {
		struct fake_side *s = &f->sides[i], *peer = fake_peer(s);
		uint64_t sent = s->has_worker ? atomic_load(&s->run.worker.live.sent) : UINT64_MAX;

		if (peer->has_worker && s->has_worker && atomic_load(&s->run.ended) && s->run.rc)
			worker_stop(&peer->run, STATE_LEAVE);
		if (sent == UINT64_MAX || s->announced)
			continue;
		s->announced = true;
		if (peer->has_worker)
			worker_peer_finished(&peer->run, sent);
	}
}

/* Time passes faster the longer nothing moves, and jumps when everybody sleeps. */
static void pass_time(struct fake *f)
{
	uint64_t next_ns = UINT64_MAX;
	uint32_t shift = f->idle_rounds / 16 < 9 ? f->idle_rounds / 16 : 9;

	if (f->serve) {
		if (!f->moved)
			next_event(f);
		return;
	}
	f->idle_rounds = f->moved ? 0 : f->idle_rounds + 1;
	f->now_ns += FAKE_ROUND_NS << shift < ROUND_MAX_NS ? FAKE_ROUND_NS << shift : ROUND_MAX_NS;
	if (f->idle_rounds < 8)
		return;
	for (uint32_t i = 0; i < sched.n_tasks; i++) {
		const struct task *t = &sched.tasks[i];

		if (t->ended)
			continue;
		if (!t->asleep)
			return;
		next_ns = t->until_ns < next_ns ? t->until_ns : next_ns;
	}
	if (next_ns != UINT64_MAX && next_ns > f->now_ns)
		f->now_ns = next_ns;
}

static void check_hang(struct fake *f)
{
	f->rounds++;
	if (f->rounds != HANG_ROUNDS && f->now_ns < HANG_NS)
		return;
	if (f->rounds > 2 * HANG_ROUNDS)
		abort();
	if (!f->violation[0])
		fake_bad(f, "hang: %u rounds, %llu ns", HANG_ROUNDS, (unsigned long long)f->now_ns);
	for (int i = 0; i < 2; i++)
		if (f->sides[i].has_worker)
			worker_stop(&f->sides[i].run, STATE_LEAVE);
}

static bool step(struct fake *f)
{
	bool alive = false;

	f->moved = false;
	fake_move(f, f->rate);
	if (f->tick)
		f->tick(f, f->arg);
	announce(f);
	for (uint32_t i = 0; i < sched.n_tasks; i++) {
		if (sched.tasks[i].ended)
			continue;
		resume(&sched.tasks[i]);
		alive = true;
	}
	pass_time(f);
	check_hang(f);
	return alive;
}

void fake_sched_run(void)
{
	while (step(sched.fake))
		;
}

void fake_sched_open(struct fake *f)
{
	memset(&sched, 0, sizeof(sched));
	sched.fake = f;
}

void fake_sched_close(void)
{
	for (uint32_t i = 0; i < sched.n_tasks; i++)
		free(sched.tasks[i].stack);
	memset(&sched, 0, sizeof(sched));
}
