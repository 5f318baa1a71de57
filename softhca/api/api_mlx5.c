/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The functions of libmlx5 by which programs use DC; see api.h. With the setting SOFTHCA_MLX5DV the
 * emulated devices are mlx5 devices for them. Calls for a real device go to libmlx5, which the
 * program may open late or not at all.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "objects/device.h"
#include "objects/qp.h"
#include "objects/sq.h"

/* What a DCI has besides its ibv_qp_ex. */
struct dv {
	struct mlx5dv_qp_ex ex;
	struct qp *qp;
};

static bool has_mlx5(void)
{
	return hca_settings()->mlx5dv;
}

API bool mlx5dv_is_supported(struct ibv_device *dev)
{
	__typeof__(&mlx5dv_is_supported) next;

	if (device_is_emulated(dev))
		return has_mlx5();
	next = dlsym(RTLD_NEXT, "mlx5dv_is_supported");
	return next && next(dev);
}

/*
 * Of what can be asked for, there is nothing: no clock, no streams, no packet pacing. Without the
 * setting, too: perftest asks each device that it posts to by ibv_wr_*(), and gives up if the
 * call fails (25.01.0-0.80, src/perftest_resources.c, ctx_qp_create()). Whether a device is an mlx5
 * device, a program learns from mlx5dv_is_supported().
 */
API int mlx5dv_query_device(struct ibv_context *ctx, struct mlx5dv_context *attr)
{
	__typeof__(&mlx5dv_query_device) next;

	if (api_emulated(ctx)) {
		attr->version = 0;
		attr->flags = has_mlx5() ? MLX5DV_CONTEXT_FLAGS_CQE_V1 : 0;
		attr->comp_mask = 0;
		return 0;
	}
	next = dlsym(RTLD_NEXT, "mlx5dv_query_device");
	return next ? next(ctx, attr) : EOPNOTSUPP;
}

static void set_dc_addr(struct mlx5dv_qp_ex *ex, struct ibv_ah *ah, uint32_t dctn, uint64_t key)
{
	sq_set_dc_addr(container_of(ex, struct dv, ex)->qp, ah, dctn, key);
}

static void set_dc_addr_stream(struct mlx5dv_qp_ex *ex, struct ibv_ah *ah, uint32_t dctn,
			       uint64_t key, uint16_t stream)
{
	(void)stream;
	set_dc_addr(ex, ah, dctn, key);
}

static struct ibv_qp *create_dci(struct ibv_context *ctx, struct ibv_qp_init_attr_ex *attr)
{
	const struct qp_dc_attr dci = { .dc = QP_DCI };
	struct dv *dv = calloc(1, sizeof(*dv));
	struct ibv_qp *qp = dv ? qp_create_dc(ctx, attr, &dci) : NULL;

	if (!qp) {
		free(dv);
		return NULL;
	}
	dv->qp = container_of(qp, struct qp, ib);
	dv->ex.wr_set_dc_addr = set_dc_addr;
	dv->ex.wr_set_dc_addr_stream = set_dc_addr_stream;
	dv->qp->dv = dv;
	return qp;
}

/* Of the flags only those that do not change what a program sees. */
static struct ibv_qp *create(struct ibv_context *ctx, struct ibv_qp_init_attr_ex *attr,
			     const struct mlx5dv_qp_init_attr *dv)
{
	const uint64_t known = MLX5DV_QP_INIT_ATTR_MASK_DC |
			       MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS;
	const uint32_t flags = MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE |
			       MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE;
	const struct mlx5dv_dc_init_attr *dc = &dv->dc_init_attr;

	errno = EINVAL;
	if (dv->comp_mask & ~known ||
	    (dv->comp_mask & MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS &&
	     dv->create_flags & ~flags))
		return NULL;
	if (!(dv->comp_mask & MLX5DV_QP_INIT_ATTR_MASK_DC))
		return qp_create(ctx, attr);
	if (dc->dc_type == MLX5DV_DCTYPE_DCI)
		return create_dci(ctx, attr);
	if (dc->dc_type != MLX5DV_DCTYPE_DCT)
		return NULL;
	return qp_create_dc(ctx, attr, &(struct qp_dc_attr){ .dc = QP_DCT,
							     .key = dc->dct_access_key });
}

API struct ibv_qp *mlx5dv_create_qp(struct ibv_context *ctx, struct ibv_qp_init_attr_ex *attr,
				    struct mlx5dv_qp_init_attr *dv)
{
	__typeof__(&mlx5dv_create_qp) next;

	errno = EOPNOTSUPP;
	if (api_emulated(ctx))
		return has_mlx5() ? create(ctx, attr, dv) : NULL;
	next = dlsym(RTLD_NEXT, "mlx5dv_create_qp");
	return next ? next(ctx, attr, dv) : NULL;
}

API struct mlx5dv_qp_ex *mlx5dv_qp_ex_from_ibv_qp_ex(struct ibv_qp_ex *ex)
{
	__typeof__(&mlx5dv_qp_ex_from_ibv_qp_ex) next;
	struct dv *dv;

	/* ibv_qp_to_qp_ex() gives NULL of a DCT, which programs pass on */
	if (!ex)
		return NULL;
	if (api_emulated(ex->qp_base.context)) {
		dv = container_of(ex, struct qp, ex)->dv;
		return dv ? &dv->ex : NULL;
	}
	next = dlsym(RTLD_NEXT, "mlx5dv_qp_ex_from_ibv_qp_ex");
	return next ? next(ex) : NULL;
}
