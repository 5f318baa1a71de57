/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder access: who may ask a server: ranges of addresses, keys. It opens no sockets.
 *
 * This header: ranges of IP addresses, as --allow has them. Addresses are 16 bytes, IPv4 mapped as
 * ::ffff:a.b.c.d (RFC 4291, 2.5.5.2).
 */
#ifndef RANGES_H
#define RANGES_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
