/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room stats: statistics that know nothing of what their values are of.
 *
 * This header: repeats, values of one quantity, each of a run of its own. Nothing here asks for a
 * normal distribution, and one wrong value has the weight of one rank. Values are finite, in any
 * unit, and figures have the same one. Nothing is kept, and nothing fails; no memory ends the
 * program (util/must.h).
 */
#ifndef REPEATS_H
#define REPEATS_H

#include <stddef.h>

/* The probability that an interval misses what it is of. */
#define REPEATS_ALPHA 0.05

/* NAN: absent. */
struct repeats_interval {
	double low, high;
};

/* Sorts values, the least first. */
void repeats_sort(double *values, size_t n);

/* Of sorted values; of an even number the mean of the middle two. NAN: n is 0. */
double repeats_median(const double *sorted, size_t n);

/*
 * The 95 % interval of the median of the distribution that the sorted values are of:
 * Hettmansperger, Sheather, "Confidence intervals based on interpolated order statistics", Statistics & Probability
 * Letters 4 (1986). Two order statistics whose coverage is known from the binomial distribution,
 * one above 95 % and the next below, are interpolated. Absent with fewer than REPEATS_MEDIAN
 * values: all of 5 are on one side of the median 2 times in 32, more often than 5 %.
 */
#define REPEATS_MEDIAN 6u
struct repeats_interval repeats_median_interval(const double *sorted, size_t n);

/*
 * Half the width of this interval, in percent of the median. Sorts the values. NAN: no interval, or
 * the median is 0.
 */
double repeats_half_width(double *values, size_t n);

/*
 * The rank sum test of two samples: Mann, Whitney, "On a Test of Whether one of Two Random
 * Variables is Stochastically Larger than the Other", Ann. Math. Statist. 18 (1947). Equal values
 * share the mean of their ranks.
 *
 * The probabilities are exact, also with equal values: those of all choices of n_b of the n_a + n_b
 * ranks that were seen. Where there would be too many sums of ranks (REPEATS_EXACT) they are those
 * of the normal distribution, with half a rank for continuity, and with the variance for ties of
 * Lehmann, "Nonparametrics: Statistical Methods Based on Ranks" (1975), chapter 1.4. Probabilities
 * below 0.1 differ there by less than 0.005, unless most values are equal.
 */
/*
 * Exact if all values times those of the smaller sample are not more than this: 31 beside 31, 4
 * beside 496. A test then takes some 10 ms and 1 MB at most.
 */
#define REPEATS_EXACT 2000u

/* Probabilities of what was seen or more of it, if both samples are of one distribution. */
struct repeats_test {
	double less;     /* that B is as low as it is, or lower */
	double greater;  /* that B is as high as it is, or higher */
	double differs;  /* that B is as far from A as it is, in either direction */
};

/* Of n_a and n_b values, at least one of each. */
struct repeats_test repeats_test(const double *a, size_t n_a, const double *b, size_t n_b);

/*
 * By how much B differs from A: the median of all pairs of a value of B and one of A, and its 95 %
 * interval, which inverts the rank sum test: Hodges, Lehmann, "Estimates of Location Based on Rank
 * Tests", Ann. Math. Statist. 34 (1963); Lehmann (1975), chapters 2.5 and 2.6. As of the test,
 * ranks are exact up to REPEATS_EXACT. The interval is absent where no choice of ranks is as rare
 * as 2.5 %: 3 beside 3.
 */
struct repeats_shift {
	double estimate;
	struct repeats_interval interval;
};

/* Of sorted values, at least one of each. ratio: b / a, all values above 0; difference: b - a. */
struct repeats_shift repeats_ratio(const double *a, size_t n_a, const double *b, size_t n_b);
struct repeats_shift repeats_difference(const double *a, size_t n_a, const double *b, size_t n_b);

/*
 * Replaces the probabilities of n tests by those that hold for all of them at once: with equal A
 * and B everywhere, one of them is x or less with the probability x at most. Holm, "A
 * Simple Sequentially Rejective Multiple Test Procedure", Scand. J. Statist. 6 (1979).
 */
void repeats_holm(double *p, size_t n);

#endif
