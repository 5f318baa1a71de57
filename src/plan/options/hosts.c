/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Parses and prints a host with a port. */
#include "config.h"
#include "options/hosts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"

static int read_port(uint32_t *port, const char *digits, const char *text)
{
	const size_t n = strspn(digits, "0123456789");
	const unsigned long value = n && n <= 5 ? strtoul(digits, NULL, 10) : 0;

	if (digits[n] || !value || value > 65535)
		return err_set(-EINVAL, "host \"%s\": the port is \"%s\"; allowed: 1..65535", text,
			       digits);
	*port = (uint32_t)value;
	return 0;
}

/* *end: after the host, "" or ":PORT". NULL: a bracket is missing. */
static const char *find_end(const char **host, size_t *len, const char *text)
{
	const char *colon = strchr(text, ':'), *close;

	*host = text;
	if (text[0] == '[') {
		close = strchr(text, ']');
		*host = text + 1;
		*len = close ? (size_t)(close - *host) : 0;
		return close && (!close[1] || close[1] == ':') ? close + 1 : NULL;
	}
	/* several colons without brackets: an IPv6 address */
	if (!colon || strchr(colon + 1, ':'))
		colon = text + strlen(text);
	*len = (size_t)(colon - text);
	return colon;
}

int hosts_parse(struct hosts_one *one, const char *text, uint32_t port)
{
	const char *host, *end;
	size_t len;

	end = find_end(&host, &len, text);
	if (!end)
		return err_set(-EINVAL, "host \"%s\": expected [ADDRESS] or [ADDRESS]:PORT", text);
	if (!len)
		return err_set(-EINVAL, "\"%s\": the host is empty", text);
	if (len >= sizeof(one->host))
		return err_set(-EINVAL, "host \"%.20s...\" has %zu characters; allowed: 1..%zu",
			       host, len, sizeof(one->host) - 1);
	memcpy(one->host, host, len);
	one->host[len] = '\0';
	one->port = port;
	return *end ? read_port(&one->port, end + 1, text) : 0;
}

int hosts_check(const char *text, uint32_t port)
{
	struct hosts_one one;
	int rc = hosts_parse(&one, text, 0);

	if (rc || !port || !one.port || one.port == port)
		return rc;
	return err_set(-EINVAL, "host \"%s\" and -p (--port) %u: two different ports for one server",
		       text, port);
}

const char *hosts_text(const struct hosts_one *one, char text[HOSTS_TEXT])
{
	const bool v6 = strchr(one->host, ':');

	snprintf(text, HOSTS_TEXT, "%s%s%s:%u", v6 ? "[" : "", one->host, v6 ? "]" : "", one->port);
	return text;
}
