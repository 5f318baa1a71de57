/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The proof that both sides have the same key, and what then protects every byte of the control
 * connection: TLS 1.3 with an external PSK and (EC)DHE (RFC 8446, 2.2), no certificates, no
 * tickets, no early data. Nothing else is spoken by a side that has a key.
 */
#ifndef CTL_TLS_H
#define CTL_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ctl_tls;      /* a key as libssl has it, for any number of connections */
struct ctl_tls_link; /* one connection */

/* Reads the key (access/key.h). With an error message. */
int ctl_tls_open(struct ctl_tls **tls, const char *path) __attribute__((warn_unused_result));

/* Accepts NULL. */
void ctl_tls_close(struct ctl_tls *tls);

/* A connection that is not proved yet. */
struct ctl_tls_new {
	int fd;                /* non-blocking */
	int signals_fd;        /* as in struct ctl */
	const char *peer;      /* for messages */
	bool server;
	uint32_t timeout_ms;
};

/* As ctl_prove(); *link is the caller's to end. */
int ctl_tls_prove(struct ctl_tls_link **link, const struct ctl_tls *tls,
		  const struct ctl_tls_new *conn) __attribute__((warn_unused_result));

/* As recv(2) and send(2), without blocking. EBADMSG: what came is not of the peer. */
ssize_t ctl_tls_recv(struct ctl_tls_link *link, void *bytes, size_t len);
ssize_t ctl_tls_send(struct ctl_tls_link *link, const void *bytes, size_t len);

/* Is there something that poll(2) does not tell of? */
bool ctl_tls_pending(const struct ctl_tls_link *link);

/* After EBADMSG: what the peer sent. */
const char *ctl_tls_what(const struct ctl_tls_link *link);

/* Accepts NULL. Sends nothing. */
void ctl_tls_end(struct ctl_tls_link *link);

#endif
