/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The payload of the sends of a copy: 64 bytes, integers in network order. docs/protocol.md
 * describes it. The peer is not trusted: the caller compares every field with what it expects.
 */
#ifndef HEADER_H
#define HEADER_H

#include <stdint.h>

#include "copy/copy.h"

#define HEADER_BYTES 64u

enum header_kind {
	HEADER_WINDOW = 1, /* to the receiver: window seq is written */
	HEADER_FREE,       /* to the sender: window seq is in the file */
	HEADER_END,        /* to the receiver: seq windows, length bytes, and the SHA-256 */
	HEADER_GOOD,       /* to the sender: the file is complete; the same fields */
};

struct header {
	enum header_kind kind;
	uint64_t seq;      /* of the window, from 0 */
	uint64_t off, len; /* of the window in the file */
	uint8_t sha256[COPY_SHA256_BYTES]; /* END, GOOD; else zeros */
};

void header_encode(uint8_t bytes[HEADER_BYTES], const struct header *h);

/* -EBADMSG with an error message: it is no header. */
int header_decode(struct header *h, const uint8_t bytes[HEADER_BYTES], uint32_t len)
	__attribute__((warn_unused_result));

#endif
