/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Registers memory, and allocates device memory; see mr.h. Called by api/, mw.c and libibverbs. */
#include "config.h"
#include "objects/mr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hca.h"
#include "base/pages.h"
#include "transport/object.h"

#define ACCESS_KNOWN                                                                        \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |        \
	 IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND | IBV_ACCESS_ZERO_BASED |            \
	 IBV_ACCESS_HUGETLB | IBV_ACCESS_ON_DEMAND)

/* Rows are used round-robin, so that a key is used again as late as possible. */
struct shm_mr *mr_row(uint32_t *key)
{
	for (uint32_t n = 0; n < SHM_MRS; n++) {
		uint32_t i = hca.next_mr++ & (SHM_MRS - 1);
		struct shm_mr *row = &hca.arena->mr[i];

		if (!i || atomic_load(&row->key))
			continue;
		row->spare++;
		*key = i << 8 | (row->spare & 0xff);
		return row;
	}
	return NULL;
}

/* ibv_reg_mr(3): remote write and remote atomic require local write. Optional flags are ignored. */
static bool access_ok(struct ibv_context *ctx, unsigned int access)
{
	const uint64_t ops = ctx_of(ctx)->profile->rc;
	const int flushes = (ops & PROFILE_FLUSH_GLOBAL ? IBV_ACCESS_FLUSH_GLOBAL : 0) |
			    (ops & PROFILE_FLUSH_PERSISTENT ? IBV_ACCESS_FLUSH_PERSISTENT : 0);

	if (access & ~(unsigned int)(ACCESS_KNOWN | flushes | IBV_ACCESS_OPTIONAL_RANGE))
		return false;
	return !(access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)) ||
	       access & IBV_ACCESS_LOCAL_WRITE;
}

/* In the zero-cost mode no data are copied, except with SOFTHCA_REFLECT. */
static bool is_data_copied(void)
{
	return !hca_settings()->null || hca_settings()->reflect;
}

/* -EFAULT: nobody may read or write it, and the kernel could not pin it. */
static int share(struct mr *mr, uint64_t addr, size_t len)
{
	uint64_t start = pages_floor(addr), end = pages_ceil(addr + len);
	int rc;

	mr->map_start = mr->map_end = start;
	mr->s->kind = SHM_MR_PRIVATE;
	if (!len || !is_data_copied())
		return 0;
	rc = pages_share(start, end);
	if (rc)
		return rc == -EFAULT ? rc : 0;
	mr->map_end = end;
	mr->s->kind = SHM_MR_SHARED;
	return 0;
}

/* What the key stands for: for peers, and for this process, which does not trust what peers see. */
static void set_bytes(struct mr *mr, uint32_t key, uint64_t addr, uint64_t len)
{
	hca.regions[key >> 8] = (struct hca_region) { .addr = addr, .len = len };
	mr->s->addr = addr;
	mr->s->len = len;
}

/* Makes the pages private that belong to no other region. */
static void give_back(struct mr *mr)
{
	uint64_t at = mr->map_start;

	while (at < mr->map_end) {
		uint64_t end = mr->map_end, covered = at;

		for (struct mr *o = hca.mrs; o; o = o->next) {
			if (o == mr || o->map_start == o->map_end)
				continue;
			if (o->map_start <= at && o->map_end > covered)
				covered = o->map_end;
			else if (o->map_start > at && o->map_start < end)
				end = o->map_start;
		}
		if (covered == at)
			pages_unshare(at, end);
		at = covered == at ? end : covered;
	}
	mr->map_end = mr->map_start;
}

static bool is_memory(const void *addr, size_t len)
{
	uint64_t last;

	return len <= (UINT64_C(1) << 40) &&
	       !__builtin_add_overflow((uint64_t)(uintptr_t)addr, len, &last);
}

static struct ibv_mr *reg(struct ibv_pd *ibpd, void *addr, size_t len, uint64_t iova,
			  unsigned int access)
{
	struct pd *pd = container_of(ibpd, struct pd, ib);
	struct mr *mr;
	uint32_t key;
	int err;

	errno = EINVAL;
	if (!access_ok(ibpd->context, access) || !is_memory(addr, len))
		return NULL;
	mr = calloc(1, sizeof(*mr));
	if (!mr)
		return NULL;
	pthread_mutex_lock(&hca.mutex);
	mr->s = mr_row(&key);
	err = !mr->s ? ENOMEM : -share(mr, (uintptr_t)addr, len);
	/* its pages are asked for when they are used */
	if (err == EFAULT && access & IBV_ACCESS_ON_DEMAND)
		err = 0;
	if (err) {
		pthread_mutex_unlock(&hca.mutex);
		free(mr);
		errno = err;
		return NULL;
	}
	mr->s->pd = pd->id;
	set_bytes(mr, key, (uintptr_t)addr, len);
	mr->s->iova = access & IBV_ACCESS_ZERO_BASED ? 0 : iova;
	mr->s->access = access;
	mr->s->type = SHM_MR;
	atomic_store(&mr->s->windows, 0);
	atomic_store_explicit(&mr->s->key, key, memory_order_release);
	atomic_store_explicit(&hca.arena->n_mrs, hca.next_mr, memory_order_release);
	mr->next = hca.mrs;
	hca.mrs = mr;
	pthread_mutex_unlock(&hca.mutex);
	mr->ib = (struct ibv_mr) {
		.context = ibpd->context,
		.pd = ibpd,
		.addr = addr,
		.length = len,
		.handle = key >> 8,
		.lkey = key,
		.rkey = key,
	};
	atomic_fetch_add(&pd->refs, 1);
	errno = 0;
	return &mr->ib;
}

struct ibv_mr *mr_reg(struct ibv_pd *pd, void *addr, size_t len, uint64_t iova,
		      unsigned int access)
{
	const struct ctx *ctx = ctx_of(pd->context);
	struct ibv_mr *mr;

	errno = ENOMEM;
	if (!count_take(&ctx_count(ctx)->mrs, ctx->profile->max_mr))
		return NULL;
	mr = reg(pd, addr, len, iova, access);
	if (!mr)
		count_give(&ctx_count(ctx)->mrs);
	return mr;
}

struct ibv_mr *mr_null_alloc(struct ibv_pd *pd)
{
	struct ibv_mr *ib;

	pthread_mutex_lock(&hca.mutex);
	if (!hca.zeros)
		hca.zeros = pages_zeros(HCA_MAX_MSG);
	pthread_mutex_unlock(&hca.mutex);
	errno = ENOMEM;
	ib = hca.zeros ? mr_reg(pd, NULL, 0, 0, IBV_ACCESS_LOCAL_WRITE) : NULL;
	if (!ib)
		return NULL;
	/* nobody knows the key yet */
	container_of(ib, struct mr, ib)->s->type = SHM_NULL;
	ib->length = SIZE_MAX;
	ib->rkey = 0;
	return ib;
}

/* IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT, which an older verbs.h does not have. */
#define ADVICE_LAST 2u

static int advise(const struct ibv_sge *sge, uint32_t pd, bool writes, bool waits)
{
	const struct shm_mr *row = &hca.arena->mr[(sge->lkey >> 8) & (SHM_MRS - 1)];
	uint64_t off = sge->addr - row->iova;

	if (!sge->lkey || atomic_load(&row->key) != sge->lkey || row->type != SHM_MR ||
	    !(row->access & IBV_ACCESS_ON_DEMAND))
		return ENOENT;
	if (row->pd != pd || (writes && !(row->access & IBV_ACCESS_LOCAL_WRITE)))
		return EPERM;
	return waits && (off >= row->len || sge->length > row->len - off) ? EFAULT : 0;
}

int mr_advise(struct ibv_pd *pd, enum ibv_advise_mr_advice advice, uint32_t flags,
	      struct ibv_sge *list, uint32_t n)
{
	int rc = 0;

	if (flags & ~(uint32_t)IBV_ADVISE_MR_FLAG_FLUSH)
		return EINVAL;
	if ((unsigned int)advice > ADVICE_LAST)
		return EOPNOTSUPP;
	for (uint32_t i = 0; i < n && !rc; i++)
		rc = advise(&list[i], container_of(pd, struct pd, ib)->id,
			    advice == IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
			    flags & IBV_ADVISE_MR_FLAG_FLUSH);
	return rc;
}

int mr_dereg(struct ibv_mr *ib)
{
	struct mr *mr = container_of(ib, struct mr, ib), **at = &hca.mrs;

	if (atomic_load(&mr->s->windows))
		return EBUSY;
	pthread_mutex_lock(&hca.mutex);
	atomic_store(&mr->s->key, 0);
	hca.regions[ib->lkey >> 8] = (struct hca_region) { 0 };
	give_back(mr);
	while (*at != mr)
		at = &(*at)->next;
	*at = mr->next;
	pthread_mutex_unlock(&hca.mutex);
	atomic_fetch_sub(&container_of(ib->pd, struct pd, ib)->refs, 1);
	count_give(&ctx_count(ctx_of(ib->context))->mrs);
	if (mr->dmabuf)
		pages_free(mr->dmabuf, mr->dmabuf_bytes);
	free(mr);
	return 0;
}

static bool change_ok(struct ibv_context *ctx, const struct mr_change *c)
{
	if (!c->flags || c->flags & ~IBV_REREG_MR_FLAGS_SUPPORTED)
		return false;
	if (c->flags & IBV_REREG_MR_CHANGE_TRANSLATION && !is_memory(c->addr, c->len))
		return false;
	if (c->flags & IBV_REREG_MR_CHANGE_ACCESS && !access_ok(ctx, (unsigned int)c->access))
		return false;
	return !(c->flags & IBV_REREG_MR_CHANGE_PD) || c->pd;
}

static void move(struct mr *mr, void *addr, size_t len)
{
	give_back(mr);
	(void)share(mr, (uintptr_t)addr, len);
	set_bytes(mr, mr->ib.lkey, (uintptr_t)addr, len);
	mr->s->iova = mr->s->access & IBV_ACCESS_ZERO_BASED ? 0 : (uintptr_t)addr;
	mr->ib.addr = addr;
	mr->ib.length = len;
}

int mr_rereg(struct ibv_mr *ib, const struct mr_change *c)
{
	struct mr *mr = container_of(ib, struct mr, ib);
	uint32_t key = ib->lkey;

	errno = EINVAL;
	/* device memory and dmabufs stay where they are (kernel: ib_uverbs_rereg_mr()) */
	if (!change_ok(ib->context, c) || !ib->addr || mr->dmabuf)
		return IBV_REREG_MR_ERR_INPUT;
	if (atomic_load(&mr->s->windows)) {
		errno = EBUSY;
		return IBV_REREG_MR_ERR_INPUT;
	}
	pthread_mutex_lock(&hca.mutex);
	atomic_store(&mr->s->key, 0);
	if (c->flags & IBV_REREG_MR_CHANGE_ACCESS)
		mr->s->access = (uint32_t)c->access;
	if (c->flags & IBV_REREG_MR_CHANGE_TRANSLATION)
		move(mr, c->addr, c->len);
	if (c->flags & IBV_REREG_MR_CHANGE_PD) {
		atomic_fetch_sub(&container_of(ib->pd, struct pd, ib)->refs, 1);
		ib->pd = c->pd;
		mr->s->pd = container_of(c->pd, struct pd, ib)->id;
		atomic_fetch_add(&container_of(c->pd, struct pd, ib)->refs, 1);
	}
	atomic_store_explicit(&mr->s->key, key, memory_order_release);
	pthread_mutex_unlock(&hca.mutex);
	return 0;
}

/*
 * As the kernel's drivers/infiniband/core/uverbs_std_types_mr.c (DM_MR_REG: zero based only) and
 * mlx5_ib (MLX5_IB_DM_MEMIC_ALLOWED_ACCESS).
 */
#define DM_ACCESS                                                                      \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |        \
	 IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_ZERO_BASED | IBV_ACCESS_OPTIONAL_RANGE)
#define DM_WORD_BYTES 4

struct dm {
	struct ibv_dm ib;
	uint8_t *map;
	size_t len, map_bytes;
};

/* Copies must be of whole words, as on mlx5 (rdma-core, providers/mlx5/verbs.c, mlx5_access_dm). */
static int dm_check(const struct dm *dm, uint64_t off, size_t len)
{
	if (off > dm->len || len > dm->len - off)
		return EFAULT;
	return off % DM_WORD_BYTES || len % DM_WORD_BYTES ? EINVAL : 0;
}

static int dm_copy_in(struct ibv_dm *ib, uint64_t off, const void *from, size_t len)
{
	struct dm *dm = container_of(ib, struct dm, ib);
	const int err = dm_check(dm, off, len);

	if (!err && len)
		memcpy(dm->map + off, from, len);
	return err;
}

static int dm_copy_out(void *to, struct ibv_dm *ib, uint64_t off, size_t len)
{
	struct dm *dm = container_of(ib, struct dm, ib);
	const int err = dm_check(dm, off, len);

	if (!err && len)
		memcpy(to, dm->map + off, len);
	return err;
}

/* Takes the bytes of the device if it has them left. */
static bool dm_take(struct ctx *ctx, uint64_t bytes)
{
	bool ok;

	pthread_mutex_lock(&hca.mutex);
	ok = bytes <= DM_MAX_BYTES - ctx->dm_bytes;
	ctx->dm_bytes += ok ? bytes : 0;
	pthread_mutex_unlock(&hca.mutex);
	return ok;
}

static void dm_give_back(struct ctx *ctx, uint64_t bytes)
{
	pthread_mutex_lock(&hca.mutex);
	ctx->dm_bytes -= bytes;
	pthread_mutex_unlock(&hca.mutex);
}

struct ibv_dm *mr_dm_alloc(struct ibv_context *ctx, struct ibv_alloc_dm_attr *attr)
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
	if (dm_take(ctx_of(ctx), dm->map_bytes)) {
		dm->map = pages_alloc(dm->map_bytes);
		if (!dm->map)
			dm_give_back(ctx_of(ctx), dm->map_bytes);
	}
	if (!dm->map) {
		free(dm);
		errno = ENOMEM;
		return NULL;
	}
	dm->ib = (struct ibv_dm){ .context = ctx, .memcpy_to_dm = dm_copy_in,
				  .memcpy_from_dm = dm_copy_out };
	ctx_hold(ctx);
	errno = 0;
	return &dm->ib;
}

/* Is any of this memory registered? */
static bool has_region(const void *addr, size_t len)
{
	const uint64_t start = (uintptr_t)addr, end = start + len;
	bool found = false;

	pthread_mutex_lock(&hca.mutex);
	for (const struct mr *o = hca.mrs; o && !found; o = o->next)
		found = o->s->addr < end && o->s->addr + o->s->len > start;
	pthread_mutex_unlock(&hca.mutex);
	return found;
}

int mr_dm_free(struct ibv_dm *ib)
{
	struct dm *dm = container_of(ib, struct dm, ib);

	if (has_region(dm->map, dm->map_bytes))
		return EBUSY;
	pages_free(dm->map, dm->map_bytes);
	dm_give_back(ctx_of(ib->context), dm->map_bytes);
	ctx_drop(ib->context);
	free(dm);
	return 0;
}

struct ibv_mr *mr_dm_reg(struct ibv_pd *pd, struct ibv_dm *ib, uint64_t off, size_t len,
		      unsigned int access)
{
	struct dm *dm = container_of(ib, struct dm, ib);
	struct ibv_mr *mr;

	errno = EINVAL;
	if (off > dm->len || len > dm->len - off || !(access & IBV_ACCESS_ZERO_BASED) ||
	    access & ~(unsigned int)DM_ACCESS)
		return NULL;
	mr = mr_reg(pd, dm->map + off, len, 0, access);
	if (mr)
		mr->addr = NULL;
	return mr;
}

static int dmabuf_check(const struct mr_dmabuf *buf)
{
	const uint64_t in_page = pages_ceil(1) - 1;
	uint64_t end;
	struct stat st;

	if ((buf->offset & in_page) != (buf->iova & in_page))
		return EINVAL;
	if (fstat(buf->fd, &st))
		return EBADF;
	if (__builtin_add_overflow(buf->offset, (uint64_t)buf->len, &end) ||
	    end > (uint64_t)st.st_size)
		return EINVAL;
	return buf->len ? 0 : EINVAL;
}

struct ibv_mr *mr_dmabuf_reg(struct ibv_pd *pd, const struct mr_dmabuf *buf, unsigned int access)
{
	const uint64_t start = pages_floor(buf->offset);
	const size_t bytes = buf->offset - start + buf->len;
	struct ibv_mr *ib;
	struct mr *mr;
	void *map;

	errno = ctx_of(pd->context)->profile->dmabuf ? dmabuf_check(buf) : EOPNOTSUPP;
	if (errno)
		return NULL;
	map = pages_map(buf->fd, start, bytes);
	if (!map) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	ib = mr_reg(pd, (uint8_t *)map + (buf->offset - start), buf->len, buf->iova, access);
	if (!ib) {
		const int err = errno;

		pages_free(map, bytes);
		errno = err;
		return NULL;
	}
	mr = container_of(ib, struct mr, ib);
	mr->dmabuf = map;
	mr->dmabuf_bytes = bytes;
	/* as libibverbs, verbs.c: ibv_reg_dmabuf_mr */
	ib->addr = (void *)(uintptr_t)buf->offset;
	return ib;
}
