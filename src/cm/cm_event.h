/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* An event of rdma_cm, in words, too; and addresses in words. Pure. */
#ifndef CM_EVENT_H
#define CM_EVENT_H

#include <stddef.h>
#include <stdint.h>
#include <rdma/rdma_cma.h>

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

#endif
