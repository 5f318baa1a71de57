/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Hosts of a client: HOST or HOST:PORT; an IPv6 address with a port is in brackets. */
#ifndef HOSTS_H
#define HOSTS_H

#include <stdint.h>

#define HOSTS_MAX 64       /* receivers of one sender */
#define HOSTS_NAME 256     /* a name of DNS has at most 253 characters: RFC 1035, 2.3.4 */
#define HOSTS_TEXT (HOSTS_NAME + 10)

struct hosts_one {
	char host[HOSTS_NAME]; /* name or address, without brackets */
	uint32_t port;
};

/*
 * "node2", "node2:18600", "10.0.0.2", "fe80::1", "[fe80::1]", "[fe80::1]:18600"; port is the
 * default for a text without one. -EINVAL with an error message.
 */
int hosts_parse(struct hosts_one *one, const char *text, uint32_t port)
	__attribute__((warn_unused_result));

/*
 * Checks the host of a client with one server; port: the value of -p, which must not contradict the
 * operand, or 0 if -p is not given. -EINVAL with an error message.
 */
int hosts_check(const char *text, uint32_t port) __attribute__((warn_unused_result));

/* The reverse, always with the port. Returns text, of HOSTS_TEXT bytes. */
const char *hosts_text(const struct hosts_one *one, char text[HOSTS_TEXT]);

#endif
