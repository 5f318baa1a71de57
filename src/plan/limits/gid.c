/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Chooses the GID pair. Every pair of the two tables is a candidate. Pairs that cannot exchange
 * packets are left out, the others are ranked. If each side chose its GID from its own table, RoCE
 * would often fail with "retries exceeded". Uses no device and no socket.
 */
#include "config.h"

#include "limits/gid.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "options/cfg.h"
#include "limits/gid_text.h"
#include "causes/remedy.h"
#include "util/err.h"

/* Why two GIDs cannot exchange packets: bits of misfit(). */
enum { MISFIT_TYPE = 1, MISFIT_FAMILY = 2, MISFIT_SCOPE = 4 };

/* Lowest bit of the rank proper; the bits below it hold the number of common address bits. */
#define NEAR_BIT 10

/* A pair of entries; a higher rank is better. */
struct candidate {
	const struct plan_gid *client, *server;
	uint32_t rank;
};

/* fe80::/10 (RFC 4291 2.5.6) or 169.254.0.0/16 (RFC 3927 2.1) */
static bool is_link_local(const uint8_t raw[16])
{
	if (gid_text_is_v4(raw))
		return raw[12] == 169 && raw[13] == 254;
	return raw[0] == 0xfe && (raw[1] & 0xc0) == 0x80;
}

static uint32_t common_bits(const uint8_t a[16], const uint8_t b[16])
{
	for (uint32_t i = 0; i < 16; i++) {
		uint32_t diff = a[i] ^ b[i];

		if (diff)
			return 8 * i + (uint32_t)__builtin_clz(diff) - 24;
	}
	return 128;
}

static unsigned int misfit(const struct plan_gid *c, const struct plan_gid *s)
{
	unsigned int bits = 0;

	if (c->type != s->type)
		bits |= MISFIT_TYPE;
	if (gid_text_is_v4(c->raw) != gid_text_is_v4(s->raw))
		bits |= MISFIT_FAMILY;
	if (is_link_local(c->raw) != is_link_local(s->raw))
		bits |= MISFIT_SCOPE;
	return bits;
}

/* On RoCE a GID is an IP address. On InfiniBand it is a prefix and a GUID, on iWARP a MAC. */
static bool has_addresses(const struct limits *l)
{
	return l->ethernet && l->transport_type != LIMITS_IWARP;
}

/*
 * Two hosts with the same address cannot reach each other by it, but a host can reach itself. So
 * equal GIDs come last unless the host is the same. They are not refused, because the boot id of a
 * side may be unknown. Addresses are near if they share 24 bits (IPv4) or 64 (IPv6, and the subnet
 * prefix of InfiniBand); among near ones the longer common prefix wins.
 */
static uint32_t rank(const struct candidate *c, bool same_host, bool addresses)
{
	uint32_t bits = common_bits(c->client->raw, c->server->raw);
	bool near = addresses && gid_text_is_v4(c->client->raw) ? bits >= 96 + 24 : bits >= 64;

	return (uint32_t)(bits < 128 || same_host) << 20 |
	       (uint32_t)(!c->client->elsewhere && !c->server->elsewhere) << 18 |
	       (uint32_t)c->client->type << 16 |
	       (uint32_t)(addresses && !is_link_local(c->client->raw)) << 12 |
	       (uint32_t)near << NEAR_BIT | bits;
}

const struct plan_gid *gid_find(const struct limits *limits, uint32_t index)
{
	for (uint32_t i = 0; i < limits->n_gids; i++)
		if (limits->gids[i].index == index)
			return &limits->gids[i];
	return NULL;
}

/* Without Ethernet one GID always works, that of index 0. CFG_AUTO: any. */
static uint32_t pinned_index(const struct limits *l)
{
	return l->gid_index == CFG_AUTO && !l->ethernet ? 0 : l->gid_index;
}

static int check_table(const struct limits *l, const char *who)
{
	uint32_t pin = pinned_index(l);

	assert(l->n_gids <= PLAN_MAX_GIDS);
	if (!l->n_gids && l->ethernet)
		return remedy_error(-EINVAL, REMEDY_NO_GID, NULL, "%s: %s port %u (%s) has no GID",
				    who, l->device, l->port, l->netdev[0] ? l->netdev : "Ethernet");
	if (!l->n_gids)
		return err_set_cause(-EINVAL, "path", "%s: %s port %u (InfiniBand) has no GID", who,
				     l->device, l->port);
	if (pin != CFG_AUTO && !gid_find(l, pin))
		return err_set_cause(-EINVAL, "path", "%s: GID index %u of %s port %u holds no GID",
				     who, pin, l->device, l->port);
	return 0;
}

static bool may_use(const struct limits *l, const struct plan_gid *gid)
{
	uint32_t pin = pinned_index(l);

	return pin == CFG_AUTO || pin == gid->index;
}

/*
 * *best: the best matching pair, entries NULL if none. *near: the pair with the fewest misfits.
 * Where GIDs are not addresses every pair matches: InfiniBand routes by LID, or by routers that
 * know the subnet prefixes, iWARP by the IP addresses of rdma_cm.
 */
static void search(struct candidate *best, struct candidate *near, const struct limits *client,
		   const struct limits *server)
{
	const bool same_host = limits_one_host(client, server), addresses = has_addresses(client);
	int fewest = 4;

	for (uint32_t i = 0; i < client->n_gids; i++) {
		for (uint32_t j = 0; j < server->n_gids; j++) {
			struct candidate c = { &client->gids[i], &server->gids[j], 0 };
			int misfits = addresses ?
				      __builtin_popcount(misfit(c.client, c.server)) : 0;

			if (!may_use(client, c.client) || !may_use(server, c.server))
				continue;
			if (misfits < fewest) {
				fewest = misfits;
				*near = c;
			}
			c.rank = rank(&c, same_host, addresses);
			if (!misfits && (!best->client || c.rank > best->rank))
				*best = c;
		}
	}
}

static int refuse(const struct candidate *near, const struct limits *client,
		  const struct limits *server)
{
	const struct plan_gid *c = near->client, *s = near->server;
	const unsigned int bits = misfit(c, s);
	char ctext[GID_TEXT_MAX], stext[GID_TEXT_MAX];

	err_set(-EINVAL,
		"no GID pair fits; nearest: client %s port %u [%u] %s %s, server %s port %u [%u] %s %s: %s%s%s%s%s",
		client->device, client->port, c->index, gid_text_types[c->type],
		gid_text(c->raw, ctext, sizeof(ctext)), server->device, server->port, s->index,
		gid_text_types[s->type], gid_text(s->raw, stext, sizeof(stext)),
		bits & MISFIT_TYPE ? "types differ" : "",
		bits & MISFIT_TYPE && bits & ~(unsigned int)MISFIT_TYPE ? ", " : "",
		bits & MISFIT_FAMILY ? "IPv4 against IPv6" : "",
		bits & MISFIT_FAMILY && bits & MISFIT_SCOPE ? ", " : "",
		bits & MISFIT_SCOPE ? "link-local against routable" : "");
	return remedy_advise(-EINVAL, REMEDY_GID_PAIR, NULL);
}

static const char *transport_text(const struct limits *l)
{
	if (l->transport_type == LIMITS_IWARP)
		return "iWARP";
	return l->ethernet ? "RoCE" : l->link_unspecified ? "unspecified link" : "InfiniBand";
}

static void explain(struct gid_pair *pair, const struct candidate *best,
		    const struct limits *client, const struct limits *server)
{
	const struct plan_gid *c = best->client;
	uint32_t bits = common_bits(c->raw, best->server->raw);
	bool pin_c = client->gid_index != CFG_AUTO, pin_s = server->gid_index != CFG_AUTO;
	const char *pinned = pin_c && pin_s ? ", both set by the user" :
			     pin_c	    ? ", the client's set by the user" :
			     pin_s	    ? ", the server's set by the user" :
					      "";
	char common[48];

	if (bits == 128)
		snprintf(common, sizeof(common), "the same address on both sides");
	else
		snprintf(common, sizeof(common), "addresses share their first %u bits",
			 gid_text_is_v4(c->raw) ? bits - 96 : bits);
	if (!has_addresses(client))
		snprintf(pair->reason, sizeof(pair->reason), "%s, indices %u and %u%s",
			 transport_text(client), pair->client, pair->server, pinned);
	else
		snprintf(pair->reason, sizeof(pair->reason), "%s, %s%s, %s%s",
			 gid_text_types[c->type], gid_text_is_v4(c->raw) ? "IPv4" : "IPv6",
			 is_link_local(c->raw) ? " link-local" : "", common, pinned);
}

int gid_check_links(const struct limits *client, const struct limits *server)
{
	const bool links = strcmp(limits_link_name(client), limits_link_name(server)) != 0;

	if (!links &&
	    (client->transport_type == LIMITS_IWARP) == (server->transport_type == LIMITS_IWARP))
		return 0;
	return err_set_cause(-EINVAL, "path",
			     "%s of %s of %s: %s, of %s of %s: %s; they cannot reach each other",
			     links ? "link layer" : "transport", client->device, client->host,
			     links ? limits_link_name(client) : transport_text(client),
			     server->device, server->host,
			     links ? limits_link_name(server) : transport_text(server));
}

int gid_choose(struct gid_pair *pair, const struct limits *client, const struct limits *server)
{
	struct candidate best = { 0 }, near = { 0 };
	int rc;

	rc = gid_check_links(client, server);
	if (rc)
		return rc;
	rc = check_table(client, "client");
	if (rc)
		return rc;
	rc = check_table(server, "server");
	if (rc)
		return rc;
	search(&best, &near, client, server);
	if (!best.client)
		return refuse(&near, client, server);
	pair->client = best.client->index;
	pair->server = best.server->index;
	pair->rank = best.rank >> NEAR_BIT;
	explain(pair, &best, client, server);
	return 0;
}
