/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Makes control connections of connected sockets, and connects. Called by serve and session_client.
 * Must not read or write a byte of a connection: that is ctl.c. ctl_listen.c listens.
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

#include "control/ctl_address.h"
#include "remedy/remedy.h"
#include "util/clock.h"
#include "util/err.h"

#define MAX_ADDRS 8u
#define RETRY_MS 100u
#define SILENT_MS 1000u /* after so long without an answer from any address it is told, too */
/* Between the first tries of two addresses: of two that answer at once the first one wins. */
#define STAGGER_MS 50u

/* One address of the host and the attempt that is under way. */
struct attempt {
	union ctl_address addr;
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
	union ctl_address from; /* of this host; the family is 0 for any */
	size_t n;
	struct attempt attempts[MAX_ADDRS];
};

#define USER_TIMEOUT_MS 15000

/*
 * Small messages are sent at once. A host that has lost its power is noticed within 15 s: between
 * points, when no heartbeats are sent, by keepalive; with data that is not acknowledged by
 * TCP_USER_TIMEOUT, as keepalive then sends nothing (tcp(7)).
 */
static int set_options(int fd)
{
	if (ctl_set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1) ||
	    ctl_set_int(fd, SOL_SOCKET, SO_KEEPALIVE, 1) ||
	    ctl_set_int(fd, IPPROTO_TCP, TCP_KEEPIDLE, 5) ||
	    ctl_set_int(fd, IPPROTO_TCP, TCP_KEEPINTVL, 2) ||
	    ctl_set_int(fd, IPPROTO_TCP, TCP_KEEPCNT, 5) ||
	    ctl_set_int(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, USER_TIMEOUT_MS))
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
		snprintf(fresh.peer, sizeof(fresh.peer), "%s port %u", host, ctl_address_port(&peer));
	else
		snprintf(fresh.peer, sizeof(fresh.peer), "(no address)");
	fresh.fd = fd;
	fresh.signals_fd = signals_fd;
	*ctl = fresh;
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
	const struct remedy_words words = { .host = dial->to->host };
	struct addrinfo *list, *ai;
	char service[16], text[REMEDY_TEXT];
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
		return err_set_cause(-EHOSTUNREACH, remedy_name(REMEDY_NO_NAME), "host %s: %s: %s",
				     dial->to->host,
				     rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc),
				     remedy_fill(text, REMEDY_NO_NAME, &words));
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
static void attempt_start(struct attempt *a, const union ctl_address *from)
{
	a->fd = socket(a->addr.sa.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (a->fd < 0 || (from->sa.sa_family && bind(a->fd, &from->sa, ctl_address_length(from))) ||
	    (connect(a->fd, &a->addr.sa, a->len) && errno != EINPROGRESS))
		attempt_failed(a, errno);
}

/* Address and port are equal: of two of the same family. */
static bool same(const union ctl_address *a, const union ctl_address *b)
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
	union ctl_address own;
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

/* REMEDY_COUNT: none of the table. */
static enum remedy remedy_of(int err, bool answered)
{
	if (!answered || err == ETIMEDOUT)
		return REMEDY_NO_ANSWER;
	return err == EHOSTUNREACH || err == ENETUNREACH ? REMEDY_NO_ROUTE : REMEDY_COUNT;
}

/* A server that serves its own host only listens on these two: serve_listen_open(). */
static bool is_localhost(const union ctl_address *a)
{
	if (a->sa.sa_family == AF_INET)
		return a->in.sin_addr.s_addr == htonl(INADDR_LOOPBACK);
	return IN6_IS_ADDR_LOOPBACK(&a->in6.sin6_addr);
}

/* by: the first address that refused. The message has the command of a server for this host. */
static int refused(const struct dialing *dial, const struct attempt *by, const char *text)
{
	const struct ctl_dial *to = dial->to;
	const bool here = is_localhost(&by->addr), asks = !here && !to->open;
	const enum remedy remedy = here ? REMEDY_NO_SERVER_HERE : REMEDY_NO_SERVER;
	const struct remedy_words words = { .port = to->port };
	char advice[REMEDY_TEXT], own[64] = "RANGE";
	union ctl_address from = dial->from;

	if (asks && !from.sa.sa_family)
		ctl_address_towards(&from, &by->addr);
	if (from.sa.sa_family)
		ctl_address_name(own, sizeof(own), &from);
	own[strcspn(own, "%")] = '\0'; /* --allow takes no scope */
	return err_set_cause(-ECONNREFUSED, remedy_name(remedy),
			     "cannot connect to %s port %u (%s): %s: \"%s%s%s\"", to->host, to->port,
			     text, remedy_fill(advice, remedy, &words),
			     to->start ? to->start : "verbench serve", asks ? " --allow " : "",
			     asks ? own : "");
}

/* Every address has failed: the error message has the error of each. */
static int dial_failed(const struct dialing *dial)
{
	char text[320] = "", advice[REMEDY_TEXT], first[64];
	const struct remedy_words words = { .host = dial->to->host, .address = first,
					    .port = dial->to->port };
	const struct attempt *by = NULL;
	enum remedy remedy;
	size_t len = 0;
	int err = 0;

	for (size_t i = 0; i < dial->n; i++) {
		const struct attempt *a = &dial->attempts[i];
		char addr[64];

		ctl_address_name(addr, sizeof(addr), &a->addr);
		if (len < sizeof(text))
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s: %s",
						i ? "; " : "", addr,
						a->err ? strerror(a->err) : "no answer");
		if (a->err && (!err || a->err == ECONNREFUSED))
			err = a->err;
		if (!by && a->err == ECONNREFUSED)
			by = a;
	}
	if (by)
		return refused(dial, by, text);
	if (dial->to->from && (err == EADDRNOTAVAIL || err == EINVAL || err == EAFNOSUPPORT))
		return err_set(-err, "cannot connect to %s port %u from %s (%s): --bind takes an address of this host of the same family",
			       dial->to->host, dial->to->port, dial->to->from, text);
	ctl_address_name(first, sizeof(first), &dial->attempts[0].addr);
	remedy = remedy_of(err, err != 0);
	if (remedy == REMEDY_COUNT)
		return err_set(-err, "cannot connect to %s port %u (%s): nothing was connected",
			       dial->to->host, dial->to->port, text);
	return err_set_cause(err ? -err : -ETIMEDOUT, remedy_name(remedy),
			     "cannot connect to %s port %u (%s): %s", dial->to->host,
			     dial->to->port, text, remedy_fill(advice, remedy, &words));
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
	rc = to->from ? ctl_address_read(&dial.from, to->from, 0) : 0;
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
