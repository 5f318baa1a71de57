/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The samples of a latency test one by one, in ticks, as the loops of engine_kept.c take them
 * besides the histogram. The memory is there, and in use, before the loop begins.
 */
#ifndef KEPT_H
#define KEPT_H

#include <stdint.h>

/* Numbers of a sample: its time; of an open loop response and service time. */
#define KEPT_CLOSED 1u
#define KEPT_OPEN 2u

struct kept {
	uint64_t *at;        /* of the next sample */
	uint64_t *end;       /* past the last that is kept; has room for one that is not */
	uint64_t *samples;   /* the first; NULL: none are kept; owned */
};

/* Beyond the end each is written to the same place. */
static inline __attribute__((always_inline)) void kept_next(struct kept *k, uint32_t numbers)
{
	if (__builtin_expect(k->at < k->end, 1))
		k->at += numbers;
}

static inline __attribute__((always_inline)) void kept_closed(struct kept *k, uint64_t ticks)
{
	k->at[0] = ticks;
	kept_next(k, KEPT_CLOSED);
}

static inline __attribute__((always_inline)) void kept_open(struct kept *k, uint64_t response,
							     uint64_t service)
{
	k->at[0] = response;
	k->at[1] = service;
	kept_next(k, KEPT_OPEN);
}

#endif
