/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Sets up the ports of this process or of its node; see fabric.h. Called by fabric.c. */
#include "config.h"
#include "base/fabric.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/alive.h"
#include "base/gid.h"
#include "base/hca.h"

#define FS_PER_S 1000000000000000ull
#define PS_PER_NS 1000u

static void set_up_buffer(struct shm_port *port, const struct topology_cable *c)
{
	port->buffer_bytes = c->buffer_bytes;
	port->pauses = c->full == TOPOLOGY_PAUSE;
}

static void set_up_port(struct shm_port *port, uint32_t dev, uint32_t n)
{
	const struct settings *s = hca_settings();
	const struct settings_dev *set = &s->dev[dev];
	const struct topology_end end = { s->node_id - 1, dev };

	*port = (struct shm_port) {
		.fs_per_byte = set->bit_s ? 8 * FS_PER_S / set->bit_s : 0,
		.delay_ps = set->delay_ns * PS_PER_NS,
		.stall_ps = set->stall_ns * PS_PER_NS,
		.period_ps = set->period_ns * PS_PER_NS,
		.addr = gid_own(dev, n),
		.down = hca_profile(dev)->port_state != IBV_PORT_ACTIVE,
		.of_node = s->node_id,
	};
	if (s->topology)
		set_up_buffer(port, topology_cable_of(s->topology, &end));
	/* what is behind a cable may take time, too */
	port->used = s->topology || port->fs_per_byte || port->delay_ps || port->stall_ps ||
		     set->loss || set->reorder || set->duplicate || set->jitter_ns;
}

static bool same_address(const struct shm_address *a, const struct shm_address *b)
{
	bool same = a->link_layer == b->link_layer && a->iwarp == b->iwarp && a->mtu == b->mtu &&
		    a->lid == b->lid && a->prefix == b->prefix && a->n_gids == b->n_gids;

	for (uint32_t i = 0; same && i < PROFILE_GIDS; i++)
		same = !memcmp(a->gid[i].raw, b->gid[i].raw, sizeof(a->gid[i].raw)) &&
		       a->gid[i].type == b->gid[i].type && a->gid[i].vlan == b->gid[i].vlan;
	return same;
}

static bool same_port(const struct shm_port *a, const struct shm_port *b)
{
	return a->fs_per_byte == b->fs_per_byte && a->delay_ps == b->delay_ps &&
	       a->stall_ps == b->stall_ps && a->period_ps == b->period_ps && a->used == b->used &&
	       same_address(&a->addr, &b->addr);
}

/* The first device of the node with other settings than this process has; SHM_DEVS: none. */
static uint32_t first_other(const struct shm_node *node)
{
	for (uint32_t i = 0; i < SHM_DEVS * SHM_PORTS; i++) {
		struct shm_port own;

		set_up_port(&own, i / SHM_PORTS, i % SHM_PORTS + 1);
		if (!same_port(&own, &node->port[i / SHM_PORTS][i % SHM_PORTS]))
			return i / SHM_PORTS;
	}
	return SHM_DEVS;
}

/* A process of the node that lives; 0: none does. */
static int member_of(uint32_t node)
{
	const struct shm_fabric *f = hca.fabric;

	for (uint32_t i = 0; i < SHM_PROCS && i < f->n_procs; i++)
		if (i != hca.slot && f->proc[i].node == node && alive_process(i, f->proc[i].gen))
			return f->proc[i].pid;
	return 0;
}

static void set_up_all(struct shm_port port[SHM_DEVS][SHM_PORTS])
{
	for (uint32_t d = 0; d < SHM_DEVS; d++)
		for (uint32_t i = 0; i < SHM_PORTS; i++)
			set_up_port(&port[d][i], d, i + 1);
}

/* The counters of a node are those of all its processes, also of those that have ended. */
static int join_node(const struct settings *s)
{
	struct shm_node *node = &hca.fabric->node[s->node_id - 1];
	const bool same_name = !strcmp(node->name, s->node);
	const uint32_t dev = same_name ? first_other(node) : 0;
	int pid;

	if (same_name && dev == SHM_DEVS)
		return 0;
	pid = node->name[0] ? member_of(s->node_id) : 0;
	if (!pid) {
		set_up_all(node->port);
		memcpy(node->name, s->node, sizeof(node->name));
		return 0;
	}
	if (same_name)
		fprintf(stderr, "softhca: SOFTHCA_NODE=%s: process %d of this node has another link or profile of softhca%u\n",
			s->node, pid, dev);
	else
		fprintf(stderr, "softhca: SOFTHCA_NODE=%s: process %d is of node %.32s: the numbers of nodes must differ\n",
			s->node, pid, node->name);
	return -EINVAL;
}

/* The uplinks of the topology: those of all processes are the same. */
static int join_topology(const struct topology *t)
{
	struct shm_fabric *f = hca.fabric;

	if (f->topology == t->digest)
		return 0;
	if (f->topology) {
		fprintf(stderr, "softhca: SOFTHCA_TOPOLOGY: the processes of fabric %s have another one\n",
			hca_settings()->fabric);
		return -EINVAL;
	}
	for (uint32_t i = 0; i < 2 * t->n_uplinks; i++) {
		const struct topology_cable *c = &t->uplink[i / 2].cable;

		f->pipe[i] = (struct shm_port) {
			.fs_per_byte = c->bit_s ? 8 * FS_PER_S / c->bit_s : 0,
			.delay_ps = c->delay_ns * PS_PER_NS, .of_node = 1,
		};
		set_up_buffer(&f->pipe[i], c);
	}
	f->topology = t->digest;
	return 0;
}

int fabric_set_up_ports(void)
{
	const struct settings *s = hca_settings();
	struct shm_proc *p = &hca.fabric->proc[hca.slot];

	p->node = s->node_id;
	if (s->topology && join_topology(s->topology))
		return -EINVAL;
	if (p->node)
		return join_node(s);
	set_up_all(p->port);
	return 0;
}
