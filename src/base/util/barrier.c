/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The common start of measuring threads, in two steps, because a wake-up takes some 10 us, which
 * differ from thread to thread, and spinning alone would keep a CPU from threads that are not
 * created yet.
 */
#include "config.h"

#include "util/barrier.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "util/err.h"

#define LOOK_MS 20
#define SPINS 1024u /* spins before it yields the CPU: there may be fewer CPUs than threads */

int barrier_init(struct barrier *b, uint32_t n)
{
	int rc;

	*b = (struct barrier){ .n = n };
	b->wake_fd = eventfd(0, EFD_CLOEXEC);
	rc = b->wake_fd < 0 ? -errno : 0;
	b->passed_fd = eventfd(0, EFD_CLOEXEC);
	if (!rc && b->passed_fd < 0)
		rc = -errno;
	return rc ? err_set(rc, "cannot create an eventfd: %s", strerror(-rc)) : 0;
}

/* Until fd is signalled, which is permanent, or the barrier is open, in case a signal failed. */
static void await(const struct barrier *b, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	while (!atomic_load(&b->open) && !p.revents)
		if (poll(&p, 1, LOOK_MS) < 0)
			p.revents = 0;
}

static int signal_fd(int fd)
{
	const uint64_t one = 1;

	return write(fd, &one, sizeof(one)) < 0 ? -errno : 0;
}

void barrier_pass(struct barrier *b)
{
	await(b, b->wake_fd);
	if (atomic_fetch_add(&b->arrived, 1) + 1 == b->n) {
		/* before the first thread continues: no system call in a timed region */
		(void)signal_fd(b->passed_fd);
		atomic_store(&b->open, true);
	}
	for (uint32_t i = 1; !atomic_load(&b->open); i++)
		if (i % SPINS == 0)
			sched_yield();
}

int barrier_open(struct barrier *b)
{
	int rc = signal_fd(b->wake_fd);

	if (rc)
		return err_set(rc, "cannot wake the measuring threads: %s", strerror(-rc));
	await(b, b->passed_fd);
	return 0;
}

void barrier_abandon(struct barrier *b)
{
	atomic_store(&b->open, true);
	if (b->n)
		(void)signal_fd(b->wake_fd);
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
