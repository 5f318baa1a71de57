/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the spelling of pairs; see pairs_list.h. Called by run_read.c and pairs.c. */
#include "config.h"
#include "run/pairs_list.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/row_total.h"
#include "util/err.h"

_Static_assert(PAIRS_MAX <= NEIGHBOURS_MAX && PAIRS_MAX <= ROW_TOTAL_MAX, "all know as many");

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

static bool are_digits(const char *text, size_t len)
{
	return len && strspn(text, "0123456789") >= len;
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

int pairs_operand(struct pairs_operand *operand, const char *text, uint32_t port)
{
	const char *rest = find_rest(text);
	char host[HOSTS_TEXT];
	size_t len;

	operand->device[0] = '\0';
	if (*rest) {
		len = strcspn(rest + 1, ":");
		/* the port stays with the host, whatever it is */
		if (are_digits(rest + 1, len))
			rest += 1 + len;
	}
	len = (size_t)(rest - text);
	if (len >= sizeof(host))
		return err_set(-EINVAL, "host \"%.20s...\" has %zu characters; allowed: 1..%d",
			       text, len, HOSTS_NAME - 1);
	memcpy(host, text, len);
	host[len] = '\0';
	if (*rest) {
		int rc = read_device(operand->device, rest + 1, text);

		if (rc)
			return rc;
	}
	return hosts_parse(&operand->host, host, port);
}

/* ---- all pairs */

/* Device i of "A,B,C", or the only one. */
static int take_device(char *device, const char *list, uint32_t i)
{
	const char *p = list ? list : "";
	size_t len = strcspn(p, ",");

	if (p[len])
		for (; i; i--) {
			p += len + 1;
			len = strcspn(p, ",");
		}
	if (len >= NEIGHBOURS_NAME || (!len && list))
		return err_set(-EINVAL, "-d (--device) %s: \"%.*s\" is no name of a device", list,
			       (int)len, p);
	memcpy(device, p, len);
	device[len] = '\0';
	return 0;
}

static uint32_t count_devices(const char *list)
{
	uint32_t n = 1;

	for (; list && *list; list++)
		n += *list == ',';
	return n;
}

static int count_pairs(uint32_t *n, const struct cfg *cfg, uint32_t operands)
{
	const uint32_t devices = count_devices(cfg->device);

	*n = devices > operands ? devices : operands;
	if (devices > 1 && operands > 1 && devices != operands)
		return err_set(-EINVAL, "-d (--device) names %u devices for %u operands: a pair needs one of each; one device, or one HOST, is for all",
			       devices, operands);
	if (*n > PAIRS_MAX)
		return err_set(-EINVAL, "%u pairs; allowed: 1..%d", *n, PAIRS_MAX);
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

static int read_pair(struct pairs_list *list, uint32_t i, const struct cfg *cfg, const char *text)
{
	struct pairs_one *p = &list->pairs[i];
	struct pairs_operand operand;
	int rc = pairs_operand(&operand, text, 0);

	if (!rc)
		rc = take_port(&operand, text, cfg);
	if (!rc)
		rc = take_device(p->device, cfg->device, i);
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
	neighbours_text(&client, own->neighbours[SIDE_CLIENT], NEIGHBOURS_TEXT);
	neighbours_text(&server, own->neighbours[SIDE_SERVER], NEIGHBOURS_TEXT);
}

int pairs_list_read(struct pairs_list *list, const struct cfg *cfg, char *const *operands,
		    uint32_t n)
{
	uint32_t pairs;
	int rc = count_pairs(&pairs, cfg, n);

	*list = (struct pairs_list){ .n = 0 };
	if (rc)
		return rc;
	list->pairs = calloc(pairs, sizeof(*list->pairs));
	if (!list->pairs)
		return err_set(-ENOMEM, "no memory for %u pairs", pairs);
	list->n = pairs;
	for (uint32_t i = 0; i < pairs && !rc; i++) {
		const char *text = operands[n > 1 ? i : 0];

		rc = read_pair(list, i, cfg, text);
		if (!rc)
			set_name(list, i, text, pairs > 1 && n == 1);
	}
	for (uint32_t i = 0; i < pairs && !rc; i++)
		set_neighbours(list, i);
	if (rc)
		pairs_list_free(list);
	return rc;
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
}
