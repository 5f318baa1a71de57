/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What the files of seat share. */
#ifndef SEAT_OWN_H
#define SEAT_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "seat.h"
#include "topo_own.h"

/* Measuring threads of a test. */
static inline uint32_t seat_threads(const struct cfg *test)
{
	return test->threads;
}

/* On which NUMA nodes pages are, by the kernel's word. */
struct seat_pages {
	bool asked;              /* the kernel answered */
	hwloc_bitmap_t nodes;
	uint64_t looked_at;      /* pages; of large areas a sample */
};

/* NULL when the thread has no place. */
const struct topo_place *seat_place(const struct seat_plan *s, uint32_t thread);

void seat_pages_ask(struct seat_pages *pages, const void *base, size_t len);
void seat_pages_free(struct seat_pages *pages);

#endif
