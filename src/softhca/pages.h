/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Makes pages of this process shared, so that peers can map them: the page at address V becomes
 * page V of the arena's file, mapped over itself. Called by mr.c, under hca.mutex.
 */
#ifndef PAGES_H
#define PAGES_H

#include <stdbool.h>
#include <stdint.h>

uint64_t pages_floor(uint64_t addr);
uint64_t pages_ceil(uint64_t addr);
/* All of [start, end) is shared now; -ENOTSUP: it cannot be (not ordinary private memory). */
int pages_share(uint64_t start, uint64_t end);
/* What is still shared of [start, end) is private memory again, with the same content. */
void pages_unshare(uint64_t start, uint64_t end);

#endif
