/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the sockets of the status and their connections; see serve_status.h. Called by serve.c. Must
 * not know what is told: that is serve_report.c.
 */
#include "config.h"
#include "serve/serve_status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "control/ctl.h"
#include "control/ctl_address.h"
#include "service/status_place.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"

#define CLIENT_NS 2000000000u /* for question and answer together */
#define HTTP "HTTP/1.0 "

void serve_status_init(struct serve_status *st)
{
	memset(st, 0, sizeof(*st));
	st->own_fd = st->tcp_fd = -1;
	for (size_t i = 0; i < SERVE_STATUS_CLIENTS; i++)
		st->clients[i].fd = -1;
}

/* ---- opening */

/* "10.0.0.1:9100", "[::1]:9100", "9100": of this host alone. */
static int open_metrics(struct serve_status *st, const char *where)
{
	const char *colon = strrchr(where, ':');
	const char *digits = colon ? colon + 1 : where;
	const bool bracket = where[0] == '[' && colon > where && colon[-1] == ']';
	char at[64] = "127.0.0.1", *end;
	union ctl_address address;
	unsigned long port;

	port = strtoul(digits, &end, 10);
	if (colon)
		snprintf(at, sizeof(at), "%.*s", (int)(colon - where) - 2 * bracket,
			 where + bracket);
	if (*end || end == digits || !port || port > 65535 ||
	    (colon && !bracket && strchr(where, ':') != colon) || ctl_address_read(&address, at, 0))
		return err_set(-EINVAL, "--metrics \"%s\": not ADDRESS:PORT, such as 127.0.0.1:9100 or [::1]:9100",
			       where);
	return ctl_listen(&st->tcp_fd, at, (uint32_t)port);
}

int serve_status_open(struct serve_status *st, const struct cfg *cfg, uint32_t port)
{
	if (status_place_listen(&st->own_fd, st->path, sizeof(st->path), port)) {
		log_note("no status: %s", err_text());
		err_clear();
	}
	return cfg->metrics ? open_metrics(st, cfg->metrics) : 0;
}

static void close_client(struct serve_status_client *c)
{
	if (c->fd >= 0)
		close(c->fd);
	free(c->out);
	*c = (struct serve_status_client){ .fd = -1 };
}

void serve_status_close(struct serve_status *st, bool leave)
{
	for (size_t i = 0; i < SERVE_STATUS_CLIENTS; i++)
		close_client(&st->clients[i]);
	if (st->own_fd >= 0 && !leave)
		unlink(st->path);
	if (st->own_fd >= 0)
		close(st->own_fd);
	if (st->tcp_fd >= 0)
		close(st->tcp_fd);
	st->own_fd = st->tcp_fd = -1;
}

/* ---- connections */

/* A place for one more: the oldest one has had its time. */
static struct serve_status_client *find_place(struct serve_status *st)
{
	struct serve_status_client *oldest = &st->clients[0];

	for (size_t i = 0; i < SERVE_STATUS_CLIENTS; i++) {
		if (st->clients[i].fd < 0)
			return &st->clients[i];
		if (st->clients[i].until_ns < oldest->until_ns)
			oldest = &st->clients[i];
	}
	close_client(oldest);
	return oldest;
}

static void take(struct serve_status *st, int listener, bool owner)
{
	const int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct serve_status_client *c;

	if (fd < 0)
		return;
	if (owner && !status_place_is_owner(fd)) {
		close(fd);
		return;
	}
	c = find_place(st);
	c->fd = fd;
	c->owner = owner;
	c->until_ns = clock_ns() + CLIENT_NS;
}

static bool begins(const struct serve_status_client *c, const char *text)
{
	return !strncmp(c->in, text, strlen(text));
}

/* Is the question whole? A line; of HTTP all lines of its head. */
static bool is_whole(const struct serve_status_client *c)
{
	if (begins(c, "json\n") || begins(c, "metrics\n"))
		return true;
	return strstr(c->in, "\r\n\r\n") || strstr(c->in, "\n\n");
}

/* RFC 1945. body NULL: no memory, or nothing is there; freed here. */
static char *http(const char *status, const char *type, char *body)
{
	char *text = NULL;

	if (asprintf(&text, HTTP "%s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n%s",
		     status, type, body ? strlen(body) : 0, body ? body : "") < 0)
		text = NULL;
	free(body);
	return text;
}

static char *answer(const struct serve_status_client *c, const struct serve_status_source *source)
{
	static const char plain[] = "text/plain; version=0.0.4; charset=utf-8";

	if (c->owner && begins(c, "json\n"))
		return source->text(source->arg, SERVE_STATUS_JSON);
	if (c->owner && begins(c, "metrics\n"))
		return source->text(source->arg, SERVE_STATUS_METRICS);
	if (begins(c, "GET /metrics ") || begins(c, "GET /metrics?"))
		return http("200 OK", plain, source->text(source->arg, SERVE_STATUS_METRICS));
	if (c->owner && begins(c, "GET /status "))
		return http("200 OK", "application/json",
			    source->text(source->arg, SERVE_STATUS_JSON));
	if (begins(c, "GET "))
		return http("404 Not Found", "text/plain", NULL);
	return http("400 Bad Request", "text/plain", NULL);
}

/* False: it is over. */
static bool ask(struct serve_status_client *c, const struct serve_status_source *source)
{
	const ssize_t n = recv(c->fd, c->in + c->in_len, sizeof(c->in) - 1 - c->in_len,
			       MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	c->in_len += (size_t)n;
	c->in[c->in_len] = '\0';
	if (!is_whole(c) && n && c->in_len < sizeof(c->in) - 1)
		return true;
	if (!is_whole(c))
		return false;
	c->out = answer(c, source);
	c->out_len = c->out ? strlen(c->out) : 0;
	return c->out;
}

/* False: it is over. */
static bool tell(struct serve_status_client *c)
{
	const ssize_t n = send(c->fd, c->out + c->out_at, c->out_len - c->out_at,
			       MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	c->out_at += (size_t)n;
	return c->out_at < c->out_len;
}

/* ---- in the loop of the server */

uint64_t serve_status_polls(const struct serve_status *st, struct pollfd *p)
{
	uint64_t next_ns = UINT64_MAX;

	p[0] = (struct pollfd){ .fd = st->own_fd, .events = POLLIN };
	p[1] = (struct pollfd){ .fd = st->tcp_fd, .events = POLLIN };
	for (size_t i = 0; i < SERVE_STATUS_CLIENTS; i++) {
		const struct serve_status_client *c = &st->clients[i];

		p[2 + i] = (struct pollfd){ .fd = c->fd, .events = c->out ? POLLOUT : POLLIN };
		if (c->fd >= 0 && c->until_ns < next_ns)
			next_ns = c->until_ns;
	}
	return next_ns;
}

void serve_status_handle(struct serve_status *st, const struct pollfd *p,
			 const struct serve_status_source *source)
{
	const uint64_t now_ns = clock_ns();

	for (size_t i = 0; i < SERVE_STATUS_CLIENTS; i++) {
		struct serve_status_client *c = &st->clients[i];
		bool goes_on = c->fd >= 0 && now_ns < c->until_ns;

		if (goes_on && p[2 + i].revents && !c->out)
			goes_on = ask(c, source);
		if (goes_on && c->out)
			goes_on = tell(c);
		if (c->fd >= 0 && !goes_on)
			close_client(c);
	}
	if (p[0].revents)
		take(st, st->own_fd, true);
	if (p[1].revents)
		take(st, st->tcp_fd, false);
}
