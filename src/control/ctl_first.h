/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What the first bytes of a peer tell: it is perftest, or it gives a key and this side has none, or
 * the other way round. For the files of control.
 */
#ifndef CTL_FIRST_H
#define CTL_FIRST_H

#include <stdbool.h>
#include <stdint.h>

#define CTL_FIRST_BYTES 4u

/*
 * Of a side without a key; fd: the connection, of which nothing is read. 0: they may be the length
 * of a frame. -EPROTOTYPE: perftest; -EACCES: TLS; with an error message.
 */
int ctl_first_check(int fd, const char *peer, const uint8_t bytes[CTL_FIRST_BYTES])
	__attribute__((warn_unused_result));

/* Of a side with a key: they are not TLS. The same, but -EACCES is a peer without a key. */
int ctl_first_plain(int fd, const char *peer, const uint8_t bytes[CTL_FIRST_BYTES], bool server)
	__attribute__((warn_unused_result));

/* Do they begin a record of TLS, a handshake or an alert (RFC 8446, 5.1)? */
bool ctl_first_is_tls(const uint8_t bytes[CTL_FIRST_BYTES]);

#endif
