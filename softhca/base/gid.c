/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The GIDs and LIDs of the devices; see gid.h. */
#include "config.h"
#include "base/gid.h"

#include <endian.h>
#include <string.h>

#include "base/hca.h"

static struct profile_of own(uint32_t dev)
{
	return (struct profile_of) { .dev = dev, .node = hca_settings()->node_id };
}

__be64 gid_guid(uint32_t dev)
{
	return htobe64(profile_guid(own(dev), 1));
}

uint32_t gid_count(uint32_t dev)
{
	return hca_profile(dev)->n_gids;
}

union ibv_gid gid_of_port(uint32_t dev, uint32_t port, uint32_t index)
{
	const struct profile *p = hca_profile(dev);
	union ibv_gid gid = { .raw = { 0 } };

	if (index < p->n_gids)
		memcpy(gid.raw, p->gid[index].raw[(port - 1) % SETTINGS_PORTS], sizeof(gid.raw));
	return gid;
}

union ibv_gid gid_address(uint32_t dev, uint32_t port)
{
	const uint32_t ip4 = htobe32(profile_ip4(own(dev), port));
	union ibv_gid gid = { .raw = { 0 } };

	memset(gid.raw + 10, 0xff, 2);
	memcpy(gid.raw + 12, &ip4, sizeof(ip4));
	return gid;
}

/* RoCE v2 before others, as the kernel's default for rdma_cm. */
uint32_t gid_address_index(uint32_t dev)
{
	const struct profile *p = hca_profile(dev);
	const union ibv_gid addr = gid_address(dev, 1);
	uint32_t found = 0;

	for (uint32_t i = p->n_gids; i-- > 0;)
		if (!memcmp(p->gid[i].raw[0], addr.raw, sizeof(addr.raw)) &&
		    (p->gid[i].type == IBV_GID_TYPE_ROCE_V2 ||
		     p->gid[found].type != IBV_GID_TYPE_ROCE_V2))
			found = i;
	return found;
}

uint32_t gid_ports(uint32_t dev)
{
	return settings_ports(hca_settings(), dev);
}

uint16_t gid_lid(uint32_t dev, uint32_t port)
{
	return settings_lid(hca_settings(), own(dev), port);
}

uint16_t gid_sm_lid(uint32_t dev)
{
	const struct profile *p = hca_profile(dev);

	return p->port_state == IBV_PORT_INIT ? 0 : (uint16_t)p->sm_lid;
}
