/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Reads the profile of each device, whose name settings.c has read: SOFTHCA_PROFILE_I, else
 * SOFTHCA_PROFILE, else a line of SOFTHCA_CONF. See settings.h.
 */
#include "config.h"
#include "config/settings.h"

#include <errno.h>
#include <limits.h>

static int read_one(struct settings *s, uint32_t i)
{
	struct settings_dev *dev = &s->dev[i];
	char path[PATH_MAX];

	profile_default(&s->profile[i], i);
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
