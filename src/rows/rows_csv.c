/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the reading of CSV, line by line. A head line says which columns follow, and may come again:
 * in files that were put behind each other. Called by rows_load.c.
 */
#include "config.h"
#include "rows/rows_add.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "read/csv.h"
#include "util/err.h"
#include "util/log.h"
#include "util/text.h"

#define CELLS_MAX 4096 /* of a line: far more than this or a later version has */
#define SHOWN 40
static const char head_begins[] = "schema,";

/* The columns of the last head line; ROWS_COLUMNS: one that this version does not know. */
struct head {
	enum rows_column columns[CELLS_MAX];
	size_t n;
};

static int add_column(const struct rows_load *load, struct head *head, const char *name)
{
	const enum rows_column column = rows_find(name);
	char what[2 * SHOWN + 64];

	if (head->n == CELLS_MAX)
		return rows_bad(load, "too many columns");
	for (size_t i = 0; i < head->n; i++) {
		if (column == ROWS_COLUMNS || head->columns[i] != column)
			continue;
		snprintf(what, sizeof(what), "the column %s occurs twice", rows_field(column)->name);
		return rows_bad(load, what);
	}
	/* the file is not a column of a file */
	head->columns[head->n++] = rows_add_looks(load, column) ? column : ROWS_COLUMNS;
	return 0;
}

/* What is in place of the head line of a CSV file of rows. */
static int refuse_head(const struct rows_load *load, const char *line, size_t len)
{
	char raw[SHOWN + 1], what[2 * SHOWN + 128];
	const size_t n = len < SHOWN ? len : SHOWN;

	memcpy(raw, line, n);
	raw[n] = '\0';
	snprintf(what, sizeof(what), "not a file of results: its first line begins with \"%s\", not with \"%s\"",
		 text_clean(raw, raw, strcspn(raw, "\n") + 1), head_begins);
	return rows_bad(load, what);
}

static int read_head(const struct rows_load *load, struct head *head, char *line, size_t len)
{
	struct csv csv = { line, line + len };
	bool has_test = false;
	char *cell, stop;

	head->n = 0;
	do {
		stop = csv_cell(&csv, &cell);
		if (!stop)
			return rows_bad(load, "the line of names is truncated");
		if (add_column(load, head, cell))
			return -EBADMSG;
		has_test |= !strcmp(cell, "test");
		csv.at++;
	} while (stop == ',');
	return has_test ? 0 : rows_bad(load, "not rows of a test: the column test is missing");
}

static int refuse_count(const struct rows_load *load, size_t n, const struct head *head)
{
	char what[96];

	snprintf(what, sizeof(what), "%s than the %zu cells of the line of names",
		 n < head->n ? "the line has fewer" : "the line has more", head->n);
	return rows_bad(load, what);
}

static int read_line(struct rows_load *load, const struct head *head, char *line, size_t len)
{
	struct csv csv = { line, line + len };
	int rc;

	for (size_t i = 0; i < head->n; i++) {
		char *cell, stop = csv_cell(&csv, &cell);

		if (!stop)
			return rows_bad(load, "a quote is not closed, or text follows it");
		if ((stop == ',') != (i + 1 < head->n))
			return refuse_count(load, i + 1, head);
		rc = head->columns[i] == ROWS_COLUMNS ? 0 :
		     rows_add_value(load, head->columns[i], csv_unmark(cell));
		if (rc)
			return rows_bad_value(load, rc);
		csv.at++;
	}
	rc = rows_add_row(load);
	return rc ? rows_bad_value(load, rc) : 0;
}

static bool is_head(const char *line, size_t len)
{
	return len >= strlen(head_begins) && !memcmp(line, head_begins, strlen(head_begins));
}

int rows_read_csv(struct rows_load *load)
{
	struct head head = { .n = 0 };
	size_t len;
	char *line;
	int rc = 0;

	while (!rc && (line = input_line(load->in, &len))) {
		if (memchr(line, '\0', len))
			return rows_bad(load, "it has a NUL byte");
		if (!head.n && !is_head(line, len))
			return refuse_head(load, line, len);
		if (line[len - 1] != '\n') {
			if (!head.n)
				return rows_bad(load, "the line of names is truncated");
			log_note("%s, line %zu: the last line has no end; it is left out (the program that wrote it was killed)",
				 load->in->path, load->in->line);
			load->rows->torn++;
			return 0;
		}
		/* RFC 4180 ends lines so, and so do programs of Windows */
		if (len > 1 && line[len - 2] == '\r')
			line[--len - 1] = '\n';
		rc = is_head(line, len) ? read_head(load, &head, line, len) :
					  read_line(load, &head, line, len);
	}
	return rc;
}
