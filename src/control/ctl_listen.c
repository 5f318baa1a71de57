/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Listening sockets of control connections. Called by serve. Must not read or write a byte of a
 * connection.
 */
#include "config.h"
#include "control/ctl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "control/ctl_address.h"
#include "remedy/remedy.h"
#include "util/err.h"

#define LISTEN_BACKLOG 128

/* A listening socket on every address of the family; -errno without an error message. */
static int listen_on(const union ctl_address *a)
{
	int fd, rc;

	fd = socket(a->sa.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	/* a server that is started again at once finds its port in TIME_WAIT */
	if (ctl_set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1) ||
	    (a->sa.sa_family == AF_INET6 && ctl_set_int(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0)) ||
	    bind(fd, &a->sa, ctl_address_length(a)) || listen(fd, LISTEN_BACKLOG)) {
		rc = -errno;
		close(fd);
		return rc;
	}
	return fd;
}

bool ctl_no_ipv6(int rc)
{
	return rc == -EAFNOSUPPORT || rc == -EADDRNOTAVAIL || rc == -EPROTONOSUPPORT ||
	       rc == -ENOPROTOOPT;
}

static int listen_on_all(uint32_t port)
{
	const union ctl_address v6 = { .in6 = { .sin6_family = AF_INET6, .sin6_addr = in6addr_any,
						.sin6_port = htons((uint16_t)port) } };
	const union ctl_address v4 = { .in = { .sin_family = AF_INET,
					       .sin_port = htons((uint16_t)port) } };
	int rc;

	rc = listen_on(&v6);
	return ctl_no_ipv6(rc) ? listen_on(&v4) : rc;
}

int ctl_listen(int *fd, const char *at, uint32_t port)
{
	union ctl_address own;
	char text[REMEDY_TEXT];
	int rc = at ? ctl_address_read(&own, at, port) : 0;

	if (rc)
		return rc;
	rc = at ? listen_on(&own) : listen_on_all(port);
	if (rc == -EADDRINUSE)
		return err_set_cause(rc, remedy_name(REMEDY_PORT_IN_USE),
				     "TCP port %u is in use: %s", port,
				     remedy_fill(text, REMEDY_PORT_IN_USE,
						 &(struct remedy_words){ .port = port }));
	if (rc < 0)
		return err_set(rc, "cannot listen on %s%sTCP port %u: %s", at ? at : "", at ? " " : "",
			       port, strerror(-rc));
	*fd = rc;
	return 0;
}

int ctl_take(int listener, uint8_t peer_gid[16])
{
	union ctl_address peer;
	socklen_t len = sizeof(peer);
	int fd;

	memset(&peer, 0, sizeof(peer));
	fd = accept4(listener, &peer.sa, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0)
		return -errno;
	ctl_address_gid(peer_gid, &peer);
	return fd;
}

uint32_t ctl_listens_at(int listener, char *text, size_t size)
{
	union ctl_address own;
	socklen_t len = sizeof(own);

	memset(&own, 0, sizeof(own));
	if (getsockname(listener, &own.sa, &len))
		own.sa.sa_family = AF_UNSPEC;
	if (own.sa.sa_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&own.in6.sin6_addr))
		snprintf(text, size, "all addresses");
	else if (own.sa.sa_family == AF_INET && own.in.sin_addr.s_addr == htonl(INADDR_ANY))
		snprintf(text, size, "all IPv4 addresses");
	else
		ctl_address_name(text, size, &own);
	return ctl_address_port(&own);
}
