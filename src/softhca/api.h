/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What api.c and api_objects.c share: which symbols are seen from outside, and whose they are. */
#ifndef API_H
#define API_H

#include <infiniband/verbs.h>
#include <stdbool.h>

#define API __attribute__((visibility("default")))

/* libibverbs' own function of that name. */
void *api_next(const char *name);
bool api_ours(const struct ibv_context *ctx);

/* in no installed header */
int ibv_query_gid_type(struct ibv_context *ctx, uint8_t port, unsigned int index,
		       unsigned int *type);

#endif
