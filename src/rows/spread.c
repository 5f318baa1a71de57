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

int spread_of(struct spread *spread, const struct groups *groups, size_t group,
	      enum rows_column column, const bool *skip)
{
	const uint32_t begin = groups->begin[group], end = groups->begin[group + 1];
	double *values = malloc((end - begin + 1) * sizeof(*values));
	size_t n = 0;

	*spread = (struct spread){ .median = NAN, .min = NAN, .max = NAN };
	if (!values)
		return err_set(-ENOMEM, "no memory for the report");
	for (uint32_t i = begin; i < end; i++) {
		const uint32_t row = groups->members[i];
		const double value = rows_number(groups->rows, column, row);

		if (!isnan(value) && !(skip && skip[row]))
			values[n++] = value;
	}
	if (n) {
		qsort(values, n, sizeof(*values), compare);
		*spread = (struct spread){
			.n = n, .min = values[0], .max = values[n - 1],
			.median = (values[(n - 1) / 2] + values[n / 2]) / 2,
		};
	}
	free(values);
	return 0;
}
