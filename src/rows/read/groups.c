/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Groups of rows, their order, and their statistics; see groups.h. */
#include "config.h"
#include "read/groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "options/kind.h"
#include "util/must.h"

/* ---- splitting */

void groups_split_begin(struct groups_split *split, const struct rows *rows)
{
	*split = (struct groups_split){ .rows = rows, .n = 1 };
	split->of_row = must_calloc(rows->n, sizeof(*split->of_row));
}

static bool counts(const struct groups_split *split, size_t row)
{
	return !split->skip || !split->skip[row];
}

/* A counting sort of the rows by their group. */
static void list_members(struct groups *groups, const struct groups_split *split)
{
	const size_t n = split->rows->n;

	groups->begin = must_calloc(split->n + 2, sizeof(*groups->begin));
	groups->members = must_calloc(n, sizeof(*groups->members));
	/* begin[g + 1] becomes the place where the next row of group g goes, at last its end */
	for (size_t row = 0; row < n; row++)
		if (counts(split, row)) {
			groups->begin[split->of_row[row] + 2]++;
			groups->n = split->n;
		}
	for (size_t g = 2; g < split->n + 2; g++)
		groups->begin[g] += groups->begin[g - 1];
	for (size_t row = 0; row < n; row++)
		if (counts(split, row))
			groups->members[groups->begin[split->of_row[row] + 1]++] = (uint32_t)row;
}

void groups_split_by(struct groups_split *split, enum rows_column column)
{
	const struct rows *rows = split->rows;
	struct groups old = { .n = 0 };
	/* by word: the last group that has it, from 1, and the group that its rows now are in */
	uint32_t *last, *becomes, n = 0;

	if (rows_is_constant(rows, column))
		return;
	list_members(&old, split);
	last = must_calloc(rows_n_words(rows, column), sizeof(*last));
	becomes = must_calloc(rows_n_words(rows, column), sizeof(*becomes));
	for (uint32_t g = 0; g < old.n; g++)
		for (uint32_t i = old.begin[g]; i < old.begin[g + 1]; i++) {
			const uint32_t row = old.members[i], word = rows_word(rows, column, row);

			if (last[word] != g + 1) {
				last[word] = g + 1;
				becomes[word] = n++;
			}
			split->of_row[row] = becomes[word];
		}
	split->n = n ? n : 1;
	free(last);
	free(becomes);
	groups_free(&old);
}

void groups_split_end(struct groups_split *split)
{
	free(split->of_row);
	split->of_row = NULL;
}

/* ---- order */

/* The place of a text in a list of spellings; behind all of them: not there. */
static size_t place_in(const char *const *names, const char *text)
{
	size_t i = 0;

	while (names[i] && strcmp(names[i], text))
		i++;
	return i;
}

static int compare_names(const char *const *names, const char *a, const char *b)
{
	const size_t i = names ? place_in(names, a) : 0, j = names ? place_in(names, b) : 0;

	if (i != j)
		return i < j ? -1 : 1;
	return strcmp(a, b);
}

static const char *const *names_of(enum rows_column column)
{
	switch (column) {
	case ROWS_test:
		return kind_test_names;
	case ROWS_transport:
		return kind_transport_names;
	case ROWS_completion:
	case ROWS_peer_completion:
		return kind_completion_names;
	default:
		return NULL;
	}
}

/* -1, 0, 1: the order of two words of a column. */
static int compare_words(const struct rows *rows, enum rows_column column, uint32_t a, uint32_t b)
{
	const struct words_one *x = rows_word_value(rows, column, a);
	const struct words_one *y = rows_word_value(rows, column, b);

	if (a == b)
		return 0;
	if (!x->text[0] || !y->text[0])
		return x->text[0] ? 1 : -1;
	if (!isnan(x->number) && !isnan(y->number))
		return x->number < y->number ? -1 : x->number > y->number;
	return compare_names(names_of(column), x->text, y->text);
}

/* ---- all groups */

/* A group that is sorted: its number before, and one of its rows. */
struct place {
	const struct rows *rows;
	const enum rows_column *columns;
	size_t n_columns;
	uint32_t group, row;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	for (size_t i = 0; i < x->n_columns; i++) {
		const enum rows_column column = x->columns[i];
		const int order = compare_words(x->rows, column,
						rows_word(x->rows, column, x->row),
						rows_word(x->rows, column, y->row));

		if (order)
			return order;
	}
	return 0;
}

/* Sets of_row to the sorted numbers. */
static void sort_groups(struct groups_split *split, const enum rows_column *columns,
			size_t n_columns)
{
	struct place *places = must_calloc(split->n, sizeof(*places));
	uint32_t *number = must_calloc(split->n, sizeof(*number));

	for (size_t row = split->rows->n; row-- > 0;)
		if (counts(split, row))
			places[split->of_row[row]] = (struct place){
				.rows = split->rows, .columns = columns, .n_columns = n_columns,
				.group = split->of_row[row], .row = (uint32_t)row,
			};
	qsort(places, split->n, sizeof(*places), compare_places);
	for (size_t g = 0; g < split->n; g++)
		number[places[g].group] = (uint32_t)g;
	for (size_t row = 0; row < split->rows->n; row++)
		split->of_row[row] = number[split->of_row[row]];
	free(places);
	free(number);
}

static void make(struct groups *groups, const struct rows *rows, const bool *skip,
		 const enum rows_column *columns, size_t n_columns)
{
	struct groups_split split;

	*groups = (struct groups){ .rows = rows };
	groups_split_begin(&split, rows);
	split.skip = skip;
	for (size_t i = 0; i < n_columns; i++)
		groups_split_by(&split, columns[i]);
	sort_groups(&split, columns, n_columns);
	list_members(groups, &split);
	groups->of_row = split.of_row;
}

void groups_make(struct groups *groups, const struct rows *rows, const enum rows_column *columns,
		 size_t n_columns)
{
	make(groups, rows, NULL, columns, n_columns);
}

void groups_make_some(struct groups *groups, const struct rows *rows, const bool *skip,
		      const struct columns_named *columns)
{
	make(groups, rows, skip, columns->all, columns->n);
}

void groups_free(struct groups *groups)
{
	free(groups->begin);
	free(groups->members);
	free(groups->of_row);
	*groups = (struct groups){ .n = 0 };
}

/* ---- statistics of a group */

struct spread_values spread_values(const struct groups *groups, size_t group,
				   enum rows_column column, const bool *skip)
{
	const uint32_t begin = groups->begin[group], end = groups->begin[group + 1];
	struct spread_values values = { .sorted = must_calloc(end - begin, sizeof(double)) };

	for (uint32_t i = begin; i < end; i++) {
		const uint32_t row = groups->members[i];
		const double value = rows_number(groups->rows, column, row);

		if (!isnan(value) && !(skip && skip[row]))
			values.sorted[values.n++] = value;
	}
	repeats_sort(values.sorted, values.n);
	return values;
}

struct spread spread_of_values(const struct spread_values *values)
{
	const double *v = values->sorted;
	const size_t n = values->n;

	if (!n)
		return (struct spread){ .median = NAN, .min = NAN, .max = NAN,
					.interval = { NAN, NAN } };
	return (struct spread){
		.n = n, .min = v[0], .max = v[n - 1], .median = repeats_median(v, n),
		.interval = repeats_median_interval(v, n),
	};
}

struct spread spread_of(const struct groups *groups, size_t group, enum rows_column column,
			const bool *skip)
{
	const struct spread_values values = spread_values(groups, group, column, skip);
	const struct spread spread = spread_of_values(&values);

	free(values.sorted);
	return spread;
}
