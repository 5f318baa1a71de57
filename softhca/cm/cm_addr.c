/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* IP addresses; see cm_addr.h. */
#include "config.h"
#include "cm/cm_addr.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/gid.h"
#include "base/hca.h"
#include "cm/cm_local.h"

static struct sockaddr_in v4(const struct sockaddr_storage *addr)
{
	struct sockaddr_in in;

	memcpy(&in, addr, sizeof(in));
	return in;
}

static struct sockaddr_in6 v6(const struct sockaddr_storage *addr)
{
	struct sockaddr_in6 in6;

	memcpy(&in6, addr, sizeof(in6));
	return in6;
}

bool cm_addr_is_any(const struct sockaddr_storage *addr)
{
	struct sockaddr_in6 in6 = v6(addr);

	if (addr->ss_family == AF_INET)
		return v4(addr).sin_addr.s_addr == htonl(INADDR_ANY);
	return addr->ss_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&in6.sin6_addr);
}

bool cm_addr_is_multicast(const struct sockaddr_storage *addr)
{
	struct sockaddr_in6 in6 = v6(addr);

	if (addr->ss_family == AF_INET)
		return IN_MULTICAST(ntohl(v4(addr).sin_addr.s_addr));
	return addr->ss_family == AF_INET6 && IN6_IS_ADDR_MULTICAST(&in6.sin6_addr);
}

int cm_addr_check(const struct sockaddr_storage *addr)
{
	struct sockaddr_in6 in6 = v6(addr);

	if (addr->ss_family == AF_INET)
		return 0;
	if (addr->ss_family != AF_INET6)
		return -EAFNOSUPPORT;
	/* cma_check_linklocal() */
	return IN6_IS_ADDR_LINKLOCAL(&in6.sin6_addr) && !in6.sin6_scope_id ? -EINVAL : 0;
}

union ibv_gid cm_addr_gid(const struct sockaddr_storage *addr)
{
	union ibv_gid gid = { .raw = { 0 } };
	struct sockaddr_in6 in6 = v6(addr);
	struct sockaddr_in in = v4(addr);

	if (addr->ss_family == AF_INET) {
		memset(gid.raw + 10, 0xff, 2);
		memcpy(gid.raw + 12, &in.sin_addr, 4);
	} else if (addr->ss_family == AF_INET6) {
		memcpy(gid.raw, &in6.sin6_addr, 16);
	}
	return gid;
}

/* The address of port 1 of the device, or one of its GIDs. */
static bool has(struct profile_of of, const union ibv_gid *gid)
{
	const struct shm_address all = gid_table(of);
	const union ibv_gid ip = gid_address(of);
	bool found = all.mtu && !memcmp(&ip, gid, sizeof(ip));

	for (uint32_t i = 0; i < all.n_gids && !found; i++)
		found = !memcmp(all.gid[i].raw, gid, sizeof(*gid));
	return found;
}

int cm_addr_own(const struct sockaddr_storage *addr, struct profile_of *of)
{
	struct sockaddr_storage probe = *addr;
	uint32_t n = hca_settings()->devices;
	union ibv_gid gid = cm_addr_gid(addr);

	for (*of = gid_of(0); of->dev < n; of->dev++)
		if (has(*of, &gid))
			return hca_profile(of->dev)->rdma_cm ? 0 : -ENODEV;
	of->dev = 0;
	cm_addr_set_port(&probe, 0);
	if (cm_addr_is_multicast(addr) || !cm_local_has(&probe, cm_addr_size(addr)))
		return -EADDRNOTAVAIL;
	return n && hca_profile(0)->rdma_cm ? 0 : -ENODEV;
}

int cm_addr_find(const struct sockaddr_storage *addr, struct profile_of *of)
{
	const uint32_t node = hca_settings()->node_id;
	union ibv_gid gid = cm_addr_gid(addr);

	*of = profile_at(gid.raw);
	if (node && of->node != node && has(*of, &gid))
		return 0;
	return cm_addr_own(addr, of);
}

/* sin_port and sin6_port are at the same place */
uint16_t cm_addr_port(const struct sockaddr_storage *addr)
{
	return ntohs(v4(addr).sin_port);
}

void cm_addr_set_port(struct sockaddr_storage *addr, uint16_t port)
{
	struct sockaddr_in in = v4(addr);

	in.sin_port = htons(port);
	memcpy(addr, &in, sizeof(in));
}

void cm_addr_set(struct sockaddr_storage *addr, const union ibv_gid *gid)
{
	struct sockaddr_in6 in6 = v6(addr);
	struct sockaddr_in in = v4(addr);

	memcpy(&in.sin_addr, gid->raw + 12, 4);
	memcpy(&in6.sin6_addr, gid->raw, 16);
	if (addr->ss_family == AF_INET)
		memcpy(addr, &in, sizeof(in));
	else
		memcpy(addr, &in6, sizeof(in6));
}

uint16_t cm_addr_size(const struct sockaddr_storage *addr)
{
	return addr->ss_family == AF_INET  ? sizeof(struct sockaddr_in) :
	       addr->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) :
					     0;
}

void cm_addr_key(const struct sockaddr_storage *addr, bool afonly, char key[CM_ADDR_KEY])
{
	union ibv_gid gid = cm_addr_gid(addr);
	bool is4 = addr->ss_family == AF_INET;
	uint32_t from = is4 ? 12 : 0;

	/* IPv6 sockets take IPv4 connections, too, as those of TCP do */
	if (cm_addr_is_any(addr)) {
		strcpy(key, is4 ? "4*" : afonly ? "6*" : "*");
		return;
	}
	*key++ = is4 ? '4' : '6';
	for (uint32_t i = from; i < 16; i++, key += 2)
		snprintf(key, 3, "%02x", gid.raw[i]);
}
