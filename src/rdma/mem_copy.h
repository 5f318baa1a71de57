/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Copies messages into and out of test memory before and after a point, piece by piece. Offsets are
 * those of plan/layout.h, of the first byte of a payload.
 */
#ifndef MEM_COPY_H
#define MEM_COPY_H

#include <stddef.h>
#include <stdint.h>

#include "plan/walk.h"
#include "rdma/mem.h"

/* Bytes of any kind. */
void mem_copy_in(const struct mem *mem, uint64_t off, const void *from, uint64_t len);
void mem_copy_out(const struct mem *mem, uint64_t off, void *to, uint64_t len);

/* A message of p->bytes. */
void mem_copy_scatter(const struct mem *mem, uint64_t off, const struct pieces *p,
		      const uint8_t *message);
void mem_copy_gather(const struct mem *mem, uint64_t off, const struct pieces *p, uint8_t *message);

/*
 * Are all bytes between the pieces 0, as in new memory? Else the first piece before which they are
 * not; 0: they are.
 */
uint32_t mem_copy_torn(const struct mem *mem, uint64_t off, const struct pieces *p);

#endif
