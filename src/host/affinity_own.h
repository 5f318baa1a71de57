/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What the files of affinity share. */
#ifndef AFFINITY_OWN_H
#define AFFINITY_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/affinity.h"
#include "host/topo_own.h"

/* Measuring threads of a test. */
static inline uint32_t affinity_threads(const struct cfg *test)
{
	return test->threads;
}

/* On which NUMA nodes pages are, by the kernel's word. */
struct affinity_pages {
	bool asked;              /* the kernel answered */
	hwloc_bitmap_t nodes;
	uint64_t looked_at;      /* pages; of large areas a sample */
};

/* NULL when the thread has no place. */
const struct topo_place *affinity_place(const struct affinity_plan *s, uint32_t thread);

void affinity_pages_ask(struct affinity_pages *pages, const void *base, size_t len);
void affinity_pages_free(struct affinity_pages *pages);

#endif
