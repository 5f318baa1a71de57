/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* DC in a verbench that is built without libmlx5: there is none; see api.h. */
#include "config.h"

#include "verbs/api.h"

#include <errno.h>

enum limits_dc dc_probe(struct ibv_device *device)
{
	(void)device;
	return LIMITS_DC_NOT_BUILT;
}

struct ibv_qp *dc_create_dci(struct ibv_pd *pd, struct ibv_qp_init_attr *attr, uint64_t ops)
{
	(void)pd;
	(void)attr;
	(void)ops;
	errno = EOPNOTSUPP;
	return NULL;
}

struct ibv_qp *dc_create_dct(const struct dc_dct *want)
{
	(void)want;
	errno = EOPNOTSUPP;
	return NULL;
}

int dc_aim(struct dc_target *target, struct ibv_qp *dci)
{
	(void)target;
	(void)dci;
	return -EOPNOTSUPP;
}
