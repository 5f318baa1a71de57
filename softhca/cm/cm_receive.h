/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What the peer sends, and the deadlines. The peer may have ended without a message: the kernel
 * then sends for it what it does for an identifier that is destroyed (cm_destroy_id() of cm.c).
 */
#ifndef CM_RECEIVE_H
#define CM_RECEIVE_H

#include "cm/cm.h"

/* enum ib_cm_rej_reason and enum ib_cm_sidr_status of include/rdma/ib_cm.h */
enum {
	CM_REJ_INVALID_SERVICE_ID = 8,
	CM_REJ_CONSUMER_DEFINED = 28,
	CM_REJ_VENDOR_OPTION = 35,
	CM_SIDR_UNSUPPORTED = 1,
	CM_SIDR_REJECT = 2,
};

/*
 * Bytes of private data in a message (include/rdma/ib_cm.h). Requests also have the header of
 * rdma_cm, 36 bytes (struct cma_hdr). Events always have all bytes; what was not sent is zero.
 */
enum {
	CM_PRIVATE_REQ = 92 - 36,
	CM_PRIVATE_REP = 196,
	CM_PRIVATE_REJ = 148,
	CM_PRIVATE_SIDR_REQ = 216 - 36,
	CM_PRIVATE_SIDR_REP = 136,
};

/* A socket of the identifier is readable: takes a connection, or receives all messages. */
void cm_receive_ready(struct cm_id *id);
/* The listener takes one more connect request, because the program got one. */
void cm_receive_more(struct cm_id *listener);
/* The deadline has passed, but not of a request that is not sent yet. */
void cm_receive_expired(struct cm_id *id);
/* The event of a rejection. private_data: CM_PRIVATE_REJ bytes; NULL: zeros. */
void cm_receive_rejected(struct cm_id *id, uint32_t reason, const uint8_t *private_data);
/* The passive side has the connection. */
void cm_receive_established(struct cm_id *id);
/* The connection has ended on both sides: closes it. */
void cm_receive_timewait(struct cm_id *id);

#endif
