/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Joining the fabric, and everything written in it: process slots, the directory of QP numbers,
 * multicast groups. Processes find each other by names in the abstract socket space, which vanish
 * with their holders, and open each other's memory through /proc/PID/fd, as one user.
 */
#ifndef FABRIC_H
#define FABRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "shm.h"

/* Bytes of names and of what they begin with, final zero included. */
enum { FABRIC_PREFIX = 64, FABRIC_NAME = 96 };

/* 0 or -errno; -ETIMEDOUT: another process holds the door and does not move. */
int fabric_join(void);
void fabric_leave(void);
bool fabric_lives(uint32_t lock_word);
bool fabric_alive(uint32_t slot, uint32_t gen);
/* The process in that slot is dead: its QP numbers, memberships and the slot are free again. */
void fabric_bury(uint32_t slot, uint32_t gen);

int fabric_new_qpn(uint32_t qp_idx, uint32_t *qpn);
void fabric_free_qpn(uint32_t qpn);
uint64_t fabric_find(uint32_t qpn); /* 0: no such QP */

static inline uint32_t fabric_dir_slot(uint64_t dir)
{
	return (dir >> 16) & 0xff;
}

static inline uint32_t fabric_dir_gen(uint64_t dir)
{
	return (dir >> 24) & 0xffff;
}

static inline uint32_t fabric_dir_qp(uint64_t dir)
{
	return dir & 0xffff;
}

int fabric_attach(const uint8_t gid[16], uint32_t qpn);
int fabric_detach(const uint8_t gid[16], uint32_t qpn);
bool fabric_attached(uint32_t qpn);
uint32_t fabric_members(const uint8_t gid[16], uint32_t qpn[SHM_MEMBERS]);

/* fabric_door.c */
void fabric_prefix(char text[FABRIC_PREFIX]); /* of this user and fabric */
/* A descriptor that has the name until it is closed; -EADDRINUSE: another has. */
int fabric_take_name(const char *name);
/* The door, that one process at a time goes through; waits its turn. To be closed by the caller. */
int fabric_door(const char *pre);

#endif
