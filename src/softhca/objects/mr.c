/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Registers memory; see mr.h. Called by api/ and mw.c. */
#include "config.h"
#include "objects/mr.h"

#include <errno.h>
#include <stdlib.h>

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
static bool access_ok(unsigned int access)
{
	if (access & ~(unsigned int)(ACCESS_KNOWN | IBV_ACCESS_OPTIONAL_RANGE))
		return false;
	return !(access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)) ||
	       access & IBV_ACCESS_LOCAL_WRITE;
}

/* In the zero-cost mode no data are copied, except with SOFTHCA_REFLECT. */
static bool is_data_copied(void)
{
	return !hca_settings()->null || hca_settings()->reflect;
}

static void share(struct mr *mr, uint64_t addr, size_t len)
{
	uint64_t start = pages_floor(addr), end = pages_ceil(addr + len);

	mr->map_start = mr->map_end = start;
	mr->s->kind = SHM_MR_PRIVATE;
	if (!len || !is_data_copied() || pages_share(start, end))
		return;
	mr->map_end = end;
	mr->s->kind = SHM_MR_SHARED;
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

struct ibv_mr *mr_reg(struct ibv_pd *ibpd, void *addr, size_t len, uint64_t iova,
		      unsigned int access)
{
	struct pd *pd = container_of(ibpd, struct pd, ib);
	struct mr *mr;
	uint32_t key;

	errno = EINVAL;
	if (!access_ok(access) || !is_memory(addr, len))
		return NULL;
	mr = calloc(1, sizeof(*mr));
	if (!mr)
		return NULL;
	pthread_mutex_lock(&hca.mutex);
	mr->s = mr_row(&key);
	if (!mr->s) {
		pthread_mutex_unlock(&hca.mutex);
		free(mr);
		errno = ENOMEM;
		return NULL;
	}
	share(mr, (uintptr_t)addr, len);
	mr->s->pd = pd->id;
	mr->s->addr = (uintptr_t)addr;
	mr->s->iova = access & IBV_ACCESS_ZERO_BASED ? 0 : iova;
	mr->s->len = len;
	mr->s->access = access;
	mr->s->type = SHM_MR;
	atomic_store(&mr->s->windows, 0);
	atomic_store_explicit(&mr->s->key, key, memory_order_release);
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

int mr_dereg(struct ibv_mr *ib)
{
	struct mr *mr = container_of(ib, struct mr, ib), **at = &hca.mrs;

	if (atomic_load(&mr->s->windows))
		return EBUSY;
	pthread_mutex_lock(&hca.mutex);
	atomic_store(&mr->s->key, 0);
	give_back(mr);
	while (*at != mr)
		at = &(*at)->next;
	*at = mr->next;
	pthread_mutex_unlock(&hca.mutex);
	atomic_fetch_sub(&container_of(ib->pd, struct pd, ib)->refs, 1);
	free(mr);
	return 0;
}

bool mr_covers(const void *addr, size_t len)
{
	const uint64_t start = (uintptr_t)addr, end = start + len;
	bool found = false;

	pthread_mutex_lock(&hca.mutex);
	for (const struct mr *o = hca.mrs; o && !found; o = o->next)
		found = o->s->addr < end && o->s->addr + o->s->len > start;
	pthread_mutex_unlock(&hca.mutex);
	return found;
}

static bool change_ok(const struct mr_change *c)
{
	if (!c->flags || c->flags & ~IBV_REREG_MR_FLAGS_SUPPORTED)
		return false;
	if (c->flags & IBV_REREG_MR_CHANGE_TRANSLATION && !is_memory(c->addr, c->len))
		return false;
	if (c->flags & IBV_REREG_MR_CHANGE_ACCESS && !access_ok((unsigned int)c->access))
		return false;
	return !(c->flags & IBV_REREG_MR_CHANGE_PD) || c->pd;
}

static void move(struct mr *mr, void *addr, size_t len)
{
	give_back(mr);
	share(mr, (uintptr_t)addr, len);
	mr->s->addr = (uintptr_t)addr;
	mr->s->iova = mr->s->access & IBV_ACCESS_ZERO_BASED ? 0 : (uintptr_t)addr;
	mr->s->len = len;
	mr->ib.addr = addr;
	mr->ib.length = len;
}

int mr_rereg(struct ibv_mr *ib, const struct mr_change *c)
{
	struct mr *mr = container_of(ib, struct mr, ib);
	uint32_t key = ib->lkey;

	errno = EINVAL;
	/* device memory stays where it is (kernel: ib_uverbs_rereg_mr()) */
	if (!change_ok(c) || !ib->addr)
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
