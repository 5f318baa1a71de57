/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the rows of a mesh at the root, and what people read at its end. */
#include "config.h"
#include "mesh/mesh_root.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "row/row_build.h"
#include "stats/repeats.h"
#include "util/must.h"
#include "util/text.h"

#define WORST 3u /* pairs that are named */

/* ---- the rows of a cell */

static void put(struct mesh_root *r, const struct row *row, uint32_t round, uint32_t from)
{
	const uint32_t to = schedule_target(r->mesh->schedule, round, from);
	struct mesh_rows *all = &r->rows;
	struct row *own;

	if (all->n == all->room) {
		all->room = all->room ? 2 * all->room : 64;
		all->rows = must_realloc(all->rows, all->room, sizeof(*all->rows));
	}
	own = &all->rows[all->n++];
	*own = *row;
	own->mesh_round = round;
	snprintf(own->pair, sizeof(own->pair), "%.31s>%.31s", r->members[from].node.name,
		 r->members[to].node.name);
	r->n_bad += own->status != RESULT_OK;
	if (own->mesh_start_ns != ROW_NONE)
		own->mesh_start_ns -= own->mesh_start_ns > r->origin_ns ? r->origin_ns :
									  own->mesh_start_ns;
}

void mesh_rows_add(struct mesh_root *r, const struct row *row, uint32_t round, uint32_t from)
{
	put(r, row, round, from);
}

void mesh_rows_missing(struct mesh_root *r, const struct mesh_done *why, uint32_t round,
		       uint32_t from, const struct cell *cell)
{
	const struct cfg *cfg = &cell->cfg;
	const struct kind kind = cfg_kind(cfg);
	struct row row;

	row_init(&row);
	row.test = cfg->test;
	row.transport = kind.tp;
	row.opcode = kind.op;
	row.completion = kind.cm;
	row.pattern = kind_pattern(cfg->test);
	row.kind = ROW_KIND_RESULT;
	row.role = SIDE_CLIENT;
	row_build_time(row.time);
	if (cfg->given.size_bytes && cfg->size_bytes != CFG_AUTO64)
		row.size_bytes = cfg->size_bytes;
	row.status = why->status;
	snprintf(row.reason, sizeof(row.reason), "%s", why->reason);
	put(r, &row, round, from);
}

/* ---- the time that all pairs have in common */

static bool has_window(const struct row *row)
{
	return row->status == RESULT_OK && row->mesh_start_ns != ROW_NONE &&
	       row->window_ns != ROW_NONE && row->window_ns;
}

static void share_time(const struct mesh_rows *all, struct row *row)
{
	uint64_t start_ns = 0, end_ns = UINT64_MAX;

	for (uint32_t i = 0; i < all->n; i++) {
		const struct row *other = &all->rows[i];

		if (!has_window(other) || other->size_bytes != row->size_bytes)
			continue;
		if (other->mesh_start_ns > start_ns)
			start_ns = other->mesh_start_ns;
		if (other->mesh_start_ns + other->window_ns < end_ns)
			end_ns = other->mesh_start_ns + other->window_ns;
	}
	if (end_ns < start_ns)
		end_ns = start_ns;
	row->mesh_shared_pct = 100.0 * (double)(end_ns - start_ns) / (double)row->window_ns;
}

/* ---- their figures */

static double figure_of(const struct row *row)
{
	if (row->status != RESULT_OK)
		return NAN;
	return kind_test_is_lat(row->test) ? row->lat_p50_ns / 1e3 : row->bandwidth_gbit_s;
}

static void keep_figure(struct mesh_root *r, const struct row *row, uint32_t cell)
{
	const double value = figure_of(row);
	struct mesh_figure *f;

	if (isnan(value))
		return;
	if (r->n_figures == r->figures_room) {
		r->figures_room = r->figures_room ? 2 * r->figures_room : 256;
		r->figures = must_realloc(r->figures, r->figures_room, sizeof(*r->figures));
	}
	f = &r->figures[r->n_figures++];
	*f = (struct mesh_figure){ .value = value, .size_bytes = row->size_bytes, .cell = cell,
				   .round = (uint32_t)row->mesh_round };
	snprintf(f->pair, sizeof(f->pair), "%s", row->pair);
}

void mesh_rows_flush(struct mesh_root *r, uint32_t cell)
{
	struct mesh_rows *all = &r->rows;

	for (uint32_t i = 0; i < all->n; i++)
		if (has_window(&all->rows[i]))
			share_time(all, &all->rows[i]);
	for (uint32_t i = 0; i < all->n; i++) {
		keep_figure(r, &all->rows[i], cell);
		results_row(&r->results, &all->rows[i]);
	}
	all->n = 0;
	output_take(&r->results.output, &(struct event){ .kind = EVENT_CELL_END });
}

/* ---- for people */

/* By cell, size, value. */
static int order(const void *a, const void *b)
{
	const struct mesh_figure *x = a, *y = b;

	if (x->cell != y->cell)
		return x->cell < y->cell ? -1 : 1;
	if (x->size_bytes != y->size_bytes)
		return x->size_bytes < y->size_bytes ? -1 : 1;
	return x->value < y->value ? -1 : x->value > y->value;
}

/* n figures in rising order, of one cell and size. */
static void tell_some(FILE *out, const struct mesh *mesh, const struct mesh_figure *f, size_t n)
{
	struct cell cell;
	bool latency;

	cells_get(&mesh->cells, f->cell, &cell);
	latency = kind_test_is_lat(cell.cfg.test);
	fprintf(out, "%s, %" PRIu64 " bytes: %zu pair%s; %s: min %.4g, median %.4g, max %.4g\n",
		cell.text, f->size_bytes, n, n == 1 ? "" : "s",
		latency ? "p50 in us" : "Gbit/s", f->value, f[n / 2].value, f[n - 1].value);
	fprintf(out, "  %s:", latency ? "slowest" : "lowest");
	for (size_t i = 0; i < WORST && i < n; i++) {
		const struct mesh_figure *one = latency ? &f[n - 1 - i] : &f[i];

		fprintf(out, "%s %s %.4g (round %" PRIu32 ")", i ? "," : "", one->pair, one->value,
			one->round);
	}
	fputc('\n', out);
	free(cell.text);
}

void mesh_rows_tell(struct mesh_root *r, FILE *out)
{
	size_t from = 0;

	qsort(r->figures, r->n_figures, sizeof(*r->figures), order);
	for (size_t i = 1; i <= r->n_figures; i++) {
		const struct mesh_figure *f = &r->figures[from];

		if (i < r->n_figures && r->figures[i].cell == f->cell &&
		    r->figures[i].size_bytes == f->size_bytes)
			continue;
		tell_some(out, r->mesh, f, i - from);
		from = i;
	}
	if (r->n_bad)
		fprintf(out, "%" PRIu32 " result%s not ok: their rows say why\n", r->n_bad,
			r->n_bad == 1 ? " is" : "s are");
}
