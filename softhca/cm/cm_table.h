/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The channels of this process by their descriptors; cm_command.c writes the table. */
#ifndef CM_TABLE_H
#define CM_TABLE_H

#include <stdatomic.h>

#include "base/hca.h"

enum { CM_TABLE_SIZE = 65536 }; /* a channel has a smaller descriptor */

/*
 * The channel with this descriptor, or NULL. For each write() and close() of the program, without a
 * lock: what the result points to may be used only under hca.cm.lock.
 */
static inline struct cm_channel *cm_table_at(int fd)
{
	_Atomic(struct cm_channel *) *channels =
		atomic_load_explicit(&hca.cm.channels, memory_order_acquire);

	if (!channels || fd < 0 || fd >= CM_TABLE_SIZE)
		return NULL;
	return atomic_load_explicit(&channels[fd], memory_order_relaxed);
}

#endif
