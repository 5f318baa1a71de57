/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The knee: the highest load whose response p99 stays at most a bound, in the spirit of
 * draft-ietf-bmwg-mlrsearch. A load is a lower bound of the knee if enough of its trials meet the
 * goal, and an upper bound if too many of them do not (of three, the exceed ratio is 50 %); the
 * interval between both is halved until it is narrow. Short trials, one for each load, find about
 * where it is; its ends and its final width are of full ones.
 *
 * Knows no clock, no device and no random number: knee_next() says which trial is due, and
 * knee_take() what came of it.
 */
#ifndef KNEE_H
#define KNEE_H

#include <stdbool.h>
#include <stdint.h>

#define KNEE_WIDTH 0.02          /* of the interval, as a part of its upper end */
#define KNEE_TRIALS 3u           /* full ones of a load, at most */

/*
 * One end of the interval. The p99 is the largest of the trials that met the goal, of the upper end
 * the least of those that did not.
 */
struct knee_end {
	double rate_per_s;        /* 0: not found yet */
	double p99_ns;
	bool saturated;           /* of an upper one: a trial was */
};

enum knee_found {
	KNEE_SEARCHING,
	KNEE_FOUND,               /* between lower and upper */
	KNEE_NONE,                /* not even the lowest load meets the goal: it is upper */
	KNEE_CAPACITY             /* the capacity meets it: it is lower */
};

struct knee {
	struct knee_end lower, upper;
	uint32_t trials;          /* taken, of both lengths */
	/* of knee.c */
	double bound_ns, least, most;
	bool full;                /* the trials are full ones */
	double first, second;     /* loads to begin with; second 0: none */
	double step;              /* outwards, as a part of a load; doubled with each */
	double rate;              /* of the trial that is due */
	struct knee_end met, missed; /* of the trials at this rate */
	uint32_t n_met, n_missed;
};

/*
 * All above 0. most_per_s, least_per_s: the highest load that is tried, the capacity of a closed
 * loop, and the lowest one, which is not above it. Loads have four digits.
 */
void knee_begin(struct knee *k, double bound_ns, double most_per_s, double least_per_s);

/*
 * The trial that is due: its rate, and whether it has its full length. Only while
 * KNEE_SEARCHING is what is found.
 */
double knee_next(const struct knee *k, bool *full);

/* What came of that trial: response p99, and whether more was due than could be carried. */
void knee_take(struct knee *k, double p99_ns, bool saturated);

enum knee_found knee_found(const struct knee *k);

#endif
