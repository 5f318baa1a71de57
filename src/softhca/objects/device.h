/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The devices: their list, their attributes, their ports and GIDs. Called by api/ and context.c. */
#ifndef DEVICE_H
#define DEVICE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEVICE_VECTORS 16

/* Of each device; ports are numbered from 1. */
uint32_t device_ports(void);
bool device_is_emulated(const struct ibv_device *dev);
struct ibv_device *device_at(uint32_t i);
/* 0, or EINVAL: there is no such port or index. */
int device_gid_entry(uint32_t dev, uint32_t port, uint32_t index, struct ibv_gid_entry *entry);
int device_query(struct ibv_context *ctx, struct ibv_device_attr *attr);
/* size: bytes of *attr that the caller knows. */
int device_query_ex(struct ibv_context *ctx, const struct ibv_query_device_ex_input *input,
		    struct ibv_device_attr_ex *attr, size_t size);
int device_query_port(struct ibv_context *ctx, uint8_t port, struct ibv_port_attr *attr,
		      size_t size);

#endif
