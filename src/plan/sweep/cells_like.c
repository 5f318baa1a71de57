/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns cells that are made of others while a sweep runs. */
#include "config.h"
#include "sweep/cells.h"

#include <stdlib.h>

/* The axes of one cell. */
static void copy_axes(struct axes *to, const struct cells *cells, const struct cell *cell)
{
	for (uint32_t k = 0; k < cell->part->axes.n; k++) {
		const struct axis *from = &cell->part->axes.of[k];
		const uint32_t at = cells_choice(cells, cell, k);
		struct axis one = { .row = from->row };
		struct axes over = { &one, 1 };

		list_add(&one.values, from->values.words[at], from->values.numbers[at]);
		cells_override(to, &over);
		list_free(&one.values);
	}
}

static void change(struct axes *axes, const struct cells_change *c)
{
	const struct field *f = &options_table.rows[c->row];
	struct cfg scratch = { .test = TEST_SEND_BW };
	struct axis one = { .row = c->row };
	struct axes over = { &one, 1 };
	char text[FIELD_TEXT_MAX];

	cells_drop(axes, c->row);
	if (c->absent)
		return;
	field_set_integer(f, &scratch, c->number);
	list_add(&one.values, options_value(f, &scratch, text, sizeof(text)), c->number);
	cells_override(axes, &over);
	list_free(&one.values);
}

int cells_like(struct cells *cells, uint32_t i, const struct cells_change *changes, uint32_t n)
{
	struct axes axes = { .n = 0 };
	struct cell cell;
	int rc;

	cells_get(cells, i, &cell);
	copy_axes(&axes, cells, &cell);
	for (uint32_t k = 0; k < n; k++)
		change(&axes, &changes[k]);
	rc = cells_add(cells, cell.part->scenario, &axes);
	cells_axes_free(&axes);
	free(cell.text);
	return rc;
}

/* ---- --rate in percent */

static bool is_share(uint64_t rate)
{
	return rate != CFG_AUTO64 && rate & FIELD_RATE_SHARE;
}

void cells_like_closed(struct axes *axes)
{
	struct axis *rates = cells_axis(axes, CFG_ROW_rate_milli);
	struct list with = { .n = 0 };
	bool any = false;

	for (uint32_t i = 0; rates && i < rates->values.n; i++)
		any |= is_share(rates->values.numbers[i]);
	if (!any)
		return;
	list_add(&with, "none", CFG_AUTO64);
	for (uint32_t i = 0; i < rates->values.n; i++)
		if (rates->values.numbers[i] != CFG_AUTO64)
			list_add(&with, rates->values.words[i], rates->values.numbers[i]);
	list_free(&rates->values);
	rates->values = with;
}

bool cells_like_shares(const struct cells *cells, const struct cell *cell, uint32_t *closed)
{
	const struct axes *axes = &cell->part->axes;
	const struct axis *rates = cells_axis(axes, CFG_ROW_rate_milli);
	bool any = false;
	uint32_t step = 1;

	for (uint32_t i = 0; rates && i < rates->values.n; i++)
		any |= is_share(rates->values.numbers[i]);
	if (!any)
		return false;
	/* the last axis changes fastest */
	for (const struct axis *a = rates + 1; a < axes->of + axes->n; a++)
		step *= a->values.n;
	*closed = cell->index - step * cells_choice(cells, cell, (uint32_t)(rates - axes->of));
	return true;
}
