/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The shared memory of the emulated HCA, as this process has mapped it. */
#ifndef T_SHM_H
#define T_SHM_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alive.h"
#include "base/shm.h"
#include "t.h"

/* The mapping of a file in memory at that offset; NULL: there is none. */
static inline void *t_mapping(const char *name, uint64_t offset)
{
	FILE *f = fopen("/proc/self/maps", "re");
	uint64_t start, off;
	void *found = NULL;
	char line[512];

	assert_non_null(f);
	while (!found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%" SCNx64 "-%*x %*s %" SCNx64, &start, &off) == 2 &&
		    off == offset && strstr(line, name))
			found = (void *)(uintptr_t)start;
	fclose(f);
	return found;
}

static inline struct shm_fabric *t_fabric(void)
{
	struct shm_fabric *f = t_mapping("/memfd:vb-softhca-fabric", 0);

	assert_non_null(f);
	return f;
}

/* The arena of this process: before it maps those of others, which are alike. */
static inline struct shm_arena *t_arena(void)
{
	struct shm_arena *a = t_mapping("/memfd:vb-softhca-arena", SHM_ARENA_OFF);

	assert_non_null(a);
	return a;
}

/* What a lock contains that the process holds. */
static inline uint32_t t_owner(pid_t pid)
{
	const struct shm_fabric *f = t_fabric();

	for (uint32_t i = 0; i < f->n_procs; i++)
		if (f->proc[i].used && f->proc[i].pid == pid)
			return alive_as_owner(i, f->proc[i].gen);
	fail_msg("process %d is not in the fabric", (int)pid);
	return 0;
}

#endif
