/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The GIDs and GUIDs of the devices: a function of the number of the device, in all processes. */
#ifndef GID_H
#define GID_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#define GID_COUNT 2 /* of each port */

__be64 gid_guid(uint32_t dev);
/*
 * Index 0: link-local, from the GUID; 1: an IPv4 address of the block for benchmarks (RFC 2544,
 * 198.18.0.0/15), in the same subnet for all devices.
 */
union ibv_gid gid_at(uint32_t dev, uint32_t index);
/* The same for any port, from 1; gid_at() is for port 1. */
union ibv_gid gid_of_port(uint32_t dev, uint32_t port, uint32_t index);
/* Whether port 1 of the device has this GID. */
bool gid_is_own(uint32_t dev, const union ibv_gid *gid);
/* The port of the device that has this GID; 0: none. */
uint32_t gid_port(uint32_t dev, const union ibv_gid *gid);

#endif
