/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What stopped a loop. The loops and their helpers record the first failure here and return -EIO;
 * worker_result.c makes an error message of it after the loop.
 */
#ifndef FAIL_H
#define FAIL_H

#include <stdbool.h>
#include <stdint.h>
#include <infiniband/verbs.h>

struct worker;
struct send_queue;

enum fail_what {
	FAIL_NONE,
	FAIL_WC,         /* a completion with an error */
	FAIL_POST_SEND,
	FAIL_POST_RECV,
	FAIL_POLL,
	FAIL_LENGTH,     /* a message of another length than was sent */
	FAIL_IMM,        /* over RC: a wrong immediate, or one out of order */
	FAIL_ARM,
	FAIL_WAIT
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

#define FAIL_COLD __attribute__((cold, noinline, warn_unused_result))

/* All record the failure and return -EIO. err: a positive errno. */
FAIL_COLD int fail_set(struct worker *w, enum fail_what what, int err, uint32_t qp);

/* One of these n completions of that queue has a bad status or a wrong length. */
FAIL_COLD int fail_wc(struct worker *w, const struct ibv_wc *wc, int n, enum fail_cq cq);

/* rc: what the post or the poll returned. */
FAIL_COLD int fail_post(struct worker *w, const struct send_queue *sq, int rc);
FAIL_COLD int fail_poll(struct worker *w, int rc, enum fail_cq cq);

#endif
