/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Which IP addresses this machine has. */
#ifndef CM_LOCAL_H
#define CM_LOCAL_H

#include <stdbool.h>
#include <stdint.h>

struct sockaddr_storage;

/* Whether this machine has the address; its port must be 0. len: its bytes. */
bool cm_local_has(const struct sockaddr_storage *addr, uint32_t len);

#endif
