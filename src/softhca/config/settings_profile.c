/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Which profile each device has: SOFTHCA_PROFILE_I, else SOFTHCA_PROFILE, else a line of
 * SOFTHCA_CONF. See settings.h. Called by settings.c.
 */
#include "config.h"
#include "config/settings.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static int read_name(struct settings_dev *dev, uint32_t i)
{
	const char *name, *text;
	char own[32];

	snprintf(own, sizeof(own), "SOFTHCA_PROFILE_%u", i);
	name = getenv(own) ? own : "SOFTHCA_PROFILE";
	text = getenv(name);
	if (!text || !*text)
		return 0;
	if ((size_t)snprintf(dev->profile, sizeof(dev->profile), "%s", text) <
	    sizeof(dev->profile))
		return 0;
	fprintf(stderr, "softhca: %s=%s: at most %zu characters\n", name, text,
		sizeof(dev->profile) - 1);
	return -EINVAL;
}

static int read_one(struct settings *s, uint32_t i)
{
	struct settings_dev *dev = &s->dev[i];
	char path[PATH_MAX];

	profile_default(&s->profile[i], i);
	if (read_name(dev, i))
		return -EINVAL;
	/* a profile of a device that there is not is not read */
	if (!dev->profile[0] || i >= s->devices)
		return 0;
	if (profile_find(dev->profile, path, sizeof(path)) ||
	    profile_load(&s->profile[i], path, i))
		return -EINVAL;
	return 0;
}

int settings_profiles(struct settings *s)
{
	int rc = 0;

	for (uint32_t i = 0; i < SETTINGS_DEVS && !rc; i++)
		rc = read_one(s, i);
	return rc;
}
