/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What a program that takes work from the network gives up before it does: its user, its
 * capabilities, and that a program which it starts could have more.
 */
#ifndef PRIVILEGE_H
#define PRIVILEGE_H

/*
 * user: who to become, with all its groups (only root can); NULL: nobody else. With a user no
 * capability is left; a program that is not root keeps IPC_LOCK and SYS_NICE of those that it was
 * given (AmbientCapabilities= of a unit); root without user keeps its own. -errno with an error
 * message: then the program must end.
 */
int privilege_drop(const char *user) __attribute__((warn_unused_result));

/* By libcap-ng: capabilities_ng.c; without it the kernel alone: capabilities_none.c. */
int capabilities_bound(void) __attribute__((warn_unused_result));
int capabilities_keep_few(void) __attribute__((warn_unused_result));

#endif
