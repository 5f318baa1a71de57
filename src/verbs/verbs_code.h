/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The codes of verbs for opcodes and transports: from the rows of config/opcodes.def and so on. */
#ifndef VERBS_CODE_H
#define VERBS_CODE_H

#include <stdint.h>
#include <infiniband/verbs.h>

#include "config/kind.h"

/* Of a work request: ibv_post_send(3). */
enum ibv_wr_opcode verbs_code_wr(enum opcode op);

/* What a QP must be created with to post it by ibv_wr_*: ibv_create_qp_ex(3), send_ops_flags. */
uint64_t verbs_code_send_op(enum opcode op);

/* The right that it needs at the target, of memory region and QP: ibv_reg_mr(3); 0: none. */
int verbs_code_access(enum opcode op);

/* Of a QP that sends: ibv_create_qp(3). */
enum ibv_qp_type verbs_code_qp_type(enum transport tp);

/* IBV_ODP_SUPPORT_SEND and so on: ibv_query_device_ex(3), per_transport_caps. */
uint32_t verbs_code_odp(const struct ibv_device_attr_ex *attr, enum transport tp);

#endif
