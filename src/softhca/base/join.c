/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The join lock and other names; see join.h. Called by fabric.c. The only file with sockets. */
#include "config.h"
#include "base/join.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hca.h"

_Static_assert(JOIN_NAME < sizeof(((struct sockaddr_un *)0)->sun_path), "a name fits");

/* Joining takes milliseconds: a process that holds the lock for this long is stopped. */
#define JOIN_LOCK_NS UINT64_C(5000000000)

void join_prefix(char text[JOIN_PREFIX])
{
	snprintf(text, JOIN_PREFIX, "vb-softhca/%u/%s", (unsigned int)getuid(),
		 hca_settings()->fabric);
}

/* bind(2) refuses an address that the machine does not have */
bool join_is_local(const struct sockaddr_storage *addr, uint32_t len)
{
	int fd = socket(addr->ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0), rc;

	if (fd < 0)
		return false;
	rc = bind(fd, (const struct sockaddr *)addr, len);
	close(fd);
	return !rc;
}

uint32_t join_address(struct sockaddr_un *addr, const char *name)
{
	size_t len = strlen(name);

	*addr = (struct sockaddr_un) { .sun_family = AF_UNIX };
	memcpy(addr->sun_path + 1, name, len);
	return (uint32_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len);
}

/*
 * Whether the socket of a line of /proc/net/unix is connected: the socket that accept(2) returns
 * also shows the name of its listener.
 */
static bool is_connected(const char *line)
{
	unsigned int state;

	return sscanf(line, "%*s %*s %*s %*s %*s %x", &state) == 1 && state == 3; /* SS_CONNECTED */
}

bool join_each(const char *prefix, bool (*found)(const char *rest, void *arg), void *arg)
{
	char line[512], want[JOIN_NAME + 1];
	FILE *f = fopen("/proc/net/unix", "re");
	bool done = false;

	if (!f)
		return false;
	snprintf(want, sizeof(want), "@%s", prefix);
	while (!done && fgets(line, sizeof(line), f)) {
		char *at = strstr(line, want);

		line[strcspn(line, "\n")] = '\0';
		done = at && !is_connected(line) && found(at + strlen(want), arg);
	}
	fclose(f);
	return done;
}

/* Closes fd and returns -errno as it was before. */
static int give_up(int fd)
{
	int rc = -errno;

	close(fd);
	return rc;
}

static int take(const char *name, int type)
{
	struct sockaddr_un addr;
	socklen_t len = join_address(&addr, name);
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	return bind(fd, (struct sockaddr *)&addr, len) ? give_up(fd) : fd;
}

int join_take_name(const char *name)
{
	return take(name, SOCK_DGRAM);
}

/*
 * Waits until the holder closes the join lock: the kernel then hangs up on all who are connected.
 * connect() fails if the holder is between bind() and listen(), or has just closed the lock: then
 * the caller tries again.
 */
static int wait_for_holder(const char *name, uint64_t left_ns)
{
	struct timeval limit = {
		.tv_sec = (time_t)(left_ns / 1000000000),
		.tv_usec = (suseconds_t)(left_ns % 1000000000 / 1000),
	};
	struct sockaddr_un addr;
	socklen_t len = join_address(&addr, name);
	struct pollfd at = { .fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0) };

	if (at.fd < 0)
		return -errno;
	/* connect() waits if the queue of the holder is full */
	setsockopt(at.fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (!connect(at.fd, (struct sockaddr *)&addr, len))
		poll(&at, 1, (int)(left_ns / 1000000) + 1);
	else
		sched_yield();
	close(at.fd);
	return 0;
}

int join_lock(const char *prefix)
{
	uint64_t end = clock_now() + JOIN_LOCK_NS;
	char name[JOIN_NAME];

	snprintf(name, sizeof(name), "%s/join", prefix);
	for (;;) {
		int fd = take(name, SOCK_SEQPACKET), rc;
		uint64_t now = clock_now();

		if (fd >= 0)
			return listen(fd, SHM_PROCS) ? give_up(fd) : fd;
		if (fd != -EADDRINUSE)
			return fd;
		rc = now < end ? wait_for_holder(name, end - now) : -ETIMEDOUT;
		if (rc)
			return rc;
	}
}
