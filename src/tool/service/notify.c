/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What goes to and comes from the service manager. */
#include "config.h"
#include "service/service.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/log.h"

/* A variable as a number; 0: not there, or no number. */
static uint64_t number_of(const char *name)
{
	const char *text = getenv(name);

	return text && !text[strspn(text, "0123456789")] ? strtoull(text, NULL, 10) : 0;
}

/* Variables of the manager name the process that they are for: a copied environment is not. */
static bool is_ours(const char *name)
{
	return !getenv(name) || number_of(name) == (uint64_t)getpid();
}

/* A path, or a name in the abstract namespace that begins with '@': sd_notify(3). */
static int connect_to(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	const size_t len = strlen(path);
	const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
	int fd;

	if ((path[0] != '/' && path[0] != '@') || len < 2 || len >= sizeof(at.sun_path))
		return -1;
	memcpy(at.sun_path, path, len);
	if (path[0] == '@')
		at.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && !connect(fd, (struct sockaddr *)&at, size))
		return fd;
	log_error("cannot notify the service manager at %s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

void notify_open(struct notify *n)
{
	const char *path = getenv("NOTIFY_SOCKET");

	*n = (struct notify){ .fd = path ? connect_to(path) : -1 };
	if (n->fd >= 0 && is_ours("WATCHDOG_PID"))
		n->watchdog_ns = number_of("WATCHDOG_USEC") * 1000u;
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_PID");
	unsetenv("WATCHDOG_USEC");
}

uint32_t notify_sockets(void)
{
	const bool ours = getenv("LISTEN_PID") && is_ours("LISTEN_PID");
	const uint64_t count = ours ? number_of("LISTEN_FDS") : 0;

	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	return count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
}

void notify_send(struct notify *n, const char *lines)
{
	const bool lost = n->fd >= 0 && send(n->fd, lines, strlen(lines), MSG_NOSIGNAL) < 0;

	/* the manager is gone, or has no room: the watchdog, if there is one, would say it often */
	if (lost && !n->lost)
		log_error("cannot tell the service manager \"%.*s\": %s",
			  (int)strcspn(lines, "\n"), lines, strerror(errno));
	n->lost = lost;
}

void notify_reloading(struct notify *n)
{
	struct timespec now;
	char lines[80];

	/* this clock and no other: systemd.service(5) */
	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(lines, sizeof(lines), "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
		 (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u);
	notify_send(n, lines);
}

uint64_t notify_alive(struct notify *n, uint64_t now_ns)
{
	if (!n->watchdog_ns)
		return UINT64_MAX;
	if (now_ns >= n->next_ns) {
		notify_send(n, "WATCHDOG=1");
		/* sd_watchdog_enabled(3) recommends half of the time */
		n->next_ns = now_ns + n->watchdog_ns / 2;
	}
	return n->next_ns;
}

void notify_close(struct notify *n)
{
	if (n->fd >= 0)
		close(n->fd);
	n->fd = -1;
	n->watchdog_ns = 0;
}
