/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What a message passes; see way.h. Called by the requester. */
#include "config.h"
#include "way/way.h"

#include "base/hca.h"
#include "config/topology.h"
#include "config/values.h"

#define PS_PER_NS 1000u

static bool is_down(const struct topology_cable *c, uint64_t now_ns)
{
	const uint64_t t = now_ns - hca.origin_ns;

	return t >= c->down_ns && t - c->down_ns < c->down_for_ns;
}

static uint32_t node_of(const struct way_end *end)
{
	return hca.fabric->proc[end->slot % SHM_PROCS].node;
}

/* node: its number + 1 */
static struct topology_end place_of(uint32_t node, uint32_t dev)
{
	return (struct topology_end) { (node - 1) % SHM_NODES, dev % SHM_DEVS };
}

static void add_cable(struct way *way, const struct topology_cable *c, uint64_t now_ns)
{
	way->loss = values_either(way->loss, c->loss);
	way->cut |= is_down(c, now_ns);
}

static void add_hop(struct way *way, struct shm_port *hop)
{
	way->hop[way->n++] = hop;
	way->delay_ns += hop->delay_ps / PS_PER_NS;
}

/* A device that sends to itself does it without a cable. */
static void pass_switches(struct way *way, const struct topology_end ends[2], uint32_t label,
			  uint64_t now_ns)
{
	const struct topology *t = hca_settings()->topology;
	struct topology_way up;

	if (ends[0].node == ends[1].node && ends[0].dev == ends[1].dev)
		return;
	way->has_delay = true;
	way->cut = is_down(topology_cable_of(t, &ends[0]), now_ns);
	if (!topology_way(t, &ends[0], &ends[1], label, &up))
		way->cut = true;
	for (uint32_t i = 0; i < up.n; i++) {
		add_cable(way, &t->uplink[up.pipe[i] / 2].cable, now_ns);
		add_hop(way, &hca.fabric->pipe[up.pipe[i]]);
	}
	add_cable(way, topology_cable_of(t, &ends[1]), now_ns);
}

/* All devices of the node share it, also for what a device sends to itself. */
static void pass_bus(struct way *way, const struct topology_end *end, bool in)
{
	const struct topology *t = hca_settings()->topology;
	const uint16_t bus = t->node[end->node].bus;

	if (bus)
		add_hop(way, &hca.fabric->pipe[2 * (bus - 1) + in]);
}

void way_find(const struct way_ends *ends, uint64_t now_ns, struct way *way)
{
	const uint32_t from = node_of(&ends->from), to = node_of(&ends->to);
	const struct topology_end both[2] = {
		place_of(from, ends->from.dev), place_of(to, ends->to.dev),
	};

	*way = (struct way) { 0 };
	if (!to)
		return;
	if (from && hca_settings()->topology) {
		pass_bus(way, &both[0], false);
		pass_switches(way, both, ends->label, now_ns);
		pass_bus(way, &both[1], true);
	}
	add_hop(way, hca_port(ends->to.slot, ends->to.dev, ends->to.port));
}

bool way_is_cut(uint32_t dev, struct profile_of to, uint64_t now_ns)
{
	const struct topology_end both[2] = {
		place_of(hca_settings()->node_id, dev), place_of(to.node, to.dev),
	};
	struct way way = { 0 };

	if (hca_settings()->topology)
		pass_switches(&way, both, way_label(0, 1, 1), now_ns);
	return way.cut;
}

bool way_is_down(uint32_t dev, uint64_t now_ns)
{
	const struct settings *s = hca_settings();
	const struct topology_end own = place_of(s->node_id, dev);

	return s->topology && is_down(topology_cable_of(s->topology, &own), now_ns);
}
