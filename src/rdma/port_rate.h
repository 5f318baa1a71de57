/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The rate of a port and its name: InfiniBand's speeds up to XDR, Ethernet, LAG. */
#ifndef PORT_RATE_H
#define PORT_RATE_H

#include <stdint.h>

#include "rdma/dev.h"

#define PORT_LANES_MAX 16

struct port_rate {
	uint64_t link_mbit_s;      /* of one link; 0: unknown */
	uint64_t mbit_s;           /* of all links of a LAG, else as link_mbit_s; 0: unknown */
	char lanes[PORT_LANES_MAX]; /* "4X NDR"; "": unknown */
};

/* dev->port_attr is of dev->limits.port, and dev->limits.netdev is set. */
void port_rate_ask(struct port_rate *rate, const struct dev *dev);

#endif
