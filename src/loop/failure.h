/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What stopped a loop, as it is recorded; fail.h records it. */
#ifndef FAILURE_H
#define FAILURE_H

#include <stdbool.h>
#include <stdint.h>
#include <infiniband/verbs.h>

enum fail_what {
	FAIL_NONE,
	FAIL_WC,         /* a completion with an error */
	FAIL_POST_SEND,
	FAIL_POST_RECV,
	FAIL_POLL,
	FAIL_LENGTH,     /* a message of another length than was sent */
	FAIL_IMM,        /* over RC: a wrong immediate, or one out of order */
	FAIL_ARM,
	FAIL_WAIT,
	FAIL_SRQ_LIMIT,  /* the limit of an SRQ could not be set again */
	FAIL_STRANGER    /* a message of a QP that is no peer */
};

/* One of the two completion queues; the values are bits of a set. */
enum fail_cq { FAIL_SCQ = 1, FAIL_RCQ = 2 };

struct failure {
	enum fail_what what;
	int err;           /* errno of a post, a poll, arm or wait */
	bool rx;           /* on the receive side */
	uint32_t qp;       /* index of the QP in its worker */
	uint64_t message;  /* number of the message, as far as it is known */
	struct ibv_wc wc;
	uint32_t expected; /* length or immediate */
};

#endif
