/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The listening sockets of a server, and what happens to connections that have sent no plan: which
 * give way, which hosts are kept away, what the log says of them.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "access/access.h"
#include "serve/serve_state.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"
#include "util/minmax.h"
#include "util/text.h"
#include "wire/ctl.h"
#include "wire/ctl_socket.h"

#define IGNORED_LINES 10u      /* per IGNORED_NS; the others are only counted */
#define IGNORED_NS 60000000000u
#define BIND_ITEM_MAX 80u /* an address with the name of an interface, or only the name */

void serve_listen_close(struct serve_listen *l)
{
	while (l->n)
		close(l->fds[--l->n]);
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
	/* all listeners have one port, which the first one may have chosen */
	rc = ctl_listen(&l->fds[l->n], at, l->n ? serve_listen_port(l) : cfg->tcp_port);
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

/* Only this host reaches the sockets: does --allow have an address of it? */
static bool allows_this_host(const struct ranges *allow)
{
	static const uint8_t one[16] = { [15] = 1 };
	static const uint8_t one_ipv4[16] = { [10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1 };

	for (uint32_t i = 0; i < allow->n; i++)
		if (ranges_loopback(allow->rows[i].net))
			return true;
	return ranges_have(allow, one) || ranges_have(allow, one_ipv4);
}

static bool all_loopback(const struct serve_listen *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (!is_loopback(l->fds[i]))
			return false;
	return l->n;
}

/* where: "--bind ADDR" or the like, for the error message. */
static int check_open(const struct serve_listen *l, const struct cfg *cfg, const char *where)
{
	for (uint32_t i = 0; i < l->n && serve_listen_only_here(l, cfg); i++)
		if (!is_loopback(l->fds[i]))
			return err_set(-EINVAL, "%s: give --key FILE or --allow RANGE,... to say who may ask (--allow any: everybody)",
				       where);
	if (l->limited && all_loopback(l) && !allows_this_host(&l->allow))
		return err_set(-EINVAL, "--allow %s: nobody from there reaches a server that listens on this host only (%s)",
			       cfg->allow, where);
	return 0;
}

int serve_listen_allow(struct serve_listen *l, const struct cfg *cfg)
{
	struct serve_listen anew = *l;
	int rc;

	anew.limited = cfg->allow;
	rc = cfg->allow ? ranges_parse(&anew.allow, "--allow", cfg->allow) : 0;
	if (!rc)
		rc = check_open(&anew, cfg, "the server listens for other hosts");
	if (!rc)
		*l = anew;
	return rc;
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
	if (!rc)
		rc = check_open(l, cfg, "the socket of the service manager listens for other hosts");
	if (rc)
		serve_listen_close(l);
	return rc;
}

int serve_listen_open(struct serve_listen *l, const struct cfg *cfg)
{
	char where[ERR_TEXT_MAX / 2];
	int rc;

	if (cfg->bind)
		rc = listen_on_list(l, cfg);
	else if (serve_listen_only_here(l, cfg))
		rc = listen_on_loopback(l, cfg);
	else
		rc = listen_at(l, cfg, NULL);
	snprintf(where, sizeof(where), "--bind %s", cfg->bind ? cfg->bind : "");
	if (!rc)
		rc = check_open(l, cfg, where);
	if (rc)
		serve_listen_close(l);
	return rc;
}

bool serve_is_short(int err)
{
	return err == EMFILE || err == ENFILE || err == ENOBUFS || err == ENOMEM;
}

uint64_t serve_short_pause(struct serve *s, const char *what, int err)
{
	const uint64_t now_ns = clock_ns();

	if (!s->short_told_ns || now_ns - s->short_told_ns > IGNORED_NS) {
		log_error("cannot %s: %s; trying again", what, strerror(err));
		s->short_told_ns = now_ns;
	}
	return now_ns + SERVE_PAUSE_NS;
}

int serve_listen_accept(const struct serve_listen *l, uint32_t i, uint8_t peer_gid[16])
{
	const int fd = ctl_take(l->fds[i], peer_gid);

	if (fd < 0 || !l->limited || ranges_have(&l->allow, peer_gid))
		return fd;
	close(fd);
	return -EACCES;
}

const char *serve_listen_text(const struct serve_listen *l, char *text, size_t size)
{
	snprintf(text, size, "port %u of", serve_listen_port(l));
	for (uint32_t i = 0; i < l->n; i++) {
		char at[BIND_ITEM_MAX];

		ctl_listens_at(l->fds[i], at, sizeof(at));
		text_add(text, size, !i ? " " : i + 1 == l->n ? " and " : ", ", "%s", at);
	}
	return text;
}

/* ---- the log of connections without a plan */

void serve_refused_log_rest(struct serve *s)
{
	if (s->ignored > IGNORED_LINES)
		log_note("ignored %" PRIu64 " more connections", s->ignored - IGNORED_LINES);
	s->ignored = 0;
}

void serve_refused_log(struct serve *s, const char *peer, const char *reason)
{
	const uint64_t now_ns = clock_ns();

	if (now_ns - s->ignored_since_ns > IGNORED_NS) {
		serve_refused_log_rest(s);
		s->ignored_since_ns = now_ns;
	}
	if (s->ignored++ < IGNORED_LINES)
		log_note("ignored a connection from %s: %s", peer, reason);
}

/* ---- room */

static bool is_new(const struct serve_process *c)
{
	return c->state != SERVE_CHILD_CLIENT && !c->gone;
}

/* Connections without a plan; of: of this address only, or NULL. */
static uint32_t count_new(const struct serve *s, const uint8_t *of)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n; i++)
		n += is_new(&s->children[i]) &&
		     (!of || flood_same(s->children[i].host, of));
	return n;
}

/* The oldest connection without a plan of the address that has the most of them. */
static struct serve_process *most_of_one(struct serve *s)
{
	struct serve_process *oldest = NULL;
	uint32_t most = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		struct serve_process *c = &s->children[i];
		const uint32_t n = is_new(c) ? count_new(s, c->host) : 0;

		if (n > most) {
			oldest = c;
			most = n;
		}
	}
	return oldest;
}

static struct serve_process *oldest_of(struct serve *s, const uint8_t gid[16])
{
	for (uint32_t i = 0; i < s->n; i++)
		if (is_new(&s->children[i]) && flood_same(s->children[i].host, gid))
			return &s->children[i];
	return NULL;
}

struct serve_process *serve_pending_room(struct serve *s, const uint8_t gid[16])
{
	if (!flood_own(gid) && count_new(s, gid) >= SERVE_MAX_NEW_OF_ONE)
		return oldest_of(s, gid);
	if (count_new(s, NULL) >= serve_limits_new(s->cfg))
		return most_of_one(s);
	return NULL;
}

/* ---- the filter */

/*
 * A filter sees a segment from its TCP header on (tcp_filter() in net/ipv4/tcp_ipv4.c); the IP
 * header is at SKF_NET_OFF (Documentation/networking/filter.rst). It returns how many bytes are
 * kept.
 */
#define KEEP 0xffffffffu
#define V4_SOURCE 12u
#define V6_SOURCE 8u
#define MAX_STEPS (8u + 5u * FLOOD_MAX)

struct program {
	uint32_t n;
	struct sock_filter steps[MAX_STEPS];
};

static void put(struct program *p, uint32_t code, uint32_t k, uint32_t yes, uint32_t no)
{
	p->steps[p->n++] = (struct sock_filter){ .code = (uint16_t)code, .jt = (uint8_t)yes,
						 .jf = (uint8_t)no, .k = k };
}

static void load(struct program *p, uint32_t size, uint32_t off)
{
	put(p, BPF_LD | size | BPF_ABS, (uint32_t)SKF_NET_OFF + off, 0, 0);
}

static uint32_t word(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

static bool is_ipv4(const struct flood_address *row)
{
	return !word(row->net) && !word(row->net + 4) && word(row->net + 8) == 0xffff;
}

/* Drops the segment if the source is that of the row. */
static void put_row(struct program *p, const struct flood_address *row)
{
	if (is_ipv4(row)) {
		put(p, BPF_JMP | BPF_JEQ | BPF_K, word(row->net + 12), 0, 1);
	} else {
		load(p, BPF_W, V6_SOURCE);
		put(p, BPF_JMP | BPF_JEQ | BPF_K, word(row->net), 0, 3);
		load(p, BPF_W, V6_SOURCE + 4);
		put(p, BPF_JMP | BPF_JEQ | BPF_K, word(row->net + 4), 0, 1);
	}
	put(p, BPF_RET | BPF_K, 0, 0, 0);
}

/* The rows of one version of IP. Returns how many there are. */
static uint32_t put_rows(struct program *p, const struct floods *s, bool ipv4)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		if (!s->rows[i].out_ns || is_ipv4(&s->rows[i]) != ipv4)
			continue;
		put_row(p, &s->rows[i]);
		n++;
	}
	return n;
}

/* Returns how many addresses it drops. */
static uint32_t make(struct program *p, const struct floods *s)
{
	uint32_t n, version;

	p->n = 0;
	load(p, BPF_B, 0);
	put(p, BPF_ALU | BPF_RSH | BPF_K, 4, 0, 0);
	/* a jump that depends on something reaches 255 steps only */
	put(p, BPF_JMP | BPF_JEQ | BPF_K, 4, 1, 0);
	version = p->n;
	put(p, BPF_JMP | BPF_JA, 0, 0, 0);
	load(p, BPF_W, V4_SOURCE);
	n = put_rows(p, s, true);
	put(p, BPF_RET | BPF_K, KEEP, 0, 0);
	p->steps[version].k = p->n - version - 1;
	n += put_rows(p, s, false);
	put(p, BPF_RET | BPF_K, KEEP, 0, 0);
	return n;
}

void serve_flood_unfilter(int fd)
{
	int unused = 0;

	/* ENOENT: there is none */
	if (setsockopt(fd, SOL_SOCKET, SO_DETACH_FILTER, &unused, sizeof(unused)))
		errno = 0;
}

void serve_flood_filter(const struct serve *s)
{
	const struct serve_listen *l = &s->listen;
	struct program program;
	const uint32_t n = make(&program, &s->floods);
	const struct sock_fprog prog = { .len = (uint16_t)program.n, .filter = program.steps };

	for (uint32_t i = 0; i < l->n; i++) {
		if (!n)
			serve_flood_unfilter(l->fds[i]);
		else if (setsockopt(l->fds[i], SOL_SOCKET, SO_ATTACH_FILTER, &prog, sizeof(prog)))
			errno = 0;
	}
}
