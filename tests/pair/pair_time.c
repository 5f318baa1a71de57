/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Time that stands still for a side that is late; see pair.h. A step passes when each side has
 * waited for one in vain, and each other thread sleeps or had a processor meanwhile. What is
 * defined here stands before the functions of the C library. Each reading of the clock takes a
 * nanosecond, so that no two are equal.
 */
#include "config.h"
#include "pair.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STEP_NS 40000000u
#define REAL_NS 10000000u /* so long a side looks whether something has come, in each step */
#define RAN_NS 1000000u   /* a thread that had a processor for so long is not late */
#define THREADS 64
#define NEVER UINT64_MAX

struct ran {
	pid_t tid;
	uint64_t ns;
};

static struct {
	pthread_mutex_t lock;
	bool on;
	_Atomic uint64_t now_ns;
	uint32_t sides;
	uint32_t quiet; /* those that have waited for the whole of the step */
	uint64_t step;  /* its number */
	struct ran threads[THREADS]; /* for how long they had a processor until the last step */
} t = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Thread_local bool takes_part;

static int (*real_clock)(clockid_t, struct timespec *);

static __attribute__((constructor)) void find_clock(void)
{
	*(void **)&real_clock = dlsym(RTLD_NEXT, "clock_gettime");
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	uint64_t ns;

	if (!t.on || clock != CLOCK_MONOTONIC_RAW)
		return real_clock(clock, now);
	ns = atomic_fetch_add(&t.now_ns, 1);
	now->tv_sec = (time_t)(ns / 1000000000u);
	now->tv_nsec = (long)(ns % 1000000000u);
	return 0;
}

/* The first line of a file of a thread (proc_pid_stat(5)); empty if it has ended. */
static void read_line(pid_t tid, const char *name, char *line, int size)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/%s", tid, name);
	file = fopen(path, "re");
	if (!file || !fgets(line, size, file))
		line[0] = '\0';
	if (file)
		fclose(file);
}

/* It wants a processor, and had none since the last step. */
static bool is_late(pid_t tid, uint64_t *ran_ns)
{
	char line[512];
	const char *state;
	uint64_t before_ns = 0;

	read_line(tid, "schedstat", line, sizeof(line));
	*ran_ns = strtoull(line, NULL, 10);
	for (size_t i = 0; i < THREADS; i++)
		if (t.threads[i].tid == tid)
			before_ns = t.threads[i].ns;
	if (!line[0] || *ran_ns - before_ns >= RAN_NS)
		return false;
	read_line(tid, "stat", line, sizeof(line));
	state = strrchr(line, ')');
	return state && state[1] && state[2] == 'R';
}

/* Is no thread late? Then what they had until now is written down. */
static bool may_step(void)
{
	DIR *tasks = opendir("/proc/self/task");
	struct ran now[THREADS] = { { 0 } };
	const struct dirent *entry;
	size_t n = 0;
	bool late = false;

	while (tasks && !late && (entry = readdir(tasks))) {
		const pid_t tid = (pid_t)atoi(entry->d_name);

		if (tid <= 0 || tid == gettid() || n == THREADS)
			continue;
		now[n].tid = tid;
		late = is_late(tid, &now[n++].ns);
	}
	if (tasks)
		closedir(tasks);
	if (!late)
		memcpy(t.threads, now, sizeof(now));
	return !late;
}

/* A wait of this thread is over. seen: the step in which it is quiet. */
static void waited(uint64_t *seen, bool in_vain)
{
	pthread_mutex_lock(&t.lock);
	if (in_vain && *seen != t.step) {
		*seen = t.step;
		t.quiet++;
	}
	if (!in_vain && *seen == t.step) {
		*seen = NEVER;
		t.quiet--;
	}
	if (in_vain && t.quiet >= t.sides && may_step()) {
		atomic_fetch_add(&t.now_ns, STEP_NS);
		t.step++;
		t.quiet = 0;
	}
	pthread_mutex_unlock(&t.lock);
}

int poll(struct pollfd *fds, nfds_t n, int ms)
{
	const struct timespec real = { ms / 1000, ms % 1000 * 1000000l };
	uint64_t end_ns = UINT64_MAX, seen = NEVER;
	bool over;
	int rc;

	if (!t.on || !takes_part || !ms)
		return ppoll(fds, n, ms < 0 ? NULL : &real, NULL);
	if (ms > 0)
		end_ns = atomic_load(&t.now_ns) + (uint64_t)ms * 1000000u;
	do {
		/* what came before the time was over comes first */
		over = atomic_load(&t.now_ns) >= end_ns;
		rc = ppoll(fds, n, &(struct timespec){ 0, over ? 0 : REAL_NS }, NULL);
		waited(&seen, !rc && !over);
	} while (!rc && !over);
	waited(&seen, false);
	return rc;
}

void pair_time_begin(void)
{
	t.sides = 2;
	t.quiet = 0;
	t.step++;
	takes_part = true;
}

void pair_time_join(void)
{
	takes_part = true;
}

void pair_time_leave(void)
{
	pthread_mutex_lock(&t.lock);
	t.sides -= takes_part;
	takes_part = false;
	pthread_mutex_unlock(&t.lock);
}

int pair_setup_timed(void **state)
{
	struct timespec now;

	real_clock(CLOCK_MONOTONIC_RAW, &now);
	atomic_store(&t.now_ns, (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
	t.on = true;
	return pair_setup(state);
}

int pair_teardown_timed(void **state)
{
	t.on = false;
	return pair_teardown(state);
}
