/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The devices themselves: the list, what they say of themselves, contexts. Called by api.c. */
#ifndef DEV_H
#define DEV_H

#include "hca.h"

#define DEV_GIDS 2
#define DEV_VECTORS 16

bool dev_is_ours(const struct ibv_device *dev);
struct ibv_device *dev_at(uint32_t i);
__be64 dev_guid(uint32_t dev);
union ibv_gid dev_gid(uint32_t dev, uint32_t index);
bool dev_has_gid(uint32_t dev, const union ibv_gid *gid);
int dev_gid_entry(uint32_t dev, uint32_t port, uint32_t index, struct ibv_gid_entry *entry);
int dev_query(struct ibv_context *ctx, struct ibv_device_attr *attr);
int dev_query_ex(struct ibv_context *ctx, const struct ibv_query_device_ex_input *input,
		 struct ibv_device_attr_ex *attr, size_t size);
int dev_query_port(struct ibv_context *ctx, uint8_t port, struct ibv_port_attr *attr, size_t size);

/* ctx.c */
struct ibv_context *ctx_open(struct ibv_device *dev);
int ctx_close(struct ibv_context *ctx);
struct ibv_pd *ctx_alloc_pd(struct ibv_context *ctx);
int ctx_dealloc_pd(struct ibv_pd *pd);
struct ibv_ah *ctx_create_ah(struct ibv_pd *pd, const struct ibv_ah_attr *attr);
int ctx_destroy_ah(struct ibv_ah *ah);
int ctx_init_ah(struct ibv_context *ctx, uint8_t port, const struct ibv_wc *wc,
		const struct ibv_grh *grh, struct ibv_ah_attr *attr);

#endif
