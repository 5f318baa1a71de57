/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The GIDs, LIDs and GUIDs of the devices of this process: a function of the number of the device,
 * of its profile and of the node. Processes of a node, and all processes without a node, whose
 * devices have one profile have the same ones. And those of other nodes, from the fabric.
 */
#ifndef GID_H
#define GID_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "base/shm.h"

/* A device of this process. */
struct profile_of gid_of(uint32_t dev);
__be64 gid_guid(uint32_t dev);
/* Ports of the device; they are numbered from 1. */
uint32_t gid_ports(uint32_t dev);
/* Entries of the GID table of each port. */
uint32_t gid_count(uint32_t dev);
/* Zero if there is no such entry. */
union ibv_gid gid_of_port(uint32_t dev, uint32_t port, uint32_t index);
/* 0: the port has none. */
uint16_t gid_lid(uint32_t dev, uint32_t port);
/* Of the subnet manager; 0: none, or it has not been there. */
uint16_t gid_sm_lid(uint32_t dev);
/* All that the port has. */
struct shm_address gid_own(uint32_t dev, uint32_t port);

/* Of port 1 of a device of this process, or of another node of the fabric that it has joined. */

/* All that it has; zero if the fabric had no such node. */
struct shm_address gid_table(struct profile_of of);
/*
 * The address for rdma_cm, as a GID: an IPv4 address of the block for benchmarks (RFC 2544,
 * 198.18.0.0/15), in the same subnet for all devices. The port need not have it as a GID.
 */
union ibv_gid gid_address(struct profile_of of);
/* The GID of a connection by rdma_cm, of that table: the one with that address, else the first. */
uint32_t gid_address_index(struct profile_of of);

#endif
