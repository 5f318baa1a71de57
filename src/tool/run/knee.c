/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the decisions of the search for the knee; see knee.h. */
#include "config.h"
#include "run/knee.h"

#include <math.h>

#define SHORT_WIDTH (2 * KNEE_WIDTH) /* full trials halve it */
#define SHORT_STEP (4 * KNEE_WIDTH)

/* To four digits: what is said of a load is what was measured, and the next one differs from it. */
static double rounded(double rate)
{
	const double unit = pow(10, floor(log10(rate)) - 3);

	return fmax(round(rate / unit) * unit, 0.1);
}

static double width(const struct knee *k)
{
	return k->full ? KNEE_WIDTH : SHORT_WIDTH;
}

enum knee_found knee_found(const struct knee *k)
{
	const double lower = k->lower.rate_per_s, upper = k->upper.rate_per_s;

	if (!k->full)
		return KNEE_SEARCHING;
	if (lower >= k->most)
		return KNEE_CAPACITY;
	if (upper > 0 && upper <= k->least)
		return KNEE_NONE;
	return lower > 0 && upper > 0 && upper - lower <= KNEE_WIDTH * upper ? KNEE_FOUND :
									       KNEE_SEARCHING;
}

/* Where only one end is known, the other one is looked for in steps that double. */
static double outwards(struct knee *k)
{
	const double lower = k->lower.rate_per_s, upper = k->upper.rate_per_s;
	const double second = k->second, step = k->step;

	k->second = 0;
	if (second > lower && !(upper > 0))
		return second;
	k->step = fmin(2 * step, 0.5);
	return upper > 0 ? fmax(rounded(upper * (1 - step)), k->least) :
			   fmin(rounded(lower * (1 + step)), k->most);
}

/* The next load. */
static void choose(struct knee *k)
{
	const double lower = k->lower.rate_per_s, upper = k->upper.rate_per_s;

	k->n_met = k->n_missed = 0;
	k->met = k->missed = (struct knee_end){ .rate_per_s = 0 };
	if (!(lower > 0) && !(upper > 0))
		k->rate = k->first;
	else if (lower > 0 && upper > 0)
		k->rate = rounded(sqrt(lower * upper));
	else
		k->rate = outwards(k);
}

/* Short trials have an interval, or they met the least or the highest load. */
static bool is_narrow(const struct knee *k)
{
	const double lower = k->lower.rate_per_s, upper = k->upper.rate_per_s;

	return lower >= k->most || (upper > 0 && upper <= k->least) ||
	       (lower > 0 && upper > 0 && upper - lower <= width(k) * upper);
}

/* From short trials to full ones, which begin with the ends of their interval. */
static void lengthen(struct knee *k)
{
	k->full = true;
	k->step = KNEE_WIDTH;
	k->first = k->lower.rate_per_s > 0 ? k->lower.rate_per_s : k->upper.rate_per_s;
	k->second = k->upper.rate_per_s;
	k->lower = k->upper = (struct knee_end){ .rate_per_s = 0 };
}

void knee_begin(struct knee *k, double bound_ns, double most_per_s, double least_per_s)
{
	const double most = rounded(most_per_s);

	*k = (struct knee){ .bound_ns = bound_ns, .most = most, .first = most,
			    .least = fmin(rounded(least_per_s), most), .step = SHORT_STEP };
	choose(k);
}

double knee_next(const struct knee *k, bool *full)
{
	*full = k->full;
	return k->rate;
}

/* Enough trials of this load say the same, whatever those that are left would say. */
static bool is_decided(const struct knee *k)
{
	const uint32_t enough = k->full ? KNEE_TRIALS / 2 + 1 : 1;

	return k->n_met >= enough || k->n_missed >= enough;
}

void knee_take(struct knee *k, double p99_ns, bool saturated)
{
	const bool met = p99_ns <= k->bound_ns && !saturated;
	struct knee_end *const end = met ? &k->met : &k->missed;
	const bool more = met ? !(p99_ns <= end->p99_ns) : !(p99_ns >= end->p99_ns);

	k->trials++;
	if (!end->rate_per_s || more)
		end->p99_ns = p99_ns;
	end->rate_per_s = k->rate;
	end->saturated |= saturated;
	k->n_met += met;
	k->n_missed += !met;
	if (!is_decided(k))
		return;
	if (k->n_met > k->n_missed)
		k->lower = k->met;
	else
		k->upper = k->missed;
	if (!k->full && is_narrow(k))
		lengthen(k);
	choose(k);
}
