/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The library functions that the program calls through libc; called by the folder api. */
#ifndef CM_COMMAND_H
#define CM_COMMAND_H

#include <stddef.h>
#include <sys/types.h>

/* A new channel: its descriptor, or -errno. */
int cm_command_open(void);
/*
 * Before the descriptor is closed: destroys the channel and all its identifiers. Not in a child of
 * vfork(), where only the descriptor is a copy.
 */
void cm_command_close(int fd);
/* A write() to a channel: one command. Returns len or -errno. */
ssize_t cm_command_run(int fd, const void *buf, size_t len);

#endif
