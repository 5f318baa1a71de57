/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A library that test_cm_faults.py preloads: lets one call of cm_calls.def fail, once, or turns one
 * event of rdma_cm into the error that a program gets in its place. Each call is a line of the file
 * CHAOS_CALLS, its name; that of number CHAOS_FAILS (from 0; not set: none) fails, and has " fails"
 * behind its name.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

static _Atomic unsigned long counted;

static bool fails(const char *name)
{
	const char *path = getenv("CHAOS_CALLS"), *at = getenv("CHAOS_FAILS");
	const bool failing = at && counted++ == strtoul(at, NULL, 10);
	const int fd = path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
	char line[96];
	const int n = snprintf(line, sizeof(line), "%s%s\n", name, failing ? " fails" : "");

	if (fd < 0 || write(fd, line, (size_t)n) != n)
		abort(); /* the case would count as one that passed */
	close(fd);
	return failing;
}

static void *next(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function)
		abort();
	return function;
}

#define CALL(type, name, params, args, result, err)			\
	type name params						\
	{								\
		if (fails(#name)) {					\
			errno = err;					\
			return result;					\
		}							\
		return ((__typeof__(&name))next(#name)) args;		\
	}
#define CALL_END(type, name, params, args, result, err)			\
	type name params						\
	{								\
		const type rc = ((__typeof__(&name))next(#name)) args;	\
									\
		if (!fails(#name))					\
			return rc;					\
		errno = err;						\
		return result;						\
	}
#include "cm_calls.def"

/* What comes in place of an event when the network or the peer fails: rdma_get_cm_event(3). */
static const struct {
	enum rdma_cm_event_type is, becomes;
	const char *name;
	int status;
} events[] = {
	{ RDMA_CM_EVENT_ADDR_RESOLVED, RDMA_CM_EVENT_ADDR_ERROR, "ADDR_ERROR", -ENODEV },
	{ RDMA_CM_EVENT_ROUTE_RESOLVED, RDMA_CM_EVENT_ROUTE_ERROR, "ROUTE_ERROR", -EINVAL },
	{ RDMA_CM_EVENT_CONNECT_RESPONSE, RDMA_CM_EVENT_UNREACHABLE, "UNREACHABLE", -ETIMEDOUT },
	{ RDMA_CM_EVENT_ESTABLISHED, RDMA_CM_EVENT_CONNECT_ERROR, "CONNECT_ERROR", -ETIMEDOUT },
	{ RDMA_CM_EVENT_MULTICAST_JOIN, RDMA_CM_EVENT_MULTICAST_ERROR, "MULTICAST_ERROR", -ENODEV },
};

int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
	int rc;

	if (fails("rdma_get_cm_event")) {
		errno = EIO;
		return -1;
	}
	rc = ((__typeof__(&rdma_get_cm_event))next("rdma_get_cm_event"))(channel, event);
	for (size_t i = 0; !rc && i < sizeof(events) / sizeof(events[0]); i++)
		if ((*event)->event == events[i].is && fails(events[i].name)) {
			(*event)->event = events[i].becomes;
			(*event)->status = events[i].status;
			break;
		}
	return rc;
}
