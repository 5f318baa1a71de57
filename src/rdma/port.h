/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* One port of an opened device: attributes, GIDs, rate, netdev, driver into struct limits. */
#ifndef PORT_H
#define PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <infiniband/verbs.h>

#include "rdma/dev.h"
#include "remedy/remedy.h"

#define PORT_NETDEV_MAX 16 /* IF_NAMESIZE */

/*
 * Fills dev->port_attr and dev->limits in any state of the port; except for what dev_probe() fills,
 * and with no caps of an owner. wish: its GIDs come first in the table; NULL none. dev->ctx and
 * dev->attr are set.
 */
int port_ask(struct dev *dev, uint32_t port, const struct dev_wish *wish)
	__attribute__((warn_unused_result));

/*
 * Why a port is not active: in INIT one of InfiniBand waits for a subnet manager (NO_SM), and one
 * of iWARP for an address of its netdev (NO_GID); else the link is down (PORT_DOWN).
 */
enum remedy port_inactive_cause(const struct ibv_port_attr *attr);

#define PORT_LANES_MAX 16

/* The rate of a port and its name: InfiniBand's speeds up to XDR, Ethernet, LAG. */
struct port_rate {
	uint64_t link_mbit_s;      /* of one link; 0: unknown */
	uint64_t mbit_s;           /* of all links of a LAG, else as link_mbit_s; 0: unknown */
	char lanes[PORT_LANES_MAX]; /* "4X NDR"; "": unknown */
};

/*
 * The rate of a link of Ethernet: link_mbit_s is what verbs tell, netdev_mbit_s the speed of its
 * netdev; 0: unknown. bond: that speed is of all links of the netdev.
 */
uint64_t port_rate_ethernet(uint64_t link_mbit_s, uint64_t netdev_mbit_s, bool bond);

/* dev->port_attr is of dev->limits.port, and dev->limits.netdev is set. */
void port_rate_ask(struct port_rate *rate, const struct dev *dev);

/* The netdev that a GID of dev->limits.port belongs to, "" if none or unknown. Returns name. */
const char *port_netdev(const struct dev *dev, uint32_t gid_index, char name[PORT_NETDEV_MAX]);

/*
 * The P_Key at an index of the table of dev->limits.port; 0, which is no valid one (IBA vol. 1,
 * 10.9.2): there is none, or it is unknown.
 */
uint32_t port_pkey(const struct dev *dev, uint32_t index);

/* First line of a file below the device's sysfs directory, "" if there is none. Returns text. */
const char *port_sysfs(const struct ibv_device *device, const char *file, char *text, size_t size);

/*
 * A port of the device other than the one in use that is ACTIVE, on the same kind of link: wanted,
 * or the first with CFG_AUTO. 0: there is none.
 */
uint32_t port_alternate(const struct dev *dev, uint32_t wanted);

#endif
