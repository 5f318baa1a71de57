/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A library to preload: CLOCK_REALTIME jumps by an hour, forwards and back, with each call. Nothing
 * that waits or measures may depend on it.
 */
#include "config.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
	static _Atomic unsigned int calls;
	const long rc = syscall(SYS_clock_gettime, clock, now);

	if (!rc && clock == CLOCK_REALTIME)
		now->tv_sec += calls++ % 2 ? 3600 : -3600;
	return (int)rc;
}

time_t time(time_t *out)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (out)
		*out = now.tv_sec;
	return now.tv_sec;
}
