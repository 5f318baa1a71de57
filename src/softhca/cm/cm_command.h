/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The library functions that the program calls through libc; called by the folder api. */
#ifndef CM_COMMAND_H
#define CM_COMMAND_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/hca.h"

enum { CM_DESCRIPTORS = 65536 }; /* a channel has a smaller descriptor */

/* Whether the descriptor is a channel. For each write() and close() of the program. */
static inline bool cm_command_owns(int fd)
{
	_Atomic(struct cm_channel *) *channels =
		atomic_load_explicit(&hca.cm.channels, memory_order_acquire);

	return channels && fd >= 0 && fd < CM_DESCRIPTORS &&
	       atomic_load_explicit(&channels[fd], memory_order_relaxed);
}

/* A new channel: its descriptor, or -errno. */
int cm_command_open(void);
/* Destroys the channel and all its identifiers, and closes the descriptor. */
void cm_command_close(int fd);
/* A write() to a channel: one command. Returns len or -errno. */
ssize_t cm_command_run(int fd, const void *buf, size_t len);

#endif
