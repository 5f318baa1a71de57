/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The parts of a control connection. Only for the files ctl*.c of this room. */
#ifndef CTL_INSIDE_H
#define CTL_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <jansson.h>

struct ctl;
struct ctl_tls_link;

#define HEAD_BYTES 4u /* of a frame: its length */

/* ---- ctl.c */

uint64_t ctl_deadline(uint32_t timeout_ms);

/*
 * 0 when the connection has one of events, -ETIMEDOUT, -EINTR for signals_fd. Calls alive each
 * second. Sets no error message.
 */
int ctl_wait(const struct ctl *ctl, short events, uint64_t deadline_ns)
	__attribute__((warn_unused_result));

/*
 * Closes the sending half of fd and reads to the end, for at most half a second: close(2) with
 * unread data sends a reset, and the peer may lose the data sent last.
 */
void ctl_linger(int fd);

/* ---- ctl_read.c */

/* As ctl_try_recv(), without alive. doing: " while waiting for limits", "". */
int ctl_read(struct ctl *ctl, json_t **msg, const char *doing) __attribute__((warn_unused_result));

/* -ECONNRESET and -EBADMSG with an error message. */
int ctl_gone(const struct ctl *ctl, const char *how, const char *doing);
int ctl_broken(const struct ctl *ctl, const char *what, const char *doing);

#define CTL_FIRST_BYTES 4u

/* Do the first bytes of a peer begin a TLS record of a handshake or an alert (RFC 8446, 5.1)? */
bool ctl_first_is_tls(const uint8_t bytes[CTL_FIRST_BYTES]);

/*
 * For a side with a key, when the bytes are not TLS. -EPROTOTYPE: perftest; -EACCES: a peer without
 * a key; with an error message.
 */
int ctl_first_plain(const struct ctl *ctl, const uint8_t bytes[CTL_FIRST_BYTES], bool server)
	__attribute__((warn_unused_result));

/* ---- ctl_tls.c */

/* As recv(2) and send(2), without blocking. EBADMSG: the data does not come from the peer. */
ssize_t ctl_tls_recv(struct ctl_tls_link *link, void *bytes, size_t len);
ssize_t ctl_tls_send(struct ctl_tls_link *link, const void *bytes, size_t len);

/* Is there buffered data that poll(2) does not report? */
bool ctl_tls_pending(const struct ctl_tls_link *link);

/* After EBADMSG: what the peer sent. */
const char *ctl_tls_what(const struct ctl_tls_link *link);

/* Accepts NULL. Sends nothing. */
void ctl_tls_end(struct ctl_tls_link *link);

#endif
