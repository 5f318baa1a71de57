/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the JSON Lines file: one JSON object per row, with the keys of the columns, added as the
 * rows come (lines.h). Called by output.c. Must not decide what a row holds.
 */
#include "config.h"
#include "format/formats.h"

#include <errno.h>
#include <stdlib.h>

#include "format/lines.h"
#include "util/err.h"

static struct lines_file file(const char *path, unsigned int how)
{
	return (struct lines_file){
		.path = path, .table = &row_table, .schema = ROW_SCHEMA, .as = LINES_JSON,
		.start = how & FORMAT_FORCE ? APPEND_FORCE : APPEND_ADD,
		.held = how & FORMAT_HELD,
	};
}

static int check_jsonl(const char *path, unsigned int how)
{
	const struct lines_file jsonl = file(path, how);

	return lines_check(&jsonl);
}

static int prepare_jsonl(const char *path, unsigned int how)
{
	const struct lines_file jsonl = file(path, how);

	return how & FORMAT_SHARED ? lines_prepare(&jsonl) : 0;
}

static int open_jsonl(void **state, const char *path, unsigned int how)
{
	/* what is shared was started over by prepare */
	const struct lines_file jsonl = file(path, how & FORMAT_SHARED ? how & FORMAT_HELD : how);
	struct lines *l = calloc(1, sizeof(*l));
	int rc = l ? lines_open(l, &jsonl) : err_set(-ENOMEM, "no memory for the JSON Lines file");

	*state = rc ? NULL : l;
	if (rc)
		free(l);
	return rc;
}

static void row_jsonl(void *state, const struct row *row)
{
	lines_add(state, row, row_is_interval(row));
}

static int end_cell(void *state)
{
	return lines_flush(state);
}

static int close_jsonl(void *state)
{
	int rc = lines_close(state);

	free(state);
	return rc;
}

const struct format format_jsonl = {
	.check = check_jsonl, .prepare = prepare_jsonl, .open = open_jsonl, .row = row_jsonl,
	.cell_end = end_cell,
	.close = close_jsonl,
};
