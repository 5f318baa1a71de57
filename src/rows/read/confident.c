/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Whether the repeats of a row show that a rule is met; see condition.h. */
#include "config.h"
#include "read/condition.h"

#include <math.h>
#include <stdio.h>

#include "row/row.h"
#include "stats/repeats.h"

double confident_value(const struct condition_rule *rule, const struct condition_row *row)
{
	const struct condition *c = &rule->expect.all[0];

	return isnan(c->number) ? condition_rule_check(rule, row) == CONDITION_HOLDS :
				  row->get(row->obj, c->column).number;
}

static enum expect_result judge(const struct condition *c, const struct repeats_interval *i)
{
	const bool inside = i->low <= c->number && c->number <= i->high;
	const bool one = inside && i->low >= i->high;
	bool met, not_met;

	switch (c->op) {
	case CONDITION_EQ:
		met = one;
		not_met = !inside;
		break;
	case CONDITION_NE:
		met = !inside;
		not_met = one;
		break;
	default:
		met = condition_compare(c->op, i->low, c->number) &&
		      condition_compare(c->op, i->high, c->number);
		not_met = !condition_compare(c->op, i->low, c->number) &&
			  !condition_compare(c->op, i->high, c->number);
	}
	return met ? EXPECT_PASSED : not_met ? EXPECT_FAILED : EXPECT_UNSURE;
}

/* Of a rule about a text, or about what is not there: each of the rows meets it, or not. */
static enum expect_result count_rows(const char *column, const struct series *s, char *text,
				     size_t size)
{
	size_t held = 0;

	for (size_t i = 0; i < s->n; i++)
		held += s->values[i] > 0;
	snprintf(text, size, "%s as expected in %zu of %zu rows", column, held, s->n);
	return held == s->n ? EXPECT_PASSED : EXPECT_FAILED;
}

enum expect_result confident_judge(const struct condition_rule *rule, const struct series *s,
				   char *text, size_t size)
{
	const struct condition *c = &rule->expect.all[0];
	const char *column = row_table.rows[c->column].name;
	struct repeats_interval interval;
	size_t absent = 0;

	if (isnan(c->number))
		return count_rows(column, s, text, size);
	for (size_t i = 0; i < s->n; i++)
		absent += isnan(s->values[i]);
	if (absent) {
		snprintf(text, size, "%s none in %zu of %zu rows (not measured)", column, absent,
			 s->n);
		return EXPECT_FAILED;
	}
	repeats_sort(s->values, s->n);
	interval = repeats_median_interval(s->values, s->n);
	if (isnan(interval.low)) {
		snprintf(text, size, "%s %.9g (%zu repeats, at least %u are needed)", column,
			 repeats_median(s->values, s->n), s->n, REPEATS_MEDIAN);
		return EXPECT_UNSURE;
	}
	snprintf(text, size, "%s %.9g (%.6g to %.6g, %zu repeats)", column,
		 repeats_median(s->values, s->n), interval.low, interval.high, s->n);
	return judge(c, &interval);
}
