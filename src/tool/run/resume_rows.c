/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns which cells have all of their rows in a CSV file, and what is taken out of it. Must not
 * trust the file.
 *
 * The rows of one measurement of a cell are its intervals, as they come, then its results, in one
 * write. A cell has several measurements if it is in the sweep several times (--rounds): one begins
 * with an interval that follows a result, or with a result like the first one of the measurement
 * before. It is complete if it has a result, and no result that is failed, incomplete or
 * interrupted. The last one of a file is not if the end of the file is torn, or if sums that come
 * last are not there.
 */
#include "config.h"
#include "run/run_sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file/out_path.h"
#include "read/groups.h"
#include "util/err.h"
#include "util/log.h"
#include "util/must.h"

static const enum rows_column name[] = { ROWS_scenario, ROWS_cell };

/* They tell the results of a measurement apart. */
static const enum rows_column apart[] = {
	ROWS_kind, ROWS_size_bytes, ROWS_direction, ROWS_receiver, ROWS_pair,
};

struct scan {
	struct resume *r;
	const char *path;
	struct rows rows;
	struct groups groups; /* by name */
	bool *stays;          /* by row */
};

/* A measurement of a cell: members of its group. */
struct took {
	uint32_t begin, end;
	uint32_t result;     /* its first result; end: it has none */
	bool is_bad, is_ok;
};

static int compare_keys(const void *a, const void *b)
{
	const struct resume_name *x = a, *y = b;

	return strcmp(x->key, y->key);
}

/* The first cell with the name of the row; NULL: none. */
static const struct resume_name *find_cell(const struct scan *s, uint32_t row)
{
	const struct resume_name *names = s->r->names, *found;
	char key[RESUME_KEY];
	struct resume_name want = { .key = key };

	resume_key(key, rows_text(&s->rows, ROWS_scenario, row, NULL),
		   rows_text(&s->rows, ROWS_cell, row, NULL));
	found = bsearch(&want, names, s->r->run->cells.n, sizeof(*names), compare_keys);
	while (found && found > names && !strcmp(found[-1].key, key))
		found--;
	return found;
}

/* ---- the rows */

static bool is(const struct scan *s, enum rows_column column, uint32_t row, const char *text)
{
	return !strcmp(rows_text(&s->rows, column, row, NULL), text);
}

static bool is_alike(const struct scan *s, uint32_t a, uint32_t b)
{
	for (size_t i = 0; i < sizeof(apart) / sizeof(apart[0]); i++)
		if (rows_word(&s->rows, apart[i], a) != rows_word(&s->rows, apart[i], b))
			return false;
	return true;
}

/* Is the end of the file missing? */
static bool is_torn(const struct scan *s)
{
	const uint32_t last = (uint32_t)s->rows.n - 1;

	if (s->rows.torn)
		return true;
	if (!is(s, ROWS_pair, last, ""))
		return !is(s, ROWS_kind, last, row_kind_names[ROW_KIND_TOTAL]);
	return is(s, ROWS_bidir, last, "1") && !is(s, ROWS_direction, last, "both");
}

static struct took next_took(const struct scan *s, uint32_t begin, uint32_t end)
{
	const uint32_t *members = s->groups.members;
	struct took took = { .begin = begin, .end = end, .result = end };

	for (uint32_t i = begin; i < took.end; i++) {
		const bool is_interval = is(s, ROWS_kind, members[i],
					    row_kind_names[ROW_KIND_INTERVAL]);
		const bool is_ok = is(s, ROWS_status, members[i], result_status_names[RESULT_OK]);

		if (took.result < i &&
		    (is_interval || is_alike(s, members[took.result], members[i]))) {
			took.end = i;
			break;
		}
		if (is_interval)
			continue;
		if (took.result == end)
			took.result = i;
		took.is_ok |= is_ok;
		took.is_bad |= !is_ok && !is(s, ROWS_status, members[i],
					     result_status_names[RESULT_SKIPPED]);
	}
	took.is_bad |= took.result == end ||
		       (members[took.end - 1] == s->rows.n - 1 && is_torn(s));
	return took;
}

/* A cell that is in the sweep several times: the first ones are done. */
static int take_cell(struct scan *s, uint32_t begin, uint32_t end)
{
	const uint32_t first = s->groups.members[begin];
	const char *text = rows_text(&s->rows, ROWS_cell, first, NULL);
	const struct resume_name *end_names = s->r->names + s->r->run->cells.n;
	const struct resume_name *cell = find_cell(s, first);
	const char *key = cell ? cell->key : NULL;

	if (!cell)
		return err_set(-EBADMSG, *text ? "%s, line %u: the cell \"%.100s\" is not of this sweep" :
			       "%s, line %u: a row of no sweep", s->path, first + 2, text);
	for (struct took took; begin < end; begin = took.end) {
		took = next_took(s, begin, end);
		if (took.is_bad)
			continue;
		if (cell == end_names || strcmp(cell->key, key))
			return err_set(-EINVAL, "%s: the cell \"%.200s\" is there more often than in the sweep",
				       s->path, text);
		s->r->done[cell++->cell] = true;
		s->r->n_done++;
		s->r->n_ok += took.is_ok;
		for (uint32_t i = took.begin; i < took.end; i++)
			s->stays[s->groups.members[i]] = true;
	}
	return 0;
}

static int load(struct scan *s)
{
	struct rows_query query = { .paths = &s->path, .n_paths = 1, .intervals = true };
	int rc;

	for (size_t i = 0; i < sizeof(apart) / sizeof(apart[0]); i++)
		query.as[apart[i]] = ROWS_WORDS;
	query.as[ROWS_scenario] = query.as[ROWS_cell] = query.as[ROWS_status] = ROWS_WORDS;
	query.as[ROWS_bidir] = ROWS_WORDS;
	rc = rows_load(&s->rows, &query);
	if (!rc && s->rows.heads != 1)
		rc = err_set(-EBADMSG, "%s has %zu lines of names, not one", s->path, s->rows.heads);
	if (!rc)
		groups_make(&s->groups, &s->rows, name, sizeof(name) / sizeof(name[0]));
	return rc;
}

static int scan(struct scan *s)
{
	int rc = load(s);

	s->stays = must_calloc(s->rows.n, sizeof(*s->stays));
	for (size_t g = 0; g < s->groups.n && !rc; g++)
		rc = take_cell(s, s->groups.begin[g], s->groups.begin[g + 1]);
	return rc;
}

/* ---- what is taken out */

/* Moves together what stays: of whole lines, the names and complete cells. Returns its length. */
static size_t take_out(const struct scan *s, char *text, size_t len)
{
	char *to = text, *end = text + len, *next;
	size_t line = 0;

	for (char *at = text; (next = memchr(at, '\n', (size_t)(end - at))); at = next, line++) {
		next++;
		if (line && !s->stays[line - 1])
			continue;
		memmove(to, at, (size_t)(next - at));
		to += next - at;
	}
	return (size_t)(to - text);
}

static int change(void *arg, char *text, size_t *len)
{
	struct resume *r = arg;
	struct scan s = { .r = r, .path = r->run->cfg.csv };
	const size_t before = *len;
	/* without a line there is no row */
	int rc = memchr(text, '\n', before) ? scan(&s) : 0;

	if (!rc && !r->run->cfg.dry_run)
		*len = take_out(&s, text, *len);
	if (!rc && *len < before)
		log_note("%s: rows of cells that are not complete are taken out (%zu bytes); these cells are measured again",
			 s.path, before - *len);
	free(s.stays);
	groups_free(&s.groups);
	rows_free(&s.rows);
	return rc ? rc : *len < before;
}

int resume_rows(struct resume *r)
{
	const struct out_edit edit = { "CSV", r->run->cfg.csv, change, r };

	r->done = must_calloc(r->run->cells.n, sizeof(*r->done));
	return out_edit(&edit);
}
