/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the rule of the verdicts of a comparison, and how many repeats are missing; see tables.h. */
#include "config.h"
#include "tables/tables.h"

#include <math.h>
#include <stdlib.h>

#include "util/must.h"

#define POWER_Z 0.8416  /* a normal variable is below it 4 times in 5 */
#define NEEDS_MOST 10000.0

static bool is_tested(const struct compared *c)
{
	return c->a.n >= VERDICT_REPEATS && c->b.n >= VERDICT_REPEATS;
}

void verdict_measure(struct compared *c, const struct spread_values *a,
		     const struct spread_values *b)
{
	c->a = spread_of_values(a);
	c->b = spread_of_values(b);
	c->has_ratio = false;
	c->shift = (struct repeats_shift){ NAN, { NAN, NAN } };
	c->p = NAN;
	if (!a->n || !b->n)
		return;
	c->has_ratio = c->a.min > 0 && c->b.min > 0;
	c->shift = c->has_ratio ? repeats_ratio(a->sorted, a->n, b->sorted, b->n) :
				  repeats_difference(a->sorted, a->n, b->sorted, b->n);
	if (is_tested(c))
		c->p = repeats_test(a->sorted, a->n, b->sorted, b->n).differs;
}

/* ---- how many repeats are missing */

/* What a normal variable is above with probability p. */
static double z_above(double p)
{
	double low = 0, high = 40;

	for (int i = 0; i < 60; i++) {
		const double z = (low + high) / 2;

		*(erfc(z / sqrt(2)) / 2 > p ? &low : &high) = z;
	}
	return low;
}

/* The fewest repeats a side of which one order is as rare as alpha, in both directions. */
static double fewest(double alpha)
{
	double n = VERDICT_REPEATS;

	while (log(2) + 2 * lgamma(n + 1) - lgamma(2 * n + 1) > log(alpha))
		n++;
	return n;
}

/*
 * A line that is unsure, by its interval; change: of B, in the unit of the band. lines: all that
 * will be tested.
 */
static size_t needed(const struct compared *c, double change, double band, size_t lines)
{
	const double n = (double)(c->a.n < c->b.n ? c->a.n : c->b.n);
	const double half = (c->shift.interval.high - c->shift.interval.low) / 2;
	const double z = z_above(REPEATS_ALPHA / 2), room = band - fabs(change);
	const double alpha = VERDICT_ALPHA / (double)lines, least = fewest(alpha);
	double same = INFINITY, differs, all;

	/* all were disturbed: more of them would be, too */
	if (!c->a.n || !c->b.n)
		return 0;
	if (!is_tested(c))
		return (size_t)(least - n);
	if (room > 0)
		same = n * pow(half * (z + POWER_Z) / z / room, 2);
	differs = n * pow(half * (z_above(alpha / 2) + POWER_Z) / z / fabs(change), 2);
	all = fmin(same, fmax(differs, least));
	if (all > NEEDS_MOST)
		return 0;
	return all > n + 1 ? (size_t)ceil(all - n) : 1;
}

/* ---- verdicts */

static void judge(struct compared *c, double within, size_t lines)
{
	const double change = c->shift.estimate - (c->has_ratio ? 1 : 0);
	const double band = within / 100 * (c->has_ratio ? 1 : fabs(c->a.median));
	const double from = c->shift.interval.low - (c->has_ratio ? 1 : 0);
	const double to = c->shift.interval.high - (c->has_ratio ? 1 : 0);

	c->needs = 0;
	if (!c->in_a || !c->in_b)
		c->verdict = c->in_a ? VERDICT_ONLY_A : VERDICT_ONLY_B;
	else if (is_tested(c) && from >= -band && to <= band)
		c->verdict = VERDICT_SAME;
	else if (is_tested(c) && c->p <= VERDICT_ALPHA)
		c->verdict = !c->direction ? VERDICT_DIFFERS :
			     (change > 0) == (c->direction > 0) ? VERDICT_BETTER : VERDICT_WORSE;
	else
		c->verdict = VERDICT_UNSURE;
	if (c->verdict == VERDICT_UNSURE)
		c->needs = needed(c, change, band, lines);
}

void verdict_judge(struct compared *all, size_t n, double within)
{
	double *p = must_calloc(n, sizeof(*p));
	size_t tests = 0, lines = 0;

	for (size_t i = 0; i < n; i++)
		if (is_tested(&all[i]))
			p[tests++] = all[i].p;
	repeats_holm(p, tests);
	tests = 0;
	for (size_t i = 0; i < n; i++)
		if (is_tested(&all[i]))
			all[i].p = p[tests++];
	for (size_t i = 0; i < n; i++)
		lines += all[i].in_a && all[i].in_b;
	for (size_t i = 0; i < n; i++)
		judge(&all[i], within, lines);
	free(p);
}
