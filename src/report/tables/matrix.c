/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the sets of pairs of a mesh: their figures and order; see tables.h. */
#include "config.h"
#include "tables/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "read/axes.h"
#include "util/must.h"

/* A set that is made. */
struct making {
	const struct report *r;
	struct matrix *matrix;
	struct groups groups;    /* by keys and pair */
	bool *skip;              /* rows without figures, or measured again */
};

static bool is_again(const struct rows *rows, size_t row)
{
	return rows_number(rows, ROWS_mesh_attempt, row) > 0;
}

bool matrix_is_of(const struct report *r)
{
	bool any = false;

	for (size_t row = 0; row < r->rows.n; row++) {
		if (r->skip[row])
			continue;
		if (!isnan(rows_number(&r->rows, ROWS_mesh_attempt, row)))
			any = true;
		else if (!matrix_is_beside(&r->rows, row))
			return false;
	}
	return any;
}

void matrix_want(struct rows_query *query)
{
	axes_want(query, ROWS_mesh_attempt);
	axes_want(query, ROWS_mesh_round);
	axes_want(query, ROWS_status);
	axes_want(query, ROWS_kind);
	axes_want(query, ROWS_device);
	axes_want(query, ROWS_peer_device);
}

/* ---- figures of a set */

static void add(const struct making *m, struct matrix_set *set, size_t row, double value)
{
	const uint32_t *ends = m->matrix->ends + 2 * (size_t)rows_word(&m->r->rows, ROWS_pair, row);
	const size_t n = set->n + set->n_failed;

	if (ends[0] == UINT32_MAX)
		return;
	/* twice as many, if they are a power of two */
	if (!(n & (n - 1)))
		set->all = must_realloc(set->all, n ? 2 * n : 1, sizeof(*set->all));
	set->all[n] = (struct matrix_pair){
		.row = (uint32_t)row, .client = ends[0], .server = ends[1], .value = value,
		.share = NAN,
	};
	*(isnan(value) ? &set->n_failed : &set->n) += 1;
}

/* Was it not measured because of a failure? A row of an interval has no status of its own. */
static bool has_failed(const struct making *m, size_t row)
{
	const struct rows *rows = &m->r->rows;
	char buf[ROWS_TEXT];

	return m->r->skip[row] && !is_again(rows, row) &&
	       !isnan(rows_number(rows, ROWS_mesh_attempt, row)) &&
	       strcmp(rows_text(rows, ROWS_kind, row, buf), "interval") &&
	       strcmp(rows_text(rows, ROWS_status, row, buf), "skipped");
}

/* Settings that were not known when it failed are absent. */
static bool is_of(const struct making *m, const struct matrix_set *set, size_t row)
{
	const struct columns_named *keys = &m->matrix->keys;
	const struct rows *rows = &m->r->rows;

	for (size_t i = 0; i < keys->n; i++) {
		const uint32_t word = rows_word(rows, keys->all[i], row);

		if (word != WORDS_ABSENT && word != rows_word(rows, keys->all[i], set->row))
			return false;
	}
	return true;
}

/* A pair that failed and has a value from another file, or of a resumed run, has not failed. */
static void add_failed(const struct making *m, struct matrix_set *set)
{
	const struct rows *rows = &m->r->rows;
	bool *seen = must_calloc(rows_n_words(rows, ROWS_pair), sizeof(*seen));

	for (size_t i = 0; i < set->n; i++)
		seen[rows_word(rows, ROWS_pair, set->all[i].row)] = true;
	for (size_t row = 0; row < rows->n; row++) {
		bool *own = &seen[rows_word(rows, ROWS_pair, row)];

		if (*own || !has_failed(m, row) || !is_of(m, set, row))
			continue;
		*own = true;
		add(m, set, row, NAN);
	}
	free(seen);
}

static double share(const struct matrix_set *set, double value)
{
	const int better = compare_direction(set->quantity);
	const double up = value / set->median, down = set->median / value;
	const double all = better > 0 ? up : better < 0 ? down : fmin(up, down);

	/* 0 of 0 */
	return isnan(all) ? 1 : all;
}

static int by_share(const void *a, const void *b)
{
	const struct matrix_pair *x = a, *y = b;

	if (isnan(x->share) != isnan(y->share))
		return isnan(x->share) ? 1 : -1;
	if (x->share != y->share && !isnan(x->share))
		return x->share < y->share ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

static void measure(struct matrix_set *set)
{
	double *values = must_calloc(set->n, sizeof(*values));

	for (size_t i = 0; i < set->n; i++)
		values[i] = set->all[i].value;
	repeats_sort(values, set->n);
	set->median = repeats_median(values, set->n);
	for (size_t i = 0; i < set->n; i++)
		values[i] = fabs(values[i] - set->median);
	repeats_sort(values, set->n);
	set->mad = repeats_median(values, set->n);
	free(values);
	for (size_t i = 0; i < set->n; i++)
		set->all[i].share = share(set, set->all[i].value);
	qsort(set->all, set->n + set->n_failed, sizeof(*set->all), by_share);
}

static size_t count_nodes(const struct matrix *matrix, const struct matrix_set *set)
{
	bool *seen = must_calloc(matrix->n_nodes, sizeof(*seen));
	size_t n = 0;

	for (size_t i = 0; i < set->n + set->n_failed; i++) {
		const struct matrix_pair *one = &set->all[i];

		n += !seen[one->client];
		seen[one->client] = true;
		n += !seen[one->server];
		seen[one->server] = true;
	}
	free(seen);
	return n;
}

/* ---- sets */

/* The groups from..to, of one set. */
static void make_set(const struct making *m, enum rows_column quantity, size_t from, size_t to)
{
	struct matrix *matrix = m->matrix;
	struct matrix_set set = { .quantity = quantity };

	set.row = m->groups.members[m->groups.begin[from]];
	for (size_t g = from; g < to; g++) {
		const struct spread spread = spread_of(&m->groups, g, quantity, m->skip);

		if (spread.n)
			add(m, &set, m->groups.members[m->groups.begin[g]], spread.median);
	}
	if (!set.n)
		return;
	add_failed(m, &set);
	measure(&set);
	set.nodes = count_nodes(matrix, &set);
	set.is_drawn = matrix_is_drawn(matrix, &m->r->rows, set.row);
	matrix->sets = must_realloc(matrix->sets, matrix->n_sets + 1, sizeof(*matrix->sets));
	matrix->sets[matrix->n_sets++] = set;
}

static bool same_keys(const struct making *m, size_t a, size_t b)
{
	const struct columns_named *keys = &m->matrix->keys;

	for (size_t i = 0; i < keys->n; i++)
		if (rows_word(&m->r->rows, keys->all[i], m->groups.members[m->groups.begin[a]]) !=
		    rows_word(&m->r->rows, keys->all[i], m->groups.members[m->groups.begin[b]]))
			return false;
	return true;
}

/* Without --of the first figure of its test. */
static void make_sets(const struct making *m, enum rows_column quantity, bool chosen)
{
	const struct rows *rows = &m->r->rows;

	for (size_t from = 0, to; from < m->groups.n; from = to) {
		const size_t row = m->groups.members[m->groups.begin[from]];
		const bool lat = measured_is_lat(rows, row);

		for (to = from + 1; to < m->groups.n && same_keys(m, from, to); to++)
			;
		if (chosen || quantity == (lat ? measured_lat : measured_bw).all[0])
			make_set(m, quantity, from, to);
	}
}

/* Test and size always; of the others what varies within a pair. */
static void find_keys(const struct making *m)
{
	static const enum rows_column always[] = { ROWS_test, ROWS_size_bytes };
	static const struct columns_named pair = { .all = { ROWS_pair }, .n = 1 };
	struct columns_named beside, *keys = &m->matrix->keys;

	for (size_t i = 0; i < FIELD_COUNT(always); i++)
		if (rows_only_word(&m->r->rows, always[i]) == WORDS_ABSENT)
			keys->all[keys->n++] = always[i];
	if (m->matrix->has_beside && m->matrix->has_pairs)
		keys->all[keys->n++] = ROWS_kind;
	axes_swept_beside(&m->r->rows, m->skip, &pair, &beside);
	for (size_t i = 0; i < beside.n; i++)
		if (!columns_have(keys, beside.all[i]))
			keys->all[keys->n++] = beside.all[i];
	if (!m->r->people)
		tables_shown_axes(keys);
}

struct matrix *matrix_find(const struct report *r)
{
	struct making m = { .r = r, .matrix = must_calloc(1, sizeof(*m.matrix)) };
	struct columns_named all;

	m.skip = must_calloc(r->rows.n, sizeof(*m.skip));
	for (size_t row = 0; row < r->rows.n; row++)
		m.skip[row] = r->skip[row] || is_again(&r->rows, row);
	matrix_nodes(m.matrix, r);
	find_keys(&m);
	all = m.matrix->keys;
	all.all[all.n++] = ROWS_pair;
	groups_make_some(&m.groups, &r->rows, m.skip, &all);
	for (size_t i = 0; i < r->of.n; i++)
		make_sets(&m, r->of.all[i], r->cfg->report_of);
	groups_free(&m.groups);
	free(m.skip);
	return m.matrix;
}

void matrix_free(struct matrix *matrix)
{
	if (!matrix)
		return;
	for (size_t i = 0; i < matrix->n_nodes; i++)
		free(matrix->nodes[i]);
	for (size_t i = 0; i < matrix->n_sets; i++)
		free(matrix->sets[i].all);
	free(matrix->nodes);
	free(matrix->leaf);
	free(matrix->ends);
	free(matrix->sets);
	free(matrix);
}

size_t matrix_n_worst(const struct matrix_set *set)
{
	return set->n < MATRIX_WORST ? set->n : MATRIX_WORST;
}

void matrix_heat(struct heat *heat, const struct matrix *matrix, const struct matrix_set *set)
{
	heat_begin(heat, matrix->n_drawn, set->n + set->n_failed);
	for (size_t i = 0; i < set->n + set->n_failed; i++)
		heat_add(heat, set->all[i].client, set->all[i].server, set->all[i].share);
}
