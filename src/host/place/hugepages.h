/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Hugepages of the kernel's default size: how many are free, and mapping memory with them. */
#ifndef HUGEPAGES_H
#define HUGEPAGES_H

#include <stddef.h>
#include <stdint.h>

/* What the kernel offers now. */
struct hugepages {
	uint64_t page_bytes; /* 0: the kernel does not support hugepages */
	uint64_t free;       /* pages that are free and not reserved, and pages it may still add */
};

/* meminfo: text of /proc/meminfo; overcommit: text of /proc/sys/vm/nr_overcommit_hugepages. */
void hugepages_parse(struct hugepages *h, const char *meminfo, const char *overcommit);

/* Reads the files of this host. A file that cannot be read counts as empty. */
void hugepages_read(struct hugepages *h);

/* Number of pages for so many bytes; page_bytes is not 0. */
static inline uint64_t hugepages_pages(uint64_t bytes, uint64_t page_bytes)
{
	return bytes / page_bytes + !!(bytes % page_bytes);
}

/*
 * Maps zeroed hugepages, all present; bytes is a multiple of the page size. The caller unmaps *map
 * with munmap(). 0, or -errno without an error message when there are not enough hugepages.
 */
int hugepages_map(void **map, uint64_t bytes) __attribute__((warn_unused_result));

/* Sets the error message of --hugepages on when host has too few hugepages. Returns code. */
int hugepages_refuse(int code, const char *host, uint64_t bytes, const struct hugepages *h)
	__attribute__((warn_unused_result));

#endif
