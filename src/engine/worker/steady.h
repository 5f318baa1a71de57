/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Is a series steady? Of the rates of equal parts of a window, in their order. Pure; knows no
 * units.
 *
 * It is not if
 *   - the means of its first and its last third differ by more than 5 % of the mean of all, and by
 *     more than chance makes of slices that scatter as those in the thirds do: Welch's t of the
 *     two means, two-sided, 0.5 %; or
 *   - neighbours are alike: the serial correlation at lag 1 is above 0.5, and above what a series
 *     without any has in 0.3 % of all cases. That is about normal with mean -1/n and variance 1/n
 *     (M. S. Bartlett, "On the Theoretical Specification and Sampling Properties of Autocorrelated
 *     Time-Series", J. Roy. Stat. Soc. Suppl. 8, 1946). Above 0.5, parts are too short for
 *     their means to be independent (A. M. Law, W. D. Kelton, "Simulation Modeling and Analysis",
 *     batch means). Slices that scatter by less than 0.5 % of their mean are not looked at: no
 *     figure changes by what they do.
 * Of steady series less than 1 % are called unsteady (tests/unit/test_steady.c). A step of 10 % in
 * the middle of 32 slices is found in 99 % of all series if they scatter by 3 %; of 10 slices it is
 * if they scatter by 0.5 %.
 *
 * Outliers: J. W. Tukey, "Exploratory Data Analysis", 1977: beyond the quartiles by more than 1.5
 * of their distance, severe by more than 3. Those within 0.5 % of the median are none. They are
 * counted, and none is left out of a figure.
 */
#ifndef STEADY_H
#define STEADY_H

#include <stdint.h>

#include "util/field.h"

#define STEADY_LEAST 10u /* slices; of fewer nothing is said */
#define STEADY_MOST 64u

struct steady {
	uint64_t slices;      /* how many; UINT64_MAX: too few, then all is absent */
	uint64_t unsteady;     /* 1: not steady, else 0 */
	double first_pct;      /* mean of the first third, in % of the mean of all */
	double last_pct;       /* the same of the last third */
	double correlation;    /* serial, lag 1; 0: negative, or all are equal */
	uint64_t mild, severe; /* outliers; a severe one is not mild */
};

extern const struct field_table steady_table;
extern const struct steady steady_none;

/* Of n values >= 0, at most STEADY_MOST. steady_none if n < STEADY_LEAST or all are 0. */
struct steady steady_of(const double *values, uint32_t n);

#endif
