/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Asks the kernel for the nodes of pages; see affinity_pages.h. Called by affinity_bind.c and
 * affinity_assess.c. It must not move a page.
 */
#include "config.h"
#include "host/affinity_pages.h"

#include <sys/syscall.h>
#include <unistd.h>

#define MAX_PAGES 16384u
#define BATCH 512u

void affinity_pages_find(struct affinity_pages *pages, const void *base, size_t len)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t n = (len + page - 1) / page;
	const size_t step = n / MAX_PAGES + 1;
	size_t at = 0;

	*pages = (struct affinity_pages){ .nodes = hwloc_bitmap_alloc() };
	while (pages->nodes && base && at < n) {
		void *addresses[BATCH];
		int node[BATCH];
		unsigned long batch = 0;

		for (; batch < BATCH && at < n; at += step)
			addresses[batch++] = (void *)((uintptr_t)base + at * page);
		/* with nodes NULL it only reports where the pages are: move_pages(2) */
		if (syscall(SYS_move_pages, 0, batch, addresses, NULL, node, 0))
			break;
		for (unsigned long i = 0; i < batch; i++)
			if (node[i] >= 0)
				hwloc_bitmap_set(pages->nodes, (unsigned)node[i]);
	}
	pages->known = pages->nodes && !hwloc_bitmap_iszero(pages->nodes);
}

void affinity_pages_free(struct affinity_pages *pages)
{
	hwloc_bitmap_free(pages->nodes);
	*pages = (struct affinity_pages){ 0 };
}

bool affinity_pages_elsewhere(const struct affinity_pages *pages, uint32_t node)
{
	return pages->known && (hwloc_bitmap_weight(pages->nodes) != 1 ||
				!hwloc_bitmap_isset(pages->nodes, node));
}
