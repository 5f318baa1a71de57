/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Whether a process of the fabric lives. Each process holds a file lock on one byte of the fabric,
 * the byte of its slot; the kernel releases the lock when the process ends, for whatever reason.
 */
#ifndef ALIVE_H
#define ALIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/shm.h"

/* Takes the lock of a slot; false: another process has it. */
bool alive_claim(uint32_t slot);
/* Whether the process of that generation still has the slot. */
bool alive_process(uint32_t slot, uint32_t gen);
/* The same for the owner of a struct lock. */
bool alive_owner(uint32_t owner);
/*
 * The state of a process or thread (proc_pid_stat(5)): 'R', 'T', ...; path: of its file stat. '\0':
 * there is none.
 */
char alive_state(const char *path);
/* Whether the process is stopped, by a signal or a debugger. */
bool alive_is_pid_stopped(int pid);
bool alive_is_stopped(uint32_t owner);
/* Whether a thread of this process runs or waits for a processor; by pthread_getcpuclockid(3). */
bool alive_is_runnable(clockid_t clock);

/* The slot of an owner, which may be none (SHM_PROCS and more), and its generation. */
static inline uint32_t alive_slot(uint32_t owner)
{
	return (owner & SHM_SLOT_MASK) - 1;
}

static inline uint32_t alive_gen(uint32_t owner)
{
	return owner >> SHM_SLOT_BITS;
}

/* The owner of a struct lock: never 0. */
static inline uint32_t alive_as_owner(uint32_t slot, uint32_t gen)
{
	return (slot + 1) | gen << SHM_SLOT_BITS;
}

#endif
