/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The time of a session and of its points, in the process of the session: what is over it is
 * stopped as by the user, but with the name of the limit. The server's process kills what does not
 * stop (serve_limits.h).
 */
#ifndef SERVE_CLOCK_H
#define SERVE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "config/cfg.h"

struct serve_clock {
	const struct cfg *cfg;  /* its limits; borrowed */
	int fd;                 /* readable: the user, or a limit, asks to stop */
	int timer;
	uint64_t session_ns;    /* when the session is over its time; UINT64_MAX never */
	uint64_t point_ns;      /* the same of the point that runs */
	char reason[128];
};

/* The session begins now. stop_fd: readable when the user asks. -errno with an error message. */
int serve_clock_open(struct serve_clock *clock, const struct cfg *cfg, int stop_fd)
	__attribute__((warn_unused_result));

/* The loops of a point begin, or have ended. */
void serve_clock_point(struct serve_clock *clock, bool runs);

/* The limit that has asked to stop; NULL: none, it is the user. arg: the clock. */
const char *serve_clock_reason(void *arg);

/* Accepts a zeroed one. */
void serve_clock_close(struct serve_clock *clock);

#endif
