/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A message in memory: one piece, or several, of a size as equal as possible, that are not adjacent
 * (--sge). Pure: both sides compute the same. Offsets are from the first byte of the payload.
 */
#ifndef PIECES_H
#define PIECES_H

#include <stdint.h>

#define PIECES_LINE UINT64_C(64) /* a piece begins at a multiple of it */

struct pieces {
	uint32_t n;
	uint64_t bytes;  /* of all pieces: the message */
	uint64_t stride; /* from one piece to the next; with a gap of one byte at least */
};

static inline struct pieces pieces_of(uint64_t bytes, uint32_t n)
{
	const uint64_t longest = n ? (bytes + n - 1) / n : bytes;

	return (struct pieces){ .n = n ? n : 1, .bytes = bytes,
				.stride = (longest / PIECES_LINE + 1) * PIECES_LINE };
}

/* Bytes of piece i. */
static inline uint64_t pieces_len(const struct pieces *p, uint32_t i)
{
	return p->bytes / p->n + (i < p->bytes % p->n);
}

/* Where piece i begins in the message. */
static inline uint64_t pieces_from(const struct pieces *p, uint32_t i)
{
	const uint64_t longer = p->bytes % p->n;

	return i * (p->bytes / p->n) + (i < longer ? i : longer);
}

/* Where piece i begins in memory. */
static inline uint64_t pieces_at(const struct pieces *p, uint32_t i)
{
	return i * p->stride;
}

/* Bytes of memory from the first piece to the end of the last one. */
static inline uint64_t pieces_span(const struct pieces *p)
{
	return pieces_at(p, p->n - 1) + pieces_len(p, p->n - 1);
}

#endif
