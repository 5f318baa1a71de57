/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the CSV file: a header line of every key, then one line per row, quoted after RFC 4180 but
 * ended by a bare newline. Called by out.c. Must not decide what a row holds.
 */
#include "config.h"
#include "report/format.h"

#include <errno.h>
#include <string.h>

#include "util/err.h"

static void put_cell(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	putc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	putc('"', out);
}

static void end_line(struct format_csv *c)
{
	putc('\n', c->out);
	errno = 0;
	if (!c->err && (fflush(c->out) || ferror(c->out)))
		c->err = errno ? -errno : -EIO;
}

static int open_file(struct format_csv *c, const char *path, const char *mode)
{
	*c = (struct format_csv){ .path = path };
	c->out = strcmp(path, "-") ? fopen(path, mode) : stdout;
	if (!c->out)
		return err_set(-errno, "open %s for CSV: %s", path, strerror(errno));
	return 0;
}

int format_csv_add(struct format_csv *c, const char *path)
{
	return open_file(c, path, "ae");
}

int format_csv_open(struct format_csv *c, const char *path)
{
	int rc = open_file(c, path, "we");

	if (rc)
		return rc;
	for (size_t i = 0; i < row_n_keys; i++) {
		if (i)
			putc(',', c->out);
		put_cell(c->out, row_keys[i].name);
	}
	end_line(c);
	return 0;
}

void format_csv_row(struct format_csv *c, const struct row *row)
{
	char text[ROW_TEXT];

	if (!c->out)
		return;
	for (size_t i = 0; i < row_n_keys; i++) {
		if (i)
			putc(',', c->out);
		put_cell(c->out, row_cell(row, &row_keys[i], text, sizeof(text)));
	}
	end_line(c);
}

int format_csv_close(struct format_csv *c)
{
	int rc = c->err;

	if (!c->out)
		return 0;
	if (c->out != stdout && fclose(c->out) && !rc)
		rc = -errno;
	c->out = NULL;
	if (rc)
		return err_set(rc, "write CSV to %s: %s", c->path, strerror(-rc));
	return 0;
}
