/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The GIDs of the devices; see gid.h. */
#include "config.h"
#include "base/gid.h"

#include <endian.h>
#include <string.h>

/* Locally administered: IEEE reserves these addresses for such use. */
__be64 gid_guid(uint32_t dev)
{
	return htobe64(UINT64_C(0x0276620000000001) + dev);
}

union ibv_gid gid_at(uint32_t dev, uint32_t index)
{
	union ibv_gid gid = { .raw = { 0 } };

	if (index) {
		memset(gid.raw + 10, 0xff, 2);
		gid.raw[12] = 198;
		gid.raw[13] = 18;
		gid.raw[15] = (uint8_t)(dev + 1);
		return gid;
	}
	gid.global.subnet_prefix = htobe64(UINT64_C(0xfe80) << 48);
	gid.global.interface_id = gid_guid(dev);
	return gid;
}

bool gid_is_own(uint32_t dev, const union ibv_gid *gid)
{
	for (uint32_t i = 0; i < GID_COUNT; i++) {
		union ibv_gid own = gid_at(dev, i);

		if (!memcmp(&own, gid, sizeof(own)))
			return true;
	}
	return false;
}
