/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The memory that a session may use, counted where it is allocated. What the server as a whole may
 * use is asked for elsewhere, in steps. Of one thread.
 */
#ifndef BUDGET_H
#define BUDGET_H

#include <stdint.h>

struct memory_budget {
	uint64_t most;    /* bytes; UINT64_MAX: no limit */
	uint64_t used;
	uint64_t granted; /* what ask has allowed, not less than used */
	/*
	 * May there be so many bytes in all? Less than before: always. -errno with an error
	 * message. NULL: yes.
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
 * What is counted now; and when all that was allocated since then is freed. What is made for a
 * point is freed with it, so that nobody has to know what each object took.
 */
uint64_t budget_mark(const struct memory_budget *budget);
void budget_back(struct memory_budget *budget, uint64_t mark);

#endif
