/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Fairness of shares. Jain, Chiu, Hawe, "A Quantitative Measure of Fairness and Discrimination for
 * Resource Allocation in Shared Computer Systems", DEC-TR-301, 1984: (sum x)^2 / (n * sum x^2); 1
 * if all are equal, 1/n if one has everything. Knows no units.
 */
#ifndef FAIRNESS_H
#define FAIRNESS_H

#include <stdint.h>

#include "util/field.h"

struct fairness {
	double min, max, index; /* NAN: fewer than two values */
	uint32_t least;         /* the first value that is min; UINT32_MAX as NAN */
};

extern const struct fairness fairness_none;
extern const struct field_table fairness_table;

/* Of n values >= 0. fairness_none for fewer than two; index is NAN if all values are 0. */
struct fairness fairness_of(const double *values, uint32_t n);

#endif
