/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Protection domains and parent domains. */
#ifndef PD_H
#define PD_H

#include <infiniband/verbs.h>

struct ibv_pd *pd_alloc(struct ibv_context *ctx);
struct ibv_pd *pd_alloc_parent(struct ibv_context *ctx, struct ibv_parent_domain_init_attr *attr);
/* Also for parent domains. */
int pd_dealloc(struct ibv_pd *pd);

#endif
