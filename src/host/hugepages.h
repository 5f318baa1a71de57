/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Hugepages of the kernel's default size: how many there are, and memory made of them. */
#ifndef HUGEPAGES_H
#define HUGEPAGES_H

#include <stddef.h>
#include <stdint.h>

/* What can be had now. */
struct hugepages {
	uint64_t page_bytes; /* 0: the kernel has none, whatever is set */
	uint64_t free;       /* pages: free and not reserved, and those that may be added */
};

/* meminfo: text of /proc/meminfo; overcommit: of /proc/sys/vm/nr_overcommit_hugepages. */
void hugepages_parse(struct hugepages *h, const char *meminfo, const char *overcommit);

/* Of this host. What cannot be read counts as none. */
void hugepages_read(struct hugepages *h);

/* Pages that so many bytes take; page_bytes is not 0. */
static inline uint64_t hugepages_pages(uint64_t bytes, uint64_t page_bytes)
{
	return bytes / page_bytes + !!(bytes % page_bytes);
}

/*
 * Maps bytes (a multiple of the page) of zeroed hugepages, all present. 0 and *map, to be unmapped
 * by munmap(); -errno without a sentence when they are not to be had.
 */
int hugepages_map(void **map, uint64_t bytes) __attribute__((warn_unused_result));

/* The sentence of --hugepages on when bytes cannot be had on host. Returns code. */
int hugepages_refuse(int code, const char *host, uint64_t bytes, const struct hugepages *h)
	__attribute__((warn_unused_result));

#endif
