/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the spelling of pairs; see pairs.h. */
#include "config.h"
#include "run/pairs.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"
#include "util/must.h"

_Static_assert(PAIRS_MAX <= NEIGHBOURS_MAX, "both know as many");

/* ---- one operand */

/* An address without brackets and with nothing behind it; a scope may follow: fe80::1%eth0. */
static bool is_ipv6(const char *text)
{
	const size_t len = strcspn(text, "%");
	struct in6_addr address;
	char bare[INET6_ADDRSTRLEN];

	if (len >= sizeof(bare))
		return false;
	memcpy(bare, text, len);
	bare[len] = '\0';
	return inet_pton(AF_INET6, bare, &address) == 1;
}

/* What is behind the host: ":..." or "". */
static const char *find_rest(const char *text)
{
	const char *close = text[0] == '[' ? strchr(text, ']') : NULL;

	if (is_ipv6(text))
		return text + strlen(text);
	text = close ? close : text;
	return text + strcspn(text, ":");
}

static int read_device(char *device, const char *from, const char *text)
{
	const size_t len = strlen(from);
	bool good = len && len < NEIGHBOURS_NAME;

	for (size_t i = 0; i < len; i++)
		good &= isalnum((unsigned char)from[i]) || strchr("_-.", from[i]);
	if (!good)
		return err_set(-EINVAL, "\"%s\": \"%s\" is no name of a device: expected HOST[:PORT][:DEVICE]",
			       text, from);
	memcpy(device, from, len + 1);
	return 0;
}

int pairs_operand(struct pairs_operand *operand, const char *text)
{
	const char *rest = find_rest(text);
	char host[HOSTS_TEXT];
	size_t len;

	operand->device[0] = '\0';
	len = *rest ? strcspn(rest + 1, ":") : 0;
	/* the port stays with the host, whatever it is */
	if (len && strspn(rest + 1, "0123456789") >= len)
		rest += 1 + len;
	len = (size_t)(rest - text);
	if (len >= sizeof(host))
		return err_set(-EINVAL, "host \"%.20s...\" has %zu characters; allowed: 1..%d",
			       text, len, HOSTS_NAME - 1);
	memcpy(host, text, len);
	host[len] = '\0';
	if (*rest && read_device(operand->device, rest + 1, text))
		return -EINVAL;
	return hosts_parse(&operand->host, host, 0);
}

/* ---- all pairs */

/* How many devices and operands the command line has. */
struct given {
	uint32_t devices, operands;
};

/* What a pair is made of: numbers of a device and of an operand. */
struct choice {
	uint32_t device, operand;
};

/*
 * The schedule: how many pairs there are, and what each of them is made of. The first device with
 * the first operand, and so on; one device, or one operand, is for all.
 */
static int count_pairs(uint32_t *n, struct given given)
{
	*n = given.devices > given.operands ? given.devices : given.operands;
	if (given.devices > 1 && given.operands > 1 && given.devices != given.operands)
		return err_option(-EINVAL, "-d (--device)",
				  "names %u devices for %u operands: a pair needs one of each; one device, or one HOST, is for all",
				  given.devices, given.operands);
	return 0;
}

static struct choice choose(uint32_t pair, struct given given)
{
	return (struct choice){ given.devices > 1 ? pair : 0, given.operands > 1 ? pair : 0 };
}

static uint32_t count_devices(const char *list)
{
	uint32_t n = 1;

	for (; list && *list; list++)
		n += *list == ',';
	return n;
}

/* Device i of "A,B,C". */
static int take_device(char *device, const char *list, uint32_t i)
{
	const char *p = list ? list : "";
	size_t len = strcspn(p, ",");

	for (; i && p[len]; i--) {
		p += len + 1;
		len = strcspn(p, ",");
	}
	if (len >= NEIGHBOURS_NAME || (!len && list))
		return err_option(-EINVAL, "-d (--device)", "%s: \"%.*s\" is no name of a device",
				  list, (int)len, p);
	memcpy(device, p, len);
	device[len] = '\0';
	return 0;
}

/* As the operand, with the device of this side where one operand is for all. */
static void set_name(struct pairs_list *list, uint32_t i, const char *operand, bool one_host)
{
	struct pairs_one *p = &list->pairs[i];
	uint32_t before = 0;
	char text[ROW_NAME];

	if (one_host && p->device[0])
		snprintf(text, sizeof(text), "%.30s-%.31s", p->device, operand);
	else
		snprintf(text, sizeof(text), "%.63s", operand);
	for (uint32_t k = 0; k < i; k++) {
		const size_t len = strcspn(list->pairs[k].name, "#");

		before += len == strlen(text) && !strncmp(list->pairs[k].name, text, len);
	}
	if (before)
		snprintf(p->name, sizeof(p->name), "%.60s#%u", text, before + 1);
	else
		snprintf(p->name, sizeof(p->name), "%s", text);
}

/* -p is for operands without a port. */
static int take_port(struct pairs_operand *operand, const char *text, const struct cfg *cfg)
{
	if (!operand->host.port)
		operand->host.port = cfg->tcp_port;
	if (!cfg->given.tcp_port || operand->host.port == cfg->tcp_port)
		return 0;
	return err_set(-EINVAL, "host \"%s\" and -p (--port) %u: two different ports for one server",
		       text, cfg->tcp_port);
}

/* text: the operand; device: number of the device. */
static int read_pair(struct pairs_one *p, const struct cfg *cfg, const char *text, uint32_t device)
{
	struct pairs_operand operand;
	int rc = pairs_operand(&operand, text);

	if (!rc)
		rc = take_port(&operand, text, cfg);
	if (!rc)
		rc = take_device(p->device, cfg->device, device);
	if (rc)
		return rc;
	if (operand.device[0] && cfg->peer_device)
		return err_set(-EINVAL, "\"%s\" and --peer-device %s: two names for the device of the server",
			       text, cfg->peer_device);
	hosts_text(&operand.host, p->host);
	snprintf(p->peer_device, NEIGHBOURS_NAME, "%.63s",
		 operand.device[0] || !cfg->peer_device ? operand.device : cfg->peer_device);
	return 0;
}

/* Sessions on one server's host: their control connections go to the same name, at any port. */
static bool same_host(const struct pairs_one *a, const struct pairs_one *b)
{
	const size_t len = (size_t)(strrchr(a->host, ':') - a->host);

	return !strncmp(a->host, b->host, len + 1) && !strchr(b->host + len + 1, ':');
}

static void set_neighbours(struct pairs_list *list, uint32_t i)
{
	struct pairs_one *own = &list->pairs[i];
	struct neighbours client = { .own = i, .n = list->n }, server = { .n = 0 };

	for (uint32_t k = 0; k < list->n; k++) {
		const struct pairs_one *p = &list->pairs[k];

		memcpy(client.devices[k], p->device, NEIGHBOURS_NAME);
		if (!same_host(own, p))
			continue;
		if (k == i)
			server.own = server.n;
		memcpy(server.devices[server.n++], p->peer_device, NEIGHBOURS_NAME);
	}
	affinity_neighbours_text(&client, own->neighbours[SIDE_CLIENT], NEIGHBOURS_TEXT);
	affinity_neighbours_text(&server, own->neighbours[SIDE_SERVER], NEIGHBOURS_TEXT);
}

int pairs_list_read(struct pairs_list *list, const struct cfg *cfg, char *const *operands,
		    uint32_t n)
{
	const struct given given = { count_devices(cfg->device), n };
	uint32_t pairs;
	int rc = count_pairs(&pairs, given);

	*list = (struct pairs_list){ .n = 0 };
	if (rc)
		return rc;
	if (pairs > PAIRS_MAX)
		return err_set(-EINVAL, "%u pairs; allowed: 1..%d", pairs, PAIRS_MAX);
	list->pairs = must_calloc(pairs, sizeof(*list->pairs));
	list->n = pairs;
	for (uint32_t i = 0; i < pairs && !rc; i++) {
		const struct choice of = choose(i, given);

		rc = read_pair(&list->pairs[i], cfg, operands[of.operand], of.device);
		set_name(list, i, operands[of.operand], pairs > 1 && n == 1);
	}
	for (uint32_t i = 0; i < pairs && !rc; i++)
		set_neighbours(list, i);
	if (rc)
		pairs_list_free(list);
	return rc;
}

void pairs_list_beside(struct pairs_list *list, const struct background *bulk)
{
	list->pairs = must_realloc(list->pairs, BACKGROUND_PAIRS, sizeof(*list->pairs));
	list->n = BACKGROUND_PAIRS;
	list->bulk = bulk;
	list->pairs[BACKGROUND_BULK] = list->pairs[BACKGROUND_PROBE];
	for (uint32_t i = 0; i < list->n; i++) {
		snprintf(list->pairs[i].name, ROW_NAME, "%s", background_names[i]);
		set_neighbours(list, i);
	}
}

void pairs_list_free(struct pairs_list *list)
{
	free(list->pairs);
	*list = (struct pairs_list){ .n = 0 };
}

void pairs_list_cfg(const struct pairs_list *list, uint32_t i, struct cfg *cfg)
{
	const struct pairs_one *p = &list->pairs[i];

	cfg->host = p->host;
	cfg->device = p->device[0] ? p->device : NULL;
	cfg->peer_device = p->peer_device[0] ? p->peer_device : NULL;
	if (list->n == 1)
		return;
	for (enum side side = SIDE_CLIENT; side <= SIDE_SERVER; side++)
		cfg->neighbours[side] = p->neighbours[side];
	if (list->bulk && i == BACKGROUND_BULK)
		background_cfg(list->bulk, cfg);
}
