/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Makes control connections: listens, accepts, connects. Called by serve and session_client. Must
 * not read or write a byte of a connection: that is ctl.c.
 */
#include "config.h"
#include "control/ctl.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "remedy/remedy.h"
#include "util/clock.h"
#include "util/err.h"

#define LISTEN_BACKLOG 128
#define MAX_ADDRS 8u
#define RETRY_MS 100u
#define SILENT_MS 1000u /* after so long without an answer from any address it is told, too */
/* Between the first tries of two addresses: of two that answer at once the first one wins. */
#define STAGGER_MS 50u

union address {
	struct sockaddr sa;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_storage storage;
};

/* One address of the host and the attempt that is under way. */
struct attempt {
	union address addr;
	socklen_t len;
	int fd;             /* -1: none */
	int err;            /* of the last attempt, 0 none has ended */
	bool permanent;     /* waiting does not help against that error */
	uint64_t next_ns;   /* not before */
};

/* A dial that is under way. */
struct dialing {
	const struct ctl_dial *to;
	uint64_t start_ns, deadline_ns;
	bool told;          /* that it waits */
	union address from; /* of this host; the family is 0 for any */
	size_t n;
	struct attempt attempts[MAX_ADDRS];
};

static const uint8_t mapped_prefix[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

/* IPv4-mapped IPv6 to plain IPv4: a dual-stack socket then names its peer as the user does. */
static void unmap(union address *a)
{
	struct sockaddr_in in = { .sin_family = AF_INET };

	if (a->sa.sa_family != AF_INET6 || memcmp(&a->in6.sin6_addr, mapped_prefix, 12))
		return;
	in.sin_port = a->in6.sin6_port;
	memcpy(&in.sin_addr, a->in6.sin6_addr.s6_addr + 12, 4);
	a->in = in;
}

static void name_address(char *text, size_t size, const union address *a)
{
	union address plain = *a;
	char host[64];
	socklen_t len;

	unmap(&plain);
	len = plain.sa.sa_family == AF_INET ? sizeof(plain.in) : sizeof(plain.in6);
	if (getnameinfo(&plain.sa, len, host, sizeof(host), NULL, 0, NI_NUMERICHOST))
		snprintf(host, sizeof(host), "(unknown)");
	snprintf(text, size, "%s", host);
}

static int set_int(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value));
}

/*
 * Small messages are sent at once. A host that has lost its power is noticed within 15 s, also
 * between points, when no heartbeats are sent.
 */
static int set_options(int fd)
{
	if (set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1) ||
	    set_int(fd, SOL_SOCKET, SO_KEEPALIVE, 1) ||
	    set_int(fd, IPPROTO_TCP, TCP_KEEPIDLE, 5) ||
	    set_int(fd, IPPROTO_TCP, TCP_KEEPINTVL, 2) ||
	    set_int(fd, IPPROTO_TCP, TCP_KEEPCNT, 5))
		return -errno;
	return 0;
}

int ctl_accept(struct ctl *ctl, int fd, int signals_fd)
{
	struct ctl fresh = CTL_CLOSED;
	union address own, peer;
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
	unmap(&own);
	unmap(&peer);
	if (own.sa.sa_family == AF_INET) {
		memcpy(fresh.local_gid, mapped_prefix, sizeof(mapped_prefix));
		memcpy(fresh.local_gid + 12, &own.in.sin_addr, 4);
	} else if (own.sa.sa_family == AF_INET6) {
		memcpy(fresh.local_gid, &own.in6.sin6_addr, 16);
	}
	name_address(host, sizeof(host), &peer);
	if (peer.sa.sa_family == AF_INET || peer.sa.sa_family == AF_INET6)
		snprintf(fresh.peer, sizeof(fresh.peer), "%s port %u", host,
			 ntohs(peer.sa.sa_family == AF_INET ? peer.in.sin_port
							    : peer.in6.sin6_port));
	else
		snprintf(fresh.peer, sizeof(fresh.peer), "(no address)");
	fresh.fd = fd;
	fresh.signals_fd = signals_fd;
	*ctl = fresh;
	return 0;
}

static socklen_t length_of(const union address *a)
{
	return a->sa.sa_family == AF_INET ? sizeof(a->in) : sizeof(a->in6);
}

/* Reads an address of this host, not its name. */
static int read_own(union address *a, const char *text, uint32_t port)
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

/* A listening socket on every address of the family; -errno without an error message. */
static int listen_on(const union address *a, socklen_t len)
{
	int fd, rc;

	fd = socket(a->sa.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	/* a server that is started again at once finds its port in TIME_WAIT */
	if (set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1) ||
	    (a->sa.sa_family == AF_INET6 && set_int(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0)) ||
	    bind(fd, &a->sa, len) || listen(fd, LISTEN_BACKLOG)) {
		rc = -errno;
		close(fd);
		return rc;
	}
	return fd;
}

static int listen_on_all(uint32_t port)
{
	const union address v6 = { .in6 = { .sin6_family = AF_INET6, .sin6_addr = in6addr_any,
					    .sin6_port = htons((uint16_t)port) } };
	const union address v4 = { .in = { .sin_family = AF_INET,
					   .sin_port = htons((uint16_t)port) } };
	int rc;

	rc = listen_on(&v6, sizeof(v6.in6));
	/* no IPv6 at all (ipv6.disable=1) or no addresses of it (disable_ipv6) */
	if (rc == -EAFNOSUPPORT || rc == -EADDRNOTAVAIL || rc == -EPROTONOSUPPORT ||
	    rc == -ENOPROTOOPT)
		rc = listen_on(&v4, sizeof(v4.in));
	return rc;
}

int ctl_listen(int *fd, const char *at, uint32_t port)
{
	union address own;
	int rc = at ? read_own(&own, at, port) : 0;

	if (rc)
		return rc;
	rc = at ? listen_on(&own, length_of(&own)) : listen_on_all(port);
	if (rc == -EADDRINUSE)
		return err_set(rc, "TCP port %u is in use: %s", port,
			       remedy_text(REMEDY_PORT_IN_USE));
	if (rc < 0)
		return err_set(rc, "cannot listen on %s%sTCP port %u: %s", at ? at : "", at ? " " : "",
			       port, strerror(-rc));
	*fd = rc;
	return 0;
}

/* Does this error stay, even if the server is started later? */
static bool stays(int err)
{
	return err != ECONNREFUSED && err != ETIMEDOUT && err != EHOSTUNREACH &&
	       err != ECONNRESET && err != EAGAIN && err != ENETDOWN;
}

/* Fills dial->attempts. The resolver has a deadline of its configuration (resolv.conf(5)). */
static int resolve(struct dialing *dial)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
	struct addrinfo *list, *ai;
	char service[16];
	int rc;

	snprintf(service, sizeof(service), "%u", dial->to->port);
	for (;;) {
		struct pollfd p = { .fd = dial->to->signals_fd, .events = POLLIN };

		rc = getaddrinfo(dial->to->host, service, &hints, &list);
		if (rc != EAI_AGAIN || clock_ns() > dial->deadline_ns)
			break;
		if (poll(&p, 1, (int)RETRY_MS) > 0)
			return err_set(-EINTR, "interrupted while looking up %s", dial->to->host);
	}
	if (rc)
		return err_set(-EHOSTUNREACH, "host %s: %s: %s", dial->to->host,
			       rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc),
			       remedy_text(REMEDY_NO_NAME));
	for (ai = list; ai && dial->n < MAX_ADDRS; ai = ai->ai_next) {
		struct attempt *a = &dial->attempts[dial->n];

		if (ai->ai_addrlen > sizeof(a->addr))
			continue;
		memcpy(&a->addr, ai->ai_addr, ai->ai_addrlen);
		a->len = ai->ai_addrlen;
		a->fd = -1;
		a->next_ns = clock_ns() + dial->n++ * STAGGER_MS * 1000000u;
	}
	freeaddrinfo(list);
	return 0;
}

static void attempt_failed(struct attempt *a, int err)
{
	if (a->fd >= 0)
		close(a->fd);
	a->fd = -1;
	a->err = err;
	a->permanent = stays(err);
	a->next_ns = clock_ns() + RETRY_MS * 1000000u;
}

/* from: of this host; the family 0 is any, another than the host's fails in bind(). */
static void attempt_start(struct attempt *a, const union address *from)
{
	a->fd = socket(a->addr.sa.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (a->fd < 0 || (from->sa.sa_family && bind(a->fd, &from->sa, length_of(from))) ||
	    (connect(a->fd, &a->addr.sa, a->len) && errno != EINPROGRESS))
		attempt_failed(a, errno);
}

/* Address and port are equal: of two of the same family. */
static bool same(const union address *a, const union address *b)
{
	if (a->sa.sa_family == AF_INET)
		return a->in.sin_port == b->in.sin_port &&
		       a->in.sin_addr.s_addr == b->in.sin_addr.s_addr;
	return a->in6.sin6_port == b->in6.sin6_port &&
	       !memcmp(&a->in6.sin6_addr, &b->in6.sin6_addr, sizeof(a->in6.sin6_addr));
}

/* The attempt's socket has an event: true when it is connected. */
static bool attempt_won(struct attempt *a)
{
	union address own;
	socklen_t own_len = sizeof(own), err_len = sizeof(int);
	int err = 0;

	memset(&own, 0, sizeof(own));
	if (getsockopt(a->fd, SOL_SOCKET, SO_ERROR, &err, &err_len) ||
	    getsockname(a->fd, &own.sa, &own_len))
		err = errno;
	/* nobody listens; the socket connected to itself: RFC 9293, 3.5, figure 7 */
	if (!err && same(&own, &a->addr))
		err = ECONNREFUSED;
	if (err)
		attempt_failed(a, err);
	return !err;
}

static const char *hint(int err, bool answered)
{
	if (!answered || err == ETIMEDOUT)
		return remedy_text(REMEDY_NO_ANSWER);
	if (err == EHOSTUNREACH || err == ENETUNREACH)
		return remedy_text(REMEDY_NO_ROUTE);
	return "nothing was connected";
}

/* Every address has failed: the error message has the error of each. */
static int dial_failed(const struct dialing *dial)
{
	char text[320] = "";
	size_t len = 0;
	int err = 0;

	for (size_t i = 0; i < dial->n; i++) {
		const struct attempt *a = &dial->attempts[i];
		char addr[64];

		name_address(addr, sizeof(addr), &a->addr);
		if (len < sizeof(text))
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s: %s",
						i ? "; " : "", addr,
						a->err ? strerror(a->err) : "no answer");
		if (a->err && (!err || a->err == ECONNREFUSED))
			err = a->err;
	}
	if (err == ECONNREFUSED)
		return err_set(-err,
			       "cannot connect to %s port %u (%s): no server is listening there: start \"%s\" there; %s",
			       dial->to->host, dial->to->port, text,
			       dial->to->start ? dial->to->start : "verbench serve",
			       remedy_advice(REMEDY_NO_SERVER));
	if (dial->to->from && (err == EADDRNOTAVAIL || err == EINVAL || err == EAFNOSUPPORT))
		return err_set(-err, "cannot connect to %s port %u from %s (%s): --bind takes an address of this host of the same family",
			       dial->to->host, dial->to->port, dial->to->from, text);
	return err_set(err ? -err : -ETIMEDOUT, "cannot connect to %s port %u (%s): %s", dial->to->host,
		       dial->to->port, text, hint(err, err != 0));
}

/* Tells once that no server is there yet: each address has failed, or none answers for long. */
static void tell_waiting(struct dialing *dial, uint64_t now_ns)
{
	size_t failed = 0;

	for (size_t i = 0; i < dial->n; i++)
		failed += dial->attempts[i].err != 0;
	if (dial->told || !dial->to->waiting ||
	    (failed < dial->n && now_ns - dial->start_ns < SILENT_MS * 1000000u))
		return;
	dial->told = true;
	dial->to->waiting(dial->to->arg, dial->to);
}

/* Starts attempts that are due, then waits. 1 + index of the one that is connected, 0, -errno. */
static int dial_round(struct dialing *dial)
{
	struct pollfd p[MAX_ADDRS + 1];
	const uint64_t now_ns = clock_ns();
	uint64_t wake_ns = now_ns + 1000000000u;
	size_t permanent = 0;

	for (size_t i = 0; i < dial->n; i++) {
		struct attempt *a = &dial->attempts[i];

		if (a->fd < 0 && !a->permanent && a->next_ns <= now_ns)
			attempt_start(a, &dial->from);
		permanent += a->permanent;
		if (a->fd < 0 && !a->permanent && a->next_ns < wake_ns)
			wake_ns = a->next_ns;
		p[i] = (struct pollfd){ .fd = a->fd, .events = POLLOUT };
	}
	if (dial->deadline_ns < wake_ns)
		wake_ns = dial->deadline_ns;
	if (permanent == dial->n || now_ns >= dial->deadline_ns)
		return dial_failed(dial);
	tell_waiting(dial, now_ns);
	p[dial->n] = (struct pollfd){ .fd = dial->to->signals_fd, .events = POLLIN };
	if (poll(p, (nfds_t)dial->n + 1,
		 wake_ns > now_ns ? (int)((wake_ns - now_ns) / 1000000u + 1) : 0) <= 0)
		return 0;
	if (p[dial->n].revents)
		return err_set(-EINTR, "interrupted while connecting to %s port %u", dial->to->host,
			       dial->to->port);
	for (size_t i = 0; i < dial->n; i++)
		if (p[i].revents && attempt_won(&dial->attempts[i]))
			return 1 + (int)i;
	return 0;
}

int ctl_dial(struct ctl *ctl, const struct ctl_dial *to)
{
	const uint64_t now_ns = clock_ns();
	struct dialing dial = {
		.to = to,
		.start_ns = now_ns,
		.deadline_ns = now_ns + to->timeout_ms * UINT64_C(1000000),
	};
	const struct ctl closed = CTL_CLOSED;
	int rc;

	*ctl = closed;
	rc = to->from ? read_own(&dial.from, to->from, 0) : 0;
	if (!rc)
		rc = resolve(&dial);
	while (!rc)
		rc = dial_round(&dial);
	for (size_t i = 0; i < dial.n; i++)
		if (dial.attempts[i].fd >= 0 && (int)i + 1 != rc)
			close(dial.attempts[i].fd);
	return rc < 0 ? rc : ctl_accept(ctl, dial.attempts[rc - 1].fd, to->signals_fd);
}

int ctl_connect(struct ctl *ctl, const char *host, uint32_t port, uint32_t timeout_ms,
		int signals_fd)
{
	return ctl_dial(ctl, &(struct ctl_dial){ .host = host, .port = port,
						 .timeout_ms = timeout_ms,
						 .signals_fd = signals_fd });
}

uint64_t ctl_rtt_ns(const struct ctl *ctl)
{
	struct tcp_info info;
	socklen_t len = sizeof(info);

	if (getsockopt(ctl->fd, IPPROTO_TCP, TCP_INFO, &info, &len))
		return 0;
	return info.tcpi_rtt * 1000ull;
}
