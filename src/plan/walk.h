/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The walk over the buffers: how many a QP's messages use, how far apart they lie, and which one
 * message number i is in. Pure: from plan and point alone, the same on both sides.
 *
 * A footprint is the bytes of buffers that the messages of one thread walk over, on the side that
 * sends and on the side that receives alike; each QP has an equal share. Buffers lie one after the
 * other. Every buffer needs a prebuilt request (or receive) in its ring; where the share would hold
 * more than a ring may have, the buffers are spread evenly over it instead.
 */
#ifndef WALK_H
#define WALK_H

#include <stdint.h>

struct plan;
struct point;

/* auto: seq where buffers can be walked over, else same. Never in a plan. */
enum walk_order { WALK_AUTO, WALK_SEQ, WALK_RANDOM, WALK_SAME, WALK_COUNT };

extern const char *const walk_names[WALK_COUNT + 1]; /* auto seq random same, NULL */

/* The area that one QP sends from, or receives into. */
struct walk {
	enum walk_order order;
	uint32_t bufs;
	uint32_t slots;  /* of the ring that walks over them: a multiple of bufs */
	uint64_t stride; /* bytes from one buffer to the next, a multiple of 64 */
};

/*
 * Where requests have their payload: slots is a multiple of post list and signal interval too, and
 * at least the depth, or with many QPs, whose rings are to fit a second-level cache together, the
 * QP's share of 4096; of a ping-pong or probe, a multiple of plan_batch(), and at least
 * PLAN_ANSWER_SLOTS. For compare-and-swap at least twice bufs.
 */
void walk_tx(struct walk *w, const struct plan *plan, const struct point *point);

/*
 * Where payload lands. Of sends, slots is of the ring of receives, at least those posted at a time;
 * of all else the walk is that of the requests.
 */
void walk_rx(struct walk *w, const struct plan *plan, const struct point *point);

/* The least footprint of a point: a buffer for every QP. */
uint64_t walk_least_bytes(const struct plan *plan, const struct point *point);

/*
 * What auto chooses: a buffer for each request in flight, or with many QPs for each slot of their
 * short rings; 8 KiB at least (two pages, and of the smallest messages 128 buffers, whose ring
 * stays in a first-level cache), but no more than 8 MiB per QP and 512 MiB in all; with WALK_SAME
 * the least.
 */
uint64_t walk_auto_bytes(const struct plan *plan, const struct point *point);

/* Offset of the buffer of message i: a permutation of the buffers over any w->bufs in a row. */
uint64_t walk_off(const struct walk *w, uint64_t i);

#endif
