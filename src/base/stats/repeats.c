/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Median, rank sum test, shift between two samples, correction of many tests; see repeats.h. */
#include "config.h"
#include "stats/repeats.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "util/must.h"

#define Z_ALPHA 1.9599639845400545 /* a normal variable is above it with REPEATS_ALPHA / 2 */

/* ---- the median */

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

void repeats_sort(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), by_size);
}

double repeats_median(const double *sorted, size_t n)
{
	return n ? (sorted[(n - 1) / 2] + sorted[n / 2]) / 2 : NAN;
}

/* That exactly k of n values are below the median. */
static double binomial(size_t n, size_t k)
{
	const double all = (double)n, some = (double)k;

	return exp(lgamma(all + 1) - lgamma(some + 1) - lgamma(all - some + 1) - all * log(2));
}

/*
 * The values from place d to place n + 1 - d, counted from 1, cover the median with the probability
 * 1 - 2 P(at most d - 1 of n are below it).
 */
struct repeats_interval repeats_median_interval(const double *sorted, size_t n)
{
	const double all = (double)n;
	double outer = 1, inner, part, weight;
	size_t d = 0;

	if (n < REPEATS_MEDIAN)
		return (struct repeats_interval){ NAN, NAN };
	for (inner = 1 - 2 * binomial(n, 0); inner >= 1 - REPEATS_ALPHA;) {
		outer = inner;
		d++;
		inner -= 2 * binomial(n, d);
	}
	part = (outer - (1 - REPEATS_ALPHA)) / (outer - inner);
	weight = (all - (double)d) * part / ((double)d + (all - 2 * (double)d) * part);
	return (struct repeats_interval){
		.low = (1 - weight) * sorted[d - 1] + weight * sorted[d],
		.high = (1 - weight) * sorted[n - d] + weight * sorted[n - d - 1],
	};
}

double repeats_half_width(double *values, size_t n)
{
	struct repeats_interval interval;
	double median;

	repeats_sort(values, n);
	median = fabs(repeats_median(values, n));
	interval = repeats_median_interval(values, n);
	return median > 0 ? (interval.high - interval.low) / 2 / median * 100 : NAN;
}

/* ---- the test of Mann and Whitney */

/* A value of one of the samples. */
struct ranked {
	double value;
	bool in_b;
	size_t rank;  /* twice the rank, which may be a half */
};

/* Both samples, by value. As the sum of all ranks is known, that of the smaller one says all. */
struct ranks {
	struct ranked *all;  /* n of them */
	size_t n, few;       /* few: in the smaller sample */
	size_t sum;          /* of its ranks, twice */
	double ties;         /* sum of t^3 - t, of each t equal values */
	bool few_are_b;
};

static int by_value(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

static void rank(struct ranks *r)
{
	for (size_t i = 0, end; i < r->n; i = end) {
		double t;

		for (end = i + 1; end < r->n && r->all[end].value == r->all[i].value;)
			end++;
		t = (double)(end - i);
		r->ties += t * t * t - t;
		for (size_t k = i; k < end; k++) {
			r->all[k].rank = i + 1 + end;
			r->sum += r->all[k].in_b == r->few_are_b ? r->all[k].rank : 0;
		}
	}
}

/* ---- exact */

/*
 * Of two samples without equal values: the probabilities of the n_a * n_b + 1 counts of pairs in
 * which B is less, which the caller frees. Their generating function is the Gaussian binomial
 * coefficient, the product of (1 - x^(n_b + i)) / (1 - x^i) over i from 1 to n_a (Andrews, "The
 * Theory of Partitions" (1976), chapter 3). It is symmetric: half of it is computed.
 */
static double *pair_counts(size_t n_a, size_t n_b)
{
	const size_t n = n_a * n_b, half = n / 2;
	double *ways = must_calloc(n + 1, sizeof(*ways)), all = 1;

	ways[0] = 1;
	for (size_t i = 1; i <= n_a; i++) {
		for (size_t u = half; u >= n_b + i; u--)
			ways[u] -= ways[u - n_b - i];
		for (size_t u = i; u <= half; u++)
			ways[u] += ways[u - i];
		all *= (double)(n_b + i) / (double)i;
	}
	for (size_t u = 0; u <= half; u++)
		ways[n - u] = ways[u] /= all;
	return ways;
}

/* Of the first counts, up to that one. */
static double sum_to(const double *counts, size_t last)
{
	double sum = 0;

	for (size_t u = 0; u <= last; u++)
		sum += counts[u];
	return fmin(1, sum);
}

static struct repeats_test exact_distinct(const struct ranks *r)
{
	const size_t n = r->few * (r->n - r->few), u = (r->sum - r->few * (r->few + 1)) / 2;
	double *counts = pair_counts(r->few, r->n - r->few);
	struct repeats_test test = { .less = sum_to(counts, u), .greater = sum_to(counts, n - u) };

	test.differs = fmin(1, 2 * fmin(test.less, test.greater));
	free(counts);
	return test;
}

/*
 * ways[k * width + s]: in how many ways k of the ranks have the sum s. Each rank is added to the
 * choices without it, from the largest k down.
 */
static void count_ways(const struct ranks *r, double *ways, size_t width)
{
	size_t reached = 0; /* the largest sum so far */

	ways[0] = 1;
	for (size_t i = 0; i < r->n; i++) {
		const size_t rank = r->all[i].rank;
		const size_t most = i + 1 < r->few ? i + 1 : r->few;

		reached = reached + rank < width ? reached + rank : width - 1;
		for (size_t k = most; k; k--)
			for (size_t s = rank; s <= reached; s++)
				ways[k * width + s] += ways[(k - 1) * width + s - rank];
	}
}

/* Of the smaller sample: its sum, or one that is as far from its mean. */
static struct repeats_test add_up(const struct ranks *r, const double *ways, size_t width)
{
	const double mean = (double)r->few * (double)(r->n + 1);
	const double far = fabs((double)r->sum - mean);
	double all = 0;
	struct repeats_test t = { .less = 0 };

	for (size_t s = 0; s < width; s++) {
		all += ways[s];
		t.less += s <= r->sum ? ways[s] : 0;
		t.greater += s >= r->sum ? ways[s] : 0;
		t.differs += fabs((double)s - mean) >= far ? ways[s] : 0;
	}
	return (struct repeats_test){ t.less / all, t.greater / all, t.differs / all };
}

static struct repeats_test exact(const struct ranks *r)
{
	size_t width = 1; /* the largest sum of the smaller sample is that of the last ranks */
	struct repeats_test test;
	double *ways;

	if (!(r->ties > 0))
		return exact_distinct(r);
	for (size_t i = r->n - r->few; i < r->n; i++)
		width += r->all[i].rank;
	ways = must_calloc((r->few + 1) * width, sizeof(*ways));
	count_ways(r, ways, width);
	test = add_up(r, ways + r->few * width, width);
	free(ways);
	return test;
}

/* ---- approximate */

/* That a normal variable is above z. */
static double above(double z)
{
	return erfc(z / sqrt(2)) / 2;
}

static struct repeats_test normal(const struct ranks *r)
{
	const double n = (double)r->n, few = (double)r->few;
	const double variance = few * (n - few) / 12 * (n + 1 - r->ties / (n * (n - 1)));
	const double away = ((double)r->sum - few * (n + 1)) / 2;

	/* all values are equal */
	if (!(variance > 0))
		return (struct repeats_test){ 1, 1, 1 };
	return (struct repeats_test){
		.less = above((-away - 0.5) / sqrt(variance)),
		.greater = above((away - 0.5) / sqrt(variance)),
		.differs = fmin(1, 2 * above((fabs(away) - 0.5) / sqrt(variance))),
	};
}

struct repeats_test repeats_test(const double *a, size_t n_a, const double *b, size_t n_b)
{
	struct ranks r = {
		.n = n_a + n_b, .few = n_a < n_b ? n_a : n_b, .few_are_b = n_b <= n_a,
	};
	struct repeats_test test;

	r.all = must_calloc(r.n, sizeof(*r.all));
	for (size_t i = 0; i < r.n; i++)
		r.all[i] = (struct ranked){ i < n_a ? a[i] : b[i - n_a], i >= n_a, 0 };
	qsort(r.all, r.n, sizeof(*r.all), by_value);
	rank(&r);
	test = r.few <= REPEATS_EXACT / r.n ? exact(&r) : normal(&r);
	/* where A is the smaller one, its ranks are low as those of B are high */
	if (!r.few_are_b)
		test = (struct repeats_test){ test.greater, test.less, test.differs };
	free(r.all);
	return test;
}

/* ---- the shift */

/* A sample beside another one, and a pair of both. */
struct pairs {
	const double *a, *b;
	size_t n_a, n_b;
	bool ratio;
};

static double pair(const struct pairs *p, size_t i, size_t k)
{
	return p->ratio ? p->b[k] / p->a[i] : p->b[k] - p->a[i];
}

/* How many pairs are at most x. With a greater a, more of the sorted b go with it. */
static size_t count_to(const struct pairs *p, double x)
{
	size_t count = 0, k = 0;

	for (size_t i = 0; i < p->n_a; i++) {
		while (k < p->n_b && pair(p, i, k) <= x)
			k++;
		count += k;
	}
	return count;
}

/* The pair of that place by size, from 1: the least x with so many pairs at most x. */
static double nth_pair(const struct pairs *p, size_t place)
{
	double below = pair(p, p->n_a - 1, 0), x = pair(p, 0, p->n_b - 1);

	if (count_to(p, below) >= place)
		return below;
	for (;;) {
		const double middle = below + (x - below) / 2;

		if (!(middle > below && middle < x))
			return x;
		if (count_to(p, middle) >= place)
			x = middle;
		else
			below = middle;
	}
}

/* The interval leaves out so many pairs at each end. */
static size_t pairs_outside(size_t n_a, size_t n_b)
{
	const size_t few = n_a < n_b ? n_a : n_b, n = n_a + n_b;
	const double mean = (double)n_a * (double)n_b / 2;
	double place, sum = 0, *counts;
	size_t outside = 0;

	if (few > REPEATS_EXACT / n) {
		place = mean + 0.5 - Z_ALPHA * sqrt(mean * (double)(n + 1) / 6);
		return place > 0 ? (size_t)place : 0;
	}
	counts = pair_counts(n_a, n_b);
	while ((sum += counts[outside]) <= REPEATS_ALPHA / 2)
		outside++;
	free(counts);
	return outside;
}

static struct repeats_shift shift(const struct pairs *p)
{
	const size_t n = p->n_a * p->n_b, outside = pairs_outside(p->n_a, p->n_b);
	const double middle = nth_pair(p, (n + 1) / 2);
	struct repeats_shift s = { .estimate = middle, .interval = { NAN, NAN } };

	if (!(n % 2))
		s.estimate = (middle + nth_pair(p, n / 2 + 1)) / 2;
	if (outside)
		s.interval = (struct repeats_interval){
			nth_pair(p, outside), nth_pair(p, n + 1 - outside),
		};
	return s;
}

struct repeats_shift repeats_ratio(const double *a, size_t n_a, const double *b, size_t n_b)
{
	return shift(&(struct pairs){ a, b, n_a, n_b, true });
}

struct repeats_shift repeats_difference(const double *a, size_t n_a, const double *b, size_t n_b)
{
	return shift(&(struct pairs){ a, b, n_a, n_b, false });
}

/* ---- many tests */

static int by_probability(const void *a, const void *b)
{
	return by_size(*(double *const *)a, *(double *const *)b);
}

void repeats_holm(double *p, size_t n)
{
	double **order = must_calloc(n, sizeof(*order)), least = 0;

	for (size_t i = 0; i < n; i++)
		order[i] = &p[i];
	qsort(order, n, sizeof(*order), by_probability);
	for (size_t i = 0; i < n; i++) {
		least = fmax(least, fmin(1, *order[i] * (double)(n - i)));
		*order[i] = least;
	}
	free(order);
}
