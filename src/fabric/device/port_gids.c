/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The GID table of a port. In RDMA's shared mode a container sees the entries of all network
 * namespaces (rdma-system(8)); it can send only from its own.
 */
#include "config.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/dev.h"
#include "util/err.h"
#include "verbs/verbs_error.h"
#include "util/text.h"

static bool gid_wanted(const struct ibv_gid_entry *e, const struct dev_request *request)
{
	return request && (e->gid_index == request->cfg->gid_index ||
			(request->local_gid && !memcmp(e->gid.raw, request->local_gid, 16)));
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
		     const struct dev_request *request)
{
	enum { WANTED, HERE, ELSEWHERE };
	struct ifaddrs *all = NULL;

	if (getifaddrs(&all))
		all = NULL;
	for (int turn = WANTED; turn <= ELSEWHERE; turn++) {
		for (ssize_t i = 0; i < n; i++) {
			const bool elsewhere = is_elsewhere(&entries[i], all);
			const int whose = gid_wanted(&entries[i], request) ? WANTED :
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

int port_gids_ask(struct dev *dev, const struct dev_request *request)
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
		add_gids(&dev->limits, entries, n, request);
	free(entries);
	return n >= 0 ? 0 : verbs_failed((int)n, "cannot query GID table of %s",
					 dev->limits.device);
}

/* ---- the rate */

#define PATH_TEXT (PLAN_NAME + 64)

/* IBA vol. 1, PortInfo: LinkWidthActive */
static const struct {
	uint8_t code;
	uint32_t lanes;
} widths[] = { { 1, 1 }, { 2, 4 }, { 4, 8 }, { 8, 12 }, { 16, 2 } };

/* LinkSpeedActive, LinkSpeedExtActive; Mbit/s of data of a lane. XDR: enum ib_port_speed */
static const struct {
	uint32_t code, mbit_s;
	const char *name;
} speeds[] = {
	{ 1, 2500, "SDR" }, { 2, 5000, "DDR" }, { 4, 10000, "QDR" }, { 8, 10000, "FDR10" },
	{ 16, 14000, "FDR" }, { 32, 25000, "EDR" }, { 64, 50000, "HDR" }, { 128, 100000, "NDR" },
	{ 256, 200000, "XDR" },
};

static void from_codes(struct port_rate *rate, const struct ibv_port_attr *attr)
{
	const uint32_t code = port_speed_code(attr);

	for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
		for (size_t s = 0; s < sizeof(speeds) / sizeof(speeds[0]); s++) {
			if (widths[w].code != attr->active_width || speeds[s].code != code)
				continue;
			rate->link_mbit_s = (uint64_t)widths[w].lanes * speeds[s].mbit_s;
			snprintf(rate->lanes, sizeof(rate->lanes), "%uX %s", widths[w].lanes,
				 speeds[s].name);
		}
	}
}

/* "400 Gb/sec (4X NDR)": rate_show() of drivers/infiniband/core/sysfs.c. */
static void from_sysfs(struct port_rate *rate, const struct dev *dev)
{
	char file[32], text[PLAN_NAME], *end;
	double gbit_s;

	snprintf(file, sizeof(file), "ports/%u/rate", dev->limits.port);
	port_sysfs(dev->ctx->device, file, text, sizeof(text));
	gbit_s = strtod(text, &end);
	if (!(gbit_s > 0) || gbit_s > 1e6 || strncmp(end, " Gb/sec", 7) != 0)
		return;
	rate->link_mbit_s = (uint64_t)(gbit_s * 1000 + 0.5);
	if (sscanf(end, " Gb/sec (%15[^)])", rate->lanes) != 1)
		rate->lanes[0] = '\0';
}

static uint64_t netdev_mbit_s(const char *netdev)
{
	char path[PATH_TEXT], text[32];
	long long mbit_s;

	if (!netdev[0])
		return 0;
	snprintf(path, sizeof(path), "/sys/class/net/%s/speed", netdev);
	mbit_s = strtoll(text_read_line(path, text, sizeof(text)), NULL, 10);
	return mbit_s > 0 ? (uint64_t)mbit_s : 0;
}

static bool is_bond(const char *netdev)
{
	char path[PATH_TEXT];

	snprintf(path, sizeof(path), "/sys/class/net/%s/bonding", netdev);
	return netdev[0] && !access(path, F_OK);
}

/*
 * 0: unknown. ibv_query_port_speed(3) has steps of 100 Mbit/s. It is of rdma-core 62 and later; one
 * program serves all versions. Without it the speed of a bond is that of its active links.
 */
static uint64_t effective_mbit_s(const struct dev *dev)
{
	int (*query)(struct ibv_context *ctx, uint32_t port, uint64_t *speed);
	uint64_t speed = 0;

	/* ISO C has no conversion of void * to a pointer to a function */
	*(void **)&query = dlsym(RTLD_DEFAULT, "ibv_query_port_speed");
	if (query && !query(dev->ctx, dev->limits.port, &speed) && speed)
		return speed * 100;
	return is_bond(dev->limits.netdev) ? netdev_mbit_s(dev->limits.netdev) : 0;
}

/*
 * ib_get_eth_speed() of Linux (drivers/infiniband/core/verbs.c) gives 1X SDR for 1 Gbit/s and for
 * "unknown", and that of older kernels 4X EDR for all that is faster than 40 Gbit/s; mana and older
 * EFA always tell 4X EDR.
 */
uint64_t port_rate_ethernet(uint64_t link_mbit_s, uint64_t netdev_mbit_s, bool bond)
{
	if (netdev_mbit_s && !bond)
		return netdev_mbit_s;
	return link_mbit_s == 2500 ? netdev_mbit_s : link_mbit_s;
}

/*
 * The file first: it has XDR where the attributes have not. What the kernel does not know is SDR
 * there, and the attributes have the code.
 */
void port_rate_ask(struct port_rate *rate, const struct dev *dev)
{
	const char *netdev = dev->limits.netdev;
	uint64_t effective;

	*rate = (struct port_rate){ 0 };
	from_sysfs(rate, dev);
	if (!rate->link_mbit_s || strstr(rate->lanes, "SDR"))
		from_codes(rate, &dev->port_attr);
	if (dev->limits.ethernet && netdev[0]) {
		const uint64_t mbit_s = port_rate_ethernet(rate->link_mbit_s, netdev_mbit_s(netdev),
							   is_bond(netdev));

		if (mbit_s != rate->link_mbit_s)
			rate->lanes[0] = '\0';
		rate->link_mbit_s = mbit_s;
	}
	effective = effective_mbit_s(dev);
	/* the same in its steps, and not as exact */
	if (effective == (rate->link_mbit_s + 99) / 100 * 100)
		effective = 0;
	rate->mbit_s = effective ? effective : rate->link_mbit_s;
}
