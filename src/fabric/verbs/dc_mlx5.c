/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * DC by libmlx5; see api.h. Its functions are looked up when they are called, none of them in a
 * measured loop. They are looked up among all libraries, not only in libmlx5: the emulated HCA, if
 * it is preloaded, has its own, and passes calls for real devices on.
 */
#include "config.h"

#include "verbs/api.h"

#include <dlfcn.h>
#include <errno.h>
#include <infiniband/mlx5dv.h>

#include "util/log.h"

/* The library that libibverbs has loaded as a provider, if there is such a device. */
#define LIBRARY "libmlx5.so.1"

/* NULL with errno. The library stays open. */
static void *find(const char *name)
{
	void *f = dlopen(LIBRARY, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE) ?
			  dlsym(RTLD_DEFAULT, name) : NULL;

	if (!f)
		errno = EOPNOTSUPP;
	return f;
}

enum limits_dc dc_probe(struct ibv_device *device)
{
	__typeof__(&mlx5dv_is_supported) is_supported = find("mlx5dv_is_supported");

	if (!is_supported) {
		log_note("no DC: %s", dlerror());
		return LIMITS_DC_NO_LIBRARY;
	}
	return is_supported(device) ? LIMITS_DC_YES : LIMITS_DC_NO_MLX5;
}

static struct ibv_qp *create(struct ibv_pd *pd, struct ibv_qp_init_attr_ex *attr,
			     struct mlx5dv_qp_init_attr *dv)
{
	__typeof__(&mlx5dv_create_qp) create_qp = find("mlx5dv_create_qp");

	attr->qp_type = IBV_QPT_DRIVER;
	attr->comp_mask |= IBV_QP_INIT_ATTR_PD;
	attr->pd = pd;
	dv->comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC;
	return create_qp ? create_qp(pd->context, attr, dv) : NULL;
}

struct ibv_qp *dc_create_dci(struct ibv_pd *pd, struct ibv_qp_init_attr *attr, uint64_t ops)
{
	struct ibv_qp_init_attr_ex ex = {
		.qp_context = attr->qp_context,
		.send_cq = attr->send_cq,
		.recv_cq = attr->send_cq, /* never used, but mlx5 wants one */
		.cap = attr->cap,
		.comp_mask = IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = ops,
	};
	struct mlx5dv_qp_init_attr dv = { .dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI };
	struct ibv_qp *qp = create(pd, &ex, &dv);

	attr->cap = ex.cap;
	return qp;
}

/* create_dct() of libmlx5 takes no other comp_mask; the kernel wants the SRQ and both CQs. */
struct ibv_qp *dc_create_dct(const struct dc_dct *want)
{
	struct ibv_qp_init_attr_ex ex = {
		.send_cq = want->cq, .recv_cq = want->cq, .srq = want->srq,
	};
	struct mlx5dv_qp_init_attr dv = {
		.dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCT, .dct_access_key = want->key },
	};

	return create(want->pd, &ex, &dv);
}

int dc_aim(struct dc_target *target, struct ibv_qp *dci)
{
	__typeof__(&mlx5dv_qp_ex_from_ibv_qp_ex) dv_of = find("mlx5dv_qp_ex_from_ibv_qp_ex");
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(dci);

	target->dv = ex && dv_of ? dv_of(ex) : NULL;
	target->set = target->dv ? target->dv->wr_set_dc_addr : NULL;
	return target->set ? 0 : -EOPNOTSUPP;
}
