/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The fabric: the shared memory in which the processes of one user find each other. A member is
 * found by its file in the meeting place of the user (join.h); the name of the file contains its
 * descriptor of the fabric, which other processes open through /proc/PID/fd (shared.h).
 */
#ifndef FABRIC_H
#define FABRIC_H

#include <stdbool.h>
#include <stdint.h>

/*
 * For each context that is opened. The first call makes or finds the fabric, and makes the arena of
 * this process. 0 or -errno; -ETIMEDOUT: others hold the join lock for too long.
 */
int fabric_join(void);
/* The same, without a context: to see what others have written there, and to be seen. */
int fabric_look(void);
/* From now on, a child of fork() starts with no objects. fabric_join() does it, too. */
void fabric_watch_fork(void);
/* For each context that is closed. True: it was the last. */
bool fabric_leave(void);
/* The process in that slot is dead: frees its QP numbers and the slot. */
void fabric_remove(uint32_t slot, uint32_t gen);

/*
 * fabric_ports.c: the ports of this process. A process without SOFTHCA_NODE is a host of its own,
 * with its own ports, which only send at the rate of their link. The processes of a node share the
 * ports of the node, which also receive at this rate.
 *
 * Under the join lock, for a process that has its slot. 0, or -EINVAL after a message on stderr:
 * another process of the node lives whose links or profiles are others, or which has another name
 * with the same number.
 */
int fabric_set_up_ports(void);

#endif
