/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Connects to a server: every address of its host, again and again. */
#include "config.h"
#include "wire/ctl_socket.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "causes/remedy.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/minmax.h"

#define MAX_ADDRS 8u
#define RETRY_MS 100u
#define SILENT_MS 1000u /* without any answer for this long, waiting is reported too */
/* Between the first attempts on two addresses: of two that answer at once the first one wins. */
#define STAGGER_MS 50u

/* An address of the host and its current attempt. */
struct attempt {
	union ctl_address addr;
	int fd;             /* -1: none */
	int err;            /* of the last attempt, 0 none has ended */
	uint64_t next_ns;   /* not before */
};

/* A dial in progress. */
struct dialing {
	const struct ctl_dial *to;
	uint64_t start_ns, deadline_ns;
	bool reported;      /* that it waits */
	union ctl_address from; /* of this host; family 0: any */
	size_t n;
	struct attempt attempts[MAX_ADDRS];
};

/* Is this error permanent, even if the server is started later? 0: there is none. */
static bool stays(int err)
{
	return err && err != ECONNREFUSED && err != ETIMEDOUT && err != EHOSTUNREACH &&
	       err != ECONNRESET && err != EAGAIN && err != ENETDOWN;
}

/* Fills dial->attempts. The resolver has its own configured deadline (resolv.conf(5)). */
static int resolve(struct dialing *dial)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
	const struct remedy_words words = { .host = dial->to->host };
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
		return remedy_error(-EHOSTUNREACH, rc == EAI_AGAIN ? REMEDY_NO_DNS : REMEDY_NO_NAME,
				    &words, "host %s: %s", dial->to->host,
				    rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc));
	for (ai = list; ai && dial->n < MAX_ADDRS; ai = ai->ai_next) {
		struct attempt *a = &dial->attempts[dial->n];

		if (ai->ai_addrlen > sizeof(a->addr))
			continue;
		memcpy(&a->addr, ai->ai_addr, ai->ai_addrlen);
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
	a->next_ns = clock_ns() + RETRY_MS * 1000000u;
}

/* from: of this host; family 0 is any; a family other than the host's fails in bind(). */
static void attempt_start(struct attempt *a, const union ctl_address *from)
{
	a->fd = socket(a->addr.sa.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (a->fd < 0 || (from->sa.sa_family && bind(a->fd, &from->sa, ctl_address_length(from))) ||
	    (connect(a->fd, &a->addr.sa, ctl_address_length(&a->addr)) && errno != EINPROGRESS))
		attempt_failed(a, errno);
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
	/* no server listens; the socket connected to itself: RFC 9293, 3.5, figure 7 */
	if (!err && !memcmp(&own, &a->addr, own_len))
		err = ECONNREFUSED;
	if (err)
		attempt_failed(a, err);
	return !err;
}

/* A server only for its own host listens on these two: serve_listen_open(). */
static bool is_localhost(const union ctl_address *a)
{
	if (a->sa.sa_family == AF_INET)
		return a->in.sin_addr.s_addr == htonl(INADDR_LOOPBACK);
	return IN6_IS_ADDR_LOOPBACK(&a->in6.sin6_addr);
}

/* The source address that the host `to` sees; family 0: unknown. Sends nothing. */
static void address_towards(union ctl_address *own, const union ctl_address *to)
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

/*
 * by: the first address that refused. The message has the command that starts a server for this
 * host.
 */
static int refused(const struct dialing *dial, const struct attempt *by, const char *text)
{
	const struct ctl_dial *to = dial->to;
	const bool here = is_localhost(&by->addr), asks = !here && !to->open;
	const enum remedy remedy = here ? REMEDY_NO_SERVER_HERE : REMEDY_NO_SERVER;
	const struct remedy_words words = { .port = to->port };
	union ctl_address from = dial->from;
	char own[64] = "RANGE";
	struct err err;

	if (asks && !from.sa.sa_family)
		address_towards(&from, &by->addr);
	if (from.sa.sa_family)
		ctl_address_name(own, sizeof(own), &from);
	own[strcspn(own, "%")] = '\0'; /* --allow accepts no scope */
	remedy_error(-ECONNREFUSED, remedy, &words, "cannot connect to %s port %u (%s)", to->host,
		     to->port, text);
	err = err_keep();
	return err_advise(-ECONNREFUSED, "%s: \"%s%s%s\"", err.advice,
			  to->start ? to->start : "verbench serve", asks ? " --allow " : "",
			  asks ? own : "");
}

/* Every address has failed: the error message has the error of each. */
static int dial_failed(const struct dialing *dial)
{
	char text[320] = "", first[64];
	const struct remedy_words words = { .host = dial->to->host, .address = first,
					    .port = dial->to->port };
	enum remedy remedy = REMEDY_NO_ANSWER;
	const struct attempt *by = NULL;
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
	if (err == EHOSTUNREACH || err == ENETUNREACH)
		remedy = REMEDY_NO_ROUTE;
	else if (err && err != ETIMEDOUT)
		return err_set(-err, "cannot connect to %s port %u (%s): nothing was connected",
			       dial->to->host, dial->to->port, text);
	return remedy_error(err ? -err : -ETIMEDOUT, remedy, &words,
			    "cannot connect to %s port %u (%s)", dial->to->host, dial->to->port,
			    text);
}

/*
 * Starts attempts that are due, then waits. 1 + index of the connected one, 0, -errno. A process
 * that had no processor until the deadline still hears of what it has begun.
 */
static int dial_round(struct dialing *dial)
{
	struct pollfd p[MAX_ADDRS + 1];
	const uint64_t now_ns = clock_ns();
	uint64_t wake_ns = min_u64(now_ns + 1000000000u, dial->deadline_ns);
	const bool late = now_ns >= dial->deadline_ns;
	size_t failed = 0, permanent = 0;
	int ready;

	for (size_t i = 0; i < dial->n; i++) {
		struct attempt *a = &dial->attempts[i];

		if (a->fd < 0 && !stays(a->err) && a->next_ns <= now_ns)
			attempt_start(a, &dial->from);
		if (a->fd < 0 && !stays(a->err))
			wake_ns = min_u64(wake_ns, a->next_ns);
		failed += a->err != 0;
		permanent += stays(a->err);
		p[i] = (struct pollfd){ .fd = a->fd, .events = POLLOUT };
	}
	if (permanent == dial->n)
		return dial_failed(dial);
	/* once: each address has failed, or none answers for long */
	if (!late && !dial->reported && dial->to->waiting &&
	    (failed == dial->n || now_ns - dial->start_ns >= SILENT_MS * 1000000u)) {
		dial->reported = true;
		dial->to->waiting(dial->to->arg, dial->to);
	}
	p[dial->n] = (struct pollfd){ .fd = dial->to->signals_fd, .events = POLLIN };
	ready = poll(p, (nfds_t)dial->n + 1,
		     wake_ns > now_ns ? (int)((wake_ns - now_ns) / 1000000u + 1) : 0);
	if (ready > 0 && p[dial->n].revents)
		return err_set(-EINTR, "interrupted while connecting to %s port %u", dial->to->host,
			       dial->to->port);
	for (size_t i = 0; i < dial->n && ready > 0; i++)
		if (p[i].revents && attempt_won(&dial->attempts[i]))
			return 1 + (int)i;
	return late ? dial_failed(dial) : 0;
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
