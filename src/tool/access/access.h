/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room access: who may ask a server: ranges of addresses, and addresses that cost too much. It
 * opens no sockets. Addresses are 16 bytes, IPv4 mapped as ::ffff:a.b.c.d (RFC 4291, 2.5.5.2).
 */
#ifndef ACCESS_H
#define ACCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool access_is_ipv4(const uint8_t address[16])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(address, mapped, sizeof(mapped));
}

/* ---- ranges.c: ranges of IP addresses, as --allow has them */

#define RANGES_MAX 64u

/* The first bits of an address. */
struct range {
	uint8_t net[16];
	uint8_t bits;
	bool ipv4;      /* bits counts those of the mapped address */
};

struct ranges {
	uint32_t n;
	struct range rows[RANGES_MAX];
};

/*
 * Reads "10.1.0.0/16,192.0.2.7,fe80::/10": ranges (RFC 4632) and addresses; "any": all addresses.
 * label: the option, for the error message. -EINVAL: not such a list, bits beyond the length of
 * a range, or more than RANGES_MAX of them.
 */
int ranges_parse(struct ranges *ranges, const char *label, const char *text)
	__attribute__((warn_unused_result));

bool ranges_have(const struct ranges *ranges, const uint8_t address[16]);

/* Is the address one of this host alone: 127.0.0.0/8 or ::1? */
bool ranges_loopback(const uint8_t address[16]);

/*
 * ---- flood.c
 *
 * What hosts cost that connect and then are no clients. Each address has tokens: a connection takes
 * one, and a plan gives it back. An address without tokens floods: it is left out for some seconds,
 * the longer the more often it does so. IPv6 addresses count by their first 64 bits, which one host
 * can choose freely below (RFC 4291, 2.5.1); also those of a link (fe80::/64). The addresses
 * 127.0.0.1 and ::1 are never left out: behind them are all users of this host, and proxies. While
 * FLOOD_MAX addresses are left out, others are not counted: what they cost is then limited by
 * what one server has at a time only.
 */

#define FLOOD_MAX 64u
#define FLOOD_TOKENS 24u /* at once; two come back each second */

struct flood_address {
	uint8_t net[16];
	double tokens;
	uint64_t at_ns;       /* when they were counted */
	uint64_t out_ns;      /* left out until then; 0: it is not */
	uint32_t times;       /* it was left out, without a long pause */
};

struct floods {
	uint32_t n;
	bool changed;         /* who is left out: serve_flood_filter() */
	struct flood_address rows[FLOOD_MAX];
};

enum flood_is { FLOOD_NONE, FLOOD_BEGINS, FLOOD_BLOCKED };

/*
 * A connection of the address: KNOWN: it has a token; OUT: it is left out, close the connection;
 * FLOODS: the same from now on, *seconds long. now_ns as of clock_ns().
 */
enum flood_is flood_take(struct floods *s, const uint8_t gid[16], uint64_t now_ns,
				uint32_t *seconds);

/* The connection sent a plan. */
void flood_give(struct floods *s, const uint8_t gid[16]);

/* Ends what is over. Returns when the next is, UINT64_MAX if none. */
uint64_t flood_expire(struct floods *s, uint64_t now_ns);

/* Is it 127.0.0.1 or ::1, or of flood_user()? */
bool flood_own(const uint8_t gid[16]);

/* In place of the address of this host: a user of it. No host has this address: RFC 4291, 2.7. */
void flood_user(uint8_t gid[16], uint32_t uid);

/* Do the two addresses count as one host? Also for --max-sessions-per-host. */
bool flood_same(const uint8_t a[16], const uint8_t b[16]);

#endif
