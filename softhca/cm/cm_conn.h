/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Connections: requests, replies, rejections and ends; the state machine of the kernel's cm.c. */
#ifndef CM_CONN_H
#define CM_CONN_H

#include "cm/cm.h"

/* Each returns 0 or -errno; -EINVAL: not in this state. */
int cm_conn_listen(struct cm_id *id, int backlog);
int cm_conn_connect(struct cm_id *id, const struct rdma_ucm_connect *cmd);
int cm_conn_accept(struct cm_id *id, const struct rdma_ucm_accept *cmd);
int cm_conn_reject(struct cm_id *id, const struct rdma_ucm_reject *cmd);
int cm_conn_disconnect(struct cm_id *id);
int cm_conn_notify(struct cm_id *id, uint32_t event);
/* The deadline has passed. */
void cm_conn_expired(struct cm_id *id);

#endif
