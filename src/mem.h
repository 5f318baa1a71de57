/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Test buffers: one mapping per ep, one memory region, laid out the same way on both sides so
 * that an offset needs no exchange.
 *
 * Per QP: tx area (what is sent, what is read by the peer), then rx area (where receives, writes
 * of the peer and results of reads and atomics land). An area is n_bufs buffers of stride bytes;
 * request number i uses buffer i % n_bufs. Over UD a receive buffer starts with the 40 bytes of
 * the GRH.
 */
#ifndef MEM_H
#define MEM_H

#include <stddef.h>
#include <stdint.h>
#include <infiniband/verbs.h>

#include "plan.h"

#define MEM_GRH_BYTES 40u

struct mem_layout {
	uint64_t stride;          /* bytes from one buffer to the next, a multiple of 64 */
	uint32_t tx_bufs, rx_bufs;
	uint64_t rx_off;          /* of the rx area within a QP's part */
	uint64_t qp_bytes;        /* one QP's part */
	uint64_t total_bytes;
	uint32_t grh_bytes;       /* 40 over UD, else 0 */
	uint64_t size_bytes;      /* of a message */
};

struct mem {
	struct mem_layout layout;
	uint8_t *base;
	struct ibv_mr *mr;
};

/*
 * Pure; same input, same layout on both sides. tx_bufs and rx_bufs are powers of two: next power
 * of two of depth and recv_depth (rx: of depth too, unless data lands in the receive's buffer),
 * halved until an area is at most 8 MiB and all together 1 GiB, but at least 1; one each in a
 * ping-pong.
 *
 * Who uses what: send: initiator's tx -> target's rx, the buffer of the receive. write,
 * write_imm: initiator's tx buffer i -> target's rx buffer i. read: target's tx buffer i ->
 * initiator's rx buffer i. Atomics: the word at mem_tx_off(qp, 0) of the target; results land in
 * the initiator's rx.
 */
void mem_layout(struct mem_layout *lay, const struct plan *plan, const struct point *point);

static inline uint64_t mem_tx_off(const struct mem_layout *l, uint32_t qp, uint64_t i)
{
	return qp * l->qp_bytes + i % l->tx_bufs * l->stride;
}

static inline uint64_t mem_rx_off(const struct mem_layout *l, uint32_t qp, uint64_t i)
{
	return qp * l->qp_bytes + l->rx_off + i % l->rx_bufs * l->stride;
}

/*
 * Maps zeroed memory, touches every page, registers with access. Errors carry a sentence
 * (why_mr).
 */
int mem_open(struct mem *mem, struct ibv_pd *pd, const struct mem_layout *lay, int access)
	__attribute__((warn_unused_result));
/* Accepts a zeroed or closed mem. */
void mem_close(struct mem *mem);

/* Least rights for the plan on this side: what MR and QP are opened with. */
int mem_access(const struct plan *plan, enum side side);

/*
 * Fills len bytes with the pattern of (side that sends, qp, buffer index): reproducible, no two
 * alike, the same on little- and big-endian hosts.
 */
void mem_fill(uint8_t *buf, uint64_t len, enum side sender, uint32_t qp, uint32_t index);

/* 0, or -EILSEQ with a sentence: QP, buffer, first bad offset, byte expected and got. */
int mem_check(const uint8_t *buf, uint64_t len, enum side sender, uint32_t qp, uint32_t index)
	__attribute__((warn_unused_result));

#endif
