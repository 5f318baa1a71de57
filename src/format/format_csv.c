/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the CSV file: a header line of all columns, then one line per row, added as the rows come,
 * so that a killed run keeps what was measured (lines.h). Called by output.c. Must not decide what
 * a row holds.
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
		.path = path, .table = &row_table, .schema = ROW_SCHEMA, .as = LINES_CSV,
		.start = how & FORMAT_FORCE ? APPEND_FORCE :
			 how & FORMAT_ANEW ? APPEND_ANEW : APPEND_ADD,
		.held = how & FORMAT_HELD,
	};
}

static int check_csv(const char *path, unsigned int how)
{
	const struct lines_file csv = file(path, how);

	return lines_check(&csv);
}

static int prepare_csv(const char *path, unsigned int how)
{
	const struct lines_file csv = file(path, how);

	return how & FORMAT_SHARED ? lines_prepare(&csv) : 0;
}

static int open_csv(void **state, const char *path, unsigned int how)
{
	/* what is shared was started over by prepare */
	const struct lines_file csv = file(path, how & FORMAT_SHARED ? how & FORMAT_HELD : how);
	struct lines *l = calloc(1, sizeof(*l));
	int rc = l ? lines_open(l, &csv) : err_set(-ENOMEM, "no memory for the CSV file");

	*state = rc ? NULL : l;
	if (rc)
		free(l);
	return rc;
}

static void row_csv(void *state, const struct row *row)
{
	lines_add(state, row, row_is_interval(row));
}

static int end_cell(void *state)
{
	return lines_flush(state);
}

static int close_csv(void *state)
{
	int rc = lines_close(state);

	free(state);
	return rc;
}

const struct format format_csv = {
	.check = check_csv, .prepare = prepare_csv, .open = open_csv, .row = row_csv,
	.cell_end = end_cell,
	.close = close_csv,
};
