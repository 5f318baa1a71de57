/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Ranges of addresses. */
#include "config.h"
#include "access/access.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/err.h"
#include "util/text.h"

#define ITEM_MAX 64u /* the longest address has 45 characters */
#define MAPPED_BITS 96u

static const uint8_t mapped_prefix[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

static uint8_t masked(const struct range *range, const uint8_t address[16], uint32_t i)
{
	const uint32_t left = range->bits > 8 * i ? range->bits - 8u * i : 0;

	return left >= 8 ? address[i] : (uint8_t)(address[i] & (0xff00u >> left));
}

static bool has(const struct range *range, const uint8_t address[16])
{
	for (uint32_t i = 0; i < 16; i++)
		if (masked(range, address, i) != range->net[i])
			return false;
	return range->ipv4 == access_is_ipv4(address);
}

/* The address of an item, without its length. False: it is none. */
static bool read_address(struct range *range, const char *text)
{
	range->ipv4 = inet_pton(AF_INET, text, range->net + 12) == 1;
	if (range->ipv4)
		memcpy(range->net, mapped_prefix, sizeof(mapped_prefix));
	return range->ipv4 || inet_pton(AF_INET6, text, range->net) == 1;
}

/* The length of a range, 0..most. False: it is none. */
static bool read_bits(const char *text, uint32_t most, uint32_t *bits)
{
	*bits = 0;
	if (!text[0] || strlen(text) > 3 || text[strspn(text, "0123456789")])
		return false;
	for (; *text; text++)
		*bits = 10 * *bits + (uint32_t)(*text - '0');
	return *bits <= most;
}

static int refuse(const char *label, const char *item)
{
	char clean[ITEM_MAX];

	return err_set(-EINVAL, "%s \"%s\": not an address or a range such as 10.1.0.0/16, 192.0.2.7, fd00::/8 or any",
		       label, text_clean(item, clean, sizeof(clean)));
}

static int refuse_rest(const char *label, const char *item, const struct range *range,
		       uint32_t bits)
{
	struct range net = *range;
	char text[INET6_ADDRSTRLEN] = "";

	for (uint32_t i = 0; i < 16; i++)
		net.net[i] = masked(range, range->net, i);
	inet_ntop(range->ipv4 ? AF_INET : AF_INET6, net.net + (range->ipv4 ? 12 : 0), text,
		  sizeof(text));
	return err_set(-EINVAL, "%s \"%s\": the address has bits beyond the first %u; the range is %s/%u",
		       label, item, bits, text, bits);
}

static int parse_one(struct range *range, const char *label, const char *item)
{
	const char *slash = strchr(item, '/');
	char address[ITEM_MAX];
	uint32_t bits, most;

	snprintf(address, sizeof(address), "%.*s", (int)(slash ? slash - item : (long)strlen(item)),
		 item);
	if (!read_address(range, address))
		return refuse(label, item);
	most = range->ipv4 ? 32 : 128;
	bits = most;
	if (slash && !read_bits(slash + 1, most, &bits))
		return refuse(label, item);
	range->bits = (uint8_t)(bits + (range->ipv4 ? MAPPED_BITS : 0));
	/* ::ffff:10.0.0.0/104 is 10.0.0.0/8 */
	range->ipv4 |= range->bits >= MAPPED_BITS && access_is_ipv4(range->net);
	for (uint32_t i = 0; i < 16; i++)
		if (masked(range, range->net, i) != range->net[i])
			return refuse_rest(label, item, range, bits);
	return 0;
}

static int add(struct ranges *ranges, const char *label, const char *item)
{
	static const char *const any[] = { "0.0.0.0/0", "::/0" };
	const bool all = !strcmp(item, "any");
	int rc = 0;

	for (uint32_t i = 0; i < (all ? 2u : 1u) && !rc; i++) {
		if (ranges->n == RANGES_MAX)
			return err_set(-EINVAL, "%s: more than %u ranges", label, RANGES_MAX);
		rc = parse_one(&ranges->rows[ranges->n], label, all ? any[i] : item);
		ranges->n += !rc;
	}
	return rc;
}

int ranges_parse(struct ranges *ranges, const char *label, const char *text)
{
	const char *end;
	int rc = 0;

	memset(ranges, 0, sizeof(*ranges));
	for (;; text = end + 1) {
		char item[ITEM_MAX];

		end = strchrnul(text, ',');
		if ((size_t)(end - text) >= sizeof(item))
			return refuse(label, text);
		snprintf(item, sizeof(item), "%.*s", (int)(end - text), text);
		rc = add(ranges, label, item);
		if (rc || !*end)
			return rc;
	}
}

bool ranges_have(const struct ranges *ranges, const uint8_t address[16])
{
	for (uint32_t i = 0; i < ranges->n; i++)
		if (has(&ranges->rows[i], address))
			return true;
	return false;
}

bool ranges_loopback(const uint8_t address[16])
{
	static const uint8_t one[16] = { [15] = 1 };

	return access_is_ipv4(address) ? address[12] == 127 : !memcmp(address, one, sizeof(one));
}
