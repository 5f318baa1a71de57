/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Drift, serial correlation and outliers of a series; see steady.h. */
#include "config.h"

#include "worker/steady.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define DRIFT 0.05        /* of the mean: more matters */
#define SCATTER 0.005     /* of the mean or median: less does not matter */
#define CORRELATION 0.5
#define NORMAL_T 2.8070   /* normal quantile 0.9975 */
#define NORMAL_R 2.7478   /* 0.997 */
#define MILD 1.5          /* of the distance of the quartiles */
#define SEVERE 3.0

static const struct field rows[] = {
	{ FIELD_OF(struct steady, slices), .flags = FIELD_WIRE,
	  .help = "parts of the window of about equal time; null: fewer than 10" },
	{ FIELD_OF(struct steady, unsteady), .flags = FIELD_WIRE,
	  .help = "1: their rates are not steady, else 0" },
	{ FIELD_OF(struct steady, first_pct), .flags = FIELD_WIRE, .unit = "%",
	  .help = "mean of the first third, of the mean of all" },
	{ FIELD_OF(struct steady, last_pct), .flags = FIELD_WIRE, .unit = "%",
	  .help = "mean of the last third, of the mean of all" },
	{ FIELD_OF(struct steady, correlation), .flags = FIELD_WIRE,
	  .help = "serial correlation at lag 1; 0: negative, or all are equal" },
	{ FIELD_OF(struct steady, mild), .flags = FIELD_WIRE,
	  .help = "mild outliers by Tukey's fences" },
	{ FIELD_OF(struct steady, severe), .flags = FIELD_WIRE, .help = "severe outliers" },
};

const struct field_table steady_table = {
	.what = "steady", .rows = rows, .n = FIELD_COUNT(rows),
};

const struct steady steady_none = {
	.slices = UINT64_MAX, .unsteady = UINT64_MAX, .first_pct = NAN, .last_pct = NAN,
	.correlation = NAN, .mild = UINT64_MAX, .severe = UINT64_MAX,
};

static double mean(const double *x, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += x[i];
	return sum / n;
}

static double squares(const double *x, uint32_t n, double about)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += (x[i] - about) * (x[i] - about);
	return sum;
}

/* Quantile of Student's t from that of the normal: Abramowitz, Stegun, 26.7.5, four terms. */
static double student(double z, double df)
{
	const double q = z * z;
	const double g1 = z * (q + 1) / 4;
	const double g2 = z * (q * (5 * q + 16) + 3) / 96;
	const double g3 = z * (q * (q * (3 * q + 19) + 17) - 15) / 384;
	const double g4 = z * (q * (q * (q * (79 * q + 776) + 1482) - 1920) - 945) / 92160;

	return z + (g1 + (g2 + (g3 + g4 / df) / df) / df) / df;
}

static bool drifts(const double *x, uint32_t n, double of_all, struct steady *s)
{
	const uint32_t third = n / 3;
	const double *const last = x + n - third;
	const double a = mean(x, third), b = mean(last, third);
	const double within = squares(x, third, a) + squares(last, third, b);
	const double df = 2.0 * (third - 1);
	const double error = sqrt(within / df * 2 / third);

	s->first_pct = a / of_all * 100;
	s->last_pct = b / of_all * 100;
	return fabs(b - a) > DRIFT * of_all && fabs(b - a) > student(NORMAL_T, df) * error;
}

static bool correlates(const double *x, uint32_t n, double of_all, struct steady *s)
{
	const double all = squares(x, n, of_all);
	const double chance = NORMAL_R / sqrt(n) - 1.0 / n;
	double sum = 0;

	s->correlation = 0;
	if (!(all > 0))
		return false;
	for (uint32_t i = 0; i + 1 < n; i++)
		sum += (x[i] - of_all) * (x[i + 1] - of_all);
	s->correlation = fmax(sum / all, 0);
	return sqrt(all / (n - 1)) > SCATTER * of_all &&
	       s->correlation > fmax(CORRELATION, chance);
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Linear between the two neighbours; quarter of 4. */
static double quantile(const double *sorted, uint32_t n, uint32_t quarter)
{
	const uint32_t at = (n - 1) * quarter;
	const uint32_t i = at / 4, next = i + 1 < n ? i + 1 : i;

	return sorted[i] + (sorted[next] - sorted[i]) * (at % 4) / 4;
}

static void classify(const double *x, uint32_t n, struct steady *s)
{
	double sorted[STEADY_MOST], low, high, middle;

	memcpy(sorted, x, n * sizeof(*x));
	qsort(sorted, n, sizeof(*sorted), compare);
	low = quantile(sorted, n, 1);
	middle = quantile(sorted, n, 2);
	high = quantile(sorted, n, 3);
	s->mild = s->severe = 0;
	for (uint32_t i = 0; i < n; i++) {
		const double beyond = fmax(low - x[i], x[i] - high);

		if (fabs(x[i] - middle) <= SCATTER * middle || beyond <= MILD * (high - low))
			continue;
		if (beyond > SEVERE * (high - low))
			s->severe++;
		else
			s->mild++;
	}
}

struct steady steady_of(const double *values, uint32_t n)
{
	const double of_all = n ? mean(values, n) : 0;
	struct steady s = steady_none;
	assert(n <= STEADY_MOST);
	if (n < STEADY_LEAST || !(of_all > 0))
		return s;
	s.slices = n;
	s.unsteady = drifts(values, n, of_all, &s);
	s.unsteady |= correlates(values, n, of_all, &s);
	classify(values, n, &s);
	return s;
}
