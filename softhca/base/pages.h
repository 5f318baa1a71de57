/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Makes pages of this process shared, so that peers can map them: the page at address V moves to
 * offset V of the file of the arena, which is mapped in its place. Called by objects/mr.c, under
 * hca.mutex.
 */
#ifndef PAGES_H
#define PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An address rounded down, or up, to whole pages. */
uint64_t pages_floor(uint64_t addr);
uint64_t pages_ceil(uint64_t addr);
/*
 * Shares [start, end). 0; -ENOTSUP: it is not all ordinary private memory; -EFAULT: the program has
 * no access to some of it.
 */
int pages_share(uint64_t start, uint64_t end);
/* Makes shared pages in [start, end) private again; their content stays. */
void pages_unshare(uint64_t start, uint64_t end);
/*
 * Makes all pages of [at, at + bytes) present, by write faults that change nothing: then no access
 * to them waits for the kernel. They must be writable. One system call since Linux 5.14.
 */
void pages_populate(void *at, uint64_t bytes);
/* In the child of a fork(): gives it a copy of the pages that its parent shares. */
void pages_copy_all(void);

/* A file in memory with this content, to be read from its start; -1 with errno. */
int pages_file(const char *text, size_t len, bool cloexec);
/* Zeroed pages of this process alone; NULL: no memory. bytes: of whole pages. */
void *pages_alloc(uint64_t bytes);
/* Zeros to read, of any length: they take no memory. Never unmapped. NULL: no address space. */
void *pages_zeros(uint64_t bytes);
/* Pages of a descriptor, from off on, a multiple of a page. NULL with errno. */
void *pages_map(int fd, uint64_t off, uint64_t bytes);
void pages_free(void *pages, uint64_t bytes);

#endif
