/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the cells and their order; see cells.h. Called by folder run. */
#include "config.h"
#include "sweep/cells.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/err.h"

static int refuse_many(void)
{
	return err_set(-EINVAL, "the lists make more than %u cells", LIST_MAX);
}

int cells_add(struct cells *cells, const char *scenario, struct axes *axes)
{
	struct cells_part part = { .axes = *axes, .first = cells->n };
	struct cells_part *parts;
	int rc = axes_count(axes, &part.n);

	if (!rc && !axes_find(axes, CFG_ROW_tests))
		rc = err_set(-EINVAL, "no test is given: --test send_bw,write_lat,...");
	if (!rc && part.n > LIST_MAX - cells->n)
		rc = refuse_many();
	if (!rc && scenario && !(part.scenario = strdup(scenario)))
		rc = err_set(-ENOMEM, "no memory for cells");
	parts = rc ? NULL : realloc(cells->parts, sizeof(*parts) * ((size_t)cells->n_parts + 1));
	if (!rc && !parts)
		rc = err_set(-ENOMEM, "no memory for cells");
	if (rc) {
		free(part.scenario);
		axes_free(axes);
		return rc;
	}
	*axes = (struct axes){ .n = 0 };
	cells->parts = parts;
	cells->parts[cells->n_parts++] = part;
	cells->n += part.n;
	return 0;
}

/* Cells of one round. */
static uint32_t round_cells(const struct cells *cells)
{
	const struct cells_part *last = &cells->parts[cells->n_parts - 1];

	return last->first + last->n;
}

int cells_repeat(struct cells *cells, uint32_t rounds)
{
	if (cells->n > LIST_MAX / rounds)
		return refuse_many();
	cells->n *= rounds;
	return 0;
}

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t next_random(uint64_t *state)
{
	uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* Fisher-Yates. The remainder of 64 bits prefers no cell by more than 1 in 10^14. */
int cells_shuffle(struct cells *cells, uint32_t seed)
{
	uint32_t *order = calloc(cells->n ? cells->n : 1, sizeof(*order));
	uint64_t state = seed;

	if (!order)
		return err_set(-ENOMEM, "no memory for the order of the cells");
	for (uint32_t i = 0; i < cells->n; i++) {
		const uint32_t k = (uint32_t)(next_random(&state) % (i + 1));

		order[i] = order[k];
		order[k] = i;
	}
	free(cells->order);
	cells->order = order;
	return 0;
}

/* ---- one cell */

/* Number of the cell in its part. */
static uint32_t number_of(const struct cells *cells, const struct cell *cell)
{
	const uint32_t i = cells->order ? cells->order[cell->index] : cell->index;

	return i % round_cells(cells) - cell->part->first;
}

const char *cells_value(const struct cells *cells, const struct cell *cell, uint32_t axis)
{
	const struct axes *axes = &cell->part->axes;
	uint32_t i = number_of(cells, cell);

	/* the last axis changes fastest */
	for (uint32_t k = axes->n - 1; k > axis; k--)
		i /= axes->of[k].values.n;
	return axes->of[axis].values.words[i % axes->of[axis].values.n];
}

static bool is_switch(const struct axis *axis)
{
	return options_table.rows[axis->row].type == FIELD_BOOL;
}

/* The option as words: "--size", and "64" or, of a bool, nothing. 0: it is not among the words. */
static int option_words(const struct cells *cells, const struct cell *cell, uint32_t k,
			char words[2][FIELD_TEXT_MAX])
{
	const struct axis *axis = &cell->part->axes.of[k];
	const char *value = cells_value(cells, cell, k);
	char name[FIELD_TEXT_MAX];

	field_option(&options_table.rows[axis->row], name, sizeof(name));
	snprintf(words[0], FIELD_TEXT_MAX, "--%.*s", FIELD_TEXT_MAX - 3, name);
	snprintf(words[1], FIELD_TEXT_MAX, "%s", value);
	if (is_switch(axis))
		return !strcmp(value, "on");
	return 2;
}

static const char *test_of(const struct cells *cells, const struct cell *cell)
{
	const struct axis *tests = axes_find(&cell->part->axes, CFG_ROW_tests);

	return cells_value(cells, cell, (uint32_t)(tests - cell->part->axes.of));
}

/* Also numbers of options that are one value are words of the name. */
static int make_text(const struct cells *cells, struct cell *cell)
{
	const struct axes *axes = &cell->part->axes;
	size_t len;
	FILE *out = open_memstream(&cell->text, &len);

	if (!out)
		return -ENOMEM;
	fputs(test_of(cells, cell), out);
	for (size_t row = 0; row < options_table.n; row++) {
		const struct axis *axis = axes_find(axes, (enum cfg_row)row);
		char words[2][FIELD_TEXT_MAX];
		int n;

		if (!axis || row == CFG_ROW_tests || axes_is_outside((enum cfg_row)row))
			continue;
		n = option_words(cells, cell, (uint32_t)(axis - axes->of), words);
		for (int i = 0; i < n; i++)
			fprintf(out, " %s", words[i]);
	}
	return fclose(out) ? -ENOMEM : 0;
}

/* The words of options_parse(): what is one value is one word, whatever is in it. */
static int make_argv(const struct cells *cells, struct cell *cell)
{
	const struct axes *axes = &cell->part->axes;

	cell->argv = calloc((size_t)axes->n + 2, sizeof(*cell->argv));
	if (!cell->argv || !(cell->argv[0] = strdup(test_of(cells, cell))))
		return -ENOMEM;
	cell->argc = 1;
	for (uint32_t k = 0; k < axes->n; k++) {
		char words[2][FIELD_TEXT_MAX], *word = NULL;
		const int n = axes->of[k].row == CFG_ROW_tests ? 0 :
			      option_words(cells, cell, k, words);

		if (!n)
			continue;
		if (asprintf(&word, "%s%s%s", words[0], n > 1 ? "=" : "", n > 1 ? words[1] : "") < 0)
			return -ENOMEM;
		cell->argv[cell->argc++] = word;
	}
	return 0;
}

int cells_get(const struct cells *cells, uint32_t i, struct cell *cell)
{
	const uint32_t at = cells->order ? cells->order[i] : i;
	const uint32_t in_round = at % round_cells(cells);
	uint32_t part = 0;

	while (in_round >= cells->parts[part].first + cells->parts[part].n)
		part++;
	*cell = (struct cell){
		.part = &cells->parts[part], .index = i,
	};
	if (!make_text(cells, cell) && !make_argv(cells, cell))
		return 0;
	cells_free_one(cell);
	return err_set(-ENOMEM, "no memory for a cell");
}

void cells_free_one(struct cell *cell)
{
	for (int i = 0; i < cell->argc; i++)
		free(cell->argv[i]);
	free(cell->argv);
	free(cell->text);
	*cell = (struct cell){ .argc = 0 };
}

void cells_free(struct cells *cells)
{
	for (uint32_t i = 0; i < cells->n_parts; i++) {
		axes_free(&cells->parts[i].axes);
		free(cells->parts[i].scenario);
	}
	free(cells->parts);
	free(cells->order);
	*cells = (struct cells){ .n = 0 };
}
