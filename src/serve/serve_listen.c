/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the listening sockets of a server; see serve_listen.h. Called by serve.c. */
#include "config.h"
#include "serve/serve_listen.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "control/ctl.h"
#include "control/ctl_address.h"
#include "util/err.h"
#include "util/text.h"

#define BIND_ITEM_MAX 80u /* an address with the name of an interface, or only the name */

int serve_listen_prepare(struct serve_listen *l, const struct cfg *cfg, bool stays)
{
	memset(l, 0, sizeof(*l));
	l->stays = stays;
	l->limited = cfg->allow;
	return cfg->allow ? ranges_parse(&l->allow, "--allow", cfg->allow) : 0;
}

void serve_listen_close(struct serve_listen *l)
{
	while (l->n)
		close(l->fds[--l->n]);
}

/* All listeners have one port, which the first one may have chosen. */
static uint32_t port_of(const struct serve_listen *l, const struct cfg *cfg)
{
	char text[BIND_ITEM_MAX];

	return l->n ? ctl_listens_at(l->fds[0], text, sizeof(text)) : cfg->tcp_port;
}

uint32_t serve_listen_port(const struct serve_listen *l)
{
	char text[BIND_ITEM_MAX];

	return l->n ? ctl_listens_at(l->fds[0], text, sizeof(text)) : 0;
}

static int listen_at(struct serve_listen *l, const struct cfg *cfg, const char *at)
{
	int rc;

	if (l->n == SERVE_LISTEN_MAX)
		return err_set(-EINVAL, "--bind %s: more than %u addresses", cfg->bind,
			       SERVE_LISTEN_MAX);
	rc = ctl_listen(&l->fds[l->n], at, port_of(l, cfg));
	l->n += !rc;
	return rc;
}

/* Each address of the interface. */
static int listen_on_interface(struct serve_listen *l, const struct cfg *cfg, const char *name)
{
	const uint32_t before = l->n;
	struct ifaddrs *list;
	int rc = 0;

	if (getifaddrs(&list))
		return err_set(-errno, "--bind %s: %s", name, strerror(errno));
	for (const struct ifaddrs *i = list; i && !rc; i = i->ifa_next) {
		const int family = i->ifa_addr ? i->ifa_addr->sa_family : AF_UNSPEC;
		union ctl_address address;
		char at[BIND_ITEM_MAX];

		if (strcmp(i->ifa_name, name) || (family != AF_INET && family != AF_INET6))
			continue;
		memset(&address, 0, sizeof(address));
		memcpy(&address, i->ifa_addr,
		       family == AF_INET ? sizeof(address.in) : sizeof(address.in6));
		ctl_address_name(at, sizeof(at), &address);
		rc = listen_at(l, cfg, at);
	}
	freeifaddrs(list);
	if (!rc && l->n == before)
		return err_set(-EADDRNOTAVAIL, "--bind %s: the interface has no address", name);
	return rc;
}

static int listen_on_one(struct serve_listen *l, const struct cfg *cfg, const char *item)
{
	char clean[BIND_ITEM_MAX];
	union ctl_address address;

	if (!ctl_address_read(&address, item, 0))
		return listen_at(l, cfg, item);
	if (item[0] && if_nametoindex(item))
		return listen_on_interface(l, cfg, item);
	return err_set(-EINVAL, "--bind \"%s\": not an address such as 10.0.0.1 or fe80::1%%eth0, nor an interface of this host",
		       text_clean(item, clean, sizeof(clean)));
}

static int listen_on_list(struct serve_listen *l, const struct cfg *cfg)
{
	const char *end, *text = cfg->bind;
	int rc = 0;

	for (;; text = end + 1) {
		char item[BIND_ITEM_MAX];

		end = strchrnul(text, ',');
		snprintf(item, sizeof(item), "%.*s", (int)(end - text), text);
		rc = listen_on_one(l, cfg, item);
		if (rc || !*end)
			return rc;
	}
}

/* A host may have no IPv6. */
static int listen_on_loopback(struct serve_listen *l, const struct cfg *cfg)
{
	int rc = listen_at(l, cfg, "127.0.0.1");

	if (!rc)
		rc = listen_at(l, cfg, "::1");
	return ctl_no_ipv6(rc) && l->n ? 0 : rc;
}

static bool is_loopback(int fd)
{
	union ctl_address own;
	socklen_t len = sizeof(own);
	uint8_t gid[16];

	memset(&own, 0, sizeof(own));
	if (getsockname(fd, &own.sa, &len))
		return false;
	ctl_address_gid(gid, &own);
	return ranges_loopback(gid);
}

/* A server that stays up, and nothing says who may ask. */
bool serve_listen_only_here(const struct serve_listen *l, const struct cfg *cfg)
{
	return l->stays && !l->limited && !cfg->key;
}

static int check_open(const struct serve_listen *l, const struct cfg *cfg)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (serve_listen_only_here(l, cfg) && !is_loopback(l->fds[i]))
			return err_set(-EINVAL, "--bind %s: give --key FILE or --allow RANGE,... to say who may ask (--allow any: everybody)",
				       cfg->bind);
	return 0;
}

int serve_listen_allow(struct serve_listen *l, const struct cfg *cfg)
{
	struct serve_listen anew = { .stays = l->stays, .limited = cfg->allow };
	int rc = cfg->allow ? ranges_parse(&anew.allow, "--allow", cfg->allow) : 0;

	for (uint32_t i = 0; i < l->n && !rc; i++)
		if (serve_listen_only_here(&anew, cfg) && !is_loopback(l->fds[i]))
			rc = err_set(-EINVAL, "neither --key nor --allow is left, and the server listens for other hosts");
	if (rc)
		return rc;
	l->limited = anew.limited;
	l->allow = anew.allow;
	return 0;
}

static int adopt(struct serve_listen *l, int fd)
{
	int listens = 0, domain = 0;
	socklen_t len = sizeof(int);

	if (l->n == SERVE_LISTEN_MAX || getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) ||
	    !listens || getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) ||
	    (domain != AF_INET && domain != AF_INET6))
		return err_set(-EINVAL, "descriptor %d of the service manager is no TCP socket that listens (ListenStream=), or there are more than %u",
			       fd, SERVE_LISTEN_MAX);
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) || fcntl(fd, F_SETFL, O_NONBLOCK))
		return err_set(-errno, "descriptor %d of the service manager: %s", fd,
			       strerror(errno));
	l->fds[l->n++] = fd;
	return 0;
}

int serve_listen_adopt(struct serve_listen *l, const struct cfg *cfg, int first, uint32_t n)
{
	int rc = 0;

	for (uint32_t i = 0; i < n && !rc; i++)
		rc = adopt(l, first + (int)i);
	for (uint32_t i = 0; i < l->n && !rc; i++)
		if (serve_listen_only_here(l, cfg) && !is_loopback(l->fds[i]))
			rc = err_set(-EINVAL, "the socket of the service manager listens for other hosts: give --key FILE, or --allow RANGE,... to say who may ask");
	if (rc)
		serve_listen_close(l);
	return rc;
}

int serve_listen_open(struct serve_listen *l, const struct cfg *cfg)
{
	int rc;

	if (cfg->bind)
		rc = listen_on_list(l, cfg);
	else if (serve_listen_only_here(l, cfg))
		rc = listen_on_loopback(l, cfg);
	else
		rc = listen_at(l, cfg, NULL);
	if (!rc)
		rc = check_open(l, cfg);
	if (rc)
		serve_listen_close(l);
	return rc;
}

int serve_listen_accept(const struct serve_listen *l, uint32_t i, uint8_t peer_gid[16])
{
	const int fd = ctl_take(l->fds[i], peer_gid);

	if (fd < 0 || !l->limited || ranges_have(&l->allow, peer_gid))
		return fd;
	close(fd);
	return -EACCES;
}

const char *serve_listen_text(const struct serve_listen *l, const struct cfg *cfg, char *text,
			      size_t size)
{
	size_t len;

	len = (size_t)snprintf(text, size, "port %u of ", port_of(l, cfg));
	for (uint32_t i = 0; i < l->n && len < size; i++) {
		char at[BIND_ITEM_MAX];

		ctl_listens_at(l->fds[i], at, sizeof(at));
		len += (size_t)snprintf(text + len, size - len, "%s%s",
					!i ? "" : i + 1 == l->n ? " and " : ", ", at);
	}
	return text;
}
