/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns who may take part in a mesh: keys and addresses; see mesh.h. */
#include "config.h"
#include "mesh/mesh.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/err.h"
#include "util/must.h"
#include "wire/key.h"

#define KEY_VARIABLE "VERBENCH_KEY"
#define KEY_ROOM 128 /* more than a key has, so that a longer one is refused */

static bool is_this_host(const char *host)
{
	struct in6_addr six;
	struct in_addr four;

	if (inet_pton(AF_INET, host, &four) == 1)
		return ntohl(four.s_addr) >> 24 == 127;
	return !strcmp(host, "localhost") ||
	       (inet_pton(AF_INET6, host, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six));
}

/* A line of standard input, which a launcher gives to all agents. */
static int read_input(char text[KEY_ROOM])
{
	size_t n = 0;
	ssize_t got = 1;

	while (n < KEY_ROOM - 1 && got > 0 && (!n || text[n - 1] != '\n')) {
		got = read(STDIN_FILENO, text + n, 1);
		n += got > 0;
	}
	text[n] = '\0';
	return n ? 0 : err_option(-EINVAL, "--key", "-: standard input has no key");
}

/* The environment of a process can be read by its user; what is read is overwritten. */
static void take_variable(char text[KEY_ROOM])
{
	char *value = getenv(KEY_VARIABLE);

	text[0] = '\0';
	if (!value)
		return;
	snprintf(text, KEY_ROOM, "%s", value);
	explicit_bzero(value, strlen(value));
	unsetenv(KEY_VARIABLE);
}

/* text: of the key that is in no file; else empty. */
static int find_key(const struct cfg *cfg, struct key_place *place, char text[KEY_ROOM])
{
	*place = (struct key_place){ .path = cfg->key };
	take_variable(text);
	if (cfg->key && strcmp(cfg->key, "-")) {
		text[0] = '\0';
		return 0;
	}
	if (cfg->key) {
		*place = (struct key_place){ .path = "-", .text = text };
		return read_input(text);
	}
	if (text[0]) {
		*place = (struct key_place){ .path = KEY_VARIABLE, .text = text };
	} else if (cfg->via && !cfg->allow) {
		*place = (struct key_place){ .path = "of --via", .text = text };
		return key_random(text);
	}
	return 0;
}

static int read_key(struct mesh *m)
{
	struct key_place place;
	char text[KEY_ROOM];
	int rc = find_key(&m->cfg, &place, text);

	if (!rc && m->cfg.via && text[0])
		m->key = must_strdup(text);
	if (!rc && place.path)
		rc = ctl_tls_open(&m->tls, &place);
	explicit_bzero(text, sizeof(text));
	return rc;
}

int mesh_access_read(struct mesh *m)
{
	const struct cfg *cfg = &m->cfg;
	int rc = read_key(m);

	m->limited = cfg->allow;
	if (!rc && cfg->allow)
		rc = ranges_parse(&m->allow, "--allow", cfg->allow);
	m->only_here = !m->tls && !m->limited;
	if (rc || !m->only_here || is_this_host(m->root.host) || cfg->dry_run)
		return rc;
	return err_set(-EINVAL, "nothing says who may take part: give --key FILE, the variable "
		       KEY_VARIABLE ", or --allow RANGE,...");
}

bool mesh_allows(const struct mesh *m, const uint8_t address[16])
{
	if (ranges_loopback(address))
		return true;
	return m->limited ? ranges_have(&m->allow, address) : !m->only_here;
}
