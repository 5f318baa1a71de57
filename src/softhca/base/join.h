/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Names in the abstract socket space (unix(7)). Only one process can have a name, and the kernel
 * frees it when its descriptor is closed, also when the process is killed. One name is the join
 * lock: processes join the fabric one at a time.
 */
#ifndef JOIN_H
#define JOIN_H

/* Bytes of a name and of its prefix, with the final zero. */
enum { JOIN_PREFIX = 64, JOIN_NAME = 96 };

/* The prefix of all names of this user and fabric. */
void join_prefix(char text[JOIN_PREFIX]);
/*
 * A descriptor that holds the name until it is closed; -EADDRINUSE: another process has the name.
 */
int join_take_name(const char *name);
/*
 * Waits for the join lock. Returns its descriptor, which the caller closes to release the lock, or
 * -errno; -ETIMEDOUT: another process has held it for 5 s.
 */
int join_lock(const char *prefix);

#endif
