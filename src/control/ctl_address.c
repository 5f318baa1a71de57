/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns addresses of control connections; see ctl_address.h. */
#include "config.h"
#include "control/ctl_address.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/err.h"

static const uint8_t mapped_prefix[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

/* IPv4-mapped IPv6 to plain IPv4: a dual-stack socket then names its peer as the user does. */
static void unmap(union ctl_address *a)
{
	struct sockaddr_in in = { .sin_family = AF_INET };

	if (a->sa.sa_family != AF_INET6 || memcmp(&a->in6.sin6_addr, mapped_prefix, 12))
		return;
	in.sin_port = a->in6.sin6_port;
	memcpy(&in.sin_addr, a->in6.sin6_addr.s6_addr + 12, 4);
	a->in = in;
}

socklen_t ctl_address_length(const union ctl_address *a)
{
	return a->sa.sa_family == AF_INET ? sizeof(a->in) : sizeof(a->in6);
}

uint32_t ctl_address_port(const union ctl_address *a)
{
	if (a->sa.sa_family == AF_INET)
		return ntohs(a->in.sin_port);
	return a->sa.sa_family == AF_INET6 ? ntohs(a->in6.sin6_port) : 0;
}

void ctl_address_name(char *text, size_t size, const union ctl_address *a)
{
	union ctl_address plain = *a;
	char host[64];

	unmap(&plain);
	if (getnameinfo(&plain.sa, ctl_address_length(&plain), host, sizeof(host), NULL, 0,
			NI_NUMERICHOST))
		snprintf(host, sizeof(host), "(unknown)");
	snprintf(text, size, "%s", host);
}

void ctl_address_towards(union ctl_address *own, const union ctl_address *to)
{
	const int fd = socket(to->sa.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(*own);

	memset(own, 0, sizeof(*own));
	if (fd < 0)
		return;
	if (connect(fd, &to->sa, ctl_address_length(to)) || getsockname(fd, &own->sa, &len))
		own->sa.sa_family = AF_UNSPEC;
	close(fd);
}

void ctl_address_gid(uint8_t gid[16], const union ctl_address *a)
{
	memset(gid, 0, 16);
	if (a->sa.sa_family == AF_INET) {
		memcpy(gid, mapped_prefix, sizeof(mapped_prefix));
		memcpy(gid + 12, &a->in.sin_addr, 4);
	} else if (a->sa.sa_family == AF_INET6) {
		memcpy(gid, &a->in6.sin6_addr, 16);
	}
}

int ctl_address_read(union ctl_address *a, const char *text, uint32_t port)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM,
					.ai_flags = AI_NUMERICHOST };
	struct addrinfo *list;

	if (getaddrinfo(text, NULL, &hints, &list))
		return err_set(-EINVAL, "--bind \"%s\": not an address such as 10.0.0.1 or fe80::1%%eth0",
			       text);
	memset(a, 0, sizeof(*a));
	if (list->ai_addrlen <= sizeof(*a))
		memcpy(a, list->ai_addr, list->ai_addrlen);
	freeaddrinfo(list);
	a->in6.sin6_port = htons((uint16_t)port); /* at the same place in both families */
	return 0;
}

int ctl_set_int(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value));
}
