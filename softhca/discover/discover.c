/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The program vb-softhca-topology, which "softhca --topology" runs: prints the topology of the
 * settings as ibnetdiscover prints a fabric (rdma-core, infiniband-diags/ibnetdiscover.c). What a
 * device has as GUID and LID is what the processes of its node get by verbs.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "config/settings.h"
#include "config/topology.h"

#define SWITCH_GUID UINT64_C(0x0276620200000001) /* of switch 0; those of devices: profile_guid() */

/* A port of a switch or of a device. */
struct end {
	bool is_switch;
	uint32_t number;    /* of the switch or of the node, from 0 */
	uint32_t dev, port; /* port: from 1 */
};

struct cable {
	struct end end[2];
	uint64_t bit_s;
};

struct map {
	const struct settings *s;
	const struct topology *t;
	uint32_t n_cables;
	struct cable *cable; /* by the ports of each switch */
	uint32_t ports[TOPOLOGY_SWITCHES]; /* so many are in use, from 1 */
};

enum { CABLES = SETTINGS_NODES * SETTINGS_DEVS * SETTINGS_PORTS + TOPOLOGY_UPLINKS };

/* ---- what is where */

static struct profile_of device_of(const struct end *e)
{
	return (struct profile_of) { .dev = e->dev, .node = e->number + 1 };
}

static uint64_t guid_of(const struct end *e)
{
	return e->is_switch ? SWITCH_GUID + e->number : profile_guid(device_of(e), 1);
}

/* Those of switches are before those of devices, if there is room, else behind. */
static uint32_t lid_of(const struct map *m, const struct end *e)
{
	const uint32_t first = (uint32_t)m->s->profile[0].lid;

	if (!e->is_switch)
		return settings_lid(m->s, device_of(e), e->port);
	if (!first)
		return 0;
	return (first > TOPOLOGY_SWITCHES ? first - 1 : PROFILE_LAST_LID) - e->number;
}

/* Its node description. */
static void put_name(const struct map *m, const struct end *e)
{
	if (e->is_switch)
		printf("\"%s\"", m->t->switch_name[e->number]);
	else
		printf("\"%s softhca%" PRIu32 "\"", m->t->node[e->number].name, e->dev);
}

static struct end port_of_switch(struct map *m, uint32_t number)
{
	return (struct end) { .is_switch = true, .number = number, .port = ++m->ports[number] };
}

static void find_cables(struct map *m)
{
	for (uint32_t i = 0; i < SETTINGS_NODES; i++) {
		const struct topology_node *node = &m->t->node[i];

		for (uint32_t d = 0; node->name[0] && d < m->s->devices; d++)
			for (uint32_t port = 1; port <= settings_ports(m->s, d); port++)
				m->cable[m->n_cables++] = (struct cable) {
					.end = { port_of_switch(m, node->leaf[d]),
						 { false, i, d, port } },
					.bit_s = node->cable[d].bit_s,
				};
	}
	for (uint32_t i = 0; i < m->t->n_uplinks; i++) {
		const struct topology_uplink *u = &m->t->uplink[i];
		struct cable *c = &m->cable[m->n_cables];

		if (u->end[0] == TOPOLOGY_BUS)
			continue;
		m->n_cables++;
		c->end[0] = port_of_switch(m, u->end[0]);
		c->end[1] = port_of_switch(m, u->end[1]);
		c->bit_s = u->cable.bit_s;
	}
}

/* ---- lines */

/* The slowest link that carries it; its real rate if it is another one. */
static void put_rate(uint64_t bit_s)
{
	static const struct {
		const char *name;
		uint64_t gbit_s;
	} links[] = {
		{ "SDR", 10 }, { "DDR", 20 }, { "QDR", 40 }, { "FDR", 56 }, { "EDR", 100 },
		{ "HDR", 200 }, { "NDR", 400 }, { "XDR", 800 },
	};
	const uint32_t n = sizeof(links) / sizeof(links[0]);
	uint32_t i = bit_s ? 0 : n - 1;

	while (i < n - 1 && links[i].gbit_s * UINT64_C(1000000000) < bit_s)
		i++;
	printf("4x%s", links[i].name);
	if (links[i].gbit_s * UINT64_C(1000000000) != bit_s)
		printf(" bandwidth=%" PRIu64, bit_s);
}

static void put_ids(const struct map *m, const struct end *e)
{
	const struct profile *p = e->is_switch ? NULL : &m->s->profile[e->dev];

	printf("\nvendid=0x%" PRIx64 "\ndevid=0x%" PRIx64 "\nsysimgguid=0x%" PRIx64 "\n",
	       p ? p->vendor_id : 0, p ? p->vendor_part_id : 0, guid_of(e));
}

static void put_switch_port(const struct map *m, const struct cable *c, uint32_t own)
{
	const struct end *other = &c->end[!own];

	printf("[%" PRIu32 "]\t\"%c-%016" PRIx64 "\"[%" PRIu32 "]", c->end[own].port,
	       other->is_switch ? 'S' : 'H', guid_of(other), other->port);
	if (!other->is_switch)
		printf("(%" PRIx64 ") ", profile_guid(device_of(other), other->port));
	printf("\t\t# ");
	put_name(m, other);
	printf(" lid %" PRIu32 " ", lid_of(m, other));
	put_rate(c->bit_s);
	putchar('\n');
}

static void put_switch(const struct map *m, uint32_t number)
{
	const struct end e = { .is_switch = true, .number = number };

	put_ids(m, &e);
	printf("switchguid=0x%" PRIx64 "(%" PRIx64 ")\n", guid_of(&e), guid_of(&e));
	printf("Switch\t%" PRIu32 " \"S-%016" PRIx64 "\"\t\t# ", m->ports[number], guid_of(&e));
	put_name(m, &e);
	printf(" base port 0 lid %" PRIu32 " lmc 0\n", lid_of(m, &e));
	for (uint32_t i = 0; i < m->n_cables; i++)
		for (uint32_t j = 0; j < 2; j++)
			if (m->cable[i].end[j].is_switch && m->cable[i].end[j].number == number)
				put_switch_port(m, &m->cable[i], j);
}

/* With the first port comes the device. */
static void put_device_port(const struct map *m, const struct cable *c)
{
	const struct end *own = &c->end[1], *to = &c->end[0];

	if (own->port == 1) {
		put_ids(m, own);
		printf("caguid=0x%" PRIx64 "\nCa\t%" PRIu32 " \"H-%016" PRIx64 "\"\t\t# ",
		       guid_of(own), settings_ports(m->s, own->dev), guid_of(own));
		put_name(m, own);
		putchar('\n');
	}
	printf("[%" PRIu32 "](%" PRIx64 ") \t\"S-%016" PRIx64 "\"[%" PRIu32 "]\t\t# lid %" PRIu32 " lmc 0 ",
	       own->port, profile_guid(device_of(own), own->port), guid_of(to), to->port,
	       lid_of(m, own));
	put_name(m, to);
	printf(" lid %" PRIu32 " ", lid_of(m, to));
	put_rate(c->bit_s);
	putchar('\n');
}

static void put_all(const struct map *m)
{
	const time_t now = time(NULL);
	const struct end *first = &m->cable[0].end[1];

	/* ctime() ends with a new line */
	printf("#\n# Topology file: generated on %s#\n", ctime(&now));
	printf("# Initiated from node %016" PRIx64 " port %016" PRIx64 "\n", guid_of(first),
	       profile_guid(device_of(first), first->port));
	for (uint32_t i = 0; i < m->t->n_switches; i++)
		put_switch(m, i);
	for (uint32_t i = 0; i < m->n_cables; i++)
		if (!m->cable[i].end[1].is_switch)
			put_device_port(m, &m->cable[i]);
}

int main(void)
{
	static const int unusable = 2;
	struct settings *s = calloc(1, sizeof(*s));
	struct map m = { .s = s, .cable = calloc(CABLES, sizeof(*m.cable)) };
	int rc = s && m.cable ? 0 : unusable;

	if (!rc) {
		s->any_node = true;
		settings_load(s);
		m.t = s->topology;
	}
	if (!rc && !m.t)
		fprintf(stderr, "softhca: --topology: no FILE, and no SOFTHCA_TOPOLOGY\n");
	rc = rc || !m.t || !s->devices ? unusable : 0;
	if (!rc) {
		find_cables(&m);
		put_all(&m);
		rc = fflush(stdout) ? unusable : 0;
	}
	free(s ? s->topology : NULL);
	free(s);
	free(m.cable);
	return rc;
}
