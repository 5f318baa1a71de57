/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* IP addresses: which device has one, and what the kernel makes of it. */
#ifndef CM_ADDR_H
#define CM_ADDR_H

#include "cm/cm.h"

enum { CM_ADDR_KEY = 34 }; /* bytes of the text of an address in a name */

bool cm_addr_is_any(const struct sockaddr_storage *addr);
bool cm_addr_is_multicast(const struct sockaddr_storage *addr);
/* The IPv4 or IPv6 address; others and link-local IPv6 without a scope: -EAFNOSUPPORT, -EINVAL. */
int cm_addr_check(const struct sockaddr_storage *addr);
/* As the kernel's rdma_ip2gid(): IPv4 as IPv4-mapped IPv6. */
union ibv_gid cm_addr_gid(const struct sockaddr_storage *addr);
/*
 * The own device that has the address: the device with this GID, or the first one for each other
 * address of this machine. 0, -EADDRNOTAVAIL: not an address of this machine; -ENODEV: no device.
 */
int cm_addr_own(const struct sockaddr_storage *addr, struct profile_of *of);
/* The same, or the device of another node that has the address. */
int cm_addr_find(const struct sockaddr_storage *addr, struct profile_of *of);
uint16_t cm_addr_port(const struct sockaddr_storage *addr);
void cm_addr_set_port(struct sockaddr_storage *addr, uint16_t port);
/* Keeps the family; IPv4 is in the last bytes of the GID. */
void cm_addr_set(struct sockaddr_storage *addr, const union ibv_gid *gid);
/* Bytes of the address in use; 0: not set. */
uint16_t cm_addr_size(const struct sockaddr_storage *addr);
/* "4c6120001": the address in names; "4*" any IPv4 address, "6*" any IPv6 address, "*" any. */
void cm_addr_key(const struct sockaddr_storage *addr, bool afonly, char key[CM_ADDR_KEY]);

#endif
