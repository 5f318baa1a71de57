/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * usage: flood MODE SOURCE PORT SECONDS
 *
 * A host that attacks a server on 127.0.0.1, from the loopback address SOURCE. MODE: 'connects'
 * opens and resets connections as fast as it can; 'slow' keeps up to 200 connections that send one
 * byte a second; 'large' keeps up to 64 that send what costs most memory. Prints how many
 * connections it tried, and how many the server took.
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MOST 200u
#define FRAME 65536u

struct flood {
	const char *mode;
	struct sockaddr_in from, to;
	uint64_t tried, taken;
	int fds[MOST];
	bool up[MOST];
	uint8_t bytes[4 + FRAME];
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A frame of empty objects: without a key the most that 64 KiB can cost. */
static void fill(struct flood *f)
{
	static const char begin[] = "{\"type\":\"hello\",\"x\":[{}";
	size_t at = 4;

	f->bytes[1] = 1; /* 65536, big-endian */
	memcpy(f->bytes + at, begin, sizeof(begin) - 1);
	for (at += sizeof(begin) - 1; at + 5 <= sizeof(f->bytes); at += 3)
		memcpy(f->bytes + at, ",{}", 3);
	memset(f->bytes + at, ' ', sizeof(f->bytes) - at);
	memcpy(f->bytes + sizeof(f->bytes) - 2, "]}", 2);
}

static int begin(struct flood *f)
{
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;
	const struct linger reset = { .l_onoff = 1 };

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	if (bind(fd, (struct sockaddr *)&f->from, sizeof(f->from)) ||
	    (connect(fd, (struct sockaddr *)&f->to, sizeof(f->to)) && errno != EINPROGRESS)) {
		close(fd);
		return -1;
	}
	f->tried++;
	return fd;
}

static void connects(struct flood *f, double until)
{
	while (now() < until) {
		const int fd = begin(f);
		struct pollfd p = { .fd = fd, .events = POLLOUT };

		if (fd < 0)
			continue;
		f->taken += poll(&p, 1, 0) == 1 && p.revents == POLLOUT;
		close(fd);
	}
}

/* One connection of those that are kept: n bytes of what it has to say. */
static void feed(struct flood *f, uint32_t i, size_t n)
{
	char sink[512];

	if (f->fds[i] < 0)
		f->fds[i] = begin(f);
	if (f->fds[i] < 0)
		return;
	if (send(f->fds[i], f->bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT) > 0) {
		f->taken += !f->up[i];
		f->up[i] = true;
	}
	/* it was refused, or closed */
	if (recv(f->fds[i], sink, sizeof(sink), MSG_DONTWAIT) < 0 &&
	    (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOTCONN))
		return;
	close(f->fds[i]);
	f->fds[i] = -1;
	f->up[i] = false;
}

static void keep(struct flood *f, double until, uint32_t n, size_t bytes, int every_ms)
{
	for (uint32_t i = 0; i < n; i++)
		f->fds[i] = -1;
	while (now() < until) {
		for (uint32_t i = 0; i < n; i++)
			feed(f, i, bytes);
		poll(NULL, 0, every_ms);
	}
}

int main(int argc, char **argv)
{
	static struct flood f;
	const struct rlimit files = { 4096, 4096 };
	double until;

	if (argc != 5 || inet_pton(AF_INET, argv[2], &f.from.sin_addr) != 1)
		return 2;
	setrlimit(RLIMIT_NOFILE, &files);
	f.mode = argv[1];
	f.from.sin_family = f.to.sin_family = AF_INET;
	f.to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	f.to.sin_port = htons((uint16_t)atoi(argv[3]));
	until = now() + atof(argv[4]);
	fill(&f);
	if (!strcmp(f.mode, "connects"))
		connects(&f, until);
	else if (!strcmp(f.mode, "slow"))
		keep(&f, until, MOST, 1, 1000);
	else if (!strcmp(f.mode, "large"))
		keep(&f, until, 64, sizeof(f.bytes), 20);
	else
		return 2;
	printf("%llu %llu\n", (unsigned long long)f.tried, (unsigned long long)f.taken);
	return 0;
}
