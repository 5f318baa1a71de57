/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What the server does for a client that measures connections by rdma_cm: it accepts each one that
 * has its token, and follows when the client disconnects.
 */
#ifndef ANSWER_CM_H
#define ANSWER_CM_H

#include "ep/ep.h"
#include "setup/answer.h"
#include "setup/cm_objects.h"

struct answer_cm {
	struct answer *answer;     /* whose QPs these count with */
	struct cm_objects objects;
	struct rdma_cm_id *listener;
	uint64_t token;            /* in each request of the client: 8 bytes, big-endian */
	struct rdma_cm_id **ids;   /* of the connections */
	uint32_t n;
};

/*
 * Listens on the address of the planned GID, at any port; fills cm_address, cm_port and cm_token of
 * addr. -errno with an error message; answer_cm_close() is due all the same.
 */
int answer_cm_open(struct answer_cm *a, struct answer *answer, struct ep_addr *addr)
	__attribute__((warn_unused_result));

/* Takes an event. What is wrong with one connection ends that connection, and is logged. */
void answer_cm_event(struct answer_cm *a, const struct cm_event *event);

/* Ends all connections. Accepts a zeroed one. */
void answer_cm_close(struct answer_cm *a);

#endif
