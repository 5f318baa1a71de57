/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The repeats of the rows that rules are about, and whether they show that one is met. */
#include "config.h"
#include "read/condition.h"

#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "row/row.h"
#include "stats/repeats.h"
#include "util/must.h"

static int compare(const void *a, const void *b)
{
	const struct confident_group *x = a, *y = b;

	if (x->rule != y->rule)
		return x->rule < y->rule ? -1 : 1;
	return strcmp(x->name, y->name);
}

static struct confident_group *find(struct confident *c, const struct condition_rule *rule,
				    const char *name)
{
	struct confident_group *g = must_calloc(1, sizeof(*g)), **found;

	*g = (struct confident_group){ .rule = rule, .name = must_strdup(name) };
	found = must_have(tsearch(g, &c->tree, compare));
	if (*found != g) {
		free(g->name);
		free(g);
		return *found;
	}
	c->all = must_realloc(c->all, c->n + 1, sizeof(*c->all));
	c->all[c->n++] = g;
	return g;
}

void confident_take(struct confident *c, const struct condition_rule *rule, const char *name,
		    const struct condition_row *row)
{
	struct confident_group *g = find(c, rule, name);
	const struct condition *is = &rule->expect.all[0];

	g->rows++;
	g->held += condition_rule_check(rule, row) == CONDITION_HOLDS;
	if (isnan(is->number))
		return;
	g->values = must_realloc(g->values, g->rows, sizeof(*g->values));
	g->values[g->rows - 1] = row->get(row->obj, is->column).number;
	g->absent += isnan(g->values[g->rows - 1]);
}

void confident_free(struct confident *c)
{
	for (size_t i = 0; i < c->n; i++) {
		tdelete(c->all[i], &c->tree, compare);
		free(c->all[i]->name);
		free(c->all[i]->values);
		free(c->all[i]);
	}
	free(c->all);
	*c = (struct confident){ .n = 0 };
}

/* ---- what the repeats show */

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
static enum expect_result count_rows(const struct confident_group *g, char *text, size_t size)
{
	snprintf(text, size, "%s as expected in %zu of %zu rows",
		 row_table.rows[g->rule->expect.all[0].column].name, g->held, g->rows);
	return g->held == g->rows ? EXPECT_PASSED : EXPECT_FAILED;
}

enum expect_result confident_judge(const struct confident_group *g, char *text, size_t size)
{
	const struct condition *c = &g->rule->expect.all[0];
	const char *name = row_table.rows[c->column].name;
	struct repeats_interval interval;

	if (isnan(c->number))
		return count_rows(g, text, size);
	if (g->absent) {
		snprintf(text, size, "%s none in %zu of %zu rows (not measured)", name, g->absent,
			 g->rows);
		return EXPECT_FAILED;
	}
	repeats_sort(g->values, g->rows);
	interval = repeats_median_interval(g->values, g->rows);
	if (isnan(interval.low)) {
		snprintf(text, size, "%s %.9g (%zu repeats, at least %u are needed)", name,
			 repeats_median(g->values, g->rows), g->rows, REPEATS_MEDIAN);
		return EXPECT_UNSURE;
	}
	snprintf(text, size, "%s %.9g (%.6g to %.6g, %zu repeats)", name,
		 repeats_median(g->values, g->rows), interval.low, interval.high, g->rows);
	return judge(c, &interval);
}
