/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The common start of measuring threads; see barrier.h. Two steps, because a wake-up takes some
 * 10 us, which differ from thread to thread, and spinning alone would keep a CPU from threads that
 * are not created yet.
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

int barrier_init(struct barrier *b, uint32_t n)
{
	int rc;

	*b = (struct barrier){ .n = n };
	b->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
	rc = b->wake_fd < 0 ? -errno : 0;
	b->passed_fd = eventfd(0, EFD_CLOEXEC);
	if (!rc && b->passed_fd < 0)
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

void barrier_pass(struct barrier *b)
{
	if (take(b->wake_fd))
		return;
	if (atomic_fetch_add(&b->arrived, 1) + 1 == b->n) {
		/* before the first may go on: a system call must not be in a timed region */
		if (give(b->passed_fd, 1))
			return;
		atomic_store(&b->open, true);
	}
	for (uint32_t i = 1; !atomic_load(&b->open); i++)
		if (i % SPINS == 0)
			sched_yield();
}

int barrier_open(struct barrier *b)
{
	int rc = give(b->wake_fd, b->n);

	if (!rc)
		rc = take(b->passed_fd);
	return rc ? err_set(rc, "cannot wait for the measuring threads: %s", strerror(-rc)) : 0;
}

void barrier_abandon(struct barrier *b)
{
	atomic_store(&b->open, true);
	if (b->n && give(b->wake_fd, b->n))
		return;
}

void barrier_close(struct barrier *b)
{
	if (!b->n)
		return;
	if (b->wake_fd >= 0)
		close(b->wake_fd);
	if (b->passed_fd >= 0)
		close(b->passed_fd);
	b->n = 0;
}
