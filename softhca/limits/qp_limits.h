/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder limits: what the kernel and the profile of a device refuse of queues, and what the profile
 * grants. It knows profiles and the structs of objects, and makes none. Called by objects/qp.c,
 * qp_state.c and cq.c.
 *
 * This header: new queues, and the profile.
 */
#ifndef QP_LIMITS_H
#define QP_LIMITS_H

#include <infiniband/verbs.h>

#include "transport/object.h"

/*
 * 0, or the errno of the driver. Changes attr->cap to what is granted; without a profile it stays
 * as it is.
 */
int qp_limits_grant(const struct ctx *ctx, struct ibv_qp_init_attr_ex *attr, enum qp_dc dc);

/* Sets what the QP refuses later. After its attributes are set. */
void qp_limits_rules(struct qp *qp, const struct ibv_qp_init_attr_ex *attr);

/*
 * Charges the queues of the QP against RLIMIT_MEMLOCK, as the kernel does (ib_umem_get() of
 * drivers/infiniband/core/umem.c); bytes: of a CQ or a queue. 0 or -ENOMEM.
 */
int qp_limits_pin(const struct ctx *ctx, uint64_t bytes, uint64_t *pinned);
void qp_limits_unpin(uint64_t *pinned);

/* ibv_create_qp() and ibv_destroy_qp() of a device take this long. */
void qp_limits_wait(uint64_t ns);

#endif
