/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Which port a message reaches: by GIDs, by LIDs, and what both ports must have in common. Without
 * profiles it is the port that has the destination GID.
 */
#ifndef PATH_H
#define PATH_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "transport/message.h"
#include "transport/remote.h"

/* The port of the peer where the message arrives, from 1; 0: it arrives nowhere. */
uint32_t path_port(const struct remote *r, const struct msg *m);

/* Bytes of a packet; mtu: enum ibv_mtu. */
static inline uint32_t path_mtu(uint32_t mtu)
{
	return 128u << (mtu & 7);
}

/*
 * IBA vol. 1, 10.9.1.1: both are of one partition, and one of them is a full member (top bit).
 */
static inline bool path_pkeys_match(uint16_t a, uint16_t b)
{
	return !((a ^ b) & 0x7fff) && (a | b) & 0x8000;
}

#endif
