/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Places the buffers in the test memory. Pure: offsets depend only on plan and point and are the
 * same on both sides, so none is exchanged. Every buffer has room for the longer message of both.
 *
 * Each QP has a part: first the tx area (data sent, and data that the peer reads), then the rx area
 * (where receives, writes of the peer and results of reads and atomics arrive). With --regions N a
 * part is N such pairs of areas, one of each memory region, and the buffers of a walk are dealt out
 * to them. A walk decides how many buffers the areas have and in which order they are used. Over UD
 * a receive buffer begins with room for the GRH. With --sge the buffers of a side's requests and
 * receives are in pieces; memory that the peer addresses (the target of a write, the source of a
 * read) is one piece.
 */
#ifndef LAYOUT_H
#define LAYOUT_H

#include <stdint.h>

#include "decide/plan.h"

/* ---- the walk over the buffers */

/*
 * The number of buffers that the messages of a QP use, their distance, and the buffer of message i.
 *
 * A footprint is the number of bytes of buffers that the messages of one thread walk over, on the
 * sending and on the receiving side; each QP has an equal share. Buffers are adjacent. Each buffer
 * needs a prebuilt request (or receive) in its ring. If the share has room for more buffers than a
 * ring may have slots, fewer buffers are spread evenly over it.
 */

/* The area that one QP sends from, or receives into. */
struct walk {
	enum walk_order order;
	uint32_t bufs;
	uint32_t slots;  /* of the ring that walks over them: a multiple of bufs */
	uint64_t stride; /* bytes from one buffer to the next, a multiple of 64 */
	uint32_t regions;      /* that the buffers are in by turns; 1: all are adjacent */
	uint64_t region_bytes; /* from one region of a QP to the next */
};

/*
 * The buffers of requests. slots is also a multiple of post list and signal interval, and at least
 * the smaller of the depth and the QP's share of 4096 slots (so the rings of many QPs together fit
 * a second-level cache). In a ping-pong or probe it is a multiple of plan_batch(), and at least
 * PLAN_ANSWER_SLOTS. For compare-and-swap it is at least twice bufs.
 */
void layout_walk_tx(struct walk *w, const struct plan *plan, const struct point *point);

/*
 * The buffers where payload arrives. For sends, slots is that of the ring of receives, at least as
 * many as are posted at a time. For all other opcodes it is the same walk as layout_walk_tx().
 */
void layout_walk_rx(struct walk *w, const struct plan *plan, const struct point *point);

/* The smallest footprint of a point: one buffer per QP. */
uint64_t layout_least_bytes(const struct plan *plan, const struct point *point);

/*
 * The choice of auto: a buffer for each request in flight, or with many QPs for each slot of their
 * short rings. At least 8 KiB: two pages, or 128 buffers of the smallest messages, whose ring stays
 * in a first-level cache. At most 8 MiB per QP and 512 MiB in all. With WALK_SAME: the smallest;
 * with --like: plan_like_qp_bytes().
 */
uint64_t layout_auto_bytes(const struct plan *plan, const struct point *point);

/* Offset of the buffer of message i. Any w->bufs messages in a row use each buffer once. */
uint64_t layout_walk_off(const struct walk *w, uint64_t i);

/*
 * A message in a buffer: one piece, or with --sge several pieces of nearly equal size that are not
 * adjacent. Offsets are from the first byte of the payload.
 */
#define PIECES_LINE UINT64_C(64) /* a piece begins at a multiple of it */

struct pieces {
	uint32_t n;
	uint64_t bytes;  /* of all pieces: the message */
	uint64_t stride; /* from one piece to the next; the gap is at least one byte */
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

/* Offset of piece i in the message. */
static inline uint64_t pieces_from(const struct pieces *p, uint32_t i)
{
	const uint64_t longer = p->bytes % p->n;

	return i * (p->bytes / p->n) + (i < longer ? i : longer);
}

/* Offset of piece i in memory. */
static inline uint64_t pieces_at(const struct pieces *p, uint32_t i)
{
	return i * p->stride;
}

/* Bytes of memory from the first piece to the end of the last one. */
static inline uint64_t pieces_span(const struct pieces *p)
{
	return pieces_at(p, p->n - 1) + pieces_len(p, p->n - 1);
}

/* ---- the layout */

struct layout {
	struct walk tx, rx;
	struct pieces tx_pieces, rx_pieces; /* of a buffer's payload, of that side */
	uint64_t rx_off;          /* of the rx area within a region of a QP's part */
	uint64_t region_bytes;    /* one memory region: equal parts of a QP's part, or all */
	uint64_t qp_bytes;        /* one QP's part */
	uint64_t total_bytes;     /* all QPs of a thread */
	uint32_t grh_bytes;       /* 40 over UD, else 0 */
	enum hugepages_use hugepages;
	/* of one side, which layout_resolve() does not know: BUFFERS_HOST */
	enum buffers_kind buffers;
	uint32_t gpu;             /* of BUFFERS_CUDA; UINT32_MAX: the nearest to the device */
};

/*
 * point->footprint_bytes must be resolved.
 *
 * Use of the buffers: send: message i goes from the initiator's tx buffer i to the target's rx
 * buffer i, which is that of the i-th receive. write, write_imm: initiator's tx buffer i to
 * target's rx buffer i. read: target's tx buffer i to initiator's rx buffer i. Atomics: the word
 * that begins the target's tx buffer i; results land in the initiator's rx buffer i.
 */
void layout_resolve(struct layout *layout, const struct plan *plan, const struct point *point,
		    enum side side);

/* Offset of the buffer of message or receive number i of that QP. */
static inline uint64_t layout_tx_off(const struct layout *l, uint32_t qp, uint64_t i)
{
	return qp * l->qp_bytes + layout_walk_off(&l->tx, i);
}

static inline uint64_t layout_rx_off(const struct layout *l, uint32_t qp, uint64_t i)
{
	return qp * l->qp_bytes + l->rx_off + layout_walk_off(&l->rx, i);
}

/* Offset in a buffer of the last byte of its payload; 0 for a message of no bytes. */
static inline uint64_t layout_tx_last(const struct layout *l)
{
	return l->tx_pieces.bytes ? pieces_span(&l->tx_pieces) - 1 : 0;
}

static inline uint64_t layout_rx_last(const struct layout *l)
{
	return l->grh_bytes + (l->rx_pieces.bytes ? pieces_span(&l->rx_pieces) - 1 : 0);
}

#endif
