/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room cm: all calls of librdmacm: events, addresses, and the connections of the QPs of a point.
 * It measures nothing.
 *
 * This header: rdma_cm without blocking calls: an event channel whose events are waited for with a
 * deadline, and address resolution. For all that needs rdma_cm: connections (cm_links.h),
 * multicast, the costs of setting up. Ids are the caller's: it makes them by rdma_create_id() on
 * cm->channel, and destroys them before cm_close().
 */
#ifndef CM_H
#define CM_H

#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CM_PRIVATE_MAX 256 /* more than any message of a CM carries */
#define CM_EVENT_TEXT 384
#define CM_ADDRESS_TEXT (INET6_ADDRSTRLEN + 32)

/*
 * An event, copied: librdmacm has it back already, so that each is acknowledged exactly once,
 * and an id may be destroyed at any time. The pointers in param point into the event itself.
 */
struct cm_event {
	enum rdma_cm_event_type type;
	int status;                     /* its meaning depends on type: cm_event_text() */
	struct rdma_cm_id *id;          /* of a CONNECT_REQUEST: a new id, which is the caller's */
	struct rdma_cm_id *listener;    /* CONNECT_REQUEST only, else NULL */
	union {
		struct rdma_conn_param conn;
		struct rdma_ud_param ud;
	} param;
	const void *context;            /* MULTICAST_*: that of rdma_join_multicast() */
	uint8_t private_data[CM_PRIVATE_MAX]; /* zeros may follow what was sent */
	uint32_t private_len;
};

/*
 * "RDMA_CM_EVENT_REJECTED, status 8: invalid service ID (nobody listens on this port)": the event,
 * its status in the terms of the event, and the text that the peer sent with it. Returns text.
 */
const char *cm_event_text(const struct cm_event *event, char *text, size_t size);

/* What an event means by itself, whatever its status. Known for each event of librdmacm. */
const char *cm_event_meaning(enum rdma_cm_event_type type);

/* The reason of a reject in a CM REJ: IBA vol. 1, 12.6.7.2, "Rejection reason". */
const char *cm_event_reject(int reason);

/* The status of a SIDR response (datagrams): IBA vol. 1, 12.11.2.1. */
const char *cm_event_sidr(int status);

/* "10.0.0.1 port 4711", "fe80::1%2 port 4711"; without a port if it is 0. Returns text. */
const char *cm_address_text(const struct sockaddr *address, char *text, size_t size);

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

/* Destroys an id, and its QP if rdma_cm made it. An error is logged. NULL: does nothing. */
void cm_destroy_id(struct rdma_cm_id *id);

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

/* Sets an error message that names the event and its status; returns its code, never 0. */
int cm_refuse_event(const struct cm_event *event, const char *doing);

/* Sets the error message of a call of librdmacm that has returned -1 and set errno. */
int cm_call_failed(const char *call, const char *doing);

/* Milliseconds until the deadline, rounded up; 0 when it is over. For timeouts of librdmacm. */
int cm_left_ms(const struct cm_wait *wait);

#endif
