/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The file lock of each process on its slot; see alive.h. */
#include "config.h"
#include "base/alive.h"

#include <fcntl.h>

#include "base/hca.h"

static bool byte_lock(uint32_t slot, short type, int cmd)
{
	struct flock l = { .l_type = type, .l_whence = SEEK_SET, .l_start = slot, .l_len = 1 };

	if (fcntl(hca.fabric_fd, cmd, &l))
		return false;
	return cmd != F_GETLK || l.l_type != F_UNLCK;
}

bool alive_claim(uint32_t slot)
{
	return byte_lock(slot, F_WRLCK, F_SETLK);
}

/* fcntl(2): the lock belongs to the process, and not to its children. */
bool alive_process(uint32_t slot, uint32_t gen)
{
	const struct shm_proc *p = &hca.fabric->proc[slot];

	if (slot == hca.slot)
		return gen == hca.gen;
	return p->gen == gen && atomic_load(&p->used) && byte_lock(slot, F_WRLCK, F_GETLK);
}

bool alive_owner(uint32_t owner)
{
	return alive_process((owner & 0xff) - 1, owner >> 8);
}
