/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns groups of rows and their order; see groups.h. Called by all reports. */
#include "config.h"
#include "rows/groups.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/kind.h"
#include "util/err.h"

#define FIRST_SLOTS 256u
#define SLOT_FREE UINT64_MAX

static int no_memory(void)
{
	return err_set(-ENOMEM, "no memory for the groups of rows");
}

/* ---- splitting: a hash table from group and word to the new group */

struct pairs {
	uint64_t *keys;    /* group << 32 | word */
	uint32_t *groups;
	size_t n, n_slots; /* n_slots is a power of two */
};

static void pairs_free(struct pairs *pairs)
{
	free(pairs->keys);
	free(pairs->groups);
}

/* The mixer of SplitMix64: Steele, Lea, Flood 2014. */
static size_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return (size_t)(x ^ x >> 31);
}

static size_t slot_of(const struct pairs *pairs, uint64_t key)
{
	size_t i = mix(key) & (pairs->n_slots - 1);

	while (pairs->keys[i] != SLOT_FREE && pairs->keys[i] != key)
		i = (i + 1) & (pairs->n_slots - 1);
	return i;
}

static int pairs_grow(struct pairs *pairs)
{
	const size_t n = pairs->n_slots ? 2 * pairs->n_slots : FIRST_SLOTS;
	struct pairs more = { .n = pairs->n, .n_slots = n };

	more.keys = malloc(n * sizeof(*more.keys));
	more.groups = malloc(n * sizeof(*more.groups));
	if (!more.keys || !more.groups) {
		pairs_free(&more);
		return no_memory();
	}
	memset(more.keys, 0xff, n * sizeof(*more.keys));
	for (size_t i = 0; i < pairs->n_slots; i++) {
		if (pairs->keys[i] == SLOT_FREE)
			continue;
		const size_t to = slot_of(&more, pairs->keys[i]);

		more.keys[to] = pairs->keys[i];
		more.groups[to] = pairs->groups[i];
	}
	pairs_free(pairs);
	*pairs = more;
	return 0;
}

/* The group of the key; a new one gets the next number. */
static int pairs_take(struct pairs *pairs, uint64_t key, uint32_t *group)
{
	size_t i;
	int rc = 2 * (pairs->n + 1) > pairs->n_slots ? pairs_grow(pairs) : 0;

	if (rc)
		return rc;
	i = slot_of(pairs, key);
	if (pairs->keys[i] == SLOT_FREE) {
		pairs->keys[i] = key;
		pairs->groups[i] = (uint32_t)pairs->n++;
	}
	*group = pairs->groups[i];
	return 0;
}

int groups_split_begin(struct groups_split *split, const struct rows *rows)
{
	*split = (struct groups_split){ .rows = rows, .n = 1 };
	split->of_row = calloc(rows->n + 1, sizeof(*split->of_row));
	return split->of_row ? 0 : no_memory();
}

int groups_split_by(struct groups_split *split, enum rows_column column)
{
	struct pairs pairs = { .n = 0 };
	int rc = 0;

	if (rows_is_constant(split->rows, column))
		return 0;
	for (size_t row = 0; row < split->rows->n && !rc; row++) {
		const uint64_t group = split->of_row[row];

		if (split->skip && split->skip[row])
			continue;
		rc = pairs_take(&pairs, group << 32 | rows_word(split->rows, column, row),
				&split->of_row[row]);
	}
	split->n = pairs.n ? pairs.n : 1;
	pairs_free(&pairs);
	return rc;
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
		return kind_completion_names;
	default:
		return NULL;
	}
}

int groups_compare(const struct rows *rows, enum rows_column column, uint32_t a, uint32_t b)
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

/* A group that is sorted: its number before, and a row of it. */
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
		const int order = groups_compare(x->rows, column,
						 rows_word(x->rows, column, x->row),
						 rows_word(x->rows, column, y->row));

		if (order)
			return order;
	}
	return 0;
}

/* Sets of_row to the sorted numbers. places: split->n of them. */
static void renumber(struct groups_split *split, struct place *places, uint32_t *number)
{
	qsort(places, split->n, sizeof(*places), compare_places);
	for (size_t g = 0; g < split->n; g++)
		number[places[g].group] = (uint32_t)g;
	for (size_t row = 0; row < split->rows->n; row++)
		split->of_row[row] = number[split->of_row[row]];
}

static int sort_groups(struct groups_split *split, const enum rows_column *columns,
		       size_t n_columns)
{
	struct place *places = calloc(split->n, sizeof(*places));
	uint32_t *number = calloc(split->n, sizeof(*number));
	int rc = places && number ? 0 : no_memory();

	for (size_t row = split->rows->n; row > 0 && !rc; row--)
		places[split->of_row[row - 1]] = (struct place){
			.rows = split->rows, .columns = columns, .n_columns = n_columns,
			.group = split->of_row[row - 1], .row = (uint32_t)(row - 1),
		};
	if (!rc)
		renumber(split, places, number);
	free(places);
	free(number);
	return rc;
}

/* A counting sort of the rows by their group. */
static int list_members(struct groups *groups, const struct groups_split *split)
{
	const size_t n = split->rows->n;

	groups->n = n ? split->n : 0;
	groups->begin = calloc(split->n + 2, sizeof(*groups->begin));
	groups->members = calloc(n + 1, sizeof(*groups->members));
	if (!groups->begin || !groups->members) {
		groups_free(groups);
		return no_memory();
	}
	/* begin[g + 1] becomes the place where the next row of group g goes, at last its end */
	for (size_t row = 0; row < n; row++)
		groups->begin[split->of_row[row] + 2]++;
	for (size_t g = 2; g < split->n + 2; g++)
		groups->begin[g] += groups->begin[g - 1];
	for (size_t row = 0; row < n; row++)
		groups->members[groups->begin[split->of_row[row] + 1]++] = (uint32_t)row;
	return 0;
}

int groups_make(struct groups *groups, const struct rows *rows, const enum rows_column *columns,
		size_t n_columns)
{
	struct groups_split split;
	int rc = groups_split_begin(&split, rows);

	*groups = (struct groups){ .rows = rows };
	for (size_t i = 0; i < n_columns && !rc; i++)
		rc = groups_split_by(&split, columns[i]);
	if (!rc)
		rc = sort_groups(&split, columns, n_columns);
	if (!rc)
		rc = list_members(groups, &split);
	groups_split_end(&split);
	return rc;
}

void groups_free(struct groups *groups)
{
	free(groups->begin);
	free(groups->members);
	*groups = (struct groups){ .n = 0 };
}
