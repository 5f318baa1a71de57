/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the timer of a session's process; see serve_clock.h. Called by serve_child.c. */
#include "config.h"
#include "serve/serve_clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/err.h"
#include "util/minmax.h"

#define MS_NS UINT64_C(1000000)
#define SLACK_MS 1000u /* a point of just the allowed time ends by itself */
#define SECOND_NS UINT64_C(1000000000)

static int watch(const struct serve_clock *c, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(c->fd, EPOLL_CTL_ADD, fd, &event);
}

/* At the earlier of both ends. */
static void set_timer(struct serve_clock *c)
{
	const uint64_t until_ns = min_u64(c->session_ns, c->point_ns), now_ns = clock_ns();
	struct itimerspec at;

	memset(&at, 0, sizeof(at));
	if (until_ns != UINT64_MAX) {
		const uint64_t left_ns = until_ns > now_ns ? until_ns - now_ns : 1;

		at.it_value.tv_sec = (time_t)(left_ns / SECOND_NS);
		at.it_value.tv_nsec = (long)(left_ns % SECOND_NS);
	}
	/* all arguments are valid: timerfd_settime(2) then has no error */
	(void)!timerfd_settime(c->timer, 0, &at, NULL);
}

int serve_clock_open(struct serve_clock *c, const struct cfg *cfg, int stop_fd)
{
	*c = (struct serve_clock){ .cfg = cfg, .session_ns = UINT64_MAX, .point_ns = UINT64_MAX };
	c->fd = epoll_create1(EPOLL_CLOEXEC);
	c->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (c->fd < 0 || c->timer < 0 || watch(c, stop_fd) || watch(c, c->timer))
		return err_set(-errno, "cannot watch the time of the session: %s", strerror(errno));
	if (cfg->max_session_ms != CFG_AUTO)
		c->session_ns = clock_ns() + cfg->max_session_ms * MS_NS;
	set_timer(c);
	return 0;
}

void serve_clock_point(struct serve_clock *c, bool runs)
{
	c->point_ns = UINT64_MAX;
	if (runs && c->cfg->max_point_ms != CFG_AUTO)
		c->point_ns = clock_ns() + c->cfg->max_point_ms * MS_NS + SLACK_MS * MS_NS;
	set_timer(c);
}

const char *serve_clock_reason(void *arg)
{
	struct serve_clock *c = arg;
	const uint64_t now_ns = clock_ns();
	const bool point = c->point_ns < c->session_ns;

	if (c->reason[0])
		return c->reason;
	/* the timer is of another clock, which differs by some ppm */
	if (min_u64(c->session_ns, c->point_ns) > now_ns + SECOND_NS / 10)
		return NULL;
	snprintf(c->reason, sizeof(c->reason), "%s %.15gs of the server's owner is over",
		 point ? "--max-point-time" : "--max-session-time",
		 (point ? c->cfg->max_point_ms : c->cfg->max_session_ms) / 1e3);
	return c->reason;
}

void serve_clock_close(struct serve_clock *c)
{
	if (c->timer > 0)
		close(c->timer);
	if (c->fd > 0)
		close(c->fd);
	*c = (struct serve_clock){ .fd = -1 };
}
