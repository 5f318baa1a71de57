/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns median, minimum and maximum of repeats; see spread.h. Pure. */
#include "config.h"
#include "rows/spread.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "util/err.h"

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

int spread_values(struct spread_values *values, const struct groups *groups, size_t group,
		  enum rows_column column, const bool *skip)
{
	const uint32_t begin = groups->begin[group], end = groups->begin[group + 1];

	*values = (struct spread_values){ .sorted = malloc((end - begin + 1) * sizeof(double)) };
	if (!values->sorted)
		return err_set(-ENOMEM, "no memory for the report");
	for (uint32_t i = begin; i < end; i++) {
		const uint32_t row = groups->members[i];
		const double value = rows_number(groups->rows, column, row);

		if (!isnan(value) && !(skip && skip[row]))
			values->sorted[values->n++] = value;
	}
	qsort(values->sorted, values->n, sizeof(double), compare);
	return 0;
}

struct spread spread_of_values(const struct spread_values *values)
{
	const double *v = values->sorted;
	const size_t n = values->n;

	if (!n)
		return (struct spread){ .median = NAN, .min = NAN, .max = NAN };
	return (struct spread){
		.n = n, .min = v[0], .max = v[n - 1], .median = (v[(n - 1) / 2] + v[n / 2]) / 2,
	};
}

int spread_of(struct spread *spread, const struct groups *groups, size_t group,
	      enum rows_column column, const bool *skip)
{
	struct spread_values values;
	int rc = spread_values(&values, groups, group, column, skip);

	*spread = spread_of_values(&values);
	free(values.sorted);
	return rc;
}
