/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns waiting for a connection; see ctl_wait.h. */
#include "config.h"
#include "control/ctl_wait.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "util/clock.h"
#include "util/minmax.h"

#define LINGER_MS 500u
#define ALIVE_MS 1000u

uint64_t ctl_deadline(uint32_t timeout_ms)
{
	return clock_ns() + (uint64_t)timeout_ms * 1000000u;
}

int ctl_wait(int fd, short events, const struct ctl_step *step)
{
	struct pollfd p[2] = {
		{ .fd = fd, .events = events },
		{ .fd = step->signals_fd, .events = POLLIN },
	};

	for (;;) {
		const uint64_t now_ns = clock_ns();
		uint64_t left_ms = 0;
		int n;

		/* rounded up: with 0 the last millisecond would be a busy loop */
		if (step->deadline_ns > now_ns)
			left_ms = (step->deadline_ns - now_ns + 999999u) / 1000000u;
		if (step->alive)
			step->alive(step->alive_arg);
		n = poll(p, 2, (int)min_u64(left_ms, ALIVE_MS));
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0 && p[1].revents)
			return -EINTR;
		if (n > 0 && p[0].revents)
			return 0;
		if (!left_ms)
			return -ETIMEDOUT;
	}
}

void ctl_linger(int fd)
{
	const struct ctl_step step = {
		.deadline_ns = ctl_deadline(LINGER_MS),
		.signals_fd = -1,
	};
	char sink[4096];
	ssize_t n;

	shutdown(fd, SHUT_WR);
	while (clock_ns() < step.deadline_ns) {
		n = recv(fd, sink, sizeof(sink), MSG_DONTWAIT);
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			return;
		if (n < 0 && ctl_wait(fd, POLLIN, &step))
			return;
	}
}
