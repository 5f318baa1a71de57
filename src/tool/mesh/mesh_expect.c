/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns which rules of --expect are limits of the figures that are judged: those that compare a
 * column with a number that is this figure, in its unit or another one. All others are rules on
 * rows only.
 */
#include "config.h"
#include "mesh/mesh_root.h"

#include <math.h>

#include "read/rows.h"

/* They differ by a factor, which is the same for all rows of a test, size and link. */
static bool is_figure(size_t column, bool latency)
{
	switch (column) {
	case ROWS_bandwidth_gbit_s:
	case ROWS_bandwidth_mib_s:
	case ROWS_bandwidth_pct_of_link:
	case ROWS_message_rate_per_s:
		return !latency;
	case ROWS_lat_p50_ns:
		return latency;
	default:
		return false;
	}
}

/* 0: the rule is no limit of this row. */
static double limit_of(const struct condition_rule *rule, const struct condition_row *values,
		       double figure, bool latency)
{
	const struct condition *c = &rule->expect.all[0];
	const bool low = c->op == CONDITION_GE || c->op == CONDITION_GT;
	const bool high = c->op == CONDITION_LE || c->op == CONDITION_LT;
	double value;

	if (!is_figure(c->column, latency) || !(latency ? high : low) ||
	    !condition_hold_all(&rule->where, values))
		return 0;
	value = values->get(values->obj, c->column).number;
	return value > 0 && c->number > 0 ? figure * (c->number / value) : 0;
}

double mesh_expect_limit(const struct condition_rules *rules, const struct row *row)
{
	const struct condition_row values = condition_row(row);
	const bool latency = kind_test_is_lat(row->test);
	const double figure = mesh_rows_figure(row);
	double limit = 0;

	for (size_t i = 0; i < rules->n && figure > 0; i++) {
		const double one = limit_of(&rules->all[i], &values, figure, latency);

		if (one > 0 && (limit <= 0 || (latency ? one < limit : one > limit)))
			limit = one;
	}
	return limit;
}
