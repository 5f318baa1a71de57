/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the CSV file: a header line of every key, then one line per row, quoted after RFC 4180 but
 * ended by a bare newline. Called by out.c. Must not decide what a row holds.
 */
#include "config.h"
#include "fmt.h"

#include <errno.h>
#include <string.h>

#include "err.h"

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

static void end_line(struct fmt_csv *c)
{
	putc('\n', c->out);
	errno = 0;
	if (!c->err && (fflush(c->out) || ferror(c->out)))
		c->err = errno ? -errno : -EIO;
}

static int open_file(struct fmt_csv *c, const char *path, const char *mode)
{
	*c = (struct fmt_csv){ .path = path };
	c->out = strcmp(path, "-") ? fopen(path, mode) : stdout;
	if (!c->out)
		return err_set(-errno, "open %s for CSV: %s", path, strerror(errno));
	return 0;
}

int fmt_csv_add(struct fmt_csv *c, const char *path)
{
	return open_file(c, path, "ae");
}

int fmt_csv_open(struct fmt_csv *c, const char *path)
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

void fmt_csv_row(struct fmt_csv *c, const struct row *row)
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

int fmt_csv_close(struct fmt_csv *c)
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
