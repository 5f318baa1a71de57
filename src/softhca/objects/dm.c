/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Device memory; see dm.h. Called by libibverbs through the context. */
#include "config.h"
#include "objects/dm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/hca.h"
#include "base/pages.h"
#include "objects/mr.h"
#include "transport/object.h"

/*
 * As the kernel's drivers/infiniband/core/uverbs_std_types_mr.c (DM_MR_REG: zero based only) and
 * mlx5_ib (MLX5_IB_DM_MEMIC_ALLOWED_ACCESS).
 */
#define ACCESS_ALLOWED                                                                      \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |        \
	 IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_ZERO_BASED | IBV_ACCESS_OPTIONAL_RANGE)
#define WORD_BYTES 4

struct dm {
	struct ibv_dm ib;
	uint8_t *map;
	size_t len, map_bytes;
};

/* Copies must be of whole words, as on mlx5 (rdma-core, providers/mlx5/verbs.c, mlx5_access_dm()). */
static int check(const struct dm *dm, uint64_t off, size_t len)
{
	if (off > dm->len || len > dm->len - off)
		return EFAULT;
	return off % WORD_BYTES || len % WORD_BYTES ? EINVAL : 0;
}

static int copy_in(struct ibv_dm *ib, uint64_t off, const void *from, size_t len)
{
	struct dm *dm = container_of(ib, struct dm, ib);
	const int err = check(dm, off, len);

	if (!err && len)
		memcpy(dm->map + off, from, len);
	return err;
}

static int copy_out(void *to, struct ibv_dm *ib, uint64_t off, size_t len)
{
	struct dm *dm = container_of(ib, struct dm, ib);
	const int err = check(dm, off, len);

	if (!err && len)
		memcpy(to, dm->map + off, len);
	return err;
}

/* Takes the bytes of the device if it has them left. */
static bool take(struct ctx *ctx, uint64_t bytes)
{
	bool ok;

	pthread_mutex_lock(&hca.mutex);
	ok = bytes <= DM_MAX_BYTES - ctx->dm_bytes;
	ctx->dm_bytes += ok ? bytes : 0;
	pthread_mutex_unlock(&hca.mutex);
	return ok;
}

static void give_back(struct ctx *ctx, uint64_t bytes)
{
	pthread_mutex_lock(&hca.mutex);
	ctx->dm_bytes -= bytes;
	pthread_mutex_unlock(&hca.mutex);
}

struct ibv_dm *dm_alloc(struct ibv_context *ctx, struct ibv_alloc_dm_attr *attr)
{
	struct dm *dm;

	errno = attr->comp_mask ? EOPNOTSUPP : EINVAL;
	if (attr->comp_mask || !attr->length || attr->length > DM_MAX_BYTES ||
	    UINT64_C(1) << (attr->log_align_req & 63) > pages_ceil(1))
		return NULL;
	errno = ENOMEM;
	dm = calloc(1, sizeof(*dm));
	if (!dm)
		return NULL;
	dm->len = attr->length;
	dm->map_bytes = pages_ceil(attr->length);
	dm->map = MAP_FAILED;
	if (take(ctx_of(ctx), dm->map_bytes)) {
		dm->map = mmap(NULL, dm->map_bytes, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (dm->map == MAP_FAILED)
			give_back(ctx_of(ctx), dm->map_bytes);
	}
	if (dm->map == MAP_FAILED) {
		free(dm);
		errno = ENOMEM;
		return NULL;
	}
	dm->ib = (struct ibv_dm){ .context = ctx, .memcpy_to_dm = copy_in,
				  .memcpy_from_dm = copy_out };
	errno = 0;
	return &dm->ib;
}

int dm_free(struct ibv_dm *ib)
{
	struct dm *dm = container_of(ib, struct dm, ib);

	if (mr_covers(dm->map, dm->map_bytes))
		return EBUSY;
	munmap(dm->map, dm->map_bytes);
	give_back(ctx_of(ib->context), dm->map_bytes);
	free(dm);
	return 0;
}

struct ibv_mr *dm_reg(struct ibv_pd *pd, struct ibv_dm *ib, uint64_t off, size_t len,
		      unsigned int access)
{
	struct dm *dm = container_of(ib, struct dm, ib);
	struct ibv_mr *mr;

	errno = EINVAL;
	if (off > dm->len || len > dm->len - off || !(access & IBV_ACCESS_ZERO_BASED) ||
	    access & ~(unsigned int)ACCESS_ALLOWED)
		return NULL;
	mr = mr_reg(pd, dm->map + off, len, 0, access);
	if (mr)
		mr->addr = NULL;
	return mr;
}
