/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The common start of measuring threads; see gate.h. Two steps, because being woken takes some
 * 10 us that differ from thread to thread, and spinning alone would keep threads that are still to
 * be made from a CPU.
 */
#include "config.h"

#include "gate.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "err.h"

#define SPINS 1024u /* looks before others get the CPU: there may be fewer than threads */

int gate_init(struct gate *g, uint32_t n)
{
	int rc;

	*g = (struct gate){ .n = n };
	g->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
	rc = g->wake_fd < 0 ? -errno : 0;
	g->passed_fd = eventfd(0, EFD_CLOEXEC);
	if (!rc && g->passed_fd < 0)
		rc = -errno;
	return rc ? err_set(rc, "create an eventfd: %s", strerror(-rc)) : 0;
}

/* An eventfd's read fails when a signal comes, and its write never as long as it is not full. */
static int take(int fd)
{
	uint64_t word;

	while (read(fd, &word, sizeof(word)) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

static int give(int fd, uint64_t word)
{
	return write(fd, &word, sizeof(word)) < 0 ? -errno : 0;
}

void gate_pass(struct gate *g)
{
	if (take(g->wake_fd))
		return;
	if (atomic_fetch_add(&g->arrived, 1) + 1 == g->n) {
		/* before the first may go on: a system call is not to be in anybody's region */
		if (give(g->passed_fd, 1))
			return;
		atomic_store(&g->open, true);
	}
	for (uint32_t i = 1; !atomic_load(&g->open); i++)
		if (i % SPINS == 0)
			sched_yield();
}

int gate_open(struct gate *g)
{
	int rc = give(g->wake_fd, g->n);

	if (!rc)
		rc = take(g->passed_fd);
	return rc ? err_set(rc, "wait for the measuring threads: %s", strerror(-rc)) : 0;
}

void gate_abandon(struct gate *g)
{
	atomic_store(&g->open, true);
	if (g->n && give(g->wake_fd, g->n))
		return;
}

void gate_close(struct gate *g)
{
	if (!g->n)
		return;
	if (g->wake_fd >= 0)
		close(g->wake_fd);
	if (g->passed_fd >= 0)
		close(g->passed_fd);
	g->n = 0;
}
