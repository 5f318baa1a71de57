/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The NUMA nodes of the pages of an area, as the kernel reports them. */
#ifndef AFFINITY_PAGES_H
#define AFFINITY_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <hwloc.h>

struct affinity_pages {
	bool known;                  /* nodes has at least one node */
	hwloc_bitmap_t nodes;        /* owned: affinity_pages_free() */
};

/*
 * Asks for each page of an area with less than 16384 pages, and for an evenly spaced sample of at
 * most 16384 pages of a larger one. base NULL: no area.
 */
void affinity_pages_find(struct affinity_pages *pages, const void *base, size_t len);
void affinity_pages_free(struct affinity_pages *pages);

/* Whether a page is on another node than this one. False when the nodes are unknown. */
bool affinity_pages_elsewhere(const struct affinity_pages *pages, uint32_t node);

#endif
