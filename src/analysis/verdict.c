/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the rule of a verdict; see verdict.h. Called by compare.c. */
#include "config.h"
#include "analysis/verdict.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "util/err.h"
#include "rows/rank_test.h"

const char *const verdict_names[] = {
	[VERDICT_SAME] = "same",
	[VERDICT_BETTER] = "better",
	[VERDICT_WORSE] = "worse",
	[VERDICT_DIFFERS] = "differs",
	[VERDICT_UNSURE] = "unsure",
	[VERDICT_ONLY_A] = "only in A",
	[VERDICT_ONLY_B] = "only in B",
	NULL,
};

/* The test of B beside A, whose values are raised by so much. */
static int test_raised(const struct spread_values *a, const struct spread_values *b, double by,
		       struct rank_test *test)
{
	double *raised = malloc(a->n * sizeof(*raised));
	int rc = raised ? 0 : -ENOMEM;

	for (size_t i = 0; i < a->n && !rc; i++)
		raised[i] = a->sorted[i] + by;
	if (!rc)
		rc = rank_test(raised, a->n, b->sorted, b->n, test);
	free(raised);
	return rc;
}

/* Is it shown that the difference is less than the band? */
static int is_within(bool *within, const struct spread_values *a, const struct spread_values *b,
		     double band)
{
	const double one = a->sorted[0];
	struct rank_test low, high;
	int rc;

	*within = a->sorted[a->n - 1] == one && b->sorted[0] == one && b->sorted[b->n - 1] == one;
	if (*within)
		return 0;
	rc = test_raised(a, b, -band, &low);
	if (!rc)
		rc = test_raised(a, b, band, &high);
	if (!rc)
		*within = low.greater <= VERDICT_ALPHA && high.less <= VERDICT_ALPHA;
	return rc;
}

static int judge(enum verdict *verdict, const struct spread_values *a,
		 const struct spread_values *b, double within, int direction)
{
	const double was = spread_of_values(a).median, change = spread_of_values(b).median - was;
	const double band = fabs(was) * within / 100;
	struct rank_test test;
	bool same = false;
	int rc;

	if (fabs(change) <= band) {
		rc = is_within(&same, a, b, band);
		*verdict = same ? VERDICT_SAME : VERDICT_UNSURE;
		return rc;
	}
	rc = rank_test(a->sorted, a->n, b->sorted, b->n, &test);
	if (rc)
		return rc;
	if (test.differs > VERDICT_ALPHA)
		*verdict = VERDICT_UNSURE;
	else if (!direction)
		*verdict = VERDICT_DIFFERS;
	else
		*verdict = (change > 0) == (direction > 0) ? VERDICT_BETTER : VERDICT_WORSE;
	return 0;
}

int verdict_of(enum verdict *verdict, const struct spread_values *a, const struct spread_values *b,
	       double within, int direction)
{
	*verdict = VERDICT_UNSURE;
	if (!a->n || !b->n)
		*verdict = a->n ? VERDICT_ONLY_A : VERDICT_ONLY_B;
	else if (a->n >= VERDICT_REPEATS && b->n >= VERDICT_REPEATS &&
		 judge(verdict, a, b, within, direction))
		return err_set(-ENOMEM, "no memory for the report");
	return 0;
}
