/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What the files of one port share. For port*.c alone. */
#ifndef PORT_OWN_H
#define PORT_OWN_H

#include "rdma/dev.h"

/*
 * XDR has no code in the field of 8 bits: the kernel puts NDR there (ib_uverbs_query_port() of
 * drivers/infiniband/core/uverbs_std_types_device.c). Newer versions of rdma-core have another one.
 */
static inline uint32_t port_speed_code(const struct ibv_port_attr *attr)
{
#ifdef HAVE_STRUCT_IBV_PORT_ATTR_ACTIVE_SPEED_EX
	if (attr->active_speed_ex)
		return attr->active_speed_ex;
#endif
	return attr->active_speed;
}

/*
 * port_gids.c: fills the GIDs and the netdev of dev->limits, whose port is set: first those that
 * the wish (NULL: none) names, last those of other network namespaces. Errors of verbs, with an
 * error message.
 */
int port_gids_ask(struct dev *dev, const struct dev_wish *wish) __attribute__((warn_unused_result));

#endif
