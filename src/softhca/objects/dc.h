/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What DC has of its own: which objects its QPs need, and their state machine. A DCI sends, a DCT
 * receives; see struct qp.
 */
#ifndef DC_H
#define DC_H

#include <infiniband/verbs.h>

#include "transport/object.h"

/* 0 or an errno: what libmlx5 and the kernel require of the objects of a QP. */
int dc_check(const struct ibv_qp_init_attr_ex *attr, enum qp_dc dc);
/* 0 or EINVAL: the kernel refuses this mask for the transition. */
int dc_check_mask(enum qp_dc dc, enum ibv_qp_state from, enum ibv_qp_state to, int mask);
/* Whom the request under construction is for. Under the lock of the QP. */
void dc_set_addr(struct qp *qp, struct ibv_ah *ah, uint32_t dctn, uint64_t key);

#endif
