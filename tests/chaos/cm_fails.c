/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A library that test_cm_faults.py preloads: lets one call of cm_calls.def fail, once, or turns one
 * event of rdma_cm into the error that a program gets in its place. A case is a call, its line the
 * name: fails.h.
 */
#include "config.h"

#include "fails.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

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
