/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* A schedule from a file. */
#include "config.h"
#include "schedule/schedule_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/input.h"
#include "util/err.h"

#define BLANKS " \t"

struct name {
	const char *text;
	uint32_t node;
};

struct reader {
	const struct schedule_file *file;
	struct schedule_pairs *pairs;
	struct name *names;             /* sorted; NULL: none */
	uint32_t *sent, *received;      /* of each node: its last round, counted from 1 */
	uint32_t number;                /* of the last line, as it is written */
	uint32_t line;
};

/* ---- words */

static bool read_number(uint32_t *number, const char *text)
{
	const size_t n = strspn(text, "0123456789");
	const unsigned long value = n && n <= 10 ? strtoul(text, NULL, 10) : UINT32_MAX;

	*number = (uint32_t)value;
	return !text[n] && value < UINT32_MAX;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

static bool find_node(uint32_t *node, const struct reader *r, const char *text)
{
	const struct name key = { .text = text };
	const struct name *found = r->names ? bsearch(&key, r->names, r->file->n, sizeof(key),
						      by_text) : NULL;

	if (found)
		*node = found->node;
	return found || (read_number(node, text) && *node < r->file->n);
}

static int read_rail(uint32_t *rail, const struct reader *r, const char *word, const char *text)
{
	char range[16] = "";

	r->pairs->rails = true;
	if (read_number(rail, text) && *rail < r->file->n_rails)
		return 0;
	if (r->file->n_rails > 1)
		snprintf(range, sizeof(range), "..%u", r->file->n_rails - 1);
	return err_set(-EINVAL, "node \"%.64s\" has the rail \"%.64s\"; allowed: 0%s%s", word, text,
		       range, *range ? "" : " without --rails");
}

/* A[:RAIL]; a name may have a colon. */
static int read_node(uint32_t *node, uint32_t *rail, const struct reader *r, char *word)
{
	char *colon = strrchr(word, ':');

	if (find_node(node, r, word))
		return 0;
	if (colon) {
		*colon = '\0';
		if (find_node(node, r, word))
			return read_rail(rail, r, word, colon + 1);
		*colon = ':';
	}
	return err_set(-EINVAL, "\"%.64s\" is no node; allowed: 0..%u%s", word, r->file->n - 1,
		       r->names ? " or a name of the list of nodes" : "");
}

/* ---- lines */

static int begin_round(struct reader *r, const char *word)
{
	uint32_t number;

	if (!read_number(&number, word))
		return err_set(-EINVAL, "round \"%.64s\"; allowed: 0..%u", word, UINT32_MAX - 1);
	if (r->pairs->rounds && number < r->number)
		return err_set(-EINVAL, "round %u follows round %u: rounds stand in rising order",
			       number, r->number);
	r->pairs->rounds += !r->pairs->rounds || number != r->number;
	r->number = number;
	return 0;
}

static int check_pair(const struct reader *r, const struct schedule_pair *pair)
{
	const uint32_t round = r->pairs->rounds;

	if (pair->from == pair->to)
		return err_set(-EINVAL, "node %u is measured with itself", pair->from);
	if (r->sent[pair->from] == round)
		return err_set(-EINVAL, "node %u sends twice in round %u", pair->from, r->number);
	if (r->received[pair->to] == round)
		return err_set(-EINVAL, "node %u receives twice in round %u", pair->to, r->number);
	r->sent[pair->from] = r->received[pair->to] = round;
	return 0;
}

static int add(struct schedule_pairs *pairs, const struct schedule_pair *pair)
{
	const size_t room = pairs->room ? 2 * pairs->room : 64;
	struct schedule_pair *rows;

	if (pairs->n == pairs->room) {
		rows = reallocarray(pairs->rows, room, sizeof(*rows));
		if (!rows)
			return err_set(-ENOMEM, "no memory for %zu pairs", room);
		pairs->rows = rows;
		pairs->room = room;
	}
	pairs->rows[pairs->n++] = *pair;
	return 0;
}

static int read_line(struct reader *r, char *line)
{
	struct schedule_pair pair = { .line = r->line };
	char *words[4], *at = NULL;
	uint32_t n = 0;
	int rc;

	line[strcspn(line, "#")] = '\0';
	for (char *word = strtok_r(line, BLANKS, &at); word && n < 4;
	     word = strtok_r(NULL, BLANKS, &at))
		words[n++] = word;
	if (n != 3)
		return err_set(-EINVAL, "expected ROUND A[:RAIL] B[:RAIL]");
	rc = begin_round(r, words[0]);
	if (!rc)
		rc = read_node(&pair.from, &pair.from_rail, r, words[1]);
	if (!rc)
		rc = read_node(&pair.to, &pair.to_rail, r, words[2]);
	if (!rc)
		rc = check_pair(r, &pair);
	pair.round = r->pairs->rounds - 1;
	return rc ? rc : add(r->pairs, &pair);
}

/* ---- the whole file */

static int compare(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

static int by_ends(const struct schedule_pair *a, const struct schedule_pair *b)
{
	const int from = compare(a->from, b->from), to = compare(a->to, b->to);
	const int from_rail = compare(a->from_rail, b->from_rail);

	if (from || to)
		return from ? from : to;
	return from_rail ? from_rail : compare(a->to_rail, b->to_rail);
}

static int by_nodes(const void *left, const void *right)
{
	const struct schedule_pair *a = left, *b = right;
	const int ends = by_ends(a, b);

	return ends ? ends : compare(a->line, b->line);
}

static int by_round(const void *left, const void *right)
{
	const struct schedule_pair *a = left, *b = right;
	const int round = compare(a->round, b->round);

	return round ? round : compare(a->from, b->from);
}

static int check_whole(struct schedule_pairs *pairs, const char *path)
{
	if (!pairs->n)
		return err_set(-EINVAL, "%s: no line \"ROUND A B\"", path);
	qsort(pairs->rows, pairs->n, sizeof(*pairs->rows), by_nodes);
	for (const struct schedule_pair *p = pairs->rows + 1; p < pairs->rows + pairs->n; p++)
		if (!by_ends(p, p - 1))
			return err_set(-EINVAL, "%s:%u: node %u sends to node %u in line %u, too",
				       path, p->line, p->from, p->to, p[-1].line);
	qsort(pairs->rows, pairs->n, sizeof(*pairs->rows), by_round);
	return 0;
}

static int read_lines(struct reader *r)
{
	const char *path = r->file->path;
	struct input in;
	char *line;
	int rc = input_open_regular(&in, path, SCHEDULE_FILE_MAX);

	if (rc)
		return rc;
	while (!rc && (line = input_setting(&in))) {
		r->line = (uint32_t)in.line;
		rc = read_line(r, line);
		if (rc)
			rc = err_wrap(rc, "%s:%zu", path, in.line);
	}
	rc = rc ? rc : in.rc;
	input_close(&in);
	return rc ? rc : check_whole(r->pairs, path);
}

static int prepare(struct reader *r)
{
	const uint32_t n = r->file->n;

	r->sent = calloc(n, sizeof(*r->sent));
	r->received = calloc(n, sizeof(*r->received));
	r->names = r->file->names ? calloc(n, sizeof(*r->names)) : NULL;
	if (!r->sent || !r->received || (r->file->names && !r->names))
		return err_set(-ENOMEM, "no memory for the schedule of %u nodes", n);
	for (uint32_t i = 0; r->names && i < n; i++)
		r->names[i] = (struct name){ r->file->names[i], i };
	if (r->names)
		qsort(r->names, n, sizeof(*r->names), by_text);
	return 0;
}

int schedule_file_read(struct schedule_pairs *pairs, const struct schedule_file *file)
{
	struct reader r = { .file = file, .pairs = pairs };
	int rc;

	*pairs = (struct schedule_pairs){ .n = 0 };
	rc = prepare(&r);
	if (!rc)
		rc = read_lines(&r);
	free(r.sent);
	free(r.received);
	free(r.names);
	if (rc)
		schedule_file_free(pairs);
	return rc;
}

void schedule_file_free(struct schedule_pairs *pairs)
{
	free(pairs->rows);
	*pairs = (struct schedule_pairs){ .n = 0 };
}

const struct schedule_pair *schedule_file_find(const struct schedule_pairs *pairs, uint32_t round,
					       uint32_t from)
{
	const struct schedule_pair key = { .round = round, .from = from };

	return bsearch(&key, pairs->rows, pairs->n, sizeof(key), by_round);
}
