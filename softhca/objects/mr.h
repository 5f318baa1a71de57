/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Memory regions, the rows of the table of memory keys (transport/key.h), and device memory. Sizes
 * in bytes.
 */
#ifndef MR_H
#define MR_H

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

#include "base/shm.h"

struct mr {
	struct ibv_mr ib;
	struct mr *next;
	struct shm_mr *s;
	uint64_t map_start, map_end; /* pages that were made shared; equal: none */
	void *dmabuf;                /* its mapping; NULL: memory of the program */
	size_t dmabuf_bytes;
};

/* The arguments of ibv_rereg_mr(3). flags: IBV_REREG_MR_CHANGE_*, which of the others are valid. */
struct mr_change {
	int flags, access;
	struct ibv_pd *pd;
	void *addr;
	size_t len;
};

struct ibv_mr *mr_reg(struct ibv_pd *pd, void *addr, size_t len, uint64_t iova,
		      unsigned int access);
int mr_dereg(struct ibv_mr *mr);
/* 0; or IBV_REREG_MR_ERR_INPUT with errno, and the region is unchanged. */
int mr_rereg(struct ibv_mr *mr, const struct mr_change *change);

/*
 * ibv_advise_mr(3) of regions with IBV_ACCESS_ON_DEMAND, whose pages are there already. It only
 * answers as mlx5 does: drivers/infiniband/hw/mlx5/odp.c, get_prefetchable_mr(), pagefault_mr().
 */
int mr_advise(struct ibv_pd *pd, enum ibv_advise_mr_advice advice, uint32_t flags,
	      struct ibv_sge *list, uint32_t n);

/*
 * ibv_alloc_null_mr(3): any address of any length; reads give zeros, writes are dropped. It has no
 * key for peers, as on mlx5 (rdma-core, providers/mlx5/verbs.c, mlx5_alloc_null_mr).
 */
struct ibv_mr *mr_null_alloc(struct ibv_pd *pd);

/* A free row with its key; NULL: there is none. Under hca.mutex. */
struct shm_mr *mr_row(uint32_t *key);

/*
 * Device memory: pages that the program gets no address of. Requests reach them by a zero-based
 * region, the program by copies of whole words.
 */
#define DM_MAX_BYTES (UINT64_C(256) << 10) /* of a context, all allocations together */

struct ibv_dm *mr_dm_alloc(struct ibv_context *ctx, struct ibv_alloc_dm_attr *attr);
/* EBUSY: a region of it is registered. */
int mr_dm_free(struct ibv_dm *dm);
struct ibv_mr *mr_dm_reg(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t off, size_t len,
		      unsigned int access);

/*
 * ibv_reg_dmabuf_mr(3) of a descriptor that can be mapped: a file in memory, a udmabuf. EOPNOTSUPP:
 * it cannot. The other checks are those of the kernel (drivers/infiniband/core: ib_umem_dmabuf_get,
 * uverbs_std_types_mr.c). Peers copy as with other memory that is not the arena's.
 */
struct mr_dmabuf {
	uint64_t offset, iova;
	size_t len;
	int fd;
};

struct ibv_mr *mr_dmabuf_reg(struct ibv_pd *pd, const struct mr_dmabuf *buf, unsigned int access);

#endif
