/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the JSON Lines file: one JSON object per row, with the keys of the columns, appended as the
 * rows come. Runs and sessions share a file: each row is one write(2), and nothing is overwritten.
 * Called by output.c. Must not decide what a row holds.
 */
#include "config.h"
#include "report/formats.h"

#include <errno.h>
#include <stdlib.h>

#include "util/err.h"

#define LINE_BYTES 65536u /* more than the line of a row: flushed at once, it is one write(2) */

static int open_jsonl(void **state, const char *path, bool adds)
{
	struct format_file *f = calloc(1, sizeof(*f));
	int rc;

	(void)adds;
	if (!f)
		return err_set(-ENOMEM, "no memory for the JSON Lines file");
	f->what = "JSON Lines";
	rc = format_file_open(f, path, "ae");
	if (rc) {
		free(f);
		return rc;
	}
	if (f->out != stdout)
		setvbuf(f->out, NULL, _IOFBF, LINE_BYTES);
	*state = f;
	return 0;
}

static void row_jsonl(void *state, const struct row *row)
{
	struct format_file *f = state;
	json_t *json = row_json(row);
	char *text = NULL;

	if (json)
		text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(ROW_JSON_DIGITS));
	if (text)
		fprintf(f->out, "%s\n", text);
	else
		f->err = f->err ? f->err : -ENOMEM;
	format_file_flush(f);
	free(text);
	json_decref(json);
}

static int close_jsonl(void *state)
{
	int rc = format_file_close(state);

	free(state);
	return rc;
}

const struct format format_jsonl = {
	.open = open_jsonl, .row = row_jsonl, .close = close_jsonl,
};
