/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Multicast groups of identifiers. The event of a join tells the GID of the group; the program (or
 * librdmacm) then attaches its QP by ibv_attach_mcast().
 */
#ifndef CM_GROUP_H
#define CM_GROUP_H

#include "cm/cm.h"

/* 0 with *handle, or -errno. */
int cm_group_join(struct cm_id *id, const struct rdma_ucm_join_mcast *cmd, uint32_t *handle);
/* 0 with the number of events that the program got, or -errno. */
int cm_group_leave(const struct cm_channel *ch, uint32_t handle, uint32_t *reported);
void cm_group_leave_all(const struct cm_id *id);

#endif
