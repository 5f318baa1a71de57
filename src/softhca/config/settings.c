/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Reads the environment and the file SOFTHCA_CONF; see settings.h. Called by base/hca.c. */
#include "config.h"
#include "config/settings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "10G", "1%", "50us": a number and what follows it. */
static int number(const char *text, double *value, const char **unit)
{
	char *end;

	errno = 0;
	*value = strtod(text, &end);
	*unit = end;
	return errno || end == text || *value < 0 ? -EINVAL : 0;
}

static int rate(const char *text, uint64_t *bit_s)
{
	static const struct {
		const char *unit;
		double factor;
	} units[] = { { "", 1 }, { "k", 1e3 }, { "M", 1e6 }, { "G", 1e9 }, { "T", 1e12 } };
	const char *unit;
	double v;

	if (number(text, &v, &unit))
		return -EINVAL;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(unit, units[i].unit))
			continue;
		*bit_s = (uint64_t)(v * units[i].factor);
		return v && *bit_s < 1000 ? -EINVAL : 0;
	}
	return -EINVAL;
}

int settings_time(const char *text, uint64_t *ns)
{
	static const struct {
		const char *unit;
		double factor;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	const char *unit;
	double v;

	if (number(text, &v, &unit))
		return -EINVAL;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(unit, units[i].unit))
			continue;
		*ns = (uint64_t)(v * units[i].factor + 0.5);
		return 0;
	}
	return v ? -EINVAL : 0;
}

static int chance(const char *text, uint32_t *of)
{
	const char *unit;
	double v;

	if (number(text, &v, &unit))
		return -EINVAL;
	if (!strcmp(unit, "%"))
		v /= 100;
	else if (*unit)
		return -EINVAL;
	if (v > 1)
		return -EINVAL;
	*of = v >= 1 ? UINT32_MAX : (uint32_t)(v * 4294967296.0);
	return 0;
}

/* "1ms/100ms": the link stands still for 1 ms of every 100 ms. */
static int stall(char *text, struct settings_dev *dev)
{
	char *slash = strchr(text, '/');

	if (!slash)
		return -EINVAL;
	*slash = '\0';
	if (settings_time(text, &dev->stall_ns) || settings_time(slash + 1, &dev->period_ns))
		return -EINVAL;
	return dev->stall_ns < dev->period_ns ? 0 : -EINVAL;
}

static int set(struct settings_dev *dev, const char *key, char *value)
{
	if (!strcmp(key, "bandwidth"))
		return rate(value, &dev->bit_s);
	if (!strcmp(key, "delay"))
		return settings_time(value, &dev->delay_ns);
	if (!strcmp(key, "loss"))
		return chance(value, &dev->loss);
	if (!strcmp(key, "reorder"))
		return chance(value, &dev->reorder);
	if (!strcmp(key, "reorder_by"))
		return settings_time(value, &dev->reorder_ns);
	if (!strcmp(key, "duplicate"))
		return chance(value, &dev->duplicate);
	if (!strcmp(key, "stall"))
		return stall(value, dev);
	if (!strcmp(key, "seed"))
		return sscanf(value, "%" SCNu64, &dev->seed) == 1 ? 0 : -EINVAL;
	return -EINVAL;
}

/* A line of the file may name the profile, too; in the environment it has a variable of its own. */
static int set_in_file(struct settings_dev *dev, const char *key, char *value)
{
	if (strcmp(key, "profile") != 0)
		return set(dev, key, value);
	return (size_t)snprintf(dev->profile, sizeof(dev->profile), "%s", value) <
	       sizeof(dev->profile) ? 0 : -EINVAL;
}

typedef int set_key(struct settings_dev *dev, const char *key, char *value);

/* "bandwidth=10G,delay=50us" */
static int read_link(struct settings_dev *dev, set_key *set_one, const char *text,
		     const char *where)
{
	char copy[512], *save = NULL;
	int rc = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *part = strtok_r(copy, ", \t\n", &save); part;
	     part = strtok_r(NULL, ", \t\n", &save)) {
		char *value = strchr(part, '='), key[32];

		if (value)
			*value++ = '\0';
		snprintf(key, sizeof(key), "%s", part);
		if (value && !set_one(dev, key, value))
			continue;
		fprintf(stderr, "softhca: %s: cannot use '%s'; see softhca --help\n", where, key);
		rc = -EINVAL;
	}
	return rc;
}

static int read_faults(struct settings_dev *dev, const char *text, const char *where)
{
	int rc = settings_faults(dev, text);

	if (rc)
		fprintf(stderr, "softhca: %s: cannot use '%s'; see softhca --help\n", where, text);
	return rc;
}

/* One line of the file, without its end. */
static int read_line(struct settings *s, const char *line, const char *path)
{
	uint32_t dev;
	int used = 0;

	if (sscanf(line, " softhca%u %n", &dev, &used) != 1 || !used || dev >= SETTINGS_DEVS) {
		fprintf(stderr,
			"softhca: %s: cannot use '%s'; a line begins with softhca0 to softhca%d\n",
			path, line, SETTINGS_DEVS - 1);
		return -EINVAL;
	}
	line += used;
	return strncmp(line, "faults ", 7) ? read_link(&s->dev[dev], set_in_file, line, path) :
					     read_faults(&s->dev[dev], line + 7, path);
}

/* Lines of "softhca0 bandwidth=10G ..." or "softhca0 faults wc:..."; '#' begins a comment. */
static void read_file(struct settings *s, const char *path)
{
	char line[512];
	FILE *f = fopen(path, "re");

	if (!f) {
		fprintf(stderr, "softhca: SOFTHCA_CONF=%s: %s\n", path, strerror(errno));
		s->invalid = true;
		return;
	}
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "#\n")] = '\0';
		if (line[strspn(line, " \t")] && read_line(s, line, path))
			s->invalid = true;
	}
	fclose(f);
}

static void read_env(struct settings *s, uint32_t dev)
{
	static const char *const names[] = { "SOFTHCA_LINK", "SOFTHCA_FAULTS" };
	char own[32];

	for (size_t i = 0; i < 2; i++) {
		const char *text = getenv(names[i]);
		int rc;

		snprintf(own, sizeof(own), "%s_%u", names[i], dev);
		if (getenv(own))
			text = getenv(own);
		if (!text || !*text)
			continue;
		rc = i ? read_faults(&s->dev[dev], text, names[i]) :
			 read_link(&s->dev[dev], set, text, names[i]);
		if (rc)
			s->invalid = true;
	}
}

/* A text that is too long is refused: a cut name would be another name. */
static void read_text(struct settings *s, const char *name, char *to, size_t size)
{
	const char *text = getenv(name);

	if (!text || !*text)
		return;
	if ((size_t)snprintf(to, size, "%s", text) < size)
		return;
	fprintf(stderr, "softhca: %s=%s: at most %zu characters\n", name, text, size - 1);
	s->invalid = true;
}

static uint64_t read_count(struct settings *s, const char *name)
{
	const char *text = getenv(name);
	uint64_t n = 0;
	char *end;

	if (!text || !*text)
		return 0;
	n = strtoull(text, &end, 10);
	if (*end || *text == '-') {
		fprintf(stderr, "softhca: %s=%s: not a number\n", name, text);
		s->invalid = true;
	}
	return n;
}

static void read_mode(struct settings *s)
{
	const char *mode = getenv("SOFTHCA_MODE");

	s->ahead = read_count(s, "SOFTHCA_AHEAD");
	s->reflect = read_count(s, "SOFTHCA_REFLECT");
	if (mode && !strcmp(mode, "null")) {
		s->null = true;
		return;
	}
	s->ahead = s->reflect = 0;
	if (mode && *mode) {
		fprintf(stderr, "softhca: SOFTHCA_MODE=%s: the only mode is 'null'\n", mode);
		s->invalid = true;
	}
}

static void read_mlx5dv(struct settings *s)
{
	const uint64_t on = read_count(s, "SOFTHCA_MLX5DV");

	s->mlx5dv = on && !s->null;
	if (on <= 1)
		return;
	fprintf(stderr, "softhca: SOFTHCA_MLX5DV=%" PRIu64 ": 0 or 1\n", on);
	s->invalid = true;
}

static void read_cm(struct settings *s)
{
	const char *text = getenv("SOFTHCA_CM_TIMEOUT");

	s->cm_timeout_ns = UINT64_C(60000000000);
	if (!text || !*text)
		return;
	if (!settings_time(text, &s->cm_timeout_ns) && s->cm_timeout_ns)
		return;
	fprintf(stderr, "softhca: SOFTHCA_CM_TIMEOUT=%s: not a time, such as 10s\n", text);
	s->invalid = true;
}

static void read_devices(struct settings *s)
{
	const char *devices = getenv("SOFTHCA_DEVICES");

	s->devices = devices && *devices ? (uint32_t)strtoul(devices, NULL, 10) : 1;
	if (s->devices > SETTINGS_DEVS) {
		fprintf(stderr, "softhca: SOFTHCA_DEVICES=%s: at most %d\n", devices,
			SETTINGS_DEVS);
		s->invalid = true;
	}
}

static void read_ports(struct settings *s)
{
	uint64_t ports = read_count(s, "SOFTHCA_PORTS");

	s->ports = ports && !s->null ? (uint32_t)ports : 1;
	if (ports <= SETTINGS_PORTS)
		return;
	fprintf(stderr, "softhca: SOFTHCA_PORTS=%" PRIu64 ": at most %d\n", ports, SETTINGS_PORTS);
	s->ports = 1;
	s->invalid = true;
}

void settings_load(struct settings *s)
{
	const char *file = getenv("SOFTHCA_CONF");

	read_devices(s);
	read_mode(s);
	read_mlx5dv(s);
	read_cm(s);
	read_ports(s);
	for (uint32_t i = 0; i < SETTINGS_DEVS; i++) {
		s->dev[i].seed = 1;
		s->dev[i].reorder_ns = 10000;
	}
	strcpy(s->fabric, "default");
	read_text(s, "SOFTHCA_FABRIC", s->fabric, sizeof(s->fabric));
	read_text(s, "SOFTHCA_STATS", s->stats, sizeof(s->stats));
	if (file && *file)
		read_file(s, file);
	for (uint32_t i = 0; i < SETTINGS_DEVS; i++)
		read_env(s, i);
	if (settings_profiles(s))
		s->invalid = true;
	if (s->invalid)
		s->devices = 0;
}
