/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Finds the IP address of a GID, and reads those of peers; see cm_address.h. */
#include "config.h"

#include "cm/cm_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <stdio.h>
#include <string.h>

#include "limits/gid.h"
#include "limits/gid_text.h"
#include "rdma/port.h"
#include "util/err.h"

#define ETHERNET_BYTES 6
#define IPOIB_BYTES 20 /* four of flags and QPN, then the GID: RFC 4391, 9.1.1 */

static bool is_link_local(const struct in6_addr *a)
{
	return a->s6_addr[0] == 0xfe && (a->s6_addr[1] & 0xc0) == 0x80;
}

static void set_v4(struct sockaddr_storage *to, const void *bytes)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)to;

	memset(to, 0, sizeof(*to));
	v4->sin_family = AF_INET;
	memcpy(&v4->sin_addr, bytes, sizeof(v4->sin_addr));
}

static void set_v6(struct sockaddr_storage *to, const void *bytes, uint32_t interface)
{
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)to;

	memset(to, 0, sizeof(*to));
	v6->sin6_family = AF_INET6;
	memcpy(&v6->sin6_addr, bytes, sizeof(v6->sin6_addr));
	if (is_link_local(&v6->sin6_addr))
		v6->sin6_scope_id = interface;
}

/* RoCE: a GID is an address (IBA annex A17.4.5.2 for IPv4). */
static void from_gid(struct sockaddr_storage *to, const struct dev *dev, const struct plan_gid *gid)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	char netdev[PORT_NETDEV_MAX];

	if (!memcmp(gid->raw, mapped, sizeof(mapped)))
		set_v4(to, gid->raw + sizeof(mapped));
	else
		set_v6(to, gid->raw, if_nametoindex(port_netdev(dev, gid->index, netdev)));
}

/* Is the GID made of the link address? On iWARP it is the MAC, on InfiniBand that of IPoIB. */
static bool holds_gid(const struct ifaddrs *i, const struct plan_gid *gid, bool iwarp)
{
	const struct sockaddr_ll *link = (const void *)i->ifa_addr;

	if (!i->ifa_addr || i->ifa_addr->sa_family != AF_PACKET)
		return false;
	if (iwarp)
		return link->sll_halen == ETHERNET_BYTES &&
		       !memcmp(link->sll_addr, gid->raw, ETHERNET_BYTES);
	/* getifaddrs() makes room for the longer addresses of IPoIB behind the struct */
	return link->sll_halen == IPOIB_BYTES &&
	       !memcmp((const uint8_t *)link + offsetof(struct sockaddr_ll, sll_addr) +
			       IPOIB_BYTES - sizeof(gid->raw),
		       gid->raw, sizeof(gid->raw));
}

/* The first address of the interface: IPv4 before IPv6, and link-local ones last. */
static int rank_of(const struct ifaddrs *i, const char *interface)
{
	const struct sockaddr_in6 *v6 = (const void *)i->ifa_addr;

	if (!i->ifa_addr || strcmp(i->ifa_name, interface))
		return 0;
	if (i->ifa_addr->sa_family == AF_INET)
		return 3;
	if (i->ifa_addr->sa_family != AF_INET6)
		return 0;
	return is_link_local(&v6->sin6_addr) ? 1 : 2;
}

static int from_interface(struct sockaddr_storage *to, const struct ifaddrs *all,
			  const char *interface)
{
	const struct ifaddrs *best = NULL;

	for (const struct ifaddrs *i = all; i; i = i->ifa_next)
		if (rank_of(i, interface) > (best ? rank_of(best, interface) : 0))
			best = i;
	if (!best)
		return -EADDRNOTAVAIL;
	if (best->ifa_addr->sa_family == AF_INET)
		set_v4(to, &((const struct sockaddr_in *)(const void *)best->ifa_addr)->sin_addr);
	else
		set_v6(to, &((const struct sockaddr_in6 *)(const void *)best->ifa_addr)->sin6_addr,
		       if_nametoindex(interface));
	return 0;
}

/* The interface that the GID table names, or one with the GID in its link address. */
static int from_link(struct sockaddr_storage *to, const struct dev *dev,
		     const struct plan_gid *gid)
{
	const struct limits *l = &dev->limits;
	char netdev[PORT_NETDEV_MAX];
	struct ifaddrs *all = NULL;
	int rc = -EADDRNOTAVAIL;

	if (getifaddrs(&all))
		return err_set(-errno, "cannot list the network interfaces: %s", strerror(errno));
	if (port_netdev(dev, gid->index, netdev)[0])
		rc = from_interface(to, all, netdev);
	for (const struct ifaddrs *i = all; i && rc; i = i->ifa_next)
		if (holds_gid(i, gid, l->transport_type == LIMITS_IWARP))
			rc = from_interface(to, all, i->ifa_name);
	freeifaddrs(all);
	return rc;
}

int cm_address_own(struct sockaddr_storage *address, const struct dev *dev, uint32_t gid_index)
{
	const struct limits *l = &dev->limits;
	const struct plan_gid *gid = gid_find(l, gid_index);
	char text[GID_TEXT_MAX];

	if (!gid)
		return err_set(-EADDRNOTAVAIL, "GID index %u of %s port %u holds no GID", gid_index,
			       l->device, l->port);
	if (gid->type != GID_IB) {
		from_gid(address, dev, gid);
		return 0;
	}
	if (!from_link(address, dev, gid))
		return 0;
	return err_set(
		-EADDRNOTAVAIL,
		"-R (--cm): no network interface with an IP address belongs to GID %s of %s port %u; rdma_cm needs one%s",
		gid_text(gid->raw, text, sizeof(text)), l->device, l->port,
		l->ethernet ? "" : " (IP over InfiniBand)");
}

int cm_address_peer(struct sockaddr_storage *address, const char *text, uint32_t port,
		    const struct sockaddr_storage *own)
{
	const struct sockaddr_in6 *own6 = (const void *)own;
	const uint32_t interface = own->ss_family == AF_INET6 ? own6->sin6_scope_id : 0;
	uint8_t bytes[16];

	if (inet_pton(AF_INET, text, bytes) == 1)
		set_v4(address, bytes);
	else if (inet_pton(AF_INET6, text, bytes) == 1)
		set_v6(address, bytes, interface);
	else
		return err_set(-EBADMSG, "the peer's address for rdma_cm is not an IP address");
	if (!port || port > UINT16_MAX)
		return err_set(-EBADMSG, "the peer's port for rdma_cm is %u", port);
	if (address->ss_family == AF_INET)
		((struct sockaddr_in *)address)->sin_port = htons((uint16_t)port);
	else
		((struct sockaddr_in6 *)address)->sin6_port = htons((uint16_t)port);
	return 0;
}

const char *cm_address_plain(const struct sockaddr_storage *address, char *text, size_t size)
{
	const struct sockaddr_in6 *v6 = (const void *)address;
	const struct sockaddr_in *v4 = (const void *)address;

	text[0] = '\0';
	if (address->ss_family == AF_INET)
		inet_ntop(AF_INET, &v4->sin_addr, text, (socklen_t)size);
	else
		inet_ntop(AF_INET6, &v6->sin6_addr, text, (socklen_t)size);
	return text;
}
