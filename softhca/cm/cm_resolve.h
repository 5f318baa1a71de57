/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Identifiers get addresses and routes, and their options are set. */
#ifndef CM_RESOLVE_H
#define CM_RESOLVE_H

#include "cm/cm.h"

/* Each returns 0 or -errno, which is that of the kernel. */
int cm_resolve_bind(struct cm_id *id, const struct sockaddr_storage *addr);
/* Adds the event of the result. src: family 0 if none. */
int cm_resolve_addr(struct cm_id *id, const struct sockaddr_storage *src,
		    const struct sockaddr_storage *dst);
int cm_resolve_route(struct cm_id *id);
int cm_resolve_option(struct cm_id *id, const struct rdma_ucm_set_option *cmd);

#endif
