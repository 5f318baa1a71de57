/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The network interfaces of emulated devices whose GIDs are no IP addresses. On iWARP and on
 * InfiniBand programs find the address for rdma_cm by the interface: its link address is the GID
 * (iWARP: the MAC; InfiniBand: IPoIB, RFC 4391, 9.1.1). getifaddrs() lists an interface for each
 * such device, with that link address and the device's address for rdma_cm, before the real ones.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "base/gid.h"
#include "base/hca.h"
#include "objects/device.h"

enum { ETHERNET_BYTES = 6, IPOIB_BYTES = 20 };

/* One interface: two entries of the list. The link address of IPoIB is longer than its field. */
struct netif {
	struct ifaddrs link, ip;
	union {
		struct sockaddr any;
		struct sockaddr_ll ll;
		uint8_t room[sizeof(struct sockaddr_ll) + IPOIB_BYTES];
	} hardware;
	union {
		struct sockaddr any;
		struct sockaddr_in in;
	} address;
};

static const char own; /* ifa_data of the emulated ones points here */

static bool has_interface(uint32_t dev)
{
	const struct profile *p = hca_profile(dev);

	return p->transport_type == IBV_TRANSPORT_IWARP ||
	       p->link_layer == IBV_LINK_LAYER_INFINIBAND;
}

static void fill(struct netif *n, uint32_t dev)
{
	const bool iwarp = hca_profile(dev)->transport_type == IBV_TRANSPORT_IWARP;
	const union ibv_gid gid = gid_of_port(dev, 1, 0), ip = gid_address(gid_of(dev));
	uint8_t *to = n->hardware.room + offsetof(struct sockaddr_ll, sll_addr);

	n->hardware.ll.sll_family = AF_PACKET;
	n->hardware.ll.sll_hatype = iwarp ? ARPHRD_ETHER : ARPHRD_INFINIBAND;
	n->hardware.ll.sll_halen = iwarp ? ETHERNET_BYTES : IPOIB_BYTES;
	if (iwarp)
		memcpy(to, gid.raw, ETHERNET_BYTES);
	else
		memcpy(to + IPOIB_BYTES - sizeof(gid.raw), gid.raw, sizeof(gid.raw));
	n->address.in.sin_family = AF_INET;
	memcpy(&n->address.in.sin_addr, ip.raw + 12, sizeof(n->address.in.sin_addr));
	n->link = (struct ifaddrs) {
		.ifa_next = &n->ip,
		.ifa_name = hca.fixed.dev[dev].name,
		.ifa_flags = IFF_UP | IFF_RUNNING,
		.ifa_addr = &n->hardware.any,
		.ifa_data = (void *)(uintptr_t)&own,
	};
	n->ip = n->link;
	n->ip.ifa_addr = &n->address.any;
}

API int getifaddrs(struct ifaddrs **list)
{
	__typeof__(&getifaddrs) next = api_next("getifaddrs");
	const uint32_t devices = hca_settings()->devices;
	struct netif *all;
	struct ifaddrs **end;
	uint32_t n = 0;

	for (uint32_t i = 0; i < devices; i++)
		n += has_interface(i);
	if (!n)
		return next(list);
	all = calloc(n, sizeof(*all));
	if (!all) {
		errno = ENOMEM;
		return -1;
	}
	*list = &all->link;
	end = list;
	n = 0;
	for (uint32_t i = 0; i < devices; i++) {
		if (!has_interface(i))
			continue;
		device_at(i);
		fill(&all[n], i);
		*end = &all[n].link;
		end = &all[n++].ip.ifa_next;
	}
	if (!next(end))
		return 0;
	free(all);
	return -1;
}

API void freeifaddrs(struct ifaddrs *list)
{
	__typeof__(&freeifaddrs) next = api_next("freeifaddrs");
	struct ifaddrs *real = list;

	while (real && real->ifa_data == &own)
		real = real->ifa_next;
	if (real != list)
		free(list); /* the link entry of the first interface is where the block begins */
	next(real);
}
