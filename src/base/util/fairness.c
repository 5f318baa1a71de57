/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Jain's index, minimum and maximum. */
#include "config.h"

#include "util/fairness.h"

#include <math.h>

static const struct field rows[] = {
	{ FIELD_OF(struct fairness, min), .flags = FIELD_WIRE, .help = "the smallest value" },
	{ FIELD_OF(struct fairness, max), .flags = FIELD_WIRE, .help = "the largest value" },
	{ FIELD_OF(struct fairness, index), .flags = FIELD_WIRE,
	  .help = "Jain's index: (sum x)^2 / (n * sum x^2)" },
	{ FIELD_OF(struct fairness, least), .flags = FIELD_WIRE,
	  .help = "number of the first one with the smallest value" },
};

const struct field_table fairness_table = {
	.what = "fairness", .rows = rows, .n = FIELD_COUNT(rows),
};

const struct fairness fairness_none = { .min = NAN, .max = NAN, .index = NAN,
					.least = UINT32_MAX };

struct fairness fairness_of(const double *values, uint32_t n)
{
	struct fairness f = { .min = INFINITY, .max = 0 };
	double sum = 0, squares = 0;

	if (n < 2)
		return fairness_none;
	for (uint32_t i = 0; i < n; i++) {
		f.least = values[i] < f.min ? i : f.least;
		f.min = fmin(f.min, values[i]);
		f.max = fmax(f.max, values[i]);
		sum += values[i];
		squares += values[i] * values[i];
	}
	f.index = squares > 0 ? sum * sum / (n * squares) : NAN;
	return f;
}
