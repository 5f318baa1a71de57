/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The sockets of control connections, IPv4 and IPv6: connecting, listening, and addresses as a
 * socket address, as text and as a GID.
 */
#ifndef CTL_SOCKET_H
#define CTL_SOCKET_H

#include <netinet/in.h>
#include <sys/socket.h>

#include "wire/ctl.h"

/* ---- ctl_dial.c */

/* Where to connect, and a callback for when no server is there yet. */
struct ctl_dial {
	const char *host;
	uint32_t port;
	uint32_t timeout_ms;
	int signals_fd;
	const char *from;      /* address of this host to connect from; NULL: any */
	const char *start;     /* the command that starts the server there, for the error message */
	bool open;             /* that server accepts other hosts, without --allow */
	/* Called once, when no address has a server yet and the connection is retried; or NULL. */
	void (*waiting)(const void *arg, const struct ctl_dial *dial);
	const void *arg;
};

/*
 * Connects to host (name or address, every address is tried), again and again until timeout_ms have
 * passed, so that either side may be started first. On failure the error message has the error of
 * each address and a hint: -ETIMEDOUT, -ECONNREFUSED, -EHOSTUNREACH, ...
 */
int ctl_dial(struct ctl *ctl, const struct ctl_dial *dial) __attribute__((warn_unused_result));

/* ---- ctl_socket.c */

/*
 * Listening socket on the address at of this host; NULL: all addresses, dual stack if IPv6 is
 * available. Port 0: any. -EADDRINUSE, -EINVAL (at is no address), ... with an error message.
 */
int ctl_listen(int *fd, const char *at, uint32_t port) __attribute__((warn_unused_result));

/* Does this error of listening mean that the host has no IPv6, or no IPv6 address? */
bool ctl_no_ipv6(int rc);

/*
 * Accepts a connection, non-blocking; peer_gid: its address as in struct ctl. Returns the
 * descriptor, or -errno without an error message.
 */
int ctl_take(int listener, uint8_t peer_gid[16]) __attribute__((warn_unused_result));

/* The port of a listening socket, 0: unknown; text: its address, "all addresses". */
uint32_t ctl_listens_at(int listener, char *text, size_t size);

/* Takes over a connected socket, which must be non-blocking; closes it on error. */
int ctl_accept(struct ctl *ctl, int fd, int signals_fd) __attribute__((warn_unused_result));

union ctl_address {
	struct sockaddr sa;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_storage storage;
};

socklen_t ctl_address_length(const union ctl_address *a);

/* Numeric, without the port; IPv4-mapped IPv6 as plain IPv4. */
void ctl_address_name(char *text, size_t size, const union ctl_address *a);

/* As a GID: IPv4 mapped as ::ffff:a.b.c.d; zeros for another family. */
void ctl_address_gid(uint8_t gid[16], const union ctl_address *a);

/* Reads an address of this host, not a name: for option --bind. -EINVAL with an error message. */
int ctl_address_read(union ctl_address *a, const char *text, uint32_t port)
	__attribute__((warn_unused_result));

#endif
