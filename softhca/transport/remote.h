/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* A QP of any process, found by its number. */
#ifndef REMOTE_H
#define REMOTE_H

#include <stdint.h>

#include "base/peer.h"
#include "base/shm.h"

struct remote {
	struct peer *peer; /* with a reference; NULL: not found yet */
	struct shm_qp *s;
	uint64_t dir; /* entry of the directory, see base/qpn.h */
	uint32_t qpn;
	/* of the message that is executed; only the responder uses them */
	struct shm_srq *srq; /* NULL: the receive queue of the QP */
	uint32_t srqn;       /* XRC: the number of the SRQ */
	uint32_t pd, recv_cq;
};

/* Finds the QP of that number; 0 or -ESRCH. Cheap if *r has been found and is still valid. */
int remote_find(struct remote *r, uint32_t qpn);
void remote_release(struct remote *r);

#endif
