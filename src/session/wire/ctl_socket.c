/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The sockets of control connections: addresses, listening, a connected socket as a connection.
 * Reads and writes no byte of a connection: ctl.c does. ctl_dial.c connects.
 */
#include "config.h"
#include "wire/ctl_socket.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "causes/remedy.h"
#include "util/err.h"

#define LISTEN_BACKLOG 4096 /* all agents of a mesh come at once */
#define USER_TIMEOUT_MS 15000

/* ---- addresses */

static const uint8_t mapped_prefix[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

/* IPv4-mapped IPv6 to plain IPv4: a dual-stack socket then shows its peer as the user wrote it. */
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

/* In host order; 0 for another family. */
static uint32_t address_port(const union ctl_address *a)
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
	a->in6.sin6_port = htons((uint16_t)port); /* same offset in both families */
	return 0;
}

static int set_int(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value));
}

/* ---- listening */

/* A listening socket on every address of the family; -errno without an error message. */
static int listen_on(const union ctl_address *a)
{
	int fd, rc;

	fd = socket(a->sa.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	/* a server that is restarted at once finds its port in TIME_WAIT */
	if (set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1) ||
	    (a->sa.sa_family == AF_INET6 && set_int(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0)) ||
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
	int rc = at ? ctl_address_read(&own, at, port) : 0;

	if (rc)
		return rc;
	rc = at ? listen_on(&own) : listen_on_all(port);
	if (rc == -EADDRINUSE)
		return remedy_error(rc, REMEDY_PORT_IN_USE, &(struct remedy_words){ .port = port },
				    "TCP port %u is in use", port);
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
	return address_port(&own);
}

/* ---- a connected socket */

/*
 * Small messages are sent at once. A host that has lost power is detected within 15 s: between
 * points, when no heartbeats are sent, by keepalive; with unacknowledged data by TCP_USER_TIMEOUT,
 * because keepalive then sends nothing (tcp(7)).
 */
static int set_options(int fd)
{
	if (set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1) ||
	    set_int(fd, SOL_SOCKET, SO_KEEPALIVE, 1) ||
	    set_int(fd, IPPROTO_TCP, TCP_KEEPIDLE, 5) ||
	    set_int(fd, IPPROTO_TCP, TCP_KEEPINTVL, 2) ||
	    set_int(fd, IPPROTO_TCP, TCP_KEEPCNT, 5) ||
	    set_int(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, USER_TIMEOUT_MS))
		return -errno;
	return 0;
}

int ctl_accept(struct ctl *ctl, int fd, int signals_fd)
{
	struct ctl fresh = CTL_CLOSED;
	union ctl_address own, peer;
	socklen_t own_len = sizeof(own), peer_len = sizeof(peer);
	char host[64];
	int rc;

	*ctl = fresh;
	memset(&own, 0, sizeof(own));
	memset(&peer, 0, sizeof(peer));
	rc = set_options(fd);
	if (!rc && (getsockname(fd, &own.sa, &own_len) || getpeername(fd, &peer.sa, &peer_len)))
		rc = -errno;
	if (rc) {
		close(fd);
		return err_set(rc, "cannot take over a connection: %s", strerror(-rc));
	}
	ctl_address_gid(fresh.local_gid, &own);
	ctl_address_gid(fresh.peer_gid, &peer);
	ctl_address_name(host, sizeof(host), &peer);
	if (peer.sa.sa_family == AF_INET || peer.sa.sa_family == AF_INET6)
		snprintf(fresh.peer, sizeof(fresh.peer), "%s port %u", host, address_port(&peer));
	else
		snprintf(fresh.peer, sizeof(fresh.peer), "(no address)");
	fresh.fd = fd;
	fresh.signals_fd = signals_fd;
	*ctl = fresh;
	return 0;
}

uint64_t ctl_rtt_ns(const struct ctl *ctl)
{
	struct tcp_info info;
	socklen_t len = sizeof(info);

	if (getsockopt(ctl->fd, IPPROTO_TCP, TCP_INFO, &info, &len))
		return 0;
	return info.tcpi_rtt * 1000ull;
}
