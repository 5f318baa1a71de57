/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The common start of measuring threads; see barrier.h. Two steps, because being woken takes some
 * 10 us that differ from thread to thread, and spinning alone would keep threads that are still to
 * be made from a CPU.
 */
#include "config.h"

#include "util/barrier.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "util/err.h"

#define SPINS 1024u /* looks before others get the CPU: there may be fewer than threads */

int barrier_init(struct barrier *g, uint32_t n)
{
	int rc;

	*g = (struct barrier){ .n = n };
	g->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
	rc = g->wake_fd < 0 ? -errno : 0;
	g->passed_fd = eventfd(0, EFD_CLOEXEC);
	if (!rc && g->passed_fd < 0)
		rc = -errno;
	return rc ? err_set(rc, "cannot create an eventfd: %s", strerror(-rc)) : 0;
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

void barrier_pass(struct barrier *g)
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

int barrier_open(struct barrier *g)
{
	int rc = give(g->wake_fd, g->n);

	if (!rc)
		rc = take(g->passed_fd);
	return rc ? err_set(rc, "cannot wait for the measuring threads: %s", strerror(-rc)) : 0;
}

void barrier_abandon(struct barrier *g)
{
	atomic_store(&g->open, true);
	if (g->n && give(g->wake_fd, g->n))
		return;
}

void barrier_close(struct barrier *g)
{
	if (!g->n)
		return;
	if (g->wake_fd >= 0)
		close(g->wake_fd);
	if (g->passed_fd >= 0)
		close(g->passed_fd);
	g->n = 0;
}
