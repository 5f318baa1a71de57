/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Names in the abstract socket space (unix(7)): nobody can take one while its descriptor is open,
 * and it goes with its holder, however that ends. One of them is the door. Called by fabric.c.
 */
#include "config.h"
#include "fabric.h"

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

#include "agenda.h"
#include "hca.h"

_Static_assert(FABRIC_NAME < sizeof(((struct sockaddr_un *)0)->sun_path), "a name fits");

#define DOOR_NS UINT64_C(5000000000) /* joining takes milliseconds: its holder is stopped */

void fabric_prefix(char text[FABRIC_PREFIX])
{
	snprintf(text, FABRIC_PREFIX, "vb-softhca/%u/%s", (unsigned int)getuid(), cfg_fabric());
}

static socklen_t address(struct sockaddr_un *addr, const char *name)
{
	size_t len = strlen(name);

	*addr = (struct sockaddr_un) { .sun_family = AF_UNIX };
	memcpy(addr->sun_path + 1, name, len);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len);
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
	socklen_t len = address(&addr, name);
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	return bind(fd, (struct sockaddr *)&addr, len) ? give_up(fd) : fd;
}

int fabric_take_name(const char *name)
{
	return take(name, SOCK_DGRAM);
}

/*
 * Until the door's holder has closed it: the kernel then hangs up on all who connected. One that
 * is between bind() and listen(), or has just gone, refuses: it needs its CPU, no more.
 */
static int queue_up(const char *name, uint64_t left_ns)
{
	struct timeval limit = {
		.tv_sec = (time_t)(left_ns / 1000000000),
		.tv_usec = (suseconds_t)(left_ns % 1000000000 / 1000),
	};
	struct sockaddr_un addr;
	socklen_t len = address(&addr, name);
	struct pollfd at = { .fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0) };

	if (at.fd < 0)
		return -errno;
	/* connect() waits, where the queue is full */
	setsockopt(at.fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (!connect(at.fd, (struct sockaddr *)&addr, len))
		poll(&at, 1, (int)(left_ns / 1000000) + 1);
	else
		sched_yield();
	close(at.fd);
	return 0;
}

int fabric_door(const char *pre)
{
	uint64_t end = agenda_now() + DOOR_NS;
	char name[FABRIC_NAME];

	snprintf(name, sizeof(name), "%s/door", pre);
	for (;;) {
		int fd = take(name, SOCK_SEQPACKET), rc;
		uint64_t now = agenda_now();

		if (fd >= 0)
			return listen(fd, SHM_PROCS) ? give_up(fd) : fd;
		if (fd != -EADDRINUSE)
			return fd;
		rc = now < end ? queue_up(name, end - now) : -ETIMEDOUT;
		if (rc)
			return rc;
	}
}
