/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the table of the words by which a refusal tells its cause. Called by check_cells.c. The
 * words are those of plan_caps.c, plan_path.c, gid.c, plan_rules.c, owner.c and mem.c;
 * tests/unit/test_check.c makes the refusals and compares.
 */
#include "config.h"
#include "check/causes.h"

#include <stddef.h>
#include <string.h>

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

/* The first one that is in the message. */
static const struct {
	const char *words;
	enum cause cause;
} table[] = {
	{ "memlock", CAUSE_MEMLOCK },
	{ "ulimit -l", CAUSE_MEMLOCK },
	{ "Permission denied", CAUSE_RIGHTS },
	{ "Operation not permitted", CAUSE_RIGHTS },
	{ "modprobe", CAUSE_DRIVER },
	{ "was built without", CAUSE_DRIVER },
	{ "libmlx5.so", CAUSE_DRIVER },
	{ "exclude each other", CAUSE_OPTIONS },
	{ "over UC: librdmacm", CAUSE_OPTIONS },
	{ "the server was started with", CAUSE_OWNER },
	{ " allows ", CAUSE_OWNER },
	{ "cannot reach each other", CAUSE_PATH },
	{ "limited members of the partition", CAUSE_PATH },
	{ "no entry of this partition", CAUSE_PATH },
	{ "subnet manager", CAUSE_PATH },
	{ "GID", CAUSE_PATH },
	{ "MTU", CAUSE_PATH },
	{ "iWARP: needs", CAUSE_PATH },
	{ "may send only after", CAUSE_PATH },
};

enum cause causes_of(const char *reason)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (strstr(reason, table[i].words))
			return table[i].cause;
	return CAUSE_DEVICE;
}
