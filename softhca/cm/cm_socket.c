/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Sockets and messages; see cm_socket.h. With cm_local.c the only file with sockets. */
#include "config.h"
#include "cm/cm_socket.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hca.h"
#include "cm/cm_addr.h"

#define TYPE (SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK)

/* The ports that Linux gives by itself (net.ipv4.ip_local_port_range). */
enum { PORT_FIRST = 32768, PORT_LAST = 60999, PORT_TRIES = 256, PORT_PRIVILEGED = 1024 };

/* Bytes of a name, with the final zero. */
enum { NAME_BYTES = 107 };

_Static_assert(NAME_BYTES < sizeof(((struct sockaddr_un *)0)->sun_path), "a name fits");

/* The address of the name, and its length. */
static uint32_t address_of(struct sockaddr_un *addr, const char *name)
{
	size_t len = strlen(name);

	*addr = (struct sockaddr_un) { .sun_family = AF_UNIX };
	memcpy(addr->sun_path + 1, name, len);
	return (uint32_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len);
}

/* A port of a node; 0: of processes without one. */
struct place {
	uint32_t node;
	uint16_t ps, port;
};

static void name_of_port(struct place at, char name[NAME_BYTES])
{
	char node[16] = "";

	if (at.node)
		snprintf(node, sizeof(node), ".%u", at.node);
	snprintf(name, NAME_BYTES, "vb-softhca/%u/%s%s/cm/%x/%u/", (unsigned int)geteuid(),
		 hca_settings()->fabric, node, at.ps, at.port);
}

static void name_of(struct place at, const char *key, char name[NAME_BYTES])
{
	name_of_port(at, name);
	strncat(name, key, NAME_BYTES - 1 - strlen(name));
}

/* Whether a socket on one of the addresses takes connections for the other one, too. */
static bool overlap(const char *a, const char *b)
{
	if (!strcmp(a, b) || *a == '*' || *b == '*')
		return true;
	return *a == *b && (a[1] == '*' || b[1] == '*');
}

/*
 * Whether the socket of a line of /proc/net/unix is connected: the socket that accept(2) returns
 * also shows the name of its listener.
 */
static bool is_connected(const char *line)
{
	unsigned int state;

	return sscanf(line, "%*s %*s %*s %*s %*s %x", &state) == 1 && state == 3; /* SS_CONNECTED */
}

/* How many names of the port have a key that overlaps. */
static uint32_t count_conflicts(struct place at, const char *key)
{
	char line[512], want[NAME_BYTES + 1] = "@";
	FILE *f = fopen("/proc/net/unix", "re");
	uint32_t n = 0;

	if (!f)
		return 0;
	name_of_port(at, want + 1);
	while (fgets(line, sizeof(line), f)) {
		const char *name = strstr(line, want);

		line[strcspn(line, "\n")] = '\0';
		n += name && !is_connected(line) && overlap(name + strlen(want), key);
	}
	fclose(f);
	return n;
}

static int take(struct place at, const char *key)
{
	struct sockaddr_un addr;
	char name[NAME_BYTES];
	int fd, rc;

	name_of(at, key, name);
	fd = socket(AF_UNIX, TYPE, 0);
	if (fd < 0)
		return -errno;
	rc = bind(fd, (struct sockaddr *)&addr, address_of(&addr, name)) ? -errno : 0;
	/* besides this socket, one has a name that overlaps, or this name */
	if (rc ? rc == -EADDRINUSE && strchr(key, '*') : count_conflicts(at, key) > 1)
		rc = -EADDRNOTAVAIL;
	if (rc)
		close(fd);
	return rc ? rc : fd;
}

uint16_t cm_socket_port(void)
{
	if (!hca.cm.next_port)
		hca.cm.next_port = (uint32_t)(clock_now() >> 10) ^ (uint32_t)getpid() * 2654435761u;
	return (uint16_t)(PORT_FIRST + hca.cm.next_port++ % (PORT_LAST - PORT_FIRST + 1));
}

bool cm_socket_is_taken(int rc)
{
	return rc == -EADDRINUSE || rc == -EADDRNOTAVAIL;
}

int cm_socket_bind(struct cm_id *id)
{
	struct place at = { id->at.node, id->ps, cm_addr_port(&id->src) };
	char key[CM_ADDR_KEY];
	int fd = -EADDRNOTAVAIL;

	cm_addr_key(&id->src, id->afonly, key);
	if (at.port && at.port < PORT_PRIVILEGED && geteuid())
		return -EACCES;
	if (at.port)
		return take(at, key);
	for (int i = 0; i < PORT_TRIES && cm_socket_is_taken(fd); i++) {
		at.port = cm_socket_port();
		fd = take(at, key);
	}
	if (fd >= 0)
		cm_addr_set_port(&id->src, at.port);
	return fd;
}

int cm_socket_listen(int fd, int backlog)
{
	return listen(fd, backlog) ? -errno : 0;
}

/* Names in the abstract socket space are open to all users of the machine; connections are not. */
static bool is_of_user(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) && peer.uid == geteuid();
}

int cm_socket_accept(int fd)
{
	for (;;) {
		int new = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (new < 0)
			return -errno;
		if (is_of_user(new))
			return new;
		close(new); /* the next one may be ours */
	}
}

static int connect_to(const char *name)
{
	struct sockaddr_un addr;
	uint32_t len = address_of(&addr, name);
	int fd = socket(AF_UNIX, TYPE, 0), rc;

	if (fd < 0)
		return -errno;
	rc = connect(fd, (struct sockaddr *)&addr, len) ? -errno : 0;
	if (!rc && is_of_user(fd))
		return fd;
	rc = rc ? rc : -ECONNREFUSED; /* another user listens: nobody of this user does */
	close(fd);
	return rc;
}

/* The most exact address first. */
int cm_socket_connect(const struct cm_id *id)
{
	char exact[CM_ADDR_KEY];
	const char *const keys[] = { exact, id->dst.ss_family == AF_INET ? "4*" : "6*", "*" };
	const struct place at = { id->to.node, id->ps, cm_addr_port(&id->dst) };
	int fd = -ECONNREFUSED;

	cm_addr_key(&id->dst, true, exact);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && fd == -ECONNREFUSED; i++) {
		char name[NAME_BYTES];

		name_of(at, keys[i], name);
		fd = connect_to(name);
	}
	return fd;
}

void cm_socket_send(int fd, const struct cm_msg *msg)
{
	if (fd >= 0)
		(void)!send(fd, msg, sizeof(*msg), MSG_NOSIGNAL);
}

int cm_socket_receive(int fd, struct cm_msg *msg)
{
	for (;;) {
		ssize_t n = recv(fd, msg, sizeof(*msg), 0);

		if (n == (ssize_t)sizeof(*msg))
			return 1;
		/* the peer has closed without reading all; what it sent before comes next */
		if (n < 0 && (errno == EINTR || errno == ECONNRESET))
			continue;
		return n < 0 && errno == EAGAIN ? -EAGAIN : 0;
	}
}
