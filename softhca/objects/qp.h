/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Queue pairs: creation, the state machine, queries, multicast. */
#ifndef QP_H
#define QP_H

#include <infiniband/verbs.h>
#include <stdbool.h>

#include "transport/object.h"

struct ibv_qp *qp_create(struct ibv_context *ctx, struct ibv_qp_init_attr_ex *attr);

/* DC: what mlx5dv_create_qp() adds. */
struct qp_dc_attr {
	enum qp_dc dc;
	uint64_t key; /* DCT */
};
struct ibv_qp *qp_create_dc(struct ibv_context *ctx, struct ibv_qp_init_attr_ex *attr,
			    const struct qp_dc_attr *dc);

int qp_destroy(struct ibv_qp *qp);
/* ibv_attach_mcast(3) and ibv_detach_mcast(3). */
int qp_attach(struct ibv_qp *qp, const union ibv_gid *gid, bool attach);

/* qp_state.c */
/* iWARP: the connection manager connects the QP and makes it ready; 0 or -EINVAL. */
int qp_connect(uint32_t qpn, const struct ibv_qp_attr *attr);
/* The context is closed. */
void qp_reset_all(const struct ibv_context *ctx);
int qp_modify(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask);
/* 0 kbit/s: as fast as the link, again. Bursts of a message; other sizes of bursts are EINVAL. */
int qp_modify_rate(struct ibv_qp *qp, struct ibv_qp_rate_limit_attr *attr);
int qp_query(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init);

#endif
