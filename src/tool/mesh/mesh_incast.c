/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns what is said of an incast as a whole: the total of the pairs of each receiver, and of the
 * victim, a pair beside them, what it loses.
 */
#include "config.h"
#include "mesh/mesh_root.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/counters.h"
#include "mesh/mesh_resume.h"
#include "run/pairs.h"
#include "util/err.h"
#include "util/must.h"
#include "util/text.h"

#define LINES 32u /* that are printed for a cell and size */

/* ---- which */

int mesh_incast_options(const struct mesh *mesh)
{
	const uint32_t n = mesh->rank.size;

	if (mesh->ask.kind == SCHEDULE_INCAST && mesh->cfg.rails == RAILS_ALL)
		return err_set(-EINVAL, "--rails all excludes --schedule %s: a row would not say whether the senders or the rails share its link; allowed beside it: --rails same, cross, each",
			       mesh->cfg.schedule);
	if (!mesh->cfg.victim)
		return 0;
	if (mesh->ask.kind != SCHEDULE_INCAST)
		return err_option(-EINVAL, "--victim", "it is beside an incast, and --schedule is %s; allowed: incast:N",
				  mesh->cfg.schedule);
	if (mesh->ask.k < n - 1)
		return 0;
	return err_option(-EINVAL, "--victim", "of %u nodes none is left beside --schedule incast:%u; allowed: 1..%u",
			  n, mesh->ask.k, n - 2);
}

struct schedule_victim mesh_incast_victim(const struct mesh *mesh, uint32_t round)
{
	if (mesh->cfg.victim)
		return schedule_victim(mesh->schedule, round);
	return (struct schedule_victim){ SCHEDULE_NONE, SCHEDULE_NONE };
}

uint32_t mesh_incast_parts(const struct mesh *mesh, uint32_t round)
{
	const uint32_t n = mesh->rank.size, lanes = schedule_lanes(mesh->schedule);
	uint32_t parts = mesh_incast_victim(mesh, round).from == SCHEDULE_NONE ? 0 : 2;
	bool *receives;

	if (mesh->ask.kind != SCHEDULE_INCAST)
		return lanes == 1 ? 1 : lanes + 1;
	receives = must_calloc(n, sizeof(*receives));
	for (uint32_t node = 0; node < n; node++) {
		const uint32_t to = schedule_target(mesh->schedule, round, node);

		if (to == SCHEDULE_NONE)
			continue;
		parts += receives[to] ? 1 : 2;
		receives[to] = true;
	}
	free(receives);
	return parts;
}

/* ---- for people */

/* Those that explain an incast: "pause 12, discards 3". */
static const char *explain(const char *list, char *text, size_t size)
{
	static const enum counters_class classes[] = {
		COUNTERS_PAUSE, COUNTERS_ECN, COUNTERS_CNP, COUNTERS_DISCARDS,
		COUNTERS_RETRANSMISSIONS, COUNTERS_ERRORS,
	};

	text[0] = '\0';
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		const char *next = list;
		struct counters_item item;
		uint64_t sum = 0;

		while ((next = counters_next(next, &item)))
			sum += counters_class_of(item.name) == classes[i] ? item.delta : 0;
		if (sum)
			text_add(text, size, ", ", "%s %" PRIu64, counters_kinds[classes[i]].word,
				 sum);
	}
	return text;
}

static const char *name_of(const char *pair)
{
	const char *at = strchr(pair, '>');

	return at ? at + 1 : pair;
}

static void tell_counters(char **text, const char *who, const char *list)
{
	char counters[160];

	if (explain(list, counters, sizeof(counters))[0])
		must_appendf(text, "; %s: %s", who, counters);
}

static char *total_text(const struct row *row)
{
	char *text = NULL;

	if (row->status != RESULT_OK)
		must_appendf(&text, "no total, its row says why");
	else if (!isnan(row->bandwidth_gbit_s))
		must_appendf(&text, "%.4g", row->bandwidth_gbit_s);
	else
		must_appendf(&text, "%.4g messages/s", row->message_rate_per_s);
	if (!isnan(row->bandwidth_pct_of_link))
		must_appendf(&text, ", %.1f %% of its link", row->bandwidth_pct_of_link);
	if (!isnan(row->pair_fairness))
		must_appendf(&text, ", Jain's index %.3f, slowest %s", row->pair_fairness,
			     row->slowest_pair);
	tell_counters(&text, "senders", row->device_counters);
	tell_counters(&text, "receiver", row->peer_device_counters);
	return text;
}

/* The line of the same victim; NULL: none. */
static struct mesh_incast *find_victim(struct mesh_root *r, const struct mesh_incast *like)
{
	for (size_t i = r->n_incasts; i-- > 0;) {
		struct mesh_incast *in = &r->incasts[i];

		if (in->round == like->round && in->cell == like->cell && in->victim &&
		    in->size_bytes == like->size_bytes)
			return in;
	}
	return NULL;
}

static void add(struct mesh_root *r, const struct mesh_incast *in)
{
	if (r->n_incasts == r->incasts_room) {
		r->incasts_room = r->incasts_room ? 2 * r->incasts_room : 64;
		r->incasts = must_realloc(r->incasts, r->incasts_room, sizeof(*r->incasts));
	}
	r->incasts[r->n_incasts++] = *in;
}

/* Its two rows make one line. */
static void keep_victim(struct mesh_root *r, const struct row *row, struct mesh_incast *in)
{
	struct mesh_incast *own = find_victim(r, in);

	if (!own) {
		add(r, in);
		own = &r->incasts[r->n_incasts - 1];
		snprintf(own->name, sizeof(own->name), "%s", row->pair);
	}
	if (row->mesh_attempt) {
		own->alone = mesh_rows_figure(row);
		return;
	}
	own->beside = mesh_rows_figure(row);
	tell_counters(&own->text, "sender", row->device_counters);
}

void mesh_incast_keep(struct mesh_root *r, const struct row *row, uint32_t cell)
{
	struct mesh_incast in = {
		.cell = cell, .round = (uint32_t)row->mesh_round, .size_bytes = row->size_bytes,
		.victim = row->kind == ROW_KIND_VICTIM, .beside = NAN, .alone = NAN,
	};

	if (in.victim) {
		keep_victim(r, row, &in);
		return;
	}
	in.text = total_text(row);
	snprintf(in.name, sizeof(in.name), "%s", name_of(row->pair));
	add(r, &in);
}

static int order(const void *a, const void *b)
{
	const struct mesh_incast *x = a, *y = b;

	if (x->cell != y->cell)
		return x->cell < y->cell ? -1 : 1;
	if (x->size_bytes != y->size_bytes)
		return x->size_bytes < y->size_bytes ? -1 : 1;
	if (x->round != y->round)
		return x->round < y->round ? -1 : 1;
	return x->victim - y->victim;
}

static void tell_one(const struct mesh *mesh, char **text, const struct mesh_incast *in)
{
	const struct schedule_rails rails = schedule_rails(mesh->schedule, in->round, 0, 0);

	must_appendf(text, "  %s%s", in->victim ? "victim " : "", in->name);
	if (mesh->cfg.rails)
		must_appendf(text, " (%s>%s)", mesh->rails.names[rails.from],
			     mesh->rails.names[rails.to]);
	must_appendf(text, ": ");
	if (in->victim && isfinite(in->beside) && in->alone > 0)
		must_appendf(text, "%.4g beside, %.4g alone, %+.1f %%", in->beside, in->alone,
			     100 * (in->beside / in->alone - 1));
	else if (in->victim)
		must_appendf(text, "it lacks a figure, its rows say why");
	must_appendf(text, "%s\n", in->text ? in->text : "");
}

char *mesh_incast_text(struct mesh_root *r)
{
	char *text = NULL;
	size_t n = 0;

	if (r->n_incasts)
		qsort(r->incasts, r->n_incasts, sizeof(*r->incasts), order);
	for (size_t i = 0; i < r->n_incasts; i++) {
		const struct mesh_incast *in = &r->incasts[i];
		struct cell cell;

		if (!i || in[-1].cell != in->cell || in[-1].size_bytes != in->size_bytes) {
			cells_get(&r->mesh->cells, in->cell, &cell);
			must_appendf(&text, "%s, %" PRIu64 " bytes: %" PRIu32 " to one; by receiver, in %s:\n",
				     cell.text, in->size_bytes, r->mesh->ask.k,
				     kind_test_is_lat(cell.cfg.test) ? "us" : "Gbit/s");
			free(cell.text);
			n = 0;
		}
		if (n++ < LINES)
			tell_one(r->mesh, &text, in);
		else if (n == LINES + 1)
			must_appendf(&text, "  and others: the rows of kind total and victim have all\n");
	}
	return text;
}

void mesh_incast_free(struct mesh_root *r)
{
	for (size_t i = 0; i < r->n_incasts; i++)
		free(r->incasts[i].text);
	free(r->incasts);
}

/* ---- totals */

/* Of those from i on that have the same receiver and size, and were not yet. */
static void total_from(struct mesh_root *r, uint32_t first, bool *seen, uint32_t cell)
{
	const struct mesh_rows *all = &r->rows;
	struct row *rows = must_calloc(all->n - first, sizeof(*rows)), total;
	uint32_t n = 0;

	for (uint32_t i = first; i < all->n; i++) {
		if (all->where[i].server != all->where[first].server || seen[i] ||
		    all->rows[i].size_bytes != all->rows[first].size_bytes)
			continue;
		seen[i] = true;
		rows[n++] = all->rows[i];
	}
	mesh_total(&total, rows, n, false);
	snprintf(total.pair, ROW_NAME, PAIRS_TOTAL ">%.31s", name_of(rows[0].pair));
	free(rows);
	total.mesh_round = all->where[first].round;
	results_row(&r->results, &total);
	mesh_incast_keep(r, &total, cell);
}

void mesh_incast_flush(struct mesh_root *r, uint32_t cell)
{
	const struct mesh_rows *all = &r->rows;
	bool *seen = must_calloc(all->n, sizeof(*seen));

	for (uint32_t i = 0; i < all->n; i++) {
		const struct mesh_where *where = &all->where[i];

		/* again, alone, it is no incast */
		seen[i] |= where->victim || where->attempt ||
			   all->rows[i].status == RESULT_SKIPPED;
		if (where->victim)
			mesh_incast_keep(r, &all->rows[i], cell);
	}
	for (uint32_t i = 0; i < all->n && r->mesh->ask.kind == SCHEDULE_INCAST; i++)
		if (!seen[i])
			total_from(r, i, seen, cell);
	free(seen);
}
