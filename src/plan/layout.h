/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Where each buffer of the test memory is. Pure: it depends only on plan and point and is the same
 * on both sides, so no offset is exchanged.
 *
 * Each QP has a part: first the tx area (what is sent, and what the peer reads), then the rx area
 * (where receives, writes of the peer and results of reads and atomics arrive). walk.h decides how
 * many buffers an area has and in which order they are used. Over UD a receive buffer begins with
 * room for the GRH. With --sge the requests and receives of a side have their buffers in pieces;
 * what the peer addresses (the target of a write, the source of a read) is one piece.
 */
#ifndef LAYOUT_H
#define LAYOUT_H

#include <stdint.h>

#include "plan/plan.h"
#include "plan/walk.h"

struct layout {
	struct walk tx, rx;
	struct pieces tx_pieces, rx_pieces; /* of a buffer's payload */
	uint64_t rx_off;          /* of the rx area within a QP's part */
	uint64_t qp_bytes;        /* one QP's part */
	uint64_t total_bytes;     /* all QPs of a thread */
	uint32_t grh_bytes;       /* 40 over UD, else 0 */
	uint64_t size_bytes;      /* of a message */
	enum hugepages_use hugepages;
	enum buffers_kind buffers;
};

/*
 * point->footprint_bytes is resolved.
 *
 * Who uses what: send: message i goes from the initiator's tx buffer i to the target's rx buffer i,
 * which is that of the i-th receive. write, write_imm: initiator's tx buffer i to target's rx
 * buffer i. read: target's tx buffer i to initiator's rx buffer i. Atomics: the word that begins
 * the target's tx buffer i; results land in the initiator's rx buffer i.
 */
void layout_resolve(struct layout *layout, const struct plan *plan, const struct point *point);

/* Where message or receive number i of that QP has its buffer. */
static inline uint64_t layout_tx_off(const struct layout *l, uint32_t qp, uint64_t i)
{
	return qp * l->qp_bytes + walk_off(&l->tx, i);
}

static inline uint64_t layout_rx_off(const struct layout *l, uint32_t qp, uint64_t i)
{
	return qp * l->qp_bytes + l->rx_off + walk_off(&l->rx, i);
}

/* From the beginning of a buffer to the last byte of its payload; a message of no bytes: 0. */
static inline uint64_t layout_tx_last(const struct layout *l)
{
	return l->size_bytes ? pieces_span(&l->tx_pieces) - 1 : 0;
}

static inline uint64_t layout_rx_last(const struct layout *l)
{
	return l->grh_bytes + (l->size_bytes ? pieces_span(&l->rx_pieces) - 1 : 0);
}

#endif
