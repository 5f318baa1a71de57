/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The rank sum test of two samples: Mann, Whitney, "On a Test of Whether one of Two Random
 * Variables is Stochastically Larger than the Other", Ann. Math. Statist. 18 (1947). Equal values
 * share the mean of their ranks. It asks nothing of the distribution, and one wrong value has one
 * rank only.
 *
 * The probabilities are exact, also with equal values: those of all choices of n_b of the n_a + n_b
 * ranks that were seen. Where there would be too many sums of ranks (RANK_TEST_EXACT) they are
 * those of the normal distribution, with half a rank for continuity, and with the variance for ties
 * of Lehmann, "Nonparametrics: Statistical Methods Based on Ranks" (1975), chapter 1.4.
 * Probabilities below 0.1 differ there by less than 0.005, unless most values are equal.
 */
#ifndef RANK_TEST_H
#define RANK_TEST_H

#include <stddef.h>

/*
 * Exact if all values times those of the smaller sample are not more than this: 31 beside 31, 4
 * beside 496. A test then takes some 10 ms and 1 MB at most.
 */
#define RANK_TEST_EXACT 2000u

/* Probabilities of what was seen or more of it, if both samples are of one distribution. */
struct rank_test {
	double less;     /* that B is as low as it is, or lower */
	double greater;  /* that B is as high as it is, or higher */
	double differs;  /* that B is as far from A as it is, in either direction */
};

/* Of n_a and n_b values, at least one of each, none NAN. -ENOMEM without an error message. */
int rank_test(const double *a, size_t n_a, const double *b, size_t n_b, struct rank_test *test)
	__attribute__((warn_unused_result));

#endif
