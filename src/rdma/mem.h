/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Test memory: one mapping or one piece of device memory, and one memory region per endpoint.
 * plan/layout.h decides where buffers are.
 */
#ifndef MEM_H
#define MEM_H

#include <stdbool.h>
#include <stdint.h>
#include <infiniband/verbs.h>

#include "plan/layout.h"

struct mem {
	struct layout layout;
	uint8_t *base;            /* NULL: device memory, which has no address here */
	uint64_t addr;            /* of the first byte, for requests of both sides */
	uint64_t map_bytes;       /* total_bytes in whole pages */
	uint64_t page_bytes;      /* of the pages that it is made of; 0: device memory */
	struct ibv_dm *dm;        /* NULL: host memory */
	struct ibv_mr *mr;
	bool relaxed;             /* registered with IBV_ACCESS_RELAXED_ORDERING */
};

/*
 * Maps zeroed memory, writes to every page, and registers it with access (IBV_ACCESS_*).
 * HUGEPAGES_AUTO: hugepages are used if the memory fills one and enough are free. All other pages
 * are the kernel's smallest, and the kernel is asked not to make huge ones of them, so that
 * page_bytes is true. Each error has an error message (verbs_error_mr; -ENOMEM also when hugepages
 * were asked for and are missing).
 * BUFFERS_DEVICE: allocates zeroed memory of the device instead; requests address it from 0 on.
 * Only mem_copy.h reaches its bytes.
 * IBV_ACCESS_RELAXED_ORDERING is optional: where it is refused, the memory is registered without,
 * and relaxed tells.
 */
int mem_open(struct mem *mem, struct ibv_pd *pd, const struct layout *layout, int access)
	__attribute__((warn_unused_result));
/* Accepts a zeroed or closed mem. */
void mem_close(struct mem *mem);

#endif
