/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Reads a topology; see topology.h. Called by settings.c. */
#include "config.h"
#include "config/topology.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/lines.h"
#include "config/values.h"

#define BLANKS " \t"
#define WORDS 10 /* of a line, at most */

/* A line in words, and the topology that it is for. */
struct words {
	struct topology *t;
	const struct line *at;
	uint32_t n;
	char *word[WORDS];
};

static int refuse(const struct words *w, const char *what, const char *allowed)
{
	fprintf(stderr, "softhca: %s, line %u: %s: must be %s\n", w->at->path, w->at->number, what,
		allowed);
	return -EINVAL;
}

/* ---- cables */

static int read_down(struct topology_cable *c, char *text)
{
	char *plus = strchr(text, '+');
	int rc;

	if (!plus)
		return -EINVAL;
	*plus = '\0';
	rc = values_time(text, &c->down_ns);
	*plus = '+';
	return rc ? rc : values_time(plus + 1, &c->down_for_ns);
}

static int read_full(struct topology_cable *c, const char *text)
{
	c->full = !strcmp(text, "drop") ? TOPOLOGY_DROP : TOPOLOGY_PAUSE;
	return c->full == TOPOLOGY_PAUSE && strcmp(text, "pause") != 0 ? -EINVAL : 0;
}

/* "buffer=256k" */
static int read_buffer(const struct words *w, struct topology_cable *c, char *text)
{
	char *value = strchr(text, '=');
	const size_t len = value ? (size_t)(value - text) : 0;

	if (len == 6 && !strncmp(text, "buffer", len))
		return values_bytes(value + 1, &c->buffer_bytes) ?
		       refuse(w, text, VALUES_BYTES) : 0;
	if (len == 4 && !strncmp(text, "full", len))
		return read_full(c, value + 1) ? refuse(w, text, "drop or pause") : 0;
	return refuse(w, text, "bandwidth=, delay=, loss=, down=, buffer= or full=");
}

/* "loss=1%" */
static int read_property(const struct words *w, struct topology_cable *c, char *text)
{
	char *value = strchr(text, '=');
	const size_t len = value ? (size_t)(value - text) : 0;

	if (len == 9 && !strncmp(text, "bandwidth", len))
		return values_rate(value + 1, &c->bit_s) ?
		       refuse(w, text, VALUES_RATE) : 0;
	if (len == 5 && !strncmp(text, "delay", len))
		return values_time(value + 1, &c->delay_ns) ? refuse(w, text, VALUES_TIME) : 0;
	if (len == 4 && !strncmp(text, "loss", len))
		return values_chance(value + 1, &c->loss) ? refuse(w, text, VALUES_CHANCE) : 0;
	if (len == 4 && !strncmp(text, "down", len))
		return read_down(c, value + 1) ? refuse(w, text, "AT+FOR; each: " VALUES_TIME) :
						 0;
	return read_buffer(w, c, text);
}

static int read_properties(const struct words *w, uint32_t from, struct topology_cable *c)
{
	int rc = 0;

	for (uint32_t i = from; i < w->n && !rc; i++)
		rc = read_property(w, c, w->word[i]);
	if (!rc && c->full && !c->buffer_bytes)
		return refuse(w, w->word[0], "with buffer=SIZE, if it has full=");
	return rc;
}

/* The bandwidth, which is word[at], and the properties behind it. */
static int read_cable(const struct words *w, uint32_t at, struct topology_cable *c)
{
	*c = (struct topology_cable) { 0 };
	if (values_rate(w->word[at], &c->bit_s))
		return refuse(w, w->word[at], VALUES_RATE);
	return read_properties(w, at + 1, c);
}

/* ---- names */

/* The switch of that name, which may be new; -EINVAL after a message. */
static int switch_of(const struct words *w, const char *name, uint16_t *number)
{
	struct topology *t = w->t;

	for (*number = 0; *number < t->n_switches; ++*number)
		if (!strcmp(t->switch_name[*number], name))
			return 0;
	if (!*name || strlen(name) >= TOPOLOGY_NAME)
		return refuse(w, name, "a name of 1 to 32 characters");
	if (t->n_switches == TOPOLOGY_SWITCHES)
		return refuse(w, name, "one of at most 256 switches");
	strcpy(t->switch_name[t->n_switches++], name);
	return 0;
}

/* The node of that name, which is there; NULL after a message. */
static struct topology_node *node_of(const struct words *w, const char *name)
{
	uint32_t number;

	if (!values_node(name, &number) && !strcmp(w->t->node[number].name, name))
		return &w->t->node[number];
	refuse(w, name, "a node of a line before");
	return NULL;
}

/* "n7.1": the node and the device; "n7": dev is SETTINGS_DEVS. NULL after a message. */
static struct topology_node *device_of(const struct words *w, char *name, uint32_t *dev)
{
	char *dot = strrchr(name, '.');
	uint64_t n = SETTINGS_DEVS;

	if (dot && values_count(dot + 1, 0, SETTINGS_DEVS - 1, &n)) {
		refuse(w, name, "NODE.DEVICE, DEVICE from 0 to 7");
		return NULL;
	}
	if (dot)
		*dot = '\0';
	*dev = (uint32_t)n;
	return node_of(w, name);
}

/* ---- lines */

static int add_node(const struct words *w, const char *name, const struct topology_node *like)
{
	uint32_t number;

	if (strlen(name) >= TOPOLOGY_NAME || values_node(name, &number))
		return refuse(w, name, VALUES_NODE);
	if (w->t->node[number].name[0])
		return refuse(w, name, "a node whose number no other one has");
	w->t->node[number] = *like;
	strcpy(w->t->node[number].name, name);
	return 0;
}

/* "n7", or "n[0-31]" */
static int add_nodes(const struct words *w, const char *names, const struct topology_node *like)
{
	const char *open = strchr(names, '[');
	uint32_t first, last;
	char name[2 * TOPOLOGY_NAME];
	int end = 0, rc = 0;

	if (!open)
		return add_node(w, names, like);
	if (sscanf(open, "[%4" SCNu32 "-%4" SCNu32 "]%n", &first, &last, &end) != 2 || !end ||
	    open[end] || first > last || last >= SETTINGS_NODES || open - names >= TOPOLOGY_NAME)
		return refuse(w, names, "NAME, or NAME[FIRST-LAST] with numbers from 0 to 2047");
	for (uint32_t i = first; i <= last && !rc; i++) {
		snprintf(name, sizeof(name), "%.*s%" PRIu32, (int)(open - names), names, i);
		rc = add_node(w, name, like);
	}
	return rc;
}

static int read_node(const struct words *w)
{
	struct topology_node like = { .name = "" };
	uint16_t leaf[SETTINGS_DEVS];
	struct topology_cable cable;
	char *save = NULL;
	uint32_t n = 0;

	for (char *name = strtok_r(w->word[2], ",", &save); name;
	     name = strtok_r(NULL, ",", &save)) {
		if (n == SETTINGS_DEVS)
			return refuse(w, name, "one of at most 8 switches, one for each device");
		if (switch_of(w, name, &leaf[n++]))
			return -EINVAL;
	}
	if (!n)
		return refuse(w, w->word[0], "node NAMES SWITCH[,SWITCH...] BANDWIDTH");
	if (read_cable(w, 3, &cable))
		return -EINVAL;
	for (uint32_t i = 0; i < SETTINGS_DEVS; i++) {
		like.leaf[i] = leaf[i % n];
		like.cable[i] = cable;
	}
	return add_nodes(w, w->word[1], &like);
}

static int read_uplink(const struct words *w)
{
	struct topology *t = w->t;
	struct topology_uplink *u = &t->uplink[t->n_uplinks];

	if (t->n_uplinks == TOPOLOGY_UPLINKS)
		return refuse(w, w->word[0], "one of at most 512");
	if (switch_of(w, w->word[1], &u->end[0]) || switch_of(w, w->word[2], &u->end[1]))
		return -EINVAL;
	if (u->end[0] == u->end[1])
		return refuse(w, w->word[2], "another switch");
	t->n_uplinks++;
	return read_cable(w, 3, &u->cable);
}

/* Its pipes are those of an uplink that no way leads over. */
static int read_bus(const struct words *w)
{
	struct topology *t = w->t;
	struct topology_uplink *u = &t->uplink[t->n_uplinks];
	struct topology_node *node = node_of(w, w->word[1]);

	if (!node)
		return -EINVAL;
	if (t->n_uplinks == TOPOLOGY_UPLINKS)
		return refuse(w, w->word[0], "one of at most 512 uplinks and buses");
	u->end[0] = u->end[1] = TOPOLOGY_BUS;
	node->bus = (uint16_t)++t->n_uplinks;
	return read_cable(w, 2, &u->cable);
}

static int change_cable(const struct words *w)
{
	uint32_t dev;
	struct topology_node *node = device_of(w, w->word[1], &dev);
	int rc = node ? 0 : -EINVAL;

	for (uint32_t i = 0; i < SETTINGS_DEVS && !rc; i++)
		if (dev == SETTINGS_DEVS || dev == i)
			rc = read_properties(w, 2, &node->cable[i]);
	return rc;
}

static int swap_devices(const struct words *w)
{
	uint32_t dev[2];
	struct topology_node *node[2];
	uint16_t leaf;

	for (int i = 0; i < 2; i++) {
		node[i] = device_of(w, w->word[1 + i], &dev[i]);
		if (!node[i])
			return -EINVAL;
		if (dev[i] == SETTINGS_DEVS)
			return refuse(w, w->word[1 + i], "NODE.DEVICE");
	}
	leaf = node[0]->leaf[dev[0]];
	node[0]->leaf[dev[0]] = node[1]->leaf[dev[1]];
	node[1]->leaf[dev[1]] = leaf;
	return 0;
}

static const struct kind {
	const char *name;
	uint32_t min, max; /* words */
	int (*read)(const struct words *w);
	const char *form;
} kinds[] = {
	{ "node", 4, WORDS, read_node, "node NAMES SWITCH[,SWITCH...] BANDWIDTH [KEY=VALUE...]" },
	{ "uplink", 4, WORDS, read_uplink, "uplink SWITCH SWITCH BANDWIDTH [KEY=VALUE...]" },
	{ "cable", 3, WORDS, change_cable, "cable NODE[.DEVICE] KEY=VALUE..." },
	{ "swap", 3, 3, swap_devices, "swap NODE.DEVICE NODE.DEVICE" },
	{ "bus", 3, 3, read_bus, "bus NODE BANDWIDTH" },
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static int use(void *arg, const struct line *line)
{
	struct words w = { .t = (struct topology *)arg, .at = line };
	char *save = NULL;

	w.t->digest = topology_hash(w.t->digest, line->text, strlen(line->text) + 1) | 1;
	for (char *word = strtok_r(line->text, BLANKS, &save); word;
	     word = strtok_r(NULL, BLANKS, &save)) {
		if (w.n == WORDS)
			return refuse(&w, w.word[0], "a line of at most 10 words");
		w.word[w.n++] = word;
	}
	for (uint32_t i = 0; i < KINDS; i++) {
		if (strcmp(kinds[i].name, w.word[0]))
			continue;
		if (w.n < kinds[i].min || w.n > kinds[i].max)
			return refuse(&w, w.word[0], kinds[i].form);
		return kinds[i].read(&w);
	}
	return refuse(&w, w.word[0], "node, uplink, cable, swap or bus");
}

const struct topology_cable *topology_cable_of(const struct topology *t,
					       const struct topology_end *end)
{
	return &t->node[end->node % SETTINGS_NODES].cable[end->dev % SETTINGS_DEVS];
}

struct topology *topology_load(const char *path)
{
	struct topology *t = calloc(1, sizeof(*t));

	if (!t)
		fprintf(stderr, "softhca: %s: %s\n", path, strerror(ENOMEM));
	else
		t->digest = TOPOLOGY_HASH;
	if (t && !lines_read("topology ", path, use, t) && !topology_check(t, path))
		return t;
	free(t);
	return NULL;
}
