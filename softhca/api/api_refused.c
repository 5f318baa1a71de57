/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The functions of libibverbs that an emulated device does not have; see api.h. libibverbs would
 * look for the provider of the device in memory that is not there. What newer headers declare has
 * its type from rdma-core, libibverbs/verbs.h (after release 61).
 */
#include "config.h"

#include <errno.h>
#include <stddef.h>

#include "api/api.h"
#include "base/hca.h"
#include "objects/mr.h"

/* IBVERBS_1.15 and later; the headers at hand may not have them */
struct ibv_dmah;
struct ibv_dmah_init_attr;
struct ibv_buf;
struct ibv_comp_cntr;
struct ibv_comp_cntr_init_attr;
struct ibv_comp_cntr_caps;
struct ibv_mr_init_attr;

struct ibv_mr *ibv_reg_mr_ex(struct ibv_pd *pd, struct ibv_mr_init_attr *attr);
struct ibv_dmah *ibv_alloc_dmah(struct ibv_context *ctx, struct ibv_dmah_init_attr *attr);
int ibv_dm_export_dmabuf_fd(struct ibv_dm *dm);
void *ibv_alloc_buf(struct ibv_pd *pd, size_t size, struct ibv_buf **buf);
int _ibv_query_comp_cntr_caps(struct ibv_context *ctx, struct ibv_comp_cntr_caps *caps,
			      size_t size);
struct ibv_comp_cntr *ibv_create_comp_cntr(struct ibv_context *ctx,
					   struct ibv_comp_cntr_init_attr *attr);

/* The layout of struct ibv_mr_init_attr up to addr, and of its mask. */
struct mr_init {
	size_t length;
	int access;
	uint64_t mask;
	uint64_t iova;
	void *addr;
};

enum { MR_INIT_IOVA = 1, MR_INIT_ADDR = 2 };

/* libibverbs looks for the descriptor among all devices, as if each had its provider. */
API struct ibv_context *ibv_import_device(int cmd_fd)
{
	__typeof__(&ibv_import_device) next =
		hca_settings()->devices ? NULL : api_next_if("ibv_import_device");

	errno = EOPNOTSUPP;
	return next ? next(cmd_fd) : NULL;
}

API struct ibv_pd *ibv_import_pd(struct ibv_context *ctx, uint32_t handle)
{
	__typeof__(&ibv_import_pd) next = api_emulated(ctx) ? NULL : api_next_if("ibv_import_pd");

	errno = EOPNOTSUPP;
	return next ? next(ctx, handle) : NULL;
}

API void ibv_unimport_pd(struct ibv_pd *pd)
{
	__typeof__(&ibv_unimport_pd) next =
		api_emulated(pd->context) ? NULL : api_next_if("ibv_unimport_pd");

	if (next)
		next(pd);
}

API struct ibv_mr *ibv_import_mr(struct ibv_pd *pd, uint32_t handle)
{
	__typeof__(&ibv_import_mr) next =
		api_emulated(pd->context) ? NULL : api_next_if("ibv_import_mr");

	errno = EOPNOTSUPP;
	return next ? next(pd, handle) : NULL;
}

API void ibv_unimport_mr(struct ibv_mr *mr)
{
	__typeof__(&ibv_unimport_mr) next =
		api_emulated(mr->context) ? NULL : api_next_if("ibv_unimport_mr");

	if (next)
		next(mr);
}

API struct ibv_dm *ibv_import_dm(struct ibv_context *ctx, uint32_t handle)
{
	__typeof__(&ibv_import_dm) next = api_emulated(ctx) ? NULL : api_next_if("ibv_import_dm");

	errno = EOPNOTSUPP;
	return next ? next(ctx, handle) : NULL;
}

API void ibv_unimport_dm(struct ibv_dm *dm)
{
	__typeof__(&ibv_unimport_dm) next =
		api_emulated(dm->context) ? NULL : api_next_if("ibv_unimport_dm");

	if (next)
		next(dm);
}

/* Only providers use it. */
API int ibv_resolve_eth_l2_from_gid(struct ibv_context *ctx, struct ibv_ah_attr *attr,
				    uint8_t mac[ETHERNET_LL_SIZE], uint16_t *vid)
{
	__typeof__(&ibv_resolve_eth_l2_from_gid) next =
		api_emulated(ctx) ? NULL : api_next_if("ibv_resolve_eth_l2_from_gid");

	return next ? next(ctx, attr, mac, vid) : -EOPNOTSUPP;
}

/* Memory at an address is what each device has. */
API struct ibv_mr *ibv_reg_mr_ex(struct ibv_pd *pd, struct ibv_mr_init_attr *attr)
{
	const struct mr_init *a = (const struct mr_init *)(const void *)attr;
	__typeof__(&ibv_reg_mr_ex) next;

	errno = EOPNOTSUPP;
	if (!api_emulated(pd->context)) {
		next = api_next_if("ibv_reg_mr_ex");
		return next ? next(pd, attr) : NULL;
	}
	if (!(a->mask & MR_INIT_ADDR) || a->mask & ~(uint64_t)(MR_INIT_ADDR | MR_INIT_IOVA))
		return NULL;
	return mr_reg(pd, a->addr, a->length,
		      a->mask & MR_INIT_IOVA ? a->iova : (uintptr_t)a->addr,
		      (unsigned int)a->access);
}

API struct ibv_dmah *ibv_alloc_dmah(struct ibv_context *ctx, struct ibv_dmah_init_attr *attr)
{
	__typeof__(&ibv_alloc_dmah) next = api_emulated(ctx) ? NULL : api_next_if("ibv_alloc_dmah");

	errno = EOPNOTSUPP;
	return next ? next(ctx, attr) : NULL;
}

API int ibv_dm_export_dmabuf_fd(struct ibv_dm *dm)
{
	__typeof__(&ibv_dm_export_dmabuf_fd) next =
		api_emulated(dm->context) ? NULL : api_next_if("ibv_dm_export_dmabuf_fd");

	errno = EOPNOTSUPP;
	return next ? next(dm) : -1;
}

API void *ibv_alloc_buf(struct ibv_pd *pd, size_t size, struct ibv_buf **buf)
{
	__typeof__(&ibv_alloc_buf) next =
		api_emulated(pd->context) ? NULL : api_next_if("ibv_alloc_buf");

	errno = EOPNOTSUPP;
	return next ? next(pd, size, buf) : NULL;
}

API int _ibv_query_comp_cntr_caps(struct ibv_context *ctx, struct ibv_comp_cntr_caps *caps,
				  size_t size)
{
	__typeof__(&_ibv_query_comp_cntr_caps) next =
		api_emulated(ctx) ? NULL : api_next_if("_ibv_query_comp_cntr_caps");

	return next ? next(ctx, caps, size) : EOPNOTSUPP;
}

API struct ibv_comp_cntr *ibv_create_comp_cntr(struct ibv_context *ctx,
					       struct ibv_comp_cntr_init_attr *attr)
{
	__typeof__(&ibv_create_comp_cntr) next =
		api_emulated(ctx) ? NULL : api_next_if("ibv_create_comp_cntr");

	errno = EOPNOTSUPP;
	return next ? next(ctx, attr) : NULL;
}
