/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Device memory: pages that the program gets no address of. Requests reach them by a zero-based
 * region, the program by copies. Sizes in bytes.
 */
#ifndef DM_H
#define DM_H

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

#define DM_MAX_BYTES (UINT64_C(256) << 10) /* of a context, all allocations together */

struct ibv_dm *dm_alloc(struct ibv_context *ctx, struct ibv_alloc_dm_attr *attr);
/* EBUSY: a region of it is registered. */
int dm_free(struct ibv_dm *dm);
struct ibv_mr *dm_reg(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t off, size_t len,
		      unsigned int access);

#endif
