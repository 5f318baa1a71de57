/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the test of Mann and Whitney: see rank_test.h. Called by verdict.c. Pure. */
#include "config.h"

#include "rows/rank_test.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

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
static struct rank_test add_up(const struct ranks *r, const double *ways, size_t width)
{
	const double mean = (double)r->few * (double)(r->n + 1);
	const double far = fabs((double)r->sum - mean);
	double all = 0;
	struct rank_test t = { .less = 0 };

	for (size_t s = 0; s < width; s++) {
		all += ways[s];
		t.less += s <= r->sum ? ways[s] : 0;
		t.greater += s >= r->sum ? ways[s] : 0;
		t.differs += fabs((double)s - mean) >= far ? ways[s] : 0;
	}
	return (struct rank_test){ t.less / all, t.greater / all, t.differs / all };
}

static int exact(const struct ranks *r, struct rank_test *test)
{
	size_t width = 1; /* the largest sum of the smaller sample is that of the last ranks */
	double *ways;

	for (size_t i = r->n - r->few; i < r->n; i++)
		width += r->all[i].rank;
	ways = calloc((r->few + 1) * width, sizeof(*ways));
	if (!ways)
		return -ENOMEM;
	count_ways(r, ways, width);
	*test = add_up(r, ways + r->few * width, width);
	free(ways);
	return 0;
}

/* ---- approximate */

/* That a normal variable is above z. */
static double above(double z)
{
	return erfc(z / sqrt(2)) / 2;
}

static struct rank_test normal(const struct ranks *r)
{
	const double n = (double)r->n, few = (double)r->few;
	const double variance = few * (n - few) / 12 * (n + 1 - r->ties / (n * (n - 1)));
	const double away = ((double)r->sum - few * (n + 1)) / 2;

	/* all values are equal */
	if (!(variance > 0))
		return (struct rank_test){ 1, 1, 1 };
	return (struct rank_test){
		.less = above((-away - 0.5) / sqrt(variance)),
		.greater = above((away - 0.5) / sqrt(variance)),
		.differs = fmin(1, 2 * above((fabs(away) - 0.5) / sqrt(variance))),
	};
}

int rank_test(const double *a, size_t n_a, const double *b, size_t n_b, struct rank_test *test)
{
	struct ranks r = {
		.n = n_a + n_b, .few = n_a < n_b ? n_a : n_b, .few_are_b = n_b <= n_a,
	};
	int rc = 0;

	r.all = calloc(r.n, sizeof(*r.all));
	if (!r.all)
		return -ENOMEM;
	for (size_t i = 0; i < r.n; i++)
		r.all[i] = (struct ranked){ i < n_a ? a[i] : b[i - n_a], i >= n_a, 0 };
	qsort(r.all, r.n, sizeof(*r.all), by_value);
	rank(&r);
	if (r.few <= RANK_TEST_EXACT / r.n)
		rc = exact(&r, test);
	else
		*test = normal(&r);
	/* where A is the smaller one, its ranks are low as those of B are high */
	if (!r.few_are_b)
		*test = (struct rank_test){ test->greater, test->less, test->differs };
	free(r.all);
	return rc;
}
