/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Allocates from the arena of this process: rows of its tables, and blocks of its heap. Only the
 * owner of an arena allocates, so the records of what is in use are private (hca.arena_use). All
 * functions are called under hca.mutex.
 */
#ifndef ARENA_H
#define ARENA_H

#include <stdbool.h>
#include <stdint.h>

/* A free row of the table; 0 or -ENOMEM. */
int arena_qp(uint32_t *idx);
int arena_cq(uint32_t *idx);
int arena_srq(uint32_t *idx);
void arena_free_qp(uint32_t idx);
void arena_free_cq(uint32_t idx);
bool arena_has_cq(uint32_t idx);
void arena_free_srq(uint32_t idx);
/* Zeroed memory; *off is its offset in the arena. 0 or -ENOMEM. */
int arena_alloc(uint64_t bytes, uint64_t *off);
void arena_free(uint64_t off, uint64_t bytes);

#endif
