/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The transitions between the states of a QP, and the attributes that each must and may have: as in
 * the kernel, qp_state_table and ib_modify_qp_is_ok() of drivers/infiniband/core/verbs.c.
 * Only states and masks; the values of the attributes are looked at by objects/qp_state.c.
 */
#ifndef QP_STEPS_H
#define QP_STEPS_H

#include <infiniband/verbs.h>

#include "transport/object.h"

struct qp_step {
	enum ibv_qp_state from, to;
	int mask; /* of enum ibv_qp_attr_mask; of a type without DC: from qp_steps_mask() */
};

/* The mask without what the type has no use for. */
int qp_steps_mask(enum ibv_qp_type type, int mask);

/* 0, or EINVAL: there is no such transition, or not with this mask. */
int qp_steps_check(enum ibv_qp_type type, enum qp_dc dc, const struct qp_step *step);

/* The same of iWARP: any mask. */
int qp_steps_iwarp(const struct qp_step *step);

#endif
