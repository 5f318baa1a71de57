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

#include "file/json_build.h"
#include "mesh/mesh_resume.h"
#include "read/rows.h"
#include "run/run_sweep.h"
#include "util/must.h"
#include "util/text.h"

#define WORST 3u /* pairs that are named */

/* ---- limits: rules of --expect that compare a column that is the figure with a number */

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

/* The limit of the figure of a row, which is ok; 0: there is none. */
static double limit_by_rules(const struct condition_rules *rules, const struct row *row)
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

/* ---- the rows of a cell */

static void name_pair(const struct mesh_root *r, const struct mesh_where *where,
		      char pair[ROW_NAME])
{
	snprintf(pair, ROW_NAME, "%.31s>%.31s", r->members[where->client].node.name,
		 r->members[where->server].node.name);
}

void mesh_rows_add(struct mesh_root *r, const struct row *row, const struct mesh_where *where)
{
	struct mesh_rows *all = &r->rows;
	struct row *own;

	if (all->n == all->room) {
		all->room = all->room ? 2 * all->room : 64;
		all->rows = must_realloc(all->rows, all->room, sizeof(*all->rows));
		all->where = must_realloc(all->where, all->room, sizeof(*all->where));
	}
	all->where[all->n] = *where;
	own = &all->rows[all->n++];
	*own = *row;
	if (where->round != MESH_ALONE)
		own->mesh_round = where->round;
	own->mesh_attempt = where->attempt;
	snprintf(own->mesh_run, sizeof(own->mesh_run), "%s", r->run);
	if (where->victim)
		own->kind = ROW_KIND_VICTIM;
	own->mesh_shared_pct = NAN;
	name_pair(r, where, own->pair);
	r->n_ok += own->status == RESULT_OK && !where->attempt && !where->victim;
	r->n_bad += own->status != RESULT_OK && own->status != RESULT_SKIPPED &&
		    (!where->attempt || where->victim);
	if (own->mesh_start_ns != ROW_NONE)
		own->mesh_start_ns -= own->mesh_start_ns > r->origin_ns ? r->origin_ns :
									  own->mesh_start_ns;
}

void mesh_rows_missing(struct mesh_root *r, const struct mesh_done *why,
		       const struct mesh_where *where, const struct cell *cell)
{
	const struct mesh_rails *rails = &r->mesh->rails;
	struct row row;

	run_row(&row, &cell->cfg, why->status);
	snprintf(row.reason, sizeof(row.reason), "%s", why->reason);
	snprintf(row.device, sizeof(row.device), "%s", rails->names[where->rails.from]);
	snprintf(row.peer_device, sizeof(row.peer_device), "%s", rails->names[where->rails.to]);
	mesh_rows_add(r, &row, where);
}

/* ---- the time that all pairs have in common */

static bool has_window(const struct row *row)
{
	return row->status == RESULT_OK && row->mesh_start_ns != ROW_NONE &&
	       row->window_ns != ROW_NONE && row->window_ns;
}

/* Of all rows of this size. */
static void share_time(struct mesh_rows *all, uint64_t size_bytes)
{
	uint64_t start_ns = 0, end_ns = UINT64_MAX;

	for (uint32_t i = 0; i < all->n; i++) {
		const struct row *row = &all->rows[i];

		if (!has_window(row) || row->size_bytes != size_bytes)
			continue;
		if (row->mesh_start_ns > start_ns)
			start_ns = row->mesh_start_ns;
		if (row->mesh_start_ns + row->window_ns < end_ns)
			end_ns = row->mesh_start_ns + row->window_ns;
	}
	if (end_ns < start_ns)
		end_ns = start_ns;
	for (uint32_t i = 0; i < all->n; i++) {
		struct row *row = &all->rows[i];

		if (has_window(row) && row->size_bytes == size_bytes)
			row->mesh_shared_pct = 100.0 * (double)(end_ns - start_ns) /
					       (double)row->window_ns;
	}
}

/* ---- their figures */

/* NAN: it has none, as one above its link. */
double mesh_rows_figure(const struct row *row)
{
	return kind_test_is_lat(row->test) ? row->lat_p50_ns / 1e3 : row->bandwidth_gbit_s;
}

static double lost(const struct row *row)
{
	const double of[] = { row->cpu_wait_pct, row->peer_cpu_wait_pct, row->steal_pct,
			      row->peer_steal_pct };
	double most = 0;

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		if (of[i] > most)
			most = of[i];
	return most < 100 ? most / 100 : 1;
}

/* Of a node whose device is not known yet. */
static void note_device(struct mesh_member *m, const char *device)
{
	if (!m->device[0])
		snprintf(m->device, sizeof(m->device), "%s", device);
}

void mesh_rows_keep(struct mesh_root *r, const struct row *row, const struct mesh_where *where,
		    uint32_t cell)
{
	const bool total = row->kind == ROW_KIND_TOTAL;

	/* what is skipped cannot be measured by anybody; a victim has no link of its own */
	if (row->status == RESULT_SKIPPED || where->victim)
		return;
	if (r->n_figures == r->figures_room) {
		r->figures_room = r->figures_room ? 2 * r->figures_room : 256;
		r->figures = must_realloc(r->figures, r->figures_room, sizeof(*r->figures));
	}
	r->figures[r->n_figures++] = (struct mesh_figure){
		.value = row->status == RESULT_OK ? mesh_rows_figure(row) : NAN,
		.failed = row->status != RESULT_OK,
		.total = total,
		.limit = row->status == RESULT_OK ? limit_by_rules(&r->expected, row) : 0,
		.to_client = row->direction == ROW_TO_CLIENT,
		/* it has a hop limit, too */
		.labelled = row->hop_limit != ROW_NONE && row->ah != AH_FIRST,
		.size_bytes = row->size_bytes, .cell = cell, .where = *where,
		.lost = lost(row),
		.counted = { total ? NULL : mesh_counters_errors(row->device_counters),
			     total ? NULL : mesh_counters_errors(row->peer_device_counters) },
	};
	note_device(&r->members[where->client], row->device);
	note_device(&r->members[where->server], row->peer_device);
}

static void drop_counted(struct mesh_figure *f)
{
	for (size_t i = 0; i < sizeof(f->counted) / sizeof(f->counted[0]); i++)
		free(f->counted[i]);
}

void mesh_rows_free(struct mesh_root *r)
{
	for (size_t i = 0; i < r->n_figures; i++)
		drop_counted(&r->figures[i]);
	free(r->figures);
	free(r->rows.rows);
	free(r->rows.where);
}

void mesh_rows_taken(struct mesh_root *r, const struct row *row, const struct mesh_place *place)
{
	struct mesh_where where = {
		.round = place->round, .client = place->rank,
		.server = schedule_target(r->mesh->schedule, place->round, place->rank),
	};

	if (row->kind == ROW_KIND_TOTAL && r->lanes > 1) {
		mesh_rows_keep(r, row, &where, place->cell);
		return;
	}
	if (row->kind != ROW_KIND_RESULT) {
		mesh_incast_keep(r, row, place->cell);
		return;
	}
	where.rails = schedule_rails(r->mesh->schedule, place->round, place->rank,
				     place->slot - MESH_SLOT_PAIR);
	r->n_ok++;
	mesh_rows_keep(r, row, &where, place->cell);
}

void mesh_rows_flush(struct mesh_root *r, uint32_t cell)
{
	struct mesh_rows *all = &r->rows;

	for (uint32_t i = 0; i < all->n; i++)
		if (has_window(&all->rows[i]) && isnan(all->rows[i].mesh_shared_pct))
			share_time(all, all->rows[i].size_bytes);
	for (uint32_t i = 0; i < all->n; i++) {
		mesh_rows_keep(r, &all->rows[i], &all->where[i], cell);
		results_row(&r->results, &all->rows[i]);
	}
	mesh_incast_flush(r, cell);
	mesh_rails_flush(r, cell);
	all->n = 0;
	/* the end of the outputs says why */
	if (output_take(&r->results.output, &(struct event){ .kind = EVENT_CELL_END }))
		r->stopped = r->lost_rows = true;
}

/*
 * ---- all figures, in the order of cells, sizes, pairs before totals, values; those without a
 * value are the last
 */

static int order(const void *a, const void *b)
{
	const struct mesh_figure *x = a, *y = b;

	if (x->cell != y->cell)
		return x->cell < y->cell ? -1 : 1;
	if (x->size_bytes != y->size_bytes)
		return x->size_bytes < y->size_bytes ? -1 : 1;
	if (x->total != y->total)
		return x->total - y->total;
	if (isnan(x->value) || isnan(y->value))
		return isnan(x->value) - isnan(y->value);
	return x->value < y->value ? -1 : x->value > y->value;
}

static bool is_alike(const struct mesh_figure *a, const struct mesh_figure *b)
{
	return a->cell == b->cell && a->size_bytes == b->size_bytes && a->total == b->total;
}

static bool is_latency(const struct mesh *mesh, uint32_t index)
{
	struct cell cell;

	cells_get(&mesh->cells, index, &cell);
	free(cell.text);
	return kind_test_is_lat(cell.cfg.test);
}

void mesh_rows_each(struct mesh_root *r, mesh_judge *call)
{
	const size_t n = r->n_figures;

	if (n)
		qsort(r->figures, n, sizeof(*r->figures), order);
	/* a call may add figures, at the end */
	for (size_t i = 0; i < n; i++) {
		const struct mesh_figure f = r->figures[i];

		if (!f.total && (!i || !is_alike(&f, &r->figures[i - 1])))
			call(r, f.cell, f.size_bytes, is_latency(r->mesh, f.cell));
	}
}

void mesh_rows_verdict(struct mesh_root *r, uint32_t index, uint64_t size_bytes, const char *text)
{
	struct cell cell;

	cells_get(&r->mesh->cells, index, &cell);
	r->n_verdicts++;
	must_appendf(&r->verdicts, "%s, %" PRIu64 " bytes: %s\n", cell.text, size_bytes, text);
	json_build_add(&r->found, json_pack("{s:s, s:I, s:s}", "cell", cell.text, "size_bytes",
					    (json_int_t)size_bytes, "verdict", text));
	free(cell.text);
}

/* ---- for people */

/* n figures in rising order, of one cell and size. */
static void tell_some(FILE *out, const struct mesh_root *r, const struct mesh_figure *f, size_t n)
{
	const struct mesh_rails *rails = &r->mesh->rails;
	struct cell cell;
	bool latency;

	cells_get(&r->mesh->cells, f->cell, &cell);
	latency = kind_test_is_lat(cell.cfg.test);
	fprintf(out, "%s, %" PRIu64 " bytes: %zu pair%s%s; %s: min %.4g, median %.4g, max %.4g\n",
		cell.text, f->size_bytes, n, text_plural(n),
		f->total ? " of nodes, all rails together" : "",
		latency ? "p50 in us" : "Gbit/s", f->value, f[n / 2].value, f[n - 1].value);
	fprintf(out, "  %s:", latency ? "slowest" : "lowest");
	for (size_t i = 0; i < WORST && i < n; i++) {
		const struct mesh_figure *one = latency ? &f[n - 1 - i] : &f[i];
		char pair[ROW_NAME];

		name_pair(r, &one->where, pair);
		fprintf(out, "%s %s %.4g (", i ? "," : "", pair, one->value);
		if (r->mesh->cfg.rails && !one->total)
			fprintf(out, "%s>%s, ", rails->names[one->where.rails.from],
				rails->names[one->where.rails.to]);
		fprintf(out, "round %" PRIu32 ")", one->where.round);
	}
	fputc('\n', out);
	free(cell.text);
}

/* In rounds only. */
static size_t keep_known(struct mesh_figure *f, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (isnan(f[i].value) || f[i].where.attempt)
			drop_counted(&f[i]);
		else
			f[kept++] = f[i];
	}
	return kept;
}

void mesh_rows_tell(struct mesh_root *r, FILE *out)
{
	char *incasts = mesh_incast_text(r);
	size_t from = 0;

	r->n_figures = keep_known(r->figures, r->n_figures);
	if (r->n_figures)
		qsort(r->figures, r->n_figures, sizeof(*r->figures), order);
	for (size_t i = 1; i <= r->n_figures; i++) {
		if (i < r->n_figures && is_alike(&r->figures[i], &r->figures[from]))
			continue;
		tell_some(out, r, &r->figures[from], i - from);
		from = i;
	}
	if (incasts)
		fprintf(out, "\n%s\n", incasts);
	free(incasts);
	if (r->stopped)
		fprintf(out, "incomplete: %" PRIu32 " results are there; --resume FILE measures the others\n",
			r->n_ok);
	if (r->n_bad)
		fprintf(out, "%" PRIu32 " result%s not ok: their rows say why\n", r->n_bad,
			r->n_bad == 1 ? " is" : "s are");
	if (r->verdicts)
		fprintf(out, "\n%s", r->verdicts);
}
