/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The walk over the buffers: how many buffers the messages of a QP use, how far apart they are, and
 * which one has message number i. Pure: plan and point decide it, so it is the same on both sides.
 *
 * A footprint is the bytes of buffers that the messages of one thread walk over, on the sending and
 * on the receiving side; each QP has an equal share. Buffers follow one another. Each buffer needs
 * a prebuilt request (or receive) in its ring. If the share has room for more buffers than a ring
 * may have slots, fewer buffers are spread evenly over it.
 */
#ifndef WALK_H
#define WALK_H

#include <stdint.h>

#include "config/choices.h"

struct plan;
struct point;

/* The area that one QP sends from, or receives into. */
struct walk {
	enum walk_order order;
	uint32_t bufs;
	uint32_t slots;  /* of the ring that walks over them: a multiple of bufs */
	uint64_t stride; /* bytes from one buffer to the next, a multiple of 64 */
};

/*
 * The buffers of requests. slots is also a multiple of post list and signal interval, and at least
 * the smaller of the depth and the QP's share of 4096 slots (the rings of many QPs together fit a
 * second-level cache). In a ping-pong or probe it is a multiple of plan_batch(), and at least
 * PLAN_ANSWER_SLOTS. For compare-and-swap it is at least twice bufs.
 */
void walk_tx(struct walk *w, const struct plan *plan, const struct point *point);

/*
 * The buffers where payload lands. For sends slots is that of the ring of receives, at least as
 * many as are posted at a time. For all other opcodes it is the same walk as walk_tx().
 */
void walk_rx(struct walk *w, const struct plan *plan, const struct point *point);

/* The least footprint of a point: a buffer for every QP. */
uint64_t walk_least_bytes(const struct plan *plan, const struct point *point);

/*
 * What auto chooses: a buffer for each request in flight, or with many QPs for each slot of their
 * short rings. At least 8 KiB: two pages, or 128 buffers of the smallest messages, whose ring stays
 * in a first-level cache. At most 8 MiB per QP and 512 MiB in all. With WALK_SAME: the least; with
 * --like: what like_qp_bytes() says.
 */
uint64_t walk_auto_bytes(const struct plan *plan, const struct point *point);

/* Offset of the buffer of message i. Any w->bufs messages in a row use each buffer once. */
uint64_t walk_off(const struct walk *w, uint64_t i);

/*
 * A message in a buffer: one piece, or with --sge several, of a size as equal as possible, that are
 * not adjacent. Offsets are from the first byte of the payload.
 */
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
