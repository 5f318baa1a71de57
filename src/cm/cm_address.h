/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The IP addresses by which rdma_cm finds devices. It takes no GIDs: an address leads to a network
 * interface, and that to a device and its port.
 */
#ifndef CM_ADDRESS_H
#define CM_ADDRESS_H

#include <stdbool.h>
#include <rdma/rdma_cma.h>

#include "rdma/dev.h"

/*
 * The IP address of an entry of the device's GID table: on RoCE the GID itself; on iWARP and
 * InfiniBand an address of the network interface that the GID table names, else of the one whose
 * link address is in the GID. With port 0.
 * -EADDRNOTAVAIL with an error message: there is none.
 */
int cm_address_own(struct sockaddr_storage *address, const struct dev *dev, uint32_t gid_index)
	__attribute__((warn_unused_result));

/*
 * The address that a peer has sent, "10.0.0.1" or "fd00::1". A link-local one is on the interface
 * of own. -EBADMSG with an error message: it is none, or port is not one of 1 to 65535.
 */
int cm_address_peer(struct sockaddr_storage *address, const char *text, uint32_t port,
		    const struct sockaddr_storage *own) __attribute__((warn_unused_result));

/* "10.0.0.1": without port and interface, as cm_address_peer() reads it. Returns text. */
const char *cm_address_plain(const struct sockaddr_storage *address, char *text, size_t size);

#endif
