/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Which of the sender's buffers is a message from? Found by its first word, in a sorted list of the
 * first words of all that it may be: the receives of a check are as many as the buffers.
 */
#ifndef VERIFY_HEADS_H
#define VERIFY_HEADS_H

#include <stdbool.h>
#include <stdint.h>

#include "config/kind.h"

struct verify_head {
	uint64_t word;
	uint32_t qp, buf;
};

/* Set the first four fields, zero the others. */
struct verify_heads {
	enum side sender;
	uint32_t first_qp;       /* QP 0 here is this one of the sender's threads */
	uint32_t bufs;           /* of the sender, per QP */
	uint64_t len;            /* bytes of the pattern in a message */
	struct verify_head *all; /* owned */
	uint32_t n;
};

/* The buffers of n_qps QPs, from qp on. -ENOMEM with an error message. */
int verify_heads_list(struct verify_heads *heads, uint32_t qp, uint32_t n_qps)
	__attribute__((warn_unused_result));

/* Is the message one of the listed buffers, whichever? Not if none is listed. */
bool verify_heads_fit(const struct verify_heads *heads, const uint8_t *at);

void verify_heads_free(struct verify_heads *heads);

#endif
