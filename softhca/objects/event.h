/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Completion channels, and reading of async events. Both are pipes to which peers write. */
#ifndef EVENT_H
#define EVENT_H

#include <infiniband/verbs.h>

struct ibv_comp_channel *event_channel(struct ibv_context *ctx);
int event_channel_destroy(struct ibv_comp_channel *channel);
int event_get_cq(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context);
int event_get_async(struct ibv_context *ctx, struct ibv_async_event *event);

#endif
