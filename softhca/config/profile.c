/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Reads a device profile; see profile.h. Called by settings_profile.c. */
#include "config.h"
#include "config/profile.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/lines.h"

/* "key = value" */
struct entry {
	const struct line *at;
	char *key, *value;
};

static int refuse(const struct entry *e, const char *allowed)
{
	fprintf(stderr, "softhca: %s, line %u: %s = %s: must be %s\n", e->at->path, e->at->number,
		e->key, e->value, allowed);
	return -EINVAL;
}

static void set_defaults(struct profile *p)
{
	*p = (struct profile) { .name = "" };
	for (uint32_t i = 0; i < profile_n_keys; i++)
		if (profile_keys[i].kind != PROFILE_IS_TEXT)
			memcpy((char *)p + profile_keys[i].offset, &profile_keys[i].value,
			       sizeof(uint64_t));
	p->pkey[p->n_pkeys++] = 0xffff;
}

/* The tables that the profile does not name. */
static void fill_tables(struct profile *p)
{
	const bool ethernet = p->link_layer == IBV_LINK_LAYER_ETHERNET;

	if (!p->n_counters)
		profile_counter_fill(p);
	if (p->n_gids || p->no_gids)
		return;
	if (p->transport_type == IBV_TRANSPORT_IWARP) {
		profile_gid_add(p, "ib {mac}");
	} else if (!ethernet) {
		profile_gid_add(p, "ib {ll}");
	} else {
		profile_gid_add(p, "roce_v2 {ll}");
		profile_gid_add(p, "roce_v2 {ip4}");
	}
}

void profile_default(struct profile *p, struct profile_of of)
{
	set_defaults(p);
	fill_tables(p);
	profile_gid_fill(p, of);
}

#define PKEYS_ALLOWED "none, or up to 16 numbers from 0 to 0xffff"

/* "0xffff, 0x8001" */
static int read_pkeys(struct profile *p, const struct entry *e)
{
	char copy[256], *save = NULL;

	p->n_pkeys = 0;
	if (!strcmp(e->value, "none"))
		return 0;
	if ((size_t)snprintf(copy, sizeof(copy), "%s", e->value) >= sizeof(copy))
		return refuse(e, PKEYS_ALLOWED);
	for (char *word = strtok_r(copy, ", \t", &save); word;
	     word = strtok_r(NULL, ", \t", &save)) {
		const bool octal = word[0] == '0' && word[1] && word[1] != 'x' && word[1] != 'X';
		char *end;
		unsigned long v = strtoul(word, &end, 0);

		if (octal || !isdigit((unsigned char)*word) || *end || v > UINT16_MAX ||
		    p->n_pkeys == PROFILE_PKEYS)
			return refuse(e, PKEYS_ALLOWED);
		p->pkey[p->n_pkeys++] = (uint16_t)v;
	}
	return p->n_pkeys ? 0 : refuse(e, PKEYS_ALLOWED);
}

static int read_key(struct profile *p, const struct entry *e)
{
	const struct profile_key *key = profile_key(e->key);
	char allowed[256];

	if (!strcmp(e->key, "pkeys"))
		return read_pkeys(p, e);
	if (!strcmp(e->key, "gid"))
		return profile_gid_add(p, e->value) ?
		       refuse(e, "TYPE ADDRESS [vlan=1 to 4094], TYPE ib, roce_v1 or roce_v2; up to 16 lines; or one line with none") :
		       0;
	if (!strcmp(e->key, "counter"))
		return profile_counter_add(p, e->value) ?
		       refuse(e, "NAME [WORD...], WORD sent, sent_bytes, received, received_bytes, timeouts, seq_naks, rnr_naks, rnr_sent or out_of_sequence; up to 16 lines; or one line with none") :
		       0;
	if (!key) {
		fprintf(stderr, "softhca: %s, line %u: there is no key '%s'\n", e->at->path,
			e->at->number, e->key);
		return -EINVAL;
	}
	return profile_set(p, key, e->value, allowed, sizeof(allowed)) ? refuse(e, allowed) : 0;
}

static int use(void *arg, const struct line *line)
{
	struct entry e = { .at = line };
	char *equals = strchr(line->text, '=');

	if (!equals) {
		fprintf(stderr, "softhca: %s, line %u: '%s' is not 'key = value'\n", line->path,
			line->number, line->text);
		return -EINVAL;
	}
	*equals = '\0';
	e.key = lines_trim(line->text);
	e.value = lines_trim(equals + 1);
	return read_key((struct profile *)arg, &e);
}

/* The name of the file without its folder and its suffix. */
static void set_name(struct profile *p, const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	const size_t len = strlen(base);
	const bool suffix = len > 5 && !strcmp(base + len - 5, ".conf");

	snprintf(p->name, sizeof(p->name), "%.*s", (int)(suffix ? len - 5 : len), base);
}

static int check(const struct profile *p, const char *path)
{
	if (p->active_mtu <= p->max_mtu)
		return 0;
	fprintf(stderr, "softhca: %s: active_mtu is larger than max_mtu\n", path);
	return -EINVAL;
}

int profile_load(struct profile *p, const char *path, struct profile_of of)
{
	int rc, bad;

	set_defaults(p);
	rc = lines_read("profile ", path, use, p);
	set_name(p, path);
	fill_tables(p);
	bad = profile_gid_fill(p, of);
	if (bad >= 0) {
		fprintf(stderr, "softhca: %s: gid %s: not an IPv6 address, nor {ll} {ip4} {ip6} {mac} {guid}\n",
			path, p->gid[bad].text);
		rc = -EINVAL;
	}
	return check(p, path) ? -EINVAL : rc;
}
