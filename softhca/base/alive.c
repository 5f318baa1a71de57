/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The file lock of each process on its slot; see alive.h. */
#include "config.h"
#include "base/alive.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
	const struct shm_proc *p;

	if (slot >= SHM_PROCS)
		return false;
	p = &hca.fabric->proc[slot];
	if (slot == hca.slot)
		return gen == hca.gen;
	return p->gen == gen && atomic_load(&p->used) && byte_lock(slot, F_WRLCK, F_GETLK);
}

bool alive_owner(uint32_t owner)
{
	return alive_process(alive_slot(owner), alive_gen(owner));
}

char alive_state(const char *path)
{
	char text[256], *name_end;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return '\0';
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	/* the state follows the name of the program, which is in brackets */
	name_end = strrchr(text, ')');
	return name_end && name_end[1] ? name_end[2] : '\0';
}

bool alive_is_pid_stopped(int pid)
{
	char path[64], state;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	state = alive_state(path);
	return state == 'T' || state == 't';
}

bool alive_is_stopped(uint32_t owner)
{
	return alive_slot(owner) < SHM_PROCS &&
	       alive_is_pid_stopped(hca.fabric->proc[alive_slot(owner)].pid);
}

/*
 * The clock of the CPU time of a thread contains the number of the thread (the kernel's interface,
 * see MAKE_THREAD_CPUCLOCK of include/linux/posix-timers.h).
 */
static int tid_of(clockid_t clock)
{
	return ~(clock >> 3);
}

bool alive_is_runnable(clockid_t clock)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid_of(clock));
	return alive_state(path) == 'R';
}
