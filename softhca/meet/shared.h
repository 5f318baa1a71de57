/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Files in memory that processes of a user share, and descriptors taken from other processes. A
 * descriptor of another process is used only if it is of this user and of the expected kind. Memory
 * must also be sealed with the expected size (F_ADD_SEALS, fcntl(2)): otherwise another process
 * could shorten the file under the mapping, and each access would be a SIGBUS.
 */
#ifndef SHARED_H
#define SHARED_H

#include <stdint.h>

/* A file in memory of that size, which it keeps. A descriptor or -errno. */
int shared_make(const char *name, uint64_t bytes);
/*
 * The file that another process made by shared_make(), from the descriptor that it has there. A
 * descriptor or -errno; -ENOENT: the process or the descriptor does not exist; -EPERM: it belongs
 * to another user, which a message names; -EINVAL: it is something else.
 */
int shared_open(int pid, int fd, uint64_t bytes);
/* The same for the writing end of a pipe; does not block. */
int shared_open_pipe(int pid, int fd);

#endif
