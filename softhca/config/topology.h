/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * A topology: nodes, whose devices are cabled to switches, and cables between switches. It is read
 * from a file of lines:
 *
 *   node n[0-31] leaf0,leaf1 200M     device 0 is on leaf0, device 1 on leaf1, device 2 on leaf0
 *   uplink leaf0 spine0 400M          a cable between two switches
 *   cable n7.1 loss=1% bandwidth=50M  of device 1 of node n7: other properties
 *   swap n9.0 n9.1                    each of two devices is on the switch of the other one
 *   bus n3 30M                        what all devices of a node share, in each direction
 *
 *   uplink leaf1 spine0 400M buffer=256k full=pause
 *
 * NODE and UPLINK lines may have the properties of a cable, too. Lines follow those that they name.
 */
#ifndef TOPOLOGY_H
#define TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/profile.h"

#define TOPOLOGY_SWITCHES 256
#define TOPOLOGY_UPLINKS 512
#define TOPOLOGY_NAME 33
#define TOPOLOGY_BUS UINT16_MAX /* both ends of an uplink that is no cable: of a node */

/* What happens to a message for which a buffer has no room; 0: nothing was said. */
enum topology_full { TOPOLOGY_DROP = 1, TOPOLOGY_PAUSE };

/* In each direction. */
struct topology_cable {
	uint64_t bit_s, delay_ns;
	uint32_t loss;          /* probability times 2^32 */
	/* from down_ns on, since the fabric began, no message passes for that long */
	uint64_t down_ns, down_for_ns;
	uint64_t buffer_bytes; /* of messages that wait for it; 0: without a limit */
	enum topology_full full; /* if the buffer is full */
};

struct topology_node {
	char name[TOPOLOGY_NAME]; /* "": there is no such node */
	uint16_t leaf[SETTINGS_DEVS];
	uint16_t bus; /* number of an uplink + 1; 0: none */
	struct topology_cable cable[SETTINGS_DEVS]; /* both ports of a device have the same */
};

struct topology_uplink {
	uint16_t end[2]; /* switches, or TOPOLOGY_BUS */
	struct topology_cable cable;
};

struct topology {
	uint64_t digest; /* of the lines: differs between topologies; not 0 */
	uint32_t n_switches, n_uplinks;
	char switch_name[TOPOLOGY_SWITCHES][TOPOLOGY_NAME];
	struct topology_uplink uplink[TOPOLOGY_UPLINKS];
	struct topology_node node[SETTINGS_NODES]; /* by number */
};

/* A new topology, freed by the caller; NULL after a message on stderr for each wrong line. */
struct topology *topology_load(const char *path);

/* A device of a node. */
struct topology_end {
	uint32_t node, dev; /* from 0 */
};

/* The cable of a device; of a node that is not in the topology: as fast as memory. */
const struct topology_cable *topology_cable_of(const struct topology *t,
					       const struct topology_end *end);

/* The uplinks between two devices: 2 times the number of an uplink, + 1 from its second end. */
struct topology_way {
	uint32_t n;
	uint32_t pipe[2];
};

/* topology_way.c */

/*
 * The way from a device to another one. Of several, the label chooses: the same one for the same
 * ends and label. False: there is none.
 */
bool topology_way(const struct topology *t, const struct topology_end *from,
		  const struct topology_end *to, uint32_t label, struct topology_way *way);

/* Whether each two devices have a way. 0, or -EINVAL after a message on stderr. */
int topology_check(const struct topology *t, const char *path);

#define TOPOLOGY_HASH UINT64_C(0xcbf29ce484222325)

/* 64-bit FNV-1a: Fowler, Noll, Vo */
static inline uint64_t topology_hash(uint64_t h, const void *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		h = (h ^ ((const uint8_t *)data)[i]) * UINT64_C(0x100000001b3);
	return h;
}

#endif
