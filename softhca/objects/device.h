/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The devices: their list, their attributes, their ports and GIDs. Called by api/ and context.c. */
#ifndef DEVICE_H
#define DEVICE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A device that has a profile is there for programs, with its name: api/api_sysfs.c. */
#define DEVICE_SYSFS "/sys/class/infiniband/softhca" /* before its number */

bool device_is_emulated(const struct ibv_device *dev);
struct ibv_device *device_at(uint32_t i);

/* Length of the GID table of each port, and of the P_Key table. */
uint32_t device_gids(uint32_t dev);
uint32_t device_pkeys(uint32_t dev);
/* 0; EINVAL: there is no such port or index; ENODATA: the entry is empty. */
int device_gid_entry(uint32_t dev, uint32_t port, uint32_t index, struct ibv_gid_entry *entry);
/* 0, or EINVAL. An entry behind the last one is 0, as in the kernel. */
int device_pkey(uint32_t dev, uint32_t port, uint32_t index, uint16_t *pkey);
/* The link of the ports: its codes in struct ibv_port_attr, and its rate. */
struct device_speed {
	uint8_t width, speed;
	uint8_t lanes;     /* 0: the codes are those of a faster link than mbit_s */
	uint32_t speed_ex; /* wider than speed, which has no code of XDR */
	uint64_t mbit_s, lag_mbit_s; /* of a link; of all links of a LAG */
};

struct device_speed device_speed(uint32_t dev);
/* That of the profile, or DOWN by a fault. */
enum ibv_port_state device_port_state(uint32_t dev, uint32_t port);
/* port_cap_flags */
uint32_t device_port_capabilities(uint32_t dev);
int device_query(struct ibv_context *ctx, struct ibv_device_attr *attr);
/* size: bytes of *attr that the caller knows. */
int device_query_ex(struct ibv_context *ctx, const struct ibv_query_device_ex_input *input,
		    struct ibv_device_attr_ex *attr, size_t size);
int device_query_port(struct ibv_context *ctx, uint8_t port, struct ibv_port_attr *attr,
		      size_t size);

#endif
