/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Reads a device profile; see profile.h. Called by settings_profile.c. */
#include "config.h"
#include "config/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line of the file. */
struct line {
	const char *path;
	uint32_t number;
	char *key, *value;
};

static int refuse(const struct line *l, const char *allowed)
{
	fprintf(stderr, "softhca: %s, line %u: %s = %s: must be %s\n", l->path, l->number, l->key,
		l->value, allowed);
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

void profile_default(struct profile *p, uint32_t dev)
{
	set_defaults(p);
	fill_tables(p);
	profile_gid_fill(p, dev);
}

#define PKEYS_ALLOWED "none, or up to 16 numbers from 0 to 0xffff"

/* "0xffff, 0x8001" */
static int read_pkeys(struct profile *p, const struct line *l)
{
	char *save = NULL;

	p->n_pkeys = 0;
	if (!strcmp(l->value, "none"))
		return 0;
	for (char *word = strtok_r(l->value, ", \t", &save); word;
	     word = strtok_r(NULL, ", \t", &save)) {
		const bool octal = word[0] == '0' && word[1] && word[1] != 'x' && word[1] != 'X';
		char *end;
		unsigned long v = strtoul(word, &end, 0);

		if (octal || end == word || *end || v > UINT16_MAX || p->n_pkeys == PROFILE_PKEYS)
			return refuse(l, PKEYS_ALLOWED);
		p->pkey[p->n_pkeys++] = (uint16_t)v;
	}
	return p->n_pkeys ? 0 : refuse(l, PKEYS_ALLOWED);
}

static int read_key(struct profile *p, const struct line *l)
{
	const struct profile_key *key = profile_key(l->key);
	char allowed[256];

	if (!strcmp(l->key, "pkeys"))
		return read_pkeys(p, l);
	if (!strcmp(l->key, "gid"))
		return profile_gid_add(p, l->value) ?
		       refuse(l, "TYPE ADDRESS [vlan=1 to 4094], TYPE ib, roce_v1 or roce_v2; up to 16 lines; or one line with none") :
		       0;
	if (!key) {
		fprintf(stderr, "softhca: %s, line %u: there is no key '%s'\n", l->path, l->number,
			l->key);
		return -EINVAL;
	}
	return profile_set(p, key, l->value, allowed, sizeof(allowed)) ? refuse(l, allowed) : 0;
}

static char *trim(char *text)
{
	char *end;

	text += strspn(text, " \t");
	end = text + strlen(text);
	while (end > text && strchr(" \t\r", end[-1]))
		end--;
	*end = '\0';
	return text;
}

/* One line without its end. Comments begin with '#'. */
static int read_line(struct profile *p, char *text, struct line *l)
{
	char *equals;

	text[strcspn(text, "#")] = '\0';
	text = trim(text);
	if (!*text)
		return 0;
	equals = strchr(text, '=');
	if (!equals) {
		fprintf(stderr, "softhca: %s, line %u: '%s' is not 'key = value'\n", l->path,
			l->number, text);
		return -EINVAL;
	}
	*equals = '\0';
	l->key = trim(text);
	l->value = trim(equals + 1);
	return read_key(p, l);
}

static int read_all(struct profile *p, FILE *f, const char *path)
{
	struct line l = { .path = path };
	char text[512];
	int rc = 0;

	while (fgets(text, sizeof(text), f)) {
		const size_t len = strcspn(text, "\n");

		l.number++;
		if (!text[len] && !feof(f)) {
			fprintf(stderr, "softhca: %s, line %u: longer than %zu characters\n", path,
				l.number, sizeof(text) - 2);
			return -EINVAL;
		}
		text[len] = '\0';
		if (read_line(p, text, &l))
			rc = -EINVAL;
	}
	return rc;
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

int profile_load(struct profile *p, const char *path, uint32_t dev)
{
	FILE *f = fopen(path, "re");
	int rc, bad;

	set_defaults(p);
	if (!f) {
		fprintf(stderr, "softhca: profile %s: %s\n", path, strerror(errno));
		return -EINVAL;
	}
	rc = read_all(p, f, path);
	fclose(f);
	set_name(p, path);
	fill_tables(p);
	bad = profile_gid_fill(p, dev);
	if (bad >= 0) {
		fprintf(stderr, "softhca: %s: gid %s: not an IPv6 address, nor {ll} {ip4} {ip6} {mac} {guid}\n",
			path, p->gid[bad].text);
		rc = -EINVAL;
	}
	return check(p, path) ? -EINVAL : rc;
}
