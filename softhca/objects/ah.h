/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Address handles. */
#ifndef AH_H
#define AH_H

#include <infiniband/verbs.h>

#include "transport/object.h"

/*
 * The path of a QP on a device with a profile: 0, or EINVAL: the kernel refuses the address without
 * a GRH (rdma_check_ah_attr()).
 */
int ah_check(const struct ctx *ctx, const struct ibv_ah_attr *attr);
/* NULL with EINVAL: the same, on each device. */
struct ibv_ah *ah_create(struct ibv_pd *pd, const struct ibv_ah_attr *attr);
int ah_destroy(struct ibv_ah *ah);
/* ibv_init_ah_from_wc(3): the address of the sender of a message. */
int ah_init_from_wc(struct ibv_context *ctx, uint8_t port, const struct ibv_wc *wc,
		    const struct ibv_grh *grh, struct ibv_ah_attr *attr);

#endif
