/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the nodes of the pairs of a mesh, their leaves and their order; see tables.h. */
#include "config.h"
#include "tables/tables.h"

#include <stdlib.h>
#include <string.h>

#include "row/row.h"
#include "util/must.h"
#include "wiring/wiring.h"

static const char *pair_of(const struct rows *rows, uint32_t word)
{
	return rows_word_value(rows, ROWS_pair, word)->text;
}

bool matrix_is_beside(const struct rows *rows, size_t row)
{
	char buf[ROWS_TEXT];
	const char *kind = rows_text(rows, ROWS_kind, row, buf);

	return !strcmp(kind, row_kind_names[ROW_KIND_TOTAL]) ||
	       !strcmp(kind, row_kind_names[ROW_KIND_VICTIM]);
}

bool matrix_is_drawn(const struct matrix *matrix, const struct rows *rows, size_t row)
{
	return !matrix->has_pairs || !matrix_is_beside(rows, row);
}

/* ---- their names */

static int by_name(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

static uint32_t find_node(const struct matrix *matrix, const char *name, size_t len)
{
	char *key = must_have(strndup(name, len));
	char **found = bsearch(&key, matrix->nodes, matrix->n_nodes, sizeof(key), by_name);

	free(key);
	return (uint32_t)(found - matrix->nodes);
}

static void list_nodes(struct matrix *matrix, const struct rows *rows)
{
	const uint32_t n = rows_n_words(rows, ROWS_pair);
	size_t all = 0, kept = 0;

	matrix->nodes = must_calloc(2 * (size_t)n, sizeof(*matrix->nodes));
	for (uint32_t word = 1; word < n; word++) {
		const char *text = pair_of(rows, word), *to = strchr(text, '>');

		if (!to)
			continue;
		matrix->nodes[all++] = must_have(strndup(text, (size_t)(to - text)));
		matrix->nodes[all++] = must_strdup(to + 1);
	}
	qsort(matrix->nodes, all, sizeof(*matrix->nodes), by_name);
	for (size_t i = 0; i < all; i++)
		if (kept && !strcmp(matrix->nodes[kept - 1], matrix->nodes[i]))
			free(matrix->nodes[i]);
		else
			matrix->nodes[kept++] = matrix->nodes[i];
	matrix->n_nodes = kept;
}

static void find_ends(struct matrix *matrix, const struct rows *rows)
{
	const uint32_t n = rows_n_words(rows, ROWS_pair);

	matrix->ends = must_calloc(2 * (size_t)n, sizeof(*matrix->ends));
	for (uint32_t word = 0; word < n; word++) {
		const char *text = pair_of(rows, word), *to = strchr(text, '>');
		uint32_t *ends = matrix->ends + 2 * (size_t)word;

		ends[0] = ends[1] = UINT32_MAX;
		if (!to)
			continue;
		ends[0] = find_node(matrix, text, (size_t)(to - text));
		ends[1] = find_node(matrix, to + 1, strlen(to + 1));
	}
}

/* ---- their order */

struct node {
	uint32_t number;      /* by name */
	bool is_drawn;
	uint32_t leaf;        /* or WIRING_NONE */
	uint32_t asked[2];    /* the last device as a client, as a server; a word */
	bool on_many;         /* its devices are on several leaves */
	const char *leaf_name;
};

static void find_leaf(const struct report *r, struct node *node, const char *name,
		      enum rows_column device, size_t row)
{
	uint32_t *asked = &node->asked[device == ROWS_peer_device];
	const uint32_t word = rows_word(&r->rows, device, row);
	char buf[ROWS_TEXT];
	uint32_t leaf;

	if (!r->wiring || *asked == word)
		return;
	*asked = word;
	leaf = wiring_leaf(r->wiring, name, rows_text(&r->rows, device, row, buf));
	if (leaf == WIRING_NONE)
		return;
	node->on_many |= node->leaf != WIRING_NONE && node->leaf != leaf;
	node->leaf = leaf;
	node->leaf_name = wiring_name(r->wiring, leaf);
}

/* By their rows: only these say which device a node has used. */
static struct node *find_all(const struct matrix *matrix, const struct report *r)
{
	struct node *all = must_calloc(matrix->n_nodes, sizeof(*all));

	for (uint32_t i = 0; i < matrix->n_nodes; i++)
		all[i] = (struct node){ .number = i, .leaf = WIRING_NONE, .leaf_name = "",
					.asked = { UINT32_MAX, UINT32_MAX } };
	for (size_t row = 0; row < r->rows.n; row++) {
		const uint32_t *ends = matrix->ends +
				       2 * (size_t)rows_word(&r->rows, ROWS_pair, row);

		if (ends[0] == UINT32_MAX || !matrix_is_drawn(matrix, &r->rows, row))
			continue;
		all[ends[0]].is_drawn = all[ends[1]].is_drawn = true;
		find_leaf(r, &all[ends[0]], matrix->nodes[ends[0]], ROWS_device, row);
		find_leaf(r, &all[ends[1]], matrix->nodes[ends[1]], ROWS_peer_device, row);
	}
	for (uint32_t i = 0; i < matrix->n_nodes; i++)
		if (all[i].on_many) {
			all[i].leaf = WIRING_NONE;
			all[i].leaf_name = "";
		}
	return all;
}

/* Those without a leaf, and those that are not drawn, are the last. */
static int by_leaf(const void *a, const void *b)
{
	const struct node *x = a, *y = b;
	const bool x_has = x->leaf != WIRING_NONE, y_has = y->leaf != WIRING_NONE;
	const int names = strverscmp(x->leaf_name, y->leaf_name);

	if (x->is_drawn != y->is_drawn)
		return x->is_drawn ? -1 : 1;
	if (x_has != y_has)
		return x_has ? -1 : 1;
	if (names)
		return names;
	if (x->leaf != y->leaf)
		return x->leaf < y->leaf ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void put_in_order(struct matrix *matrix, const struct node *all, const struct rows *rows)
{
	const size_t n_ends = 2 * (size_t)rows_n_words(rows, ROWS_pair);
	char **nodes = must_calloc(matrix->n_nodes, sizeof(*nodes));
	uint32_t *place = must_calloc(matrix->n_nodes, sizeof(*place));

	matrix->leaf = must_calloc(matrix->n_nodes, sizeof(*matrix->leaf));
	for (uint32_t i = 0; i < matrix->n_nodes; i++) {
		nodes[i] = matrix->nodes[all[i].number];
		place[all[i].number] = i;
		matrix->leaf[i] = all[i].leaf;
		matrix->n_drawn += all[i].is_drawn;
	}
	for (size_t i = 0; i < n_ends; i++)
		if (matrix->ends[i] != UINT32_MAX)
			matrix->ends[i] = place[matrix->ends[i]];
	free(place);
	free(matrix->nodes);
	matrix->nodes = nodes;
}

void matrix_nodes(struct matrix *matrix, const struct report *r)
{
	struct node *all;

	for (size_t row = 0; row < r->rows.n; row++) {
		matrix->has_beside |= !r->skip[row] && matrix_is_beside(&r->rows, row);
		matrix->has_pairs |= !r->skip[row] && !matrix_is_beside(&r->rows, row);
	}
	list_nodes(matrix, &r->rows);
	find_ends(matrix, &r->rows);
	all = find_all(matrix, r);
	qsort(all, matrix->n_nodes, sizeof(*all), by_leaf);
	put_in_order(matrix, all, &r->rows);
	free(all);
}
