/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns what first bytes tell; see ctl_first.h. */
#include "config.h"
#include "control/ctl_first.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "util/err.h"
#include "util/text.h"

#define PERFTEST_VERSION 16u /* bytes that it sends first, with the closing zero: MAX_VERSION */
/* ContentType of RFC 8446, 5.1 */
#define TLS_ALERT 21u
#define TLS_HANDSHAKE 22u

/*
 * Both sides of perftest send the version of their package as their first bytes, "6.06" or "6.29"
 * and zeros: exchange_versions() in src/perftest_communication.c, MAX_VERSION in
 * src/perftest_parameters.h. As the length of a frame that is more than a frame may have.
 */
static bool is_perftest(const uint8_t bytes[CTL_FIRST_BYTES])
{
	uint32_t digits = 0, dots = 0;

	for (uint32_t i = 0; i < CTL_FIRST_BYTES; i++) {
		digits += bytes[i] >= '0' && bytes[i] <= '9';
		dots += bytes[i] == '.';
	}
	return bytes[0] != '.' && dots == 1 && digits + dots == CTL_FIRST_BYTES;
}

/* What is there of the rest of its version is only looked at: nothing more is read from it. */
static int refuse_perftest(int fd, const char *peer, const uint8_t bytes[CTL_FIRST_BYTES])
{
	char text[PERFTEST_VERSION] = "", clean[PERFTEST_VERSION];
	ssize_t more;

	memcpy(text, bytes, CTL_FIRST_BYTES);
	more = recv(fd, text + CTL_FIRST_BYTES, sizeof(text) - 1 - CTL_FIRST_BYTES,
		    MSG_DONTWAIT | MSG_PEEK);
	text[CTL_FIRST_BYTES + (more > 0 ? (size_t)more : 0)] = '\0';
	return err_set(-EPROTOTYPE, "the peer %s is perftest %s, not verbench: both sides must be the same program",
		       peer, text_clean(text, clean, sizeof(clean)));
}

bool ctl_first_is_tls(const uint8_t bytes[CTL_FIRST_BYTES])
{
	return (bytes[0] == TLS_ALERT || bytes[0] == TLS_HANDSHAKE) && bytes[1] == 3;
}

int ctl_first_check(int fd, const char *peer, const uint8_t bytes[CTL_FIRST_BYTES])
{
	if (is_perftest(bytes))
		return refuse_perftest(fd, peer, bytes);
	if (!ctl_first_is_tls(bytes))
		return 0;
	/* a server answers by an alert, a client begins with a handshake */
	if (bytes[0] == TLS_ALERT)
		return err_set(-EACCES, "the server %s asks for a key: give --key FILE here, with the file that it has",
			       peer);
	return err_set(-EACCES, "the client %s gives a key, and this server has none: start it with --key FILE",
		       peer);
}

int ctl_first_plain(int fd, const char *peer, const uint8_t bytes[CTL_FIRST_BYTES], bool server)
{
	if (is_perftest(bytes))
		return refuse_perftest(fd, peer, bytes);
	if (server)
		return err_set(-EACCES, "the peer %s gives no key: a client needs --key FILE, with the file that this server has",
			       peer);
	return err_set(-EACCES, "the server %s has no key: start it with --key FILE, or leave out --key here",
		       peer);
}
