/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The GID table of a profile; see profile.h. An address is an IPv6 address with templates:
 *   {ll}   the subnet prefix and the GUID of the port: link-local
 *   {ip4}  ::ffff:198.18.P.D, of the block for benchmarks (RFC 2544)
 *   {ip6}  2001:2::P:D, the same of IPv6 (RFC 5180)
 *   {mac}  the MAC address in the first 6 bytes, as with iWARP
 *   {guid} the GUID of the port as four groups: fd00:5:6:7:{guid}
 * P is the port from 0 and D the device from 1, so the addresses are the same in all processes. The
 * ports of all nodes (SOFTHCA_NODE) have numbers H, 16 for each node: ::ffff:198.19.0.0 + H,
 * 2001:2::1:H.
 */
#include "config.h"
#include "config/profile.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The number of a port of a node among those of all nodes: below 2^16. */
static uint32_t number_of(struct profile_of of, uint32_t port)
{
	return of.node * PROFILE_HOST_PORTS + (port - 1) * SETTINGS_DEVS + of.dev;
}

_Static_assert((SETTINGS_NODES + 1) * PROFILE_HOST_PORTS <= 0x10000, "below 2^16");

struct profile_of profile_at(const uint8_t gid[16])
{
	const uint32_t number = (uint32_t)gid[14] << 8 | gid[15];

	return (struct profile_of) {
		.node = number / PROFILE_HOST_PORTS, .dev = number % SETTINGS_DEVS,
	};
}

uint64_t profile_guid(struct profile_of of, uint32_t port)
{
	if (of.node)
		return UINT64_C(0x0276620100000000) + number_of(of, port);
	return UINT64_C(0x0276620000000001) + of.dev + ((uint64_t)(port - 1) << 8);
}

uint32_t profile_ip4(struct profile_of of, uint32_t port)
{
	if (of.node)
		return 198u << 24 | 19u << 16 | number_of(of, port);
	return 198u << 24 | 18u << 16 | (port - 1) << 8 | (of.dev + 1);
}

uint32_t profile_lid_step(struct profile_of of, uint32_t ports, uint32_t port)
{
	return of.node * PROFILE_HOST_PORTS + of.dev * ports + port - 1;
}

struct place {
	uint64_t prefix;
	struct profile_of of;
	uint32_t port; /* from 1 */
};

/* Four groups of an IPv6 address. */
static void groups(char *to, size_t size, uint64_t v)
{
	snprintf(to, size, "%x:%x:%x:%x", (unsigned int)(v >> 48),
		 (unsigned int)(v >> 32 & 0xffff), (unsigned int)(v >> 16 & 0xffff),
		 (unsigned int)(v & 0xffff));
}

/* What a template stands for; false: there is no such one. */
static bool expand(const char *name, size_t len, const struct place *at, char *to, size_t size)
{
	const uint64_t guid = profile_guid(at->of, at->port);
	const uint32_t ip4 = profile_ip4(at->of, at->port);
	char prefix[32], last[32];

	groups(last, sizeof(last), guid);
	if (len == 4 && !strncmp(name, "guid", len)) {
		snprintf(to, size, "%s", last);
	} else if (len == 2 && !strncmp(name, "ll", len)) {
		groups(prefix, sizeof(prefix), at->prefix);
		snprintf(to, size, "%s:%s", prefix, last);
	} else if (len == 3 && !strncmp(name, "ip4", len)) {
		snprintf(to, size, "::ffff:%x:%x", ip4 >> 16, ip4 & 0xffff);
	} else if (len == 3 && !strncmp(name, "ip6", len)) {
		snprintf(to, size, "2001:2::%x:%x", at->of.node ? 1 : ip4 >> 8 & 0xff,
			 at->of.node ? ip4 & 0xffff : ip4 & 0xff);
	} else if (len == 3 && !strncmp(name, "mac", len)) {
		snprintf(to, size, "276:62%02x:%x::", at->of.node ? 1 : 0,
			 (unsigned int)(guid & 0xffff));
	} else {
		return false;
	}
	return true;
}

static int address(const char *text, const struct place *at, uint8_t raw[16])
{
	char full[256] = "";
	size_t len = 0;

	while (*text && len < sizeof(full) - 1) {
		const char *end = *text == '{' ? strchr(text, '}') : NULL;

		if (end) {
			if (!expand(text + 1, (size_t)(end - text - 1), at, full + len,
				    sizeof(full) - len))
				return -EINVAL;
			len = strlen(full);
			text = end + 1;
		} else {
			full[len++] = *text++;
			full[len] = '\0';
		}
	}
	return inet_pton(AF_INET6, full, raw) == 1 ? 0 : -EINVAL;
}

static int type_of(const char *word, enum ibv_gid_type *type)
{
	static const struct profile_word types[] = {
		{ "ib", IBV_GID_TYPE_IB }, { "roce_v1", IBV_GID_TYPE_ROCE_V1 },
		{ "roce_v2", IBV_GID_TYPE_ROCE_V2 }, { NULL, 0 },
	};

	for (const struct profile_word *w = types; w->word; w++) {
		if (strcmp(w->word, word))
			continue;
		*type = (enum ibv_gid_type)w->value;
		return 0;
	}
	return -EINVAL;
}

int profile_gid_add(struct profile *p, const char *value)
{
	struct profile_gid *gid = &p->gid[p->n_gids];
	char type[16], rest[32], more[2];
	unsigned int vlan = 0;
	int n, len = 0;

	if (p->no_gids || p->n_gids == PROFILE_GIDS)
		return -EINVAL;
	if (!strcmp(value, "none") && !p->n_gids) {
		p->no_gids = true;
		return 0;
	}
	*gid = (struct profile_gid) { .vlan = 0 };
	n = sscanf(value, "%15s %63s %31s %1s", type, gid->text, rest, more);
	if (n < 2 || n > 3 || type_of(type, &gid->type))
		return -EINVAL;
	if (n == 3 && (sscanf(rest, "vlan=%u%n", &vlan, &len) != 1 || rest[len] || !vlan ||
		       vlan > 4094))
		return -EINVAL;
	gid->vlan = (uint16_t)vlan;
	p->n_gids++;
	return 0;
}

int profile_gid_fill(struct profile *p, struct profile_of of)
{
	for (uint32_t i = 0; i < p->n_gids; i++) {
		for (uint32_t port = 1; port <= SETTINGS_PORTS; port++) {
			const struct place at = { p->subnet_prefix, of, port };

			if (address(p->gid[i].text, &at, p->gid[i].raw[port - 1]))
				return (int)i;
		}
	}
	return -1;
}
