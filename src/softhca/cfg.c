/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Reads the settings into hca.fixed.cfg; see cfg.h. Called by everyone; knows no object. */
#include "config.h"
#include "cfg.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hca.h"

static struct cfg *const cfg = &hca.fixed.cfg;

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

int cfg_time(const char *text, uint64_t *ns)
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

/* "1ms/100ms": stopped for the first in every one of the second. */
static int stall(char *text, struct cfg_dev *dev)
{
	char *slash = strchr(text, '/');

	if (!slash)
		return -EINVAL;
	*slash = '\0';
	if (cfg_time(text, &dev->stall_ns) || cfg_time(slash + 1, &dev->period_ns))
		return -EINVAL;
	return dev->stall_ns < dev->period_ns ? 0 : -EINVAL;
}

static int set(struct cfg_dev *dev, const char *key, char *value)
{
	if (!strcmp(key, "bandwidth"))
		return rate(value, &dev->bit_s);
	if (!strcmp(key, "delay"))
		return cfg_time(value, &dev->delay_ns);
	if (!strcmp(key, "loss"))
		return chance(value, &dev->loss);
	if (!strcmp(key, "reorder"))
		return chance(value, &dev->reorder);
	if (!strcmp(key, "reorder_by"))
		return cfg_time(value, &dev->reorder_ns);
	if (!strcmp(key, "duplicate"))
		return chance(value, &dev->duplicate);
	if (!strcmp(key, "stall"))
		return stall(value, dev);
	if (!strcmp(key, "seed"))
		return sscanf(value, "%" SCNu64, &dev->seed) == 1 ? 0 : -EINVAL;
	return -EINVAL;
}

/* "bandwidth=10G,delay=50us" */
static void link_text(struct cfg_dev *dev, const char *text, const char *where)
{
	char copy[512], *save = NULL;

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *part = strtok_r(copy, ", \t\n", &save); part;
	     part = strtok_r(NULL, ", \t\n", &save)) {
		char *value = strchr(part, '='), key[32];

		if (value)
			*value++ = '\0';
		snprintf(key, sizeof(key), "%s", part);
		if (value && !set(dev, key, value))
			continue;
		fprintf(stderr, "softhca: %s: cannot use '%s'; see softhca --help\n", where, key);
		cfg->invalid = true;
	}
}

static void fault_text(struct cfg_dev *dev, const char *text, const char *where)
{
	if (!cfg_faults(dev, text))
		return;
	fprintf(stderr, "softhca: %s: cannot use '%s'; see softhca --help\n", where, text);
	cfg->invalid = true;
}

/* Lines of "softhca0 bandwidth=10G ..." or "softhca0 faults wc:..."; '#' begins a comment. */
static void read_file(const char *path)
{
	char line[512];
	FILE *f = fopen(path, "re");

	if (!f) {
		fprintf(stderr, "softhca: SOFTHCA_CONF %s: %s\n", path, strerror(errno));
		cfg->invalid = true;
		return;
	}
	while (fgets(line, sizeof(line), f)) {
		uint32_t dev;
		int used = 0;
		char *text;

		line[strcspn(line, "#\n")] = '\0';
		if (!line[strspn(line, " \t")])
			continue;
		if (sscanf(line, " softhca%u %n", &dev, &used) != 1 || !used || dev >= SHM_DEVS) {
			fprintf(stderr, "softhca: %s: cannot use '%s'\n", path, line);
			cfg->invalid = true;
			continue;
		}
		text = line + used;
		if (!strncmp(text, "faults ", 7))
			fault_text(&cfg->dev[dev], text + 7, path);
		else
			link_text(&cfg->dev[dev], text, path);
	}
	fclose(f);
}

static void read_env(uint32_t dev)
{
	static const char *const names[] = { "SOFTHCA_LINK", "SOFTHCA_FAULTS" };
	char own[32];

	for (size_t i = 0; i < 2; i++) {
		const char *text = getenv(names[i]);

		snprintf(own, sizeof(own), "%s_%u", names[i], dev);
		if (getenv(own))
			text = getenv(own);
		if (!text || !*text)
			continue;
		if (i)
			fault_text(&cfg->dev[dev], text, names[i]);
		else
			link_text(&cfg->dev[dev], text, names[i]);
	}
}

/* A string that fits, or nothing is as it was meant. */
static void read_text(const char *name, char *to, size_t size)
{
	const char *text = getenv(name);

	if (!text || !*text)
		return;
	if ((size_t)snprintf(to, size, "%s", text) < size)
		return;
	fprintf(stderr, "softhca: %s=%s: at most %zu characters\n", name, text, size - 1);
	cfg->invalid = true;
}

static uint64_t read_count(const char *name)
{
	const char *text = getenv(name);
	uint64_t n = 0;
	char *end;

	if (!text || !*text)
		return 0;
	n = strtoull(text, &end, 10);
	if (*end || *text == '-') {
		fprintf(stderr, "softhca: %s=%s: not a number\n", name, text);
		cfg->invalid = true;
	}
	return n;
}

static void load(void)
{
	const char *mode = getenv("SOFTHCA_MODE"), *devices = getenv("SOFTHCA_DEVICES");
	const char *file = getenv("SOFTHCA_CONF");

	cfg->devices = devices && *devices ? (uint32_t)strtoul(devices, NULL, 10) : 1;
	if (cfg->devices > SHM_DEVS) {
		fprintf(stderr, "softhca: SOFTHCA_DEVICES=%s: at most %d\n", devices, SHM_DEVS);
		cfg->invalid = true;
	}
	if (mode && !strcmp(mode, "null")) {
		cfg->null = true;
	} else if (mode && *mode) {
		fprintf(stderr, "softhca: SOFTHCA_MODE=%s: only 'null' is known\n", mode);
		cfg->invalid = true;
	}
	for (uint32_t i = 0; i < SHM_DEVS; i++) {
		cfg->dev[i].seed = 1;
		cfg->dev[i].reorder_ns = 10000;
	}
	cfg->ahead = read_count("SOFTHCA_AHEAD");
	cfg->reflect = read_count("SOFTHCA_REFLECT");
	strcpy(cfg->fabric, "default");
	read_text("SOFTHCA_FABRIC", cfg->fabric, sizeof(cfg->fabric));
	read_text("SOFTHCA_STATS", cfg->stats, sizeof(cfg->stats));
	if (file && *file)
		read_file(file);
	for (uint32_t i = 0; i < SHM_DEVS; i++)
		read_env(i);
}

bool cfg_valid(void)
{
	pthread_once(&hca.fixed.cfg_once, load);
	return !cfg->invalid;
}

bool cfg_null(void)
{
	pthread_once(&hca.fixed.cfg_once, load);
	return cfg->null;
}

uint64_t cfg_ahead(void)
{
	pthread_once(&hca.fixed.cfg_once, load);
	return cfg->ahead;
}

uint64_t cfg_reflect(void)
{
	pthread_once(&hca.fixed.cfg_once, load);
	return cfg->null ? cfg->reflect : 0;
}

uint32_t cfg_devices(void)
{
	return cfg_valid() ? cfg->devices : 0;
}

const struct cfg_dev *cfg_dev(uint32_t dev)
{
	pthread_once(&hca.fixed.cfg_once, load);
	return &cfg->dev[dev];
}

const char *cfg_fabric(void)
{
	pthread_once(&hca.fixed.cfg_once, load);
	return cfg->fabric;
}

const char *cfg_stats(void)
{
	pthread_once(&hca.fixed.cfg_once, load);
	return cfg->stats;
}
