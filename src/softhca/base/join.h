/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Names in the abstract socket space (unix(7)). Only one process can have a name, and the kernel
 * frees it when its descriptor is closed, also when the process is killed. One name is the join
 * lock: processes join the fabric one at a time.
 */
#ifndef JOIN_H
#define JOIN_H

#include <stdbool.h>
#include <stdint.h>

struct sockaddr_storage;
struct sockaddr_un;

/* Bytes of a name and of its prefix, with the final zero. */
enum { JOIN_PREFIX = 64, JOIN_NAME = 104 };

/* The prefix of all names of this user and fabric. */
void join_prefix(char text[JOIN_PREFIX]);
/* Whether this machine has the IP address; its port must be 0. */
bool join_is_local(const struct sockaddr_storage *addr, uint32_t len);
/* The address of the name, and its length. */
uint32_t join_address(struct sockaddr_un *addr, const char *name);
/*
 * Calls found() with the rest of each name of the machine that begins with the prefix, until it
 * returns true. Returns whether it did.
 */
bool join_each(const char *prefix, bool (*found)(const char *rest, void *arg), void *arg);
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
