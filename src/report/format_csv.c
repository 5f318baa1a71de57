/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the CSV file: a header line of all columns, then one line per row (format_cells.h). The
 * header line is written at once, and every row as it comes, so that a killed run keeps what was
 * measured. Called by output.c. Must not decide what a row holds.
 */
#include "config.h"
#include "report/formats.h"

#include <errno.h>
#include <stdlib.h>

#include "report/format_cells.h"
#include "util/err.h"

static void put_header(struct format_file *f)
{
	format_cells_csv_names(f->out, &row_table);
	format_file_flush(f);
}

static int open_csv(void **state, const char *path, bool adds)
{
	struct format_file *f = calloc(1, sizeof(*f));
	int rc;

	if (!f)
		return err_set(-ENOMEM, "no memory for the CSV file");
	f->what = "CSV";
	rc = format_file_open(f, path, adds ? "ae" : "we");
	if (rc) {
		free(f);
		return rc;
	}
	if (!adds)
		put_header(f);
	*state = f;
	return 0;
}

static void row_csv(void *state, const struct row *row)
{
	struct format_file *f = state;

	format_cells_csv(f->out, &row_table, row);
	format_file_flush(f);
}

static int close_csv(void *state)
{
	int rc = format_file_close(state);

	free(state);
	return rc;
}

static int prepare_csv(const char *path)
{
	void *state = NULL;
	int rc = open_csv(&state, path, false);

	return rc ? rc : close_csv(state);
}

const struct format format_csv = {
	.prepare = prepare_csv, .open = open_csv, .row = row_csv, .close = close_csv,
};
