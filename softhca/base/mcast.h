/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Multicast groups, in the fabric: which QPs get a UD message that is sent to the GID of a group.
 */
#ifndef MCAST_H
#define MCAST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/shm.h"

/* A QP that is attached twice is attached once. 0 or -ENOMEM. */
int mcast_attach(const uint8_t gid[16], uint32_t qpn);
/* 0 or -EINVAL: the QP is not attached. */
int mcast_detach(const uint8_t gid[16], uint32_t qpn);
/* Whether the QP is attached to any group. */
bool mcast_is_member(uint32_t qpn);
/* Fills qpn[] with the members of the group; returns their number. */
uint32_t mcast_members(const uint8_t gid[16], uint32_t qpn[SHM_MEMBERS]);

#endif
