/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns who it is up to that something is not offered, by the name that an error has as its cause
 * (util/err.h). Called by check_run.c.
 */
#include "config.h"
#include "check/causes.h"

#include <string.h>

#include "remedy/remedy.h"

const char *const causes_names[] = {
	[CAUSE_NONE] = "none",
	[CAUSE_DEVICE] = "device",
	[CAUSE_DRIVER] = "driver",
	[CAUSE_RIGHTS] = "rights",
	[CAUSE_MEMLOCK] = "memlock",
	[CAUSE_PATH] = "path",
	[CAUSE_OWNER] = "owner",
	[CAUSE_OPTIONS] = "options",
	NULL,
};

/* Of the causes that have a remedy; CAUSE_NONE is CAUSE_DEVICE. */
static const enum cause of_remedy[REMEDY_COUNT] = {
	[REMEDY_NO_DEVICE] = CAUSE_DRIVER,  [REMEDY_NO_PROVIDER] = CAUSE_DRIVER,
	[REMEDY_NO_UVERBS] = CAUSE_DRIVER,  [REMEDY_CONTAINER] = CAUSE_RIGHTS,
	[REMEDY_RIGHTS] = CAUSE_RIGHTS,	    [REMEDY_MEMLOCK] = CAUSE_MEMLOCK,
	[REMEDY_PORT_DOWN] = CAUSE_PATH,    [REMEDY_NO_SM] = CAUSE_PATH,
	[REMEDY_NO_GID] = CAUSE_PATH,	    [REMEDY_GID_PAIR] = CAUSE_PATH,
	[REMEDY_NEIGHBOUR] = CAUSE_PATH,    [REMEDY_NO_ACK] = CAUSE_PATH,
	[REMEDY_NO_RDMA_CM] = CAUSE_DRIVER, [REMEDY_IWARP] = CAUSE_PATH,
	[REMEDY_NO_PKEY] = CAUSE_PATH,	    [REMEDY_MTU] = CAUSE_PATH,
};

static enum cause of_row(enum remedy remedy)
{
	return of_remedy[remedy] == CAUSE_NONE ? CAUSE_DEVICE : of_remedy[remedy];
}

enum cause causes_of(const char *name)
{
	for (int i = 0; i < REMEDY_COUNT; i++)
		if (!strcmp(name, remedy_name((enum remedy)i)))
			return of_row((enum remedy)i);
	for (int i = CAUSE_DEVICE; i < CAUSE_COUNT; i++)
		if (!strcmp(name, causes_names[i]))
			return (enum cause)i;
	return CAUSE_DEVICE;
}
