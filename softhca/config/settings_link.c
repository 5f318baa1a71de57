/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Parses the link of a device, "bandwidth=10G,delay=50us", and its values; see settings.h. */
#include "config.h"
#include "config/settings.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEPARATORS ", \t"
#define MAX_BIT_S 100e12 /* as the texts of keys and SETTINGS_TIME say */
#define MAX_NS 1000000e9

struct unit {
	const char *name; /* NULL: the end of a table */
	double factor;
};

static const struct unit rates[] = {
	{ "", 1 }, { "k", 1e3 }, { "M", 1e6 }, { "G", 1e9 }, { "T", 1e12 }, { NULL, 0 },
};

static const struct unit times[] = {
	{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { NULL, 0 },
};

/* Only 0 needs no unit. */
static const struct unit no_time[] = { { "", 1 }, { NULL, 0 } };

static const struct unit chances[] = { { "", 1 }, { "%", 0.01 }, { NULL, 0 } };

/* "50us": a decimal number from 0 to max and its unit. */
static int scaled(const char *text, const struct unit *unit, double max, double *value)
{
	char *end;

	/* strtod() also takes signs, "nan", "inf" and 0x10 */
	if (!isdigit((unsigned char)*text) || (text[0] == '0' && tolower(text[1]) == 'x'))
		return -EINVAL;
	errno = 0;
	*value = strtod(text, &end);
	while (unit->name && strcmp(unit->name, end) != 0)
		unit++;
	*value *= unit->factor;
	return errno || !unit->name || *value > max ? -EINVAL : 0;
}

static int rate(void *to, char *text)
{
	double v;

	if (scaled(text, rates, MAX_BIT_S, &v) || (v > 0 && v < 1000))
		return -EINVAL;
	*(uint64_t *)to = (uint64_t)(v + 0.5);
	return 0;
}

int settings_time(const char *text, uint64_t *ns)
{
	double v;

	if (scaled(text, times, MAX_NS, &v) && scaled(text, no_time, 0, &v))
		return -EINVAL;
	*ns = (uint64_t)(v + 0.5);
	return 0;
}

static int time_of(void *to, char *text)
{
	return settings_time(text, (uint64_t *)to);
}

static int chance(void *to, char *text)
{
	double v;

	if (scaled(text, chances, 1, &v))
		return -EINVAL;
	*(uint32_t *)to = v >= 1 ? UINT32_MAX : (uint32_t)(v * 4294967296.0);
	return 0;
}

/* "1ms/100ms": the link stands still for 1 ms of every 100 ms. */
static int stall(void *to, char *text)
{
	struct settings_dev *dev = (struct settings_dev *)to;
	char *slash = strchr(text, '/');
	int rc;

	if (!slash)
		return -EINVAL;
	*slash = '\0';
	rc = settings_time(text, &dev->stall_ns);
	*slash = '/';
	if (rc || settings_time(slash + 1, &dev->period_ns))
		return -EINVAL;
	return dev->stall_ns < dev->period_ns ? 0 : -EINVAL;
}

/* "exp:10us" */
static int jitter(void *to, char *text)
{
	struct settings_dev *dev = (struct settings_dev *)to;

	if (!strncmp(text, "exp:", 4))
		dev->jitter = SETTINGS_JITTER_EXP;
	else if (!strncmp(text, "uniform:", 8))
		dev->jitter = SETTINGS_JITTER_UNIFORM;
	else
		return -EINVAL;
	return settings_time(strchr(text, ':') + 1, &dev->jitter_ns);
}

int settings_count(const char *text, uint64_t min, uint64_t max, uint64_t *n)
{
	char *end;

	/* strtoull() also takes blanks and signs */
	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	*n = strtoull(text, &end, 10);
	return errno || *end || *n < min || *n > max ? -EINVAL : 0;
}

static int seed(void *to, char *text)
{
	return settings_count(text, 0, UINT64_MAX, (uint64_t *)to);
}

static int profile(void *to, char *text)
{
	return (size_t)snprintf((char *)to, SETTINGS_PATH, "%s", text) < SETTINGS_PATH ? 0 :
										 -EINVAL;
}

_Static_assert(SETTINGS_PATH == 256, "the texts of keys and settings.def");

#define AT(field) offsetof(struct settings_dev, field)
#define CHANCE "from 0 to 1, or from 0% to 100%"

static const struct key {
	const char *name;
	int (*read)(void *to, char *text); /* 0 or -EINVAL */
	size_t offset;                     /* in struct settings_dev */
	const char *allowed;
	bool in_file; /* and not in the environment, where it is a variable */
} keys[] = {
	{ "bandwidth", rate, AT(bit_s), "0, or bit/s from 1k to 100T, such as 10G", false },
	{ "delay", time_of, AT(delay_ns), SETTINGS_TIME, false },
	{ "loss", chance, AT(loss), CHANCE, false },
	{ "reorder", chance, AT(reorder), CHANCE, false },
	{ "reorder_by", time_of, AT(reorder_ns), SETTINGS_TIME, false },
	{ "duplicate", chance, AT(duplicate), CHANCE, false },
	{ "stall", stall, 0, "TIME/PERIOD, such as 1ms/100ms; TIME must be less than PERIOD",
	  false },
	{ "jitter", jitter, 0, "exp:TIME or uniform:TIME; TIME: " SETTINGS_TIME, false },
	{ "seed", seed, AT(seed), "a number from 0 to 18446744073709551615", false },
	{ "profile", profile, AT(profile), "a name or a path of at most 255 characters", true },
};

enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

static const struct key *find(const char *name, bool in_file)
{
	for (size_t i = 0; i < KEYS; i++)
		if (!strcmp(keys[i].name, name) && (in_file || !keys[i].in_file))
			return &keys[i];
	return NULL;
}

/* "loss=1%" */
static int read_part(struct settings_dev *dev, const struct settings_place *at, char *part)
{
	char *value = strchr(part, '=');
	const struct key *key;

	if (value)
		*value++ = '\0';
	key = find(part, at->in_file);
	if (key && value && !key->read((char *)dev + key->offset, value))
		return 0;
	if (key) {
		fprintf(stderr, "softhca: %s: %s=%s: must be %s\n", at->where, part,
			value ? value : "", key->allowed);
		return -EINVAL;
	}
	fprintf(stderr, "softhca: %s: there is no key '%s'; allowed:", at->where, part);
	for (size_t i = 0; i < KEYS; i++)
		if (at->in_file || !keys[i].in_file)
			fprintf(stderr, "%s %s", i ? "," : "", keys[i].name);
	fputc('\n', stderr);
	return -EINVAL;
}

int settings_link(struct settings_dev *dev, const struct settings_place *at, const char *text)
{
	char *copy = strdup(text), *save = NULL;
	int rc = copy ? 0 : -ENOMEM;

	for (char *part = copy ? strtok_r(copy, SEPARATORS, &save) : NULL; part;
	     part = strtok_r(NULL, SEPARATORS, &save))
		if (read_part(dev, at, part))
			rc = -EINVAL;
	free(copy);
	return rc;
}
