/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Waiting for a connection with a deadline. For the files of control. */
#ifndef CTL_WAIT_H
#define CTL_WAIT_H

#include <stdint.h>

struct ctl_step {
	const char *doing;   /* " while waiting for limits", "" */
	uint32_t timeout_ms; /* for the error message */
	uint64_t deadline_ns;
	int signals_fd;      /* -1: none */
	void (*alive)(void *arg); /* called each second; NULL: not */
	void *alive_arg;
};

uint64_t ctl_deadline(uint32_t timeout_ms);

/* 0 when fd has one of events, -ETIMEDOUT, -EINTR for signals_fd. Sets no error message. */
int ctl_wait(int fd, short events, const struct ctl_step *step) __attribute__((warn_unused_result));

/*
 * Closes the sending half of fd and reads to the end, half a second at most: close(2) with unread
 * data sends a reset, and the peer may lose what was sent last.
 */
void ctl_linger(int fd);

#endif
