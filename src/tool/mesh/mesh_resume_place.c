/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns which rows of a file are taken over. Must not trust the file. */
#include "config.h"
#include "mesh/mesh_resume.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/pairs.h"
#include "run/run_sweep.h"
#include "util/err.h"
#include "util/must.h"

#define NAME 31       /* characters of a node in the name of a pair */
#define POINTS_MAX 32 /* sizes of a cell */

/* ---- a place as a number */

static uint32_t slots(const struct mesh *mesh)
{
	return MESH_SLOT_PAIR + schedule_lanes(mesh->schedule);
}

uint64_t mesh_resume_key(const struct mesh *mesh, const struct mesh_place *p)
{
	return (((uint64_t)p->round * mesh->cells.n + p->cell) * mesh->rank.size + p->rank) *
	       slots(mesh) + p->slot;
}

struct mesh_place mesh_resume_place(const struct mesh *mesh, uint64_t key)
{
	const uint64_t ranks = key / slots(mesh), cells = ranks / mesh->rank.size;

	return (struct mesh_place){
		.round = (uint32_t)(cells / mesh->cells.n),
		.cell = (uint32_t)(cells % mesh->cells.n),
		.slot = (uint32_t)(key % slots(mesh)),
		.rank = (uint32_t)(ranks % mesh->rank.size),
	};
}

/* ---- nodes by name */

struct name {
	char text[NAME + 1];
	uint32_t rank;
};

struct choice {
	struct mesh_resume *r;
	struct mesh_root *root;
	struct name *names;   /* of all nodes, sorted; owned */
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

static void sort_names(struct choice *c)
{
	for (uint32_t i = 0; i < c->root->n; i++) {
		snprintf(c->names[i].text, sizeof(c->names[i].text), "%.*s", NAME,
			 c->root->members[i].node.name);
		c->names[i].rank = i;
	}
	qsort(c->names, c->root->n, sizeof(*c->names), compare_names);
}

/* SCHEDULE_NONE: there is no such node. */
static uint32_t find_node(const struct choice *c, const char *text, size_t len)
{
	const struct name *found;
	struct name want;

	snprintf(want.text, sizeof(want.text), "%.*s", (int)(len < NAME ? len : NAME), text);
	found = bsearch(&want, c->names, c->root->n, sizeof(want), compare_names);
	return found ? found->rank : SCHEDULE_NONE;
}

/* Of a row. Names may have a '>'. False: one is unknown; of the others the rank is there. */
static bool find_pair(const struct choice *c, const char *pair, struct schedule_victim *ranks)
{
	*ranks = (struct schedule_victim){ SCHEDULE_NONE, SCHEDULE_NONE };
	for (const char *at = strchr(pair, '>'); at; at = strchr(at + 1, '>')) {
		const struct schedule_victim found = {
			.from = find_node(c, pair, (size_t)(at - pair)),
			.to = find_node(c, at + 1, strlen(at + 1)),
		};

		if (found.from != SCHEDULE_NONE)
			*ranks = found;
		if (found.from != SCHEDULE_NONE && found.to != SCHEDULE_NONE)
			return true;
	}
	return false;
}

/* ---- a row */

static bool is(const struct choice *c, enum rows_column column, uint32_t row, const char *text)
{
	return !strcmp(rows_text(&c->r->rows, column, row, NULL), text);
}

static const char *pair_of(const struct choice *c, uint32_t row)
{
	return rows_text(&c->r->rows, ROWS_pair, row, NULL);
}

/* SCHEDULE_NONE: it is of none of this run. */
static uint32_t round_of(const struct choice *c, uint32_t row)
{
	const double round = rows_number(&c->r->rows, ROWS_mesh_round, row);

	return round >= 0 && round < schedule_rounds(c->r->mesh->schedule) &&
	       round == floor(round) ? (uint32_t)round : SCHEDULE_NONE;
}

static bool is_missing(const struct mesh_member *m)
{
	return m->state == MESH_GONE && !m->node.port;
}

/* One that has not come has the name that the file gives it. */
static void learn_names(struct choice *c)
{
	for (uint32_t i = 0; i < c->r->rows.n; i++) {
		const char *pair = pair_of(c, i), *at = strchr(pair, '>');
		struct schedule_victim ranks;
		uint32_t to;

		if (!at || !is(c, ROWS_kind, i, row_kind_names[ROW_KIND_RESULT]) ||
		    find_pair(c, pair, &ranks) || ranks.from == SCHEDULE_NONE)
			continue;
		to = schedule_target(c->r->mesh->schedule, round_of(c, i), ranks.from);
		if (to == SCHEDULE_NONE || !is_missing(&c->root->members[to]))
			continue;
		snprintf(c->root->members[to].node.name, NAME + 1, "%s", at + 1);
		sort_names(c);
	}
}

static int refuse_pair(const struct choice *c, uint32_t row)
{
	return err_set(-EINVAL, "--resume: %s is of other nodes, or of nodes with other ranks: it has the pair %.64s in round %.20s, and this run does not",
		       c->r->mesh->cfg.resume, pair_of(c, row),
		       rows_text(&c->r->rows, ROWS_mesh_round, row, NULL));
}

/* -EINVAL: this run has no such pair in the round. */
static int place_pair(const struct choice *c, uint32_t row, struct mesh_place *place)
{
	const struct schedule *s = c->r->mesh->schedule;
	struct schedule_victim ranks, victim;

	if (!find_pair(c, pair_of(c, row), &ranks))
		return refuse_pair(c, row);
	place->rank = ranks.from;
	place->slot = MESH_SLOT_PAIR;
	if (is(c, ROWS_kind, row, row_kind_names[ROW_KIND_VICTIM])) {
		victim = mesh_incast_victim(c->r->mesh, place->round);
		if (!is(c, ROWS_mesh_attempt, row, "0"))
			place->slot = MESH_SLOT_ALONE;
		return victim.from == ranks.from && victim.to == ranks.to ? 0 :
									    refuse_pair(c, row);
	}
	return schedule_target(s, place->round, ranks.from) == ranks.to ? 0 : refuse_pair(c, row);
}

/* A row that is ok has its devices, which say the lane. */
static int find_lane(const struct choice *c, uint32_t row, struct mesh_place *place)
{
	const struct mesh *mesh = c->r->mesh;
	struct schedule_rails of = { 0, 0 };

	for (uint32_t lane = schedule_lanes(mesh->schedule); lane-- > 0;) {
		of = schedule_rails(mesh->schedule, place->round, place->rank, lane);
		if (mesh->cfg.rails && (!is(c, ROWS_device, row, mesh->rails.names[of.from]) ||
					!is(c, ROWS_peer_device, row, mesh->rails.names[of.to])))
			continue;
		place->slot += place->slot == MESH_SLOT_PAIR ? lane : 0;
		return 0;
	}
	return err_set(-EINVAL, "--resume: %s is of other rails: it has the pair %.64s on %.64s and %.64s in round %.20s, and this run on %s and %s",
		       mesh->cfg.resume, pair_of(c, row),
		       rows_text(&c->r->rows, ROWS_device, row, NULL),
		       rows_text(&c->r->rows, ROWS_peer_device, row, NULL),
		       rows_text(&c->r->rows, ROWS_mesh_round, row, NULL),
		       mesh->rails.names[of.from], mesh->rails.names[of.to]);
}

/* Of an incast its receiver is named, of all rails both nodes are. */
static int place_total(const struct choice *c, uint32_t row, struct mesh_place *place)
{
	static const char before[] = PAIRS_TOTAL ">";
	const char *pair = pair_of(c, row);
	int rc;

	if (c->r->mesh->ask.kind != SCHEDULE_INCAST) {
		rc = place_pair(c, row, place);
		place->slot = MESH_SLOT_TOTAL;
		return rc;
	}
	place->slot = MESH_SLOT_TOTAL;
	place->rank = strncmp(pair, before, strlen(before)) ? SCHEDULE_NONE :
		find_node(c, pair + strlen(before), strlen(pair + strlen(before)));
	return place->rank == SCHEDULE_NONE ? refuse_pair(c, row) : 0;
}

/* A pair that was measured again: alone, or with its whole round (then the row has a round). */
static bool is_again(const struct choice *c, uint32_t row)
{
	return is(c, ROWS_mesh_round, row, "") ||
	       (is(c, ROWS_kind, row, row_kind_names[ROW_KIND_RESULT]) &&
		!is(c, ROWS_mesh_attempt, row, "0"));
}

/* Its key; what is not ok, or measured again, has none. */
static int place_row(const struct choice *c, uint32_t row)
{
	struct mesh_resume *r = c->r;
	const bool is_total = is(c, ROWS_kind, row, row_kind_names[ROW_KIND_TOTAL]);
	const bool is_ok = is(c, ROWS_status, row, result_status_names[RESULT_OK]);
	struct mesh_place place = {
		.round = round_of(c, row),
		.cell = mesh_resume_cell(r, rows_text(&r->rows, ROWS_cell, row, NULL)),
	};
	int rc;

	r->keys[row] = MESH_NOT_TAKEN;
	if (is_again(c, row))
		return 0;
	if (place.round == SCHEDULE_NONE)
		return refuse_pair(c, row);
	rc = is_total ? place_total(c, row, &place) : place_pair(c, row, &place);
	if (!rc && !is_total && is_ok)
		rc = find_lane(c, row, &place);
	/* an incast is whole with a total that says why it has no figure */
	if (!rc && (is_total || is_ok))
		r->keys[row] = mesh_resume_key(r->mesh, &place);
	return rc;
}

/* ---- what is complete */

struct keyed {
	uint64_t key;
	uint32_t row;
};

static int compare_keyed(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* Of n rows of a place: each size once, and of two the last one. Are all sizes there? */
static bool keep_last(struct mesh_resume *r, const struct keyed *rows, size_t n, uint32_t points)
{
	uint32_t sizes[POINTS_MAX], n_sizes = 0;

	for (size_t i = n; i-- > 0;) {
		const uint32_t size = rows_word(&r->rows, ROWS_size_bytes, rows[i].row);
		bool is_there = n_sizes == POINTS_MAX;

		for (uint32_t k = 0; k < n_sizes; k++)
			is_there |= sizes[k] == size;
		if (is_there)
			r->keys[rows[i].row] = MESH_NOT_TAKEN;
		else
			sizes[n_sizes++] = size;
	}
	return n_sizes >= points;
}

static uint32_t points_of(const struct mesh *mesh, uint32_t index)
{
	struct cell cell;
	uint32_t points;

	cells_get(&mesh->cells, index, &cell);
	points = run_time_points(&cell.cfg);
	free(cell.text);
	return points < POINTS_MAX ? points : POINTS_MAX;
}

/* Of the places of one whole, which are the last of done. */
static void need_all(struct mesh_resume *r, size_t first)
{
	const struct mesh_place place = mesh_resume_place(r->mesh, r->done[first]);

	if (r->n_done - first != mesh_incast_parts(r->mesh, place.round))
		r->n_done = first;
}

/* The rows of an incast, or else of a client, which may have several lanes, are a whole. */
static bool is_one_whole(const struct mesh_resume *r, uint64_t a, uint64_t b)
{
	const bool incast = r->mesh->ask.kind == SCHEDULE_INCAST;
	const uint64_t each = (uint64_t)slots(r->mesh) * (incast ? r->mesh->rank.size : 1);

	return a / each == b / each;
}

/* rows: n of them, sorted. */
static void find_done(struct mesh_resume *r, const struct keyed *rows, size_t n)
{
	size_t first = 0;

	for (size_t i = 0, end; i < n; i = end) {
		const struct mesh_place place = mesh_resume_place(r->mesh, rows[i].key);

		for (end = i; end < n && rows[end].key == rows[i].key;)
			end++;
		if (keep_last(r, rows + i, end - i, points_of(r->mesh, place.cell)))
			r->done[r->n_done++] = rows[i].key;
		if (end < n && is_one_whole(r, rows[i].key, rows[end].key))
			continue;
		if (r->n_done > first)
			need_all(r, first);
		first = r->n_done;
	}
}

static int compare_keys(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static bool is_done(const struct mesh_resume *r, uint64_t key)
{
	return r->n_done && bsearch(&key, r->done, r->n_done, sizeof(key), compare_keys);
}

bool mesh_resume_has(const struct mesh_resume *r, const struct mesh_place *place)
{
	return r && is_done(r, mesh_resume_key(r->mesh, place));
}

uint32_t mesh_resume_cell(const struct mesh_resume *r, const char *text)
{
	uint32_t i = 0;

	while (i < r->mesh->cells.n && strcmp(r->cells[i], text))
		i++;
	return i;
}

static void choose(struct mesh_resume *r)
{
	struct keyed *rows = must_calloc(r->rows.n, sizeof(*rows));
	size_t n = 0;

	for (uint32_t i = 0; i < r->rows.n; i++)
		if (r->keys[i] != MESH_NOT_TAKEN)
			rows[n++] = (struct keyed){ r->keys[i], i };
	qsort(rows, n, sizeof(*rows), compare_keyed);
	r->done = must_calloc(n, sizeof(*r->done));
	find_done(r, rows, n);
	for (uint32_t i = 0; i < r->rows.n; i++)
		if (r->keys[i] != MESH_NOT_TAKEN && !is_done(r, r->keys[i]))
			r->keys[i] = MESH_NOT_TAKEN;
	free(rows);
}

int mesh_resume_choose(struct mesh_resume *r, struct mesh_root *root)
{
	struct choice c = { .r = r, .root = root };
	int rc = 0;

	c.names = must_calloc(root->n, sizeof(*c.names));
	r->keys = must_calloc(r->rows.n, sizeof(*r->keys));
	sort_names(&c);
	learn_names(&c);
	for (uint32_t i = 0; i < r->rows.n && !rc; i++)
		rc = place_row(&c, i);
	free(c.names);
	if (!rc)
		choose(r);
	return rc;
}
