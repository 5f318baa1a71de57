/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The memory budget of a session, counted where memory is allocated. The budget of the whole server
 * is requested separately, in steps. For one thread only.
 */
#ifndef BUDGET_H
#define BUDGET_H

#include <stdint.h>

struct memory_budget {
	uint64_t most;    /* bytes; UINT64_MAX: no limit */
	uint64_t used;
	uint64_t granted; /* the amount that ask has allowed, at least used */
	/*
	 * May the session use this many bytes in all? Always yes if it is less than before. -errno
	 * with an error message. NULL: yes.
	 */
	int (*ask)(void *arg, uint64_t bytes);
	void *arg;
};

/*
 * Counts bytes that are about to be allocated; what: "buffers". budget NULL: nothing is counted.
 * -ENOMEM with an error message that names the limit; nothing is counted then.
 */
int budget_take(struct memory_budget *budget, uint64_t bytes, const char *what)
	__attribute__((warn_unused_result));

/*
 * budget_mark() returns the current count; budget_back() restores it when all that was allocated
 * since is freed. The memory of a point is freed with the point, so no object needs to remember its
 * size.
 */
uint64_t budget_mark(const struct memory_budget *budget);
void budget_back(struct memory_budget *budget, uint64_t mark);

#endif
