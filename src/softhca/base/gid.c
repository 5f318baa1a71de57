/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The GIDs of the devices; see gid.h. */
#include "config.h"
#include "base/gid.h"

#include <endian.h>
#include <string.h>

#include "base/shm.h"

/* Locally administered: IEEE reserves these addresses for such use. */
__be64 gid_guid(uint32_t dev)
{
	return htobe64(UINT64_C(0x0276620000000001) + dev);
}

union ibv_gid gid_of_port(uint32_t dev, uint32_t port, uint32_t index)
{
	union ibv_gid gid = { .raw = { 0 } };

	if (index) {
		memset(gid.raw + 10, 0xff, 2);
		gid.raw[12] = 198;
		gid.raw[13] = 18;
		gid.raw[14] = (uint8_t)(port - 1);
		gid.raw[15] = (uint8_t)(dev + 1);
		return gid;
	}
	gid.global.subnet_prefix = htobe64(UINT64_C(0xfe80) << 48);
	gid.global.interface_id = gid_guid(dev + ((port - 1) << 8));
	return gid;
}

union ibv_gid gid_at(uint32_t dev, uint32_t index)
{
	return gid_of_port(dev, 1, index);
}

uint32_t gid_port(uint32_t dev, const union ibv_gid *gid)
{
	for (uint32_t n = 0; n < SHM_PORTS * GID_COUNT; n++) {
		union ibv_gid own = gid_of_port(dev, n / GID_COUNT + 1, n % GID_COUNT);

		if (!memcmp(&own, gid, sizeof(own)))
			return n / GID_COUNT + 1;
	}
	return 0;
}

bool gid_is_own(uint32_t dev, const union ibv_gid *gid)
{
	return gid_port(dev, gid) == 1;
}
