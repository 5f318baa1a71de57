/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The ranges of groups, and the mapping of a group to an MGID. */
#include "config.h"
#include "options/mcast.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "util/err.h"

#define PKEY_FULL 0x8000u /* IBA vol. 1, 10.9.1.1 */

/* 224.0.0.0/24 is for routing protocols and is never forwarded: RFC 5771, section 4. */
static bool is_group_v4(const uint8_t a[4])
{
	return a[0] >> 4 == 0xe && !(a[0] == 224 && !a[1] && !a[2]);
}

int mcast_parse(struct mcast_group *group, const char *text)
{
	struct mcast_group g = { .v4 = inet_pton(AF_INET, text, g.addr) == 1 };

	if (!g.v4 && inet_pton(AF_INET6, text, g.addr) != 1)
		return err_set(-EINVAL, "--mcast \"%s\" is not an address of a group; allowed: 224.0.1.0..239.255.255.255, or an MGID ff00::/8",
			       text);
	if (g.v4 ? !is_group_v4(g.addr) : g.addr[0] != 0xff)
		return err_set(-EINVAL, "--mcast %s is not a multicast address that is forwarded; allowed: 224.0.1.0..239.255.255.255, or an MGID ff00::/8",
			       text);
	*group = g;
	return 0;
}

/* ip_ib_mc_map() of the kernel (include/net/ip.h), and the signature of cma_set_mgid(). */
static void map_infiniband(uint8_t mgid[16], const uint8_t v4[4], uint32_t pkey)
{
	memset(mgid, 0, 16);
	mgid[0] = 0xff;
	mgid[1] = 0x12; /* link-local scope, as the broadcast group of IPoIB has by default */
	mgid[2] = 0x40;
	mgid[3] = 0x01;
	mgid[4] = (uint8_t)(pkey >> 8);
	mgid[5] = (uint8_t)pkey;
	memcpy(mgid + 12, v4, 4);
	mgid[12] &= 0x0f;
}

void mcast_mgid(uint8_t mgid[16], const struct mcast_group *group, enum mcast_link link,
		uint32_t pkey)
{
	if (!group->v4) {
		memcpy(mgid, group->addr, 16);
		return;
	}
	if (link == MCAST_INFINIBAND) {
		map_infiniband(mgid, group->addr, pkey | PKEY_FULL);
		return;
	}
	memset(mgid, 0, 16);
	if (link == MCAST_ROCE_V1) {
		mgid[0] = 0xff;
		mgid[1] = 0x0e;
	}
	mgid[10] = 0xff;
	mgid[11] = 0xff;
	memcpy(mgid + 12, group->addr, 4);
}
