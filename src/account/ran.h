/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What a session has run: its process counts it and tells the server's process, which keeps the
 * last one. So it is known also when the process is killed.
 */
#ifndef RAN_H
#define RAN_H

#include <stdbool.h>
#include <stdint.h>

#include "control/sink.h"
#include "session/session.h"
#include "util/err.h"

#define RAN_NAME 64

/* Texts are cleaned: text_clean(). Zero: nothing yet. */
struct ran {
	char host[RAN_NAME];           /* as the client calls itself; "" unknown */
	char auth[RAN_NAME];           /* why it was let in: "key", "allow" (--allow), "none" */
	char test[RAN_NAME];           /* of the last plan: "send_bw", "copy"; "check" before its first; "" none */
	char transport[RAN_NAME];
	uint64_t size_min, size_max;   /* bytes of a message, of all plans */
	uint64_t plans;                /* that were begun, with copies and checks */
	uint64_t points;               /* that have ended */
	uint64_t messages, bytes;      /* of these points, and of copies */
	bool interrupted;              /* by a user, or by the server that stops */
	bool ended;                    /* by itself: end is how */
	enum session_end end;
	char reason[ERR_TEXT_MAX];     /* the first error, or why a row is not ok; "" none */
};

/* Set fd, zero the others. */
struct ran_watch {
	int fd;                        /* the child's end of the pair: serve_child.h */
	struct session_sink base;
	bool sized;                    /* ran.size_min is known */
	struct ran ran;
};

/* A sink that counts and passes on. watch lives as long as the sink. */
struct session_sink ran_sink(struct ran_watch *watch, const struct session_sink *base);

/* The session has ended by itself. */
void ran_end(struct ran_watch *watch, enum session_end end);

#endif
