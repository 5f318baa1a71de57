/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The bytes that --verify writes into buffers and looks for in them. */
#ifndef PAYLOAD_H
#define PAYLOAD_H

#include <stdint.h>

#include "config/kind.h"

/*
 * Fills len bytes with the payload of (side that sends, qp, index of the buffer in the walk):
 * reproducible, no two alike, the same on little- and big-endian hosts.
 */
void payload_fill(uint8_t *buf, uint64_t len, enum side sender, uint32_t qp, uint32_t index);

/*
 * Are these len bytes the part of it that begins at byte from, a multiple of 8? Errors as
 * payload_check(). For a message of which only some packets are there.
 */
struct payload_part {
	enum side sender;
	uint32_t qp, index;
	uint64_t from, len;
};
int payload_check_part(const uint8_t *at, const struct payload_part *part)
	__attribute__((warn_unused_result));

/* 0, or -EILSEQ with an error message: QP, buffer, first bad offset, byte expected and got. */
int payload_check(const uint8_t *buf, uint64_t len, enum side sender, uint32_t qp, uint32_t index)
	__attribute__((warn_unused_result));

#endif
