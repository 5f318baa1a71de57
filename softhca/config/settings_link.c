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

#include "config/values.h"

#define SEPARATORS ", \t"
static int rate(void *to, char *text)
{
	return values_rate(text, (uint64_t *)to);
}

static int time_of(void *to, char *text)
{
	return values_time(text, (uint64_t *)to);
}

static int chance(void *to, char *text)
{
	return values_chance(text, (uint32_t *)to);
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
	rc = values_time(text, &dev->stall_ns);
	*slash = '/';
	if (rc || values_time(slash + 1, &dev->period_ns))
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
	return values_time(strchr(text, ':') + 1, &dev->jitter_ns);
}

static int seed(void *to, char *text)
{
	return values_count(text, 0, UINT64_MAX, (uint64_t *)to);
}

static int profile(void *to, char *text)
{
	return (size_t)snprintf((char *)to, SETTINGS_PATH, "%s", text) < SETTINGS_PATH ? 0 :
										 -EINVAL;
}

_Static_assert(SETTINGS_PATH == 256, "the texts of keys and settings.def");

#define AT(field) offsetof(struct settings_dev, field)

static const struct key {
	const char *name;
	int (*read)(void *to, char *text); /* 0 or -EINVAL */
	size_t offset;                     /* in struct settings_dev */
	const char *allowed;
	bool in_file; /* and not in the environment, where it is a variable */
} keys[] = {
	{ "bandwidth", rate, AT(bit_s), VALUES_RATE, false },
	{ "delay", time_of, AT(delay_ns), VALUES_TIME, false },
	{ "loss", chance, AT(loss), VALUES_CHANCE, false },
	{ "reorder", chance, AT(reorder), VALUES_CHANCE, false },
	{ "reorder_by", time_of, AT(reorder_ns), VALUES_TIME, false },
	{ "duplicate", chance, AT(duplicate), VALUES_CHANCE, false },
	{ "stall", stall, 0, "TIME/PERIOD, such as 1ms/100ms; TIME must be less than PERIOD",
	  false },
	{ "jitter", jitter, 0, "exp:TIME or uniform:TIME; TIME: " VALUES_TIME, false },
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
