/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder cm: all calls of librdmacm: events, addresses, and the connections of the QPs of a point.
 * It measures nothing.
 *
 * This header: rdma_cm without blocking calls: an event channel whose events are waited for with a
 * deadline, and address resolution. For all that needs rdma_cm: connections (cm_links.h),
 * multicast, the costs of setting up. Ids are the caller's: it makes them by rdma_create_id() on
 * cm->channel, and destroys them before cm_close().
 */
#ifndef CM_H
#define CM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <rdma/rdma_cma.h>

#include "cm/cm_event.h"

struct cm {
	struct rdma_event_channel *channel; /* its fd does not block */
};

/* Until when to wait, and for what else. */
struct cm_wait {
	uint64_t deadline_ns;   /* of clock_ns(): it stays the same, whatever the peer sends */
	int fds[2];             /* when one of them is readable the wait ends; -1: none */
};

/*
 * -ENODEV, -ENOENT, -EPERM, ... with an error message that names the kernel module that is missing.
 * Nothing of librdmacm is called before.
 */
int cm_open(struct cm *cm) __attribute__((warn_unused_result));

/* Can it be opened? For limits.rdma_cm; no error message. */
bool cm_is_there(void);

/* Accepts a zeroed or half-opened cm. All ids are destroyed before. */
void cm_close(struct cm *cm);

/*
 * The next event. 1: *event. 0: a fd of wait is readable, and no event was there. -ETIMEDOUT,
 * without an error message, at the deadline; -errno with one.
 */
int cm_next(struct cm *cm, struct cm_event *event, const struct cm_wait *wait)
	__attribute__((warn_unused_result));

/* The same without waiting. 0: there is none. */
int cm_try(struct cm *cm, struct cm_event *event) __attribute__((warn_unused_result));

/*
 * For callers with one id: the next event, which must be of the given type. -ETIMEDOUT; -EPROTO,
 * ...: another event (cm_refuse_event()); each with an error message. doing: "resolving 10.0.0.2".
 * -EINTR: a fd of wait is readable.
 */
int cm_expect(struct cm *cm, struct cm_event *event, enum rdma_cm_event_type type,
	      const struct cm_wait *wait, const char *doing) __attribute__((warn_unused_result));

/*
 * Binds id to source (NULL: the kernel chooses), resolves the address and then the route to it.
 * Errors as cm_expect().
 */
int cm_resolve(struct cm *cm, struct rdma_cm_id *id, const struct sockaddr *source,
	       const struct sockaddr *to, const struct cm_wait *wait)
	__attribute__((warn_unused_result));

/* Sets an error message that names the event and its status; returns its code, never 0. */
int cm_refuse_event(const struct cm_event *event, const char *doing);

/* Sets the error message of a call of librdmacm that has returned -1 and set errno. */
int cm_call_failed(const char *call, const char *doing);

/* Milliseconds until the deadline, rounded up; 0 when it is over. For timeouts of librdmacm. */
int cm_left_ms(const struct cm_wait *wait);

#endif
