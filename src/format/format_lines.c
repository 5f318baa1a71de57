/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the files of lines: CSV, with a header line of all columns, and JSON Lines, an object with
 * the keys of the columns per row. Lines are added as the rows come, so that a killed run keeps
 * what was measured (lines.h). Called by output.c. Must not decide what a row holds.
 */
#include "config.h"
#include "format/formats.h"

#include <errno.h>
#include <stdlib.h>

#include "format/lines.h"
#include "util/err.h"

static struct lines_file file(enum lines_as as, const char *path, unsigned int how)
{
	return (struct lines_file){
		.path = path, .table = &row_table, .schema = ROW_SCHEMA, .as = as,
		.start = how & FORMAT_FORCE ? APPEND_FORCE :
			 how & FORMAT_ANEW && as == LINES_CSV ? APPEND_ANEW : APPEND_ADD,
		.held = how & FORMAT_HELD,
	};
}

static int prepare(const struct lines_file *lines, unsigned int how)
{
	return how & FORMAT_SHARED ? lines_prepare(lines) : 0;
}

static int open_lines(void **state, enum lines_as as, const char *path, unsigned int how)
{
	/* what is shared was started over by prepare */
	const unsigned int left = how & FORMAT_SHARED ? how & FORMAT_HELD : how;
	const struct lines_file lines = file(as, path, left);
	struct lines *l = calloc(1, sizeof(*l));
	int rc = l ? lines_open(l, &lines) : err_set(-ENOMEM, "no memory for %s", path);

	*state = rc ? NULL : l;
	if (rc)
		free(l);
	return rc;
}

static void add_row(void *state, const struct row *row)
{
	lines_add(state, row, row_is_interval(row));
}

static int end_cell(void *state)
{
	return lines_flush(state);
}

static int close_lines(void *state)
{
	int rc = lines_close(state);

	free(state);
	return rc;
}

static int check_csv(const char *path, unsigned int how)
{
	const struct lines_file csv = file(LINES_CSV, path, how);

	return lines_check(&csv);
}

static int prepare_csv(const char *path, unsigned int how)
{
	const struct lines_file csv = file(LINES_CSV, path, how);

	return prepare(&csv, how);
}

static int open_csv(void **state, const char *path, unsigned int how)
{
	return open_lines(state, LINES_CSV, path, how);
}

const struct format format_csv = {
	.check = check_csv, .prepare = prepare_csv, .open = open_csv, .row = add_row,
	.cell_end = end_cell, .close = close_lines,
};

static int check_jsonl(const char *path, unsigned int how)
{
	const struct lines_file jsonl = file(LINES_JSON, path, how);

	return lines_check(&jsonl);
}

static int prepare_jsonl(const char *path, unsigned int how)
{
	const struct lines_file jsonl = file(LINES_JSON, path, how);

	return prepare(&jsonl, how);
}

static int open_jsonl(void **state, const char *path, unsigned int how)
{
	return open_lines(state, LINES_JSON, path, how);
}

const struct format format_jsonl = {
	.check = check_jsonl, .prepare = prepare_jsonl, .open = open_jsonl, .row = add_row,
	.cell_end = end_cell, .close = close_lines,
};
