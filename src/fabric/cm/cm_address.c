/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* IP addresses of GIDs and peers, this side of rdma_cm, membership in groups; see cm_address.h. */
#include "config.h"
#include "cm/cm_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "device/dev.h"
#include "limits/gid.h"
#include "limits/gid_text.h"
#include "options/mcast.h"
#include "util/err.h"
#include "util/log.h"

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
	return err_option(-EADDRNOTAVAIL, "-R (--cm)",
			  ": no network interface with an IP address belongs to GID %s of %s port %u; rdma_cm needs one%s",
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

/* ---- this side */

#define TOKEN_MASK 0xffffffffffffull /* as of the messages: docs/dev/protocol.md */
#define REASON_MAX 100               /* bytes: any CM message holds them */

int cm_local_open(struct cm_local *l, uint32_t gid_index)
{
	int rc = cm_address_own(&l->own, l->dev, gid_index);

	return rc ? rc : cm_open(&l->cm);
}

int cm_local_bind(struct cm_local *l, enum rdma_port_space space)
{
	char address[CM_ADDRESS_TEXT];

	cm_address_text((struct sockaddr *)&l->own, address, sizeof(address));
	errno = 0;
	if (rdma_create_id(l->cm.channel, &l->bound, NULL, space)) {
		l->bound = NULL;
		return cm_call_failed("rdma_create_id", address);
	}
	if (rdma_bind_addr(l->bound, (struct sockaddr *)&l->own))
		return cm_call_failed("rdma_bind_addr", address);
	return cm_local_check(l, l->bound);
}

int cm_local_listen(struct cm_local *l, enum rdma_port_space space, int backlog)
{
	int rc;

	if (getrandom(&l->token, sizeof(l->token), 0) != (ssize_t)sizeof(l->token))
		return err_set(err_code(), "cannot get random bytes: %s", strerror(errno));
	l->token &= TOKEN_MASK;
	rc = cm_local_bind(l, space);
	if (rc)
		return rc;
	errno = 0;
	return rdma_listen(l->bound, backlog) ? cm_call_failed("rdma_listen", "rdma_cm") : 0;
}

void cm_local_publish(const struct cm_local *l, struct ep_addr *own)
{
	cm_address_plain(&l->own, own->cm_address, sizeof(own->cm_address));
	own->cm_port = ntohs(rdma_get_src_port(l->bound));
	own->cm_token = l->token;
}

int cm_local_check(const struct cm_local *l, const struct rdma_cm_id *id)
{
	const struct limits *own = &l->dev->limits;
	const char *device = id->verbs ? ibv_get_device_name(id->verbs->device) : "no device";
	char address[CM_ADDRESS_TEXT];

	if (id->verbs && !strcmp(device, own->device) && id->port_num == own->port)
		return 0;
	return err_set(
		-ENODEV,
		"%srdma_cm finds %s port %u for address %s, the plan has %s port %u: several RDMA devices share this address",
		l->option, device, id->port_num,
		cm_address_text((const struct sockaddr *)&l->own, address, sizeof(address)),
		own->device, own->port);
}

void cm_local_reject(struct rdma_cm_id *id, const char *reason)
{
	const size_t len = strlen(reason);

	log_note("rdma_cm: a connection request is rejected: %s", reason);
	if (rdma_reject(id, reason, (uint8_t)(len < REASON_MAX ? len : REASON_MAX)))
		log_note("rdma_cm: rdma_reject failed: %s", strerror(errno));
	cm_destroy_id(id);
}

void cm_local_close(struct cm_local *l)
{
	cm_destroy_id(l->bound);
	cm_close(&l->cm);
	*l = (struct cm_local){ 0 };
}

/* ---- multicast */

#define DOING 96

static struct sockaddr *address(struct sockaddr_storage *a)
{
	return (struct sockaddr *)a;
}

static int set_group(struct sockaddr_storage *to, const char *text)
{
	struct mcast_group group;
	int rc = mcast_parse(&group, text);

	if (rc)
		return rc;
	memset(to, 0, sizeof(*to));
	to->ss_family = group.v4 ? AF_INET : AF_INET6;
	if (group.v4)
		memcpy(&((struct sockaddr_in *)to)->sin_addr, group.addr, 4);
	else
		memcpy(&((struct sockaddr_in6 *)to)->sin6_addr, group.addr, 16);
	return 0;
}

/* Members with another Q_Key or MGID would not hear the sender. */
static int take_join(struct cm_mcast *m, const struct plan *plan, const struct dev *dev,
		     const struct rdma_ud_param *ud)
{
	char mgid[GID_TEXT_MAX];

	m->mgid = ud->ah_attr.grh.dgid;
	m->mlid = ud->ah_attr.dlid;
	gid_text(m->mgid.raw, mgid, sizeof(mgid));
	if (ud->qkey != MCAST_QKEY)
		return err_set(-EPROTO, "--mcast-join cm: the group %s has Q_Key 0x%08x instead of 0x%08x",
			       plan->path.mcast, ud->qkey, MCAST_QKEY);
	/* a subnet manager may give another scope */
	if (dev->limits.ethernet && strcmp(mgid, plan->path.mgid))
		return err_set(-EPROTO, "--mcast-join cm: the group %s has MGID %s instead of %s",
			       plan->path.mcast, mgid, plan->path.mgid);
	return 0;
}

int cm_mcast_join(struct cm_mcast *m, const struct plan *plan, const struct dev *dev,
		  enum side side, const struct cm_wait *wait)
{
	struct cm_event event;
	char doing[DOING];
	int rc = set_group(&m->group, plan->path.mcast);

	m->local.dev = dev;
	m->local.option = "--mcast-join cm: ";
	if (!rc)
		rc = cm_local_open(&m->local, plan_gid_index(plan, side));
	if (!rc)
		rc = cm_local_bind(&m->local, RDMA_PS_UDP);
	if (rc)
		return rc;
	snprintf(doing, sizeof(doing), "joining the multicast group %s", plan->path.mcast);
	errno = 0;
	if (rdma_join_multicast(m->local.bound, address(&m->group), NULL))
		return cm_call_failed("rdma_join_multicast", doing);
	m->joined = true;
	rc = cm_expect(&m->local.cm, &event, RDMA_CM_EVENT_MULTICAST_JOIN, wait, doing);
	return rc ? rc : take_join(m, plan, dev, &event.param.ud);
}

void cm_mcast_leave(struct cm_mcast *m)
{
	if (m->joined && rdma_leave_multicast(m->local.bound, address(&m->group)))
		log_note("cannot leave the multicast group by rdma_cm: %s", strerror(errno));
	m->joined = false;
	cm_local_close(&m->local);
}
