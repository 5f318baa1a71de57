/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Did figures get low because their threads waited for a CPU? lost: the share of the time for which
 * one did, 0 to 1.
 */
#ifndef JUDGE_WAITS_H
#define JUDGE_WAITS_H

#include <stdbool.h>
#include <stddef.h>

/* Set the first fields, zero the others. */
struct judge_waits {
	double value, limit;       /* what is low, and where low begins; NAN: not known */
	bool latency;
	size_t n, n_disturbed;     /* figures */
	size_t n_others, n_good;   /* that waited for so long that it would explain value */
};

/* Is the figure low, and would it be good without the wait? */
bool judge_waits_disturb(const struct judge_waits *waits, double value, double lost);

/* One of the figures that are low. */
void judge_waits_add(struct judge_waits *waits, double value, double lost);

/* One that the same cause cannot have made low. */
void judge_waits_compare(struct judge_waits *waits, double value, double lost);

/*
 * Yes, if at least half are disturbed, unless most others that waited as long are good: with a deep
 * queue a link is busy meanwhile.
 */
bool judge_waits_explain(const struct judge_waits *waits);

#endif
