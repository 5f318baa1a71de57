/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * How many objects of a device this process has, in all contexts of the device, and that there are
 * no more than a profile allows. The processes of a fabric stand for as many hosts, each with
 * devices of its own, so what one has does not count for the others.
 */
#ifndef COUNT_H
#define COUNT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct count {
	atomic_uint pds, cqs, mrs, qps;
};

/* One more of at most so many; false: there are as many. */
static inline bool count_take(atomic_uint *n, uint64_t most)
{
	if (atomic_fetch_add(n, 1) < most)
		return true;
	atomic_fetch_sub(n, 1);
	return false;
}

static inline void count_give(atomic_uint *n)
{
	atomic_fetch_sub(n, 1);
}

#endif
