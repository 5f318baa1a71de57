/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * DC, the Dynamically Connected transport of mlx5 devices, by the functions of libmlx5 that verbs
 * do not have. A DCI sends; each of its requests names a DCT by address, number and access key. A
 * DCT receives from an SRQ. Between them it is reliable and in order, as RC.
 *
 * dc_mlx5.c or dc_none.c implements it: configure --with-mlx5dv chooses. libmlx5 is opened when DC
 * is asked for, so that a machine without it runs everything else.
 *
 * Sources: mlx5dv_create_qp(3), mlx5dv_wr_post(3); create_dct() and mlx5_create_qp() in
 * providers/mlx5/verbs.c of rdma-core.
 */
#ifndef DC_H
#define DC_H

#include <stdint.h>
#include <infiniband/verbs.h>

#include "limits/limits.h"

struct mlx5dv_qp_ex;

/* What the requests of a DCI name. set: puts it into the request that is being made. */
struct dc_target {
	void (*set)(struct mlx5dv_qp_ex *dv, struct ibv_ah *ah, uint32_t dctn, uint64_t key);
	struct mlx5dv_qp_ex *dv; /* of the DCI */
	struct ibv_ah *ah;
	uint64_t key;
	uint32_t dctn;
};

/* Whether DC can be had on the device, and if not, why. */
enum limits_dc dc_probe(struct ibv_device *device);

/*
 * A DCI for requests of ops (IBV_QP_EX_WITH_*) by ibv_wr_*; attr as for ibv_create_qp(3), without
 * receives. NULL with errno.
 */
struct ibv_qp *dc_create_dci(struct ibv_pd *pd, struct ibv_qp_init_attr *attr, uint64_t ops);

struct dc_dct {
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	uint64_t key;
};

/* Its number is valid once it is in RTR. NULL with errno. */
struct ibv_qp *dc_create_dct(const struct dc_dct *want);

/* Sets set and dv of the target. 0, or -EOPNOTSUPP: not a DCI of dc_create_dci(). */
int dc_aim(struct dc_target *target, struct ibv_qp *dci) __attribute__((warn_unused_result));

/*
 * The target of a prebuilt request. ibv_send_wr has no place for it; no opcode here uses that of a
 * TSO header.
 */
static inline void dc_set_target(struct ibv_send_wr *wr, struct dc_target *target)
{
	wr->tso.hdr = target;
}

static inline const struct dc_target *dc_target_of(const struct ibv_send_wr *wr)
{
	return wr->tso.hdr;
}

#endif
