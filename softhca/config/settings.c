/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Reads the environment by the table settings.def; see settings.h. Called by base/hca.c. */
#include "config.h"
#include "config/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "config/topology.h"
#include "config/values.h"

#define PREFIX "SOFTHCA_"

/* The value of a variable. */
struct value {
	const char *name; /* SOFTHCA_LINK, SOFTHCA_LINK_1 */
	const char *text; /* not empty */
	uint32_t dev;     /* of a variable of a device */
	uint64_t n;       /* of a number */
};

enum kind { IS_NUMBER, IS_TEXT, IS_OTHER, IS_OF_DEVICE, IS_ELSEWHERE };

struct variable {
	const char *name;
	enum kind kind;
	int (*set)(struct settings *s, const struct value *v); /* 0 or -EINVAL */
	uint64_t min, max;   /* of a number */
	size_t offset, size; /* of a text: its field in struct settings */
	const char *allowed;
};

static int set_devices(struct settings *s, const struct value *v)
{
	s->devices = (uint32_t)v->n;
	return 0;
}

static int set_ports(struct settings *s, const struct value *v)
{
	s->ports = (uint32_t)v->n;
	return 0;
}

static int set_mlx5dv(struct settings *s, const struct value *v)
{
	s->mlx5dv = v->n;
	return 0;
}

static int set_mode(struct settings *s, const struct value *v)
{
	s->null = !strcmp(v->text, "null");
	return s->null ? 0 : -EINVAL;
}

static int set_ahead(struct settings *s, const struct value *v)
{
	s->ahead = v->n;
	return 0;
}

static int set_reflect(struct settings *s, const struct value *v)
{
	s->reflect = v->n;
	return 0;
}

static int set_node(struct settings *s, const struct value *v)
{
	if (strpbrk(v->text, " \t\n,") || values_node(v->text, &s->node_id) ||
	    (size_t)snprintf(s->node, sizeof(s->node), "%s", v->text) >= sizeof(s->node))
		return -EINVAL;
	s->node_id++;
	return 0;
}

static int set_topology(struct settings *s, const struct value *v)
{
	s->topology = topology_load(v->text);
	return s->topology ? 0 : -EINVAL;
}

static int set_cm_timeout(struct settings *s, const struct value *v)
{
	return values_time(v->text, &s->cm_timeout_ns) || !s->cm_timeout_ns ? -EINVAL : 0;
}

/* May the process append to the file, or make it? Asks the kernel itself, as lines.c does. */
static bool may_write(const char *path)
{
	const char *slash = strrchr(path, '/');
	char folder[SETTINGS_FILE];

	/* not a directory */
	if ((size_t)snprintf(folder, sizeof(folder), "%s/.", path) >= sizeof(folder) ||
	    !syscall(SYS_faccessat, AT_FDCWD, folder, F_OK))
		return false;
	if (!syscall(SYS_faccessat, AT_FDCWD, path, W_OK))
		return true;
	if (errno != ENOENT)
		return false;
	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) + 1 : 1,
		 slash ? path : ".");
	return !syscall(SYS_faccessat, AT_FDCWD, folder, W_OK | X_OK);
}

static int set_file(char to[SETTINGS_FILE], const char *path)
{
	if ((size_t)snprintf(to, SETTINGS_FILE, "%s", path) >= SETTINGS_FILE)
		return -EINVAL;
	return may_write(path) ? 0 : -EINVAL;
}

static int set_stats(struct settings *s, const struct value *v)
{
	return set_file(s->stats, v->text);
}

static int set_record(struct settings *s, const struct value *v)
{
	return set_file(s->record, v->text);
}

static int set_conf(struct settings *s, const struct value *v)
{
	return settings_file(s, v->text);
}

static int set_link(struct settings *s, const struct value *v)
{
	const struct settings_place at = { .where = v->name, .in_file = false };

	return settings_link(&s->dev[v->dev], &at, v->text);
}

static int set_faults(struct settings *s, const struct value *v)
{
	return settings_faults(&s->dev[v->dev], v->name, v->text);
}

static int set_profile(struct settings *s, const struct value *v)
{
	char *to = s->dev[v->dev].profile;

	return (size_t)snprintf(to, SETTINGS_PATH, "%s", v->text) < SETTINGS_PATH ? 0 : -EINVAL;
}

static const struct variable variables[] = {
#define NUMBER(name, set, min, max) { PREFIX #name, IS_NUMBER, set, min, max, 0, 0, NULL },
#define TEXT(var, field) { \
	.name = PREFIX #var, .kind = IS_TEXT, .offset = offsetof(struct settings, field), \
	.size = sizeof(((struct settings *)NULL)->field) },
#define OTHER(name, set, allowed) { PREFIX #name, IS_OTHER, set, 0, 0, 0, 0, allowed },
#define DEVICE(name, set, allowed) { PREFIX #name, IS_OF_DEVICE, set, 0, 0, 0, 0, allowed },
#define ELSEWHERE(var) { .name = PREFIX #var, .kind = IS_ELSEWHERE },
#include "config/settings.def"
};

enum { VARIABLES = sizeof(variables) / sizeof(variables[0]) };

static int refuse(const struct variable *var, const struct value *v)
{
	if (var->kind == IS_NUMBER)
		fprintf(stderr, "softhca: %s=%s: must be a number from %" PRIu64 " to %" PRIu64 "\n",
			v->name, v->text, var->min, var->max);
	else if (var->kind == IS_TEXT)
		fprintf(stderr, "softhca: %s=%s: must be a text of at most %zu characters\n",
			v->name, v->text, var->size - 1);
	else if (var->allowed)
		fprintf(stderr, "softhca: %s=%s: must be %s\n", v->name, v->text, var->allowed);
	return -EINVAL;
}

/* A text that is too long is refused: a cut name would be another name. */
static int set_one(struct settings *s, const struct variable *var, struct value *v)
{
	int rc = 0;

	if (!v->text || !*v->text || var->kind == IS_ELSEWHERE)
		return 0;
	if (var->kind == IS_NUMBER)
		rc = values_count(v->text, var->min, var->max, &v->n);
	if (var->kind == IS_TEXT && (size_t)snprintf((char *)s + var->offset, var->size, "%s",
						     v->text) >= var->size)
		rc = -EINVAL;
	if (!rc && var->set)
		rc = var->set(s, v);
	return rc ? refuse(var, v) : 0;
}

static int read_variable(struct settings *s, const struct variable *var)
{
	struct value v = { .name = var->name, .text = getenv(var->name) };
	const uint32_t devices = var->kind == IS_OF_DEVICE ? SETTINGS_DEVS : 0;
	char own[64];
	int rc = devices ? 0 : set_one(s, var, &v);

	/* what no device can use is said once */
	for (v.dev = 0; v.dev < devices && !rc; v.dev++) {
		snprintf(own, sizeof(own), "%s_%u", var->name, v.dev);
		v.name = getenv(own) ? own : var->name;
		v.text = getenv(v.name);
		if (v.name == own && v.dev >= s->devices) {
			fprintf(stderr, "softhca: %s: there is no device %u: SOFTHCA_DEVICES is %u\n",
				own, v.dev, s->devices);
			return -EINVAL;
		}
		rc = set_one(s, var, &v);
	}
	return rc;
}

static bool is_variable(const char *name, size_t len)
{
	for (size_t i = 0; i < VARIABLES; i++) {
		const size_t own = strlen(variables[i].name);

		if (len < own || strncmp(name, variables[i].name, own) != 0)
			continue;
		if (len == own)
			return true;
		if (variables[i].kind == IS_OF_DEVICE && len == own + 2 && name[own] == '_' &&
		    name[own + 1] >= '0' && name[own + 1] < '0' + SETTINGS_DEVS)
			return true;
	}
	return false;
}

/* A name with a typing error would be a setting that has no effect. */
static int refuse_unknown(void)
{
	int rc = 0;

	for (char **e = environ; e && *e; e++) {
		const size_t len = strcspn(*e, "=");

		if (strncmp(*e, PREFIX, strlen(PREFIX)) != 0 || is_variable(*e, len))
			continue;
		fprintf(stderr, "softhca: there is no variable %.*s; softhca --help lists them\n",
			(int)len, *e);
		rc = -EINVAL;
	}
	return rc;
}

/* Links, DC and second ports have no meaning in the zero-cost mode, nor its settings outside it. */
static void apply_mode(struct settings *s)
{
	if (!s->null) {
		s->ahead = s->reflect = 0;
		return;
	}
	s->mlx5dv = false;
	s->ports = 1;
}

static void choose_last_node(struct settings *s)
{
	for (uint32_t i = 0; i < SETTINGS_NODES; i++) {
		if (!s->topology->node[i].name[0])
			continue;
		strcpy(s->node, s->topology->node[i].name);
		s->node_id = i + 1;
	}
}

/* The link of each device is its cable; the loss of both is added. */
static int apply_topology(struct settings *s)
{
	const struct topology_node *node;

	if (!s->topology)
		return 0;
	if (s->any_node)
		choose_last_node(s);
	node = s->node_id ? &s->topology->node[s->node_id - 1] : NULL;
	if (!node || strcmp(node->name, s->node) != 0) {
		fprintf(stderr, "softhca: SOFTHCA_NODE=%s: must be a node of SOFTHCA_TOPOLOGY\n",
			s->node);
		return -EINVAL;
	}
	for (uint32_t i = 0; i < SETTINGS_DEVS; i++) {
		struct settings_dev *dev = &s->dev[i];

		if (dev->bit_s || dev->delay_ns) {
			fprintf(stderr, "softhca: softhca%u: bandwidth and delay are those of SOFTHCA_TOPOLOGY\n",
				i);
			return -EINVAL;
		}
		dev->bit_s = node->cable[i].bit_s;
		dev->delay_ns = node->cable[i].delay_ns;
		dev->loss = values_either(dev->loss, node->cable[i].loss);
	}
	return 0;
}

void settings_load(struct settings *s)
{
	int rc = refuse_unknown();

	s->devices = s->ports = 1;
	s->cm_timeout_ns = UINT64_C(60000000000);
	strcpy(s->fabric, "default");
	for (uint32_t i = 0; i < SETTINGS_DEVS; i++) {
		s->dev[i].seed = 1;
		s->dev[i].reorder_ns = 10000;
	}
	for (size_t i = 0; i < VARIABLES; i++)
		if (read_variable(s, &variables[i]))
			rc = -EINVAL;
	apply_mode(s);
	if (apply_topology(s))
		rc = -EINVAL;
	if (settings_profiles(s) || rc)
		s->devices = 0;
}
