/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Reads the profile of each device, whose name settings.c has read: SOFTHCA_PROFILE_I, else
 * SOFTHCA_PROFILE, else a line of SOFTHCA_CONF. See settings.h.
 */
#include "config.h"
#include "config/settings.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

/* The LIDs of the nodes follow each other, too. */
static int check_lid(const struct settings *s, uint32_t i)
{
	const uint64_t last = PROFILE_LAST_LID - s->node_id * PROFILE_HOST_PORTS;

	if (s->profile[i].lid <= last)
		return 0;
	fprintf(stderr, "softhca: SOFTHCA_NODE=%s: profile %s: the LID must be at most %" PRIu64 "\n",
		s->node, s->profile[i].name, last);
	return -EINVAL;
}

static int read_one(struct settings *s, uint32_t i)
{
	struct settings_dev *dev = &s->dev[i];
	const struct profile_of of = { .dev = i, .node = s->node_id };
	char path[PATH_MAX];

	profile_default(&s->profile[i], of);
	/* a profile of a device that there is not is not read */
	if (!dev->profile[0] || i >= s->devices)
		return 0;
	if (profile_find(dev->profile, path, sizeof(path)) ||
	    profile_load(&s->profile[i], path, of))
		return -EINVAL;
	return check_lid(s, i);
}

uint32_t settings_ports(const struct settings *s, uint32_t dev)
{
	const uint64_t own = s->profile[dev % SETTINGS_DEVS].ports;

	return s->null || !own ? s->ports : (uint32_t)own;
}

uint16_t settings_lid(const struct settings *s, struct profile_of of, uint32_t port)
{
	const struct profile *p = &s->profile[of.dev % SETTINGS_DEVS];

	if (!p->lid || p->port_state == IBV_PORT_INIT)
		return 0;
	return (uint16_t)(p->lid + profile_lid_step(of, settings_ports(s, of.dev), port));
}

int settings_profiles(struct settings *s)
{
	int rc = 0;

	for (uint32_t i = 0; i < SETTINGS_DEVS && !rc; i++)
		rc = read_one(s, i);
	return rc;
}
