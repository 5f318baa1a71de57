/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns which cells have all of their rows in a CSV file, and what is taken out of it. Called by
 * resume.c. Must not trust the file.
 *
 * The rows of one measurement of a cell are its intervals, as they come, then its results, in one
 * write. A cell has several measurements if it is in the sweep several times (--rounds): one begins
 * with an interval that follows a result, or with a result like the first one of the measurement
 * before. It is complete if it has a result, and no result that is failed, incomplete or
 * interrupted. The last one of a file is not if the end of the file is torn, or if sums that come
 * last are not there.
 */
#include "config.h"
#include "run/resume.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out/edit.h"
#include "read/csv.h"
#include "util/err.h"
#include "util/log.h"

#define LIKE 200 /* characters that tell the results of a measurement apart */

/* The columns that are read. */
enum { SCHEMA, KIND, SCENARIO, CELL, STATUS, SIZE, DIRECTION, RECEIVER, PAIR, BIDIR, COLUMNS };
static const char *const names[COLUMNS] = {
	"schema", "kind", "scenario", "cell", "status", "size_bytes", "direction", "receiver",
	"pair", "bidir",
};

/* A measurement of a cell. */
struct took {
	uint32_t slot;
	bool has_result, is_bad, is_ok;
	char first[LIKE];    /* its first result */
};

/* A cell of the sweep, by name. */
struct slot {
	const char *scenario; /* borrowed */
	char *text;           /* owned */
	uint32_t cell;        /* number of the cell, in the order in which they are measured */
	uint32_t last;        /* of the first one of its name: the measurement that is read, + 1 */
};

struct scan {
	const char *path;
	size_t line;          /* from 1 */
	uint32_t at[COLUMNS]; /* number of the column + 1; 0: it is not there */
	uint32_t n_columns;
	struct slot *slots;   /* sorted */
	uint32_t n_slots;
	struct took *took;
	uint32_t n_took;
	uint32_t *of_line;    /* by line - 2: its measurement */
	size_t n_lines;
	bool torn;
	bool lacks_sum;       /* behind the last row that was read a sum must follow */
};

static int bad(const struct scan *s, const char *what)
{
	return err_set(-EBADMSG, "%s, line %zu: %s", s->path, s->line, what);
}

static int no_memory(const struct scan *s)
{
	return err_set(-ENOMEM, "no memory for the rows of %s", s->path);
}

/* ---- the cells of the sweep, by name */

/* As a row has it: a column holds no more. */
static int compare(const char *scenario, const char *text, const struct slot *slot)
{
	const int order = strncmp(scenario, slot->scenario, ROW_NAME - 1);

	return order ? order : strncmp(text, slot->text, ROW_TEXT - 1);
}

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;
	const int order = compare(x->scenario, x->text, y);

	return order ? order : (x->cell > y->cell) - (x->cell < y->cell);
}

static int make_slots(struct scan *s, const struct cells *cells)
{
	s->slots = calloc((size_t)cells->n + 1, sizeof(*s->slots));
	if (!s->slots)
		return no_memory(s);
	for (; s->n_slots < cells->n; s->n_slots++) {
		struct slot *slot = &s->slots[s->n_slots];
		struct cell cell;
		int rc = cells_get(cells, s->n_slots, &cell);

		if (rc)
			return rc;
		*slot = (struct slot){
			.scenario = cell.part->scenario ? cell.part->scenario : "",
			.text = strdup(cell.text), .cell = s->n_slots,
		};
		cells_free_one(&cell);
		if (!slot->text)
			return no_memory(s);
	}
	qsort(s->slots, s->n_slots, sizeof(*s->slots), compare_slots);
	return 0;
}

/* The first slot of this name; NULL: none. */
static struct slot *find_slot(const struct scan *s, const char *scenario, const char *text)
{
	uint32_t low = 0, high = s->n_slots;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (compare(scenario, text, &s->slots[middle]) > 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->n_slots && !compare(scenario, text, &s->slots[low]) ? &s->slots[low] : NULL;
}

/* ---- the lines */

/* Cells of the columns that are read; "" of one that is not there. text is changed. */
static int read_cells(struct scan *s, char *text, size_t len, const char *value[COLUMNS])
{
	struct csv csv = { text, text + len };
	uint32_t n = 0;
	char stop;

	for (int i = 0; i < COLUMNS; i++)
		value[i] = "";
	do {
		char *cell;

		stop = csv_cell(&csv, &cell);
		if (!stop)
			return bad(s, "the line is truncated");
		n++;
		for (int i = 0; i < COLUMNS; i++)
			if (s->at[i] == n)
				value[i] = csv_unmark(cell);
		csv.at++;
	} while (stop == ',');
	if (n == s->n_columns)
		return 0;
	return bad(s, "the number of cells is not that of the header line");
}

static int read_header(struct scan *s, char *text, size_t len)
{
	struct csv csv = { text, text + len };
	char *cell, stop;

	do {
		stop = csv_cell(&csv, &cell);
		if (!stop)
			return bad(s, "the header line of a CSV file of results is missing");
		s->n_columns++;
		for (int i = 0; i < COLUMNS; i++)
			if (!strcmp(cell, names[i]))
				s->at[i] = s->n_columns;
		csv.at++;
	} while (stop == ',');
	if (!s->at[SCHEMA] || !s->at[STATUS])
		return bad(s, "not a file of results: the columns schema and status are missing");
	if (!s->at[CELL])
		return bad(s, "its rows are of no sweep: the column cell is missing");
	return 0;
}

static bool is_bad_status(const char *status)
{
	return strcmp(status, result_status_names[RESULT_OK]) &&
	       strcmp(status, result_status_names[RESULT_SKIPPED]);
}

/* The measurement that the row is of: the last one of its cell, or a new one. */
static struct took *find_took(struct scan *s, struct slot *slot, bool is_interval, const char *like)
{
	struct took *took = slot->last ? &s->took[slot->last - 1] : NULL, *more;
	const bool ended = took && took->has_result && (is_interval || !strcmp(took->first, like));

	if (took && !ended)
		return took;
	more = realloc(s->took, (s->n_took + 1) * sizeof(*more));
	if (!more)
		return NULL;
	s->took = more;
	more[s->n_took] = (struct took){ .slot = (uint32_t)(slot - s->slots) };
	slot->last = ++s->n_took;
	return &more[s->n_took - 1];
}

static int take_row(struct scan *s, const char *const value[COLUMNS])
{
	struct slot *slot = find_slot(s, value[SCENARIO], value[CELL]);
	const bool is_interval = !strcmp(value[KIND], row_kind_interval);
	char like[LIKE], what[LIKE];
	struct took *took;

	if (!slot) {
		snprintf(what, sizeof(what), "the cell \"%.100s\" is not of this sweep", value[CELL]);
		return bad(s, *value[CELL] ? what : "a row of no sweep");
	}
	snprintf(like, sizeof(like), "%.20s|%.20s|%.20s|%.60s|%.60s", value[KIND], value[SIZE],
		 value[DIRECTION], value[RECEIVER], value[PAIR]);
	took = find_took(s, slot, is_interval, like);
	if (!took)
		return no_memory(s);
	if (!is_interval && !took->has_result)
		memcpy(took->first, like, sizeof(like));
	took->has_result |= !is_interval;
	took->is_bad |= !is_interval && is_bad_status(value[STATUS]);
	took->is_ok |= !is_interval && !strcmp(value[STATUS], result_status_names[RESULT_OK]);
	s->lacks_sum = *value[PAIR] ? strcmp(value[KIND], row_kind_total) :
				      !strcmp(value[BIDIR], "1") && strcmp(value[DIRECTION], "both");
	s->of_line[s->n_lines++] = (uint32_t)(took - s->took);
	return 0;
}

static int read_lines(struct scan *s, char *text, size_t len)
{
	char *end = text + len;
	int rc = 0;

	for (char *at = text, *next; at < end && !rc; at = next, s->line++) {
		char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *value[COLUMNS];

		s->torn = !newline;
		if (!newline)
			break;
		next = newline + 1;
		if (s->line == 1) {
			rc = read_header(s, at, (size_t)(next - at));
			continue;
		}
		rc = read_cells(s, at, (size_t)(next - at), value);
		if (!rc)
			rc = take_row(s, value);
	}
	if ((s->torn || s->lacks_sum) && s->n_lines)
		s->took[s->of_line[s->n_lines - 1]].is_bad = true;
	return rc;
}

/* text is left as it is. */
static int scan_lines(struct scan *s, const char *text, size_t len)
{
	size_t lines = 0;
	char *copy;
	int rc;

	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	s->of_line = calloc(lines + 1, sizeof(*s->of_line));
	copy = malloc(len + 1);
	if (!s->of_line || !copy) {
		free(copy);
		return no_memory(s);
	}
	memcpy(copy, text, len + 1);
	rc = read_lines(s, copy, len);
	free(copy);
	return rc;
}

/* ---- what is done, and what is taken out */

static bool is_complete(const struct took *took)
{
	return took->has_result && !took->is_bad;
}

/* A cell that is in the sweep several times: the first ones are done. */
static int count(const struct scan *s, struct resume *r)
{
	for (uint32_t i = 0; i < s->n_took; i++) {
		const struct slot *first = &s->slots[s->took[i].slot], *slot = first;

		if (!is_complete(&s->took[i]))
			continue;
		while (slot < s->slots + s->n_slots && r->done[slot->cell] &&
		       !compare(first->scenario, first->text, slot))
			slot++;
		if (slot == s->slots + s->n_slots || compare(first->scenario, first->text, slot))
			return err_set(-EINVAL, "%s: the cell \"%.200s\" is there more often than in the sweep",
				       s->path, first->text);
		r->done[slot->cell] = true;
		r->n_done++;
		r->n_ok += s->took[i].is_ok;
	}
	return 0;
}

/* Moves together what stays; returns its length. */
static size_t take_out(const struct scan *s, char *text, size_t len)
{
	char *to = text, *end = text + len;
	size_t line = 0;

	for (char *at = text, *next; at < end; at = next, line++) {
		char *newline = memchr(at, '\n', (size_t)(end - at));

		next = newline ? newline + 1 : end;
		if (!newline || (line && !is_complete(&s->took[s->of_line[line - 1]])))
			continue;
		memmove(to, at, (size_t)(next - at));
		to += next - at;
	}
	return (size_t)(to - text);
}

static void free_scan(struct scan *s)
{
	for (uint32_t i = 0; s->slots && i < s->n_slots; i++)
		free(s->slots[i].text);
	free(s->slots);
	free(s->took);
	free(s->of_line);
}

static int change(void *arg, char *text, size_t *len)
{
	struct resume *r = arg;
	struct scan s = { .path = r->run->cfg.csv, .line = 1 };
	const size_t before = *len;
	int rc = make_slots(&s, &r->run->cells);

	if (!rc)
		rc = scan_lines(&s, text, *len);
	if (!rc)
		rc = count(&s, r);
	if (!rc && !r->run->cfg.dry_run)
		*len = take_out(&s, text, *len);
	if (!rc && *len < before)
		log_note("%s: rows of cells that are not complete are taken out (%zu bytes); these cells are measured again",
			 s.path, before - *len);
	free_scan(&s);
	return rc ? rc : *len < before;
}

int resume_rows(struct resume *r)
{
	const struct edit edit = { "CSV", r->run->cfg.csv, change, r };

	r->done = calloc((size_t)r->run->cells.n + 1, sizeof(*r->done));
	return r->done ? edit_file(&edit) : err_set(-ENOMEM, "no memory for the cells of a sweep");
}
