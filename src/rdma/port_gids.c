/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The GID table of a port. In RDMA's shared mode a container sees the entries of all network
 * namespaces (rdma-system(8)); it can send only from its own. Called by port.c.
 */
#include "config.h"

#include "rdma/port_own.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"

static bool gid_wanted(const struct ibv_gid_entry *e, const struct dev_wish *wish)
{
	return wish && (e->gid_index == wish->cfg->gid_index ||
			(wish->local_gid && !memcmp(e->gid.raw, wish->local_gid, 16)));
}

static bool holds(const struct sockaddr *address, const uint8_t raw[16])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (!address)
		return false;
	if (address->sa_family == AF_INET6)
		return !memcmp(&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr,
			       raw, 16);
	return address->sa_family == AF_INET && !memcmp(raw, mapped, sizeof(mapped)) &&
	       !memcmp(&((const struct sockaddr_in *)(const void *)address)->sin_addr, raw + 12, 4);
}

/*
 * The index of the netdev is that of its own namespace, where another one may have it here: of an
 * address that is no link-local one the address tells. An entry without a netdev is of all.
 */
static bool is_elsewhere(const struct ibv_gid_entry *e, const struct ifaddrs *all)
{
	char name[IF_NAMESIZE];

	if (!e->ndev_ifindex)
		return false;
	if (!if_indextoname(e->ndev_ifindex, name))
		return true;
	if (!all || e->gid_type == IBV_GID_TYPE_IB ||
	    (e->gid.raw[0] == 0xfe && (e->gid.raw[1] & 0xc0) == 0x80))
		return false;
	for (const struct ifaddrs *i = all; i; i = i->ifa_next)
		if (holds(i->ifa_addr, e->gid.raw))
			return false;
	return true;
}

/* An address vector has 8 bits for the index of its GID (ibv_global_route.sgid_index). */
static void add_gid(struct limits *l, const struct ibv_gid_entry *e, bool elsewhere)
{
	static const uint8_t zero[16];
	struct plan_gid *gid = &l->gids[l->n_gids];

	if (e->port_num != l->port || e->gid_type >= GID_TYPE_COUNT || e->gid_index > UINT8_MAX ||
	    l->n_gids == PLAN_MAX_GIDS || !memcmp(e->gid.raw, zero, 16))
		return;
	gid->index = e->gid_index;
	gid->type = (enum gid_type)e->gid_type;
	gid->elsewhere = elsewhere;
	memcpy(gid->raw, e->gid.raw, 16);
	l->n_gids++;
	if (!elsewhere && !l->netdev[0] && e->ndev_ifindex &&
	    !if_indextoname(e->ndev_ifindex, l->netdev))
		l->netdev[0] = '\0';
}

/* A table may be longer than limits can hold: what matters comes first. */
static void add_gids(struct limits *l, const struct ibv_gid_entry *entries, ssize_t n,
		     const struct dev_wish *wish)
{
	enum { WANTED, HERE, ELSEWHERE };
	struct ifaddrs *all = NULL;

	if (getifaddrs(&all))
		all = NULL;
	for (int turn = WANTED; turn <= ELSEWHERE; turn++) {
		for (ssize_t i = 0; i < n; i++) {
			const bool elsewhere = is_elsewhere(&entries[i], all);
			const int whose = gid_wanted(&entries[i], wish) ? WANTED :
					  elsewhere			? ELSEWHERE : HERE;

			if (whose == turn)
				add_gid(l, &entries[i], elsewhere);
		}
	}
	if (all)
		freeifaddrs(all);
}

/*
 * The kernel writes the entries of all ports, whose tables may have lengths of their own (a virtual
 * function of mlx4), and answers EINVAL when they do not fit. A port that does not answer counts as
 * the one that is asked about.
 */
static size_t all_gids(const struct dev *dev)
{
	size_t n = 0;

	for (uint32_t port = 1; port <= dev->attr.phys_port_cnt; port++) {
		struct ibv_port_attr attr;

		if (ibv_query_port(dev->ctx, (uint8_t)port, &attr))
			attr.gid_tbl_len = dev->port_attr.gid_tbl_len;
		n += attr.gid_tbl_len > 0 ? (size_t)attr.gid_tbl_len : 0;
	}
	return n;
}

int port_gids_ask(struct dev *dev, const struct dev_wish *wish)
{
	const size_t max = all_gids(dev);
	struct ibv_gid_entry *entries;
	ssize_t n;

	/* room for none is EINVAL; mana of older kernels has tables without entries */
	if (!max)
		return 0;
	entries = calloc(max, sizeof(*entries));
	if (!entries)
		return err_set(-ENOMEM, "no memory for a GID table of %zu entries", max);
	n = ibv_query_gid_table(dev->ctx, entries, max, 0);
	if (n >= 0)
		add_gids(&dev->limits, entries, n, wish);
	free(entries);
	return n >= 0 ? 0 : err_set((int)n, "cannot query GID table of %s: %s", dev->limits.device,
				    strerror((int)-n));
}
