/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What hosts cost that connect and then are no clients. Each address has tokens: a connection takes
 * one, and a plan gives it back. An address without tokens floods: it is left out for some seconds,
 * the longer the more often it does so. IPv6 addresses count by their first 64 bits, which one host
 * can choose freely below (RFC 4291, 2.5.1); also those of a link (fe80::/64). The addresses
 * 127.0.0.1 and ::1 are never left out: behind them are all users of this host, and proxies. While
 * STRANGERS_MAX addresses are left out, others are not counted: what they cost is then limited by
 * what one server has at a time only.
 */
#ifndef STRANGERS_H
#define STRANGERS_H

#include <stdbool.h>
#include <stdint.h>

#define STRANGERS_MAX 64u
#define STRANGERS_TOKENS 24u /* at once; two come back each second */

struct stranger {
	uint8_t net[16];
	double tokens;
	uint64_t at_ns;       /* when they were counted */
	uint64_t out_ns;      /* left out until then; 0: it is not */
	uint32_t times;       /* it was left out, without a long pause */
};

struct strangers {
	uint32_t n;
	bool changed;         /* who is left out: serve_filter_set() */
	struct stranger rows[STRANGERS_MAX];
};

enum stranger_is { STRANGER_KNOWN, STRANGER_FLOODS, STRANGER_OUT };

/*
 * A connection of the address: KNOWN: it has a token; OUT: it is left out, close the connection;
 * FLOODS: the same from now on, *seconds long. now_ns as of clock_ns().
 */
enum stranger_is strangers_take(struct strangers *s, const uint8_t gid[16], uint64_t now_ns,
				uint32_t *seconds);

/* The connection sent a plan. */
void strangers_give(struct strangers *s, const uint8_t gid[16]);

/* Ends what is over. Returns when the next is, UINT64_MAX if none. */
uint64_t strangers_expire(struct strangers *s, uint64_t now_ns);

/* Is it 127.0.0.1 or ::1? */
bool strangers_own(const uint8_t gid[16]);

/* Do the two addresses count as one host? Also for --max-sessions-per-host. */
bool strangers_same(const uint8_t a[16], const uint8_t b[16]);

#endif
