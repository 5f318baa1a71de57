/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Test buffers: one mapping per ep, one memory region, laid out the same way on both sides so
 * that an offset needs no exchange.
 *
 * Per QP: tx area (what is sent, what is read by the peer), then rx area (where receives, writes
 * of the peer and results of reads and atomics land). How many buffers an area has and in which
 * order they are used: walk.h. Over UD a receive buffer starts with the 40 bytes of the GRH.
 */
#ifndef MEM_H
#define MEM_H

#include <stddef.h>
#include <stdint.h>
#include <infiniband/verbs.h>

#include "plan/plan.h"

struct mem_layout {
	struct walk tx, rx;
	uint64_t rx_off;          /* of the rx area within a QP's part */
	uint64_t qp_bytes;        /* one QP's part */
	uint64_t total_bytes;
	uint32_t grh_bytes;       /* 40 over UD, else 0 */
	uint64_t size_bytes;      /* of a message */
	enum hugepages_use hugepages;
};

struct mem {
	struct mem_layout layout;
	uint8_t *base;
	uint64_t map_bytes;       /* total_bytes in whole pages */
	uint64_t page_bytes;      /* of the pages that it is made of */
	struct ibv_mr *mr;
};

/*
 * Pure; same input, same layout on both sides. point->footprint_bytes is resolved.
 *
 * Who uses what: send: message i from the initiator's tx buffer i to the target's rx buffer i,
 * that of the i-th receive. write, write_imm: initiator's tx buffer i -> target's rx buffer i.
 * read: target's tx buffer i -> initiator's rx buffer i. Atomics: the word that begins the target's
 * tx buffer i; results land in the initiator's rx buffer i.
 */
void mem_layout(struct mem_layout *lay, const struct plan *plan, const struct point *point);

/* Where message or receive number i of that QP has its buffer. */
static inline uint64_t mem_tx_off(const struct mem_layout *l, uint32_t qp, uint64_t i)
{
	return qp * l->qp_bytes + walk_off(&l->tx, i);
}

static inline uint64_t mem_rx_off(const struct mem_layout *l, uint32_t qp, uint64_t i)
{
	return qp * l->qp_bytes + l->rx_off + walk_off(&l->rx, i);
}

/*
 * Maps zeroed memory, every page present, and registers it with access. HUGEPAGES_AUTO: of hugepages
 * when it fills one and enough are free. All other pages are the kernel's smallest, kept from being
 * joined to huge ones behind the test's back: page_bytes is true. Errors carry a sentence (verbs_error_mr;
 * -ENOMEM also when hugepages were asked for and are not there).
 */
int mem_open(struct mem *mem, struct ibv_pd *pd, const struct mem_layout *lay, int access)
	__attribute__((warn_unused_result));
/* Accepts a zeroed or closed mem. */
void mem_close(struct mem *mem);

/* Least rights for the plan on this side: what MR and QP are opened with. */
int mem_access(const struct plan *plan, enum side side);

/*
 * Fills len bytes with the pattern of (side that sends, qp, index of the buffer in the walk):
 * reproducible, no two alike, the same on little- and big-endian hosts.
 */
void mem_fill(uint8_t *buf, uint64_t len, enum side sender, uint32_t qp, uint32_t index);

/* 0, or -EILSEQ with a sentence: QP, buffer, first bad offset, byte expected and got. */
int mem_check(const uint8_t *buf, uint64_t len, enum side sender, uint32_t qp, uint32_t index)
	__attribute__((warn_unused_result));

#endif
