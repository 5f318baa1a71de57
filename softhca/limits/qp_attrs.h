/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Which attributes a QP of each type is made with, and which QP may join a multicast group: what
 * the kernel and libmlx5 refuse, whatever the device is. qp_limits.h has what a device refuses.
 */
#ifndef QP_ATTRS_H
#define QP_ATTRS_H

#include <infiniband/verbs.h>
#include <stdbool.h>

#include "transport/object.h"

/* 0, or the errno of the verb. has_xrc: the mode of operation has XRC. */
int qp_attrs_check(const struct ibv_qp_init_attr_ex *attr, enum qp_dc dc, bool has_xrc);

/* May a QP of this type join, and is this the GID of a group? */
bool qp_attrs_join(enum ibv_qp_type type, const union ibv_gid *gid);

#endif
