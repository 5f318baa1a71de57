/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the file that a format writes row by row: see format.h. Called by format_*.c. */
#include "config.h"
#include "report/format.h"

#include <errno.h>
#include <string.h>

#include "util/err.h"

int format_file_open(struct format_file *f, const char *path, const char *mode)
{
	f->path = path;
	f->out = strcmp(path, "-") ? fopen(path, mode) : stdout;
	if (!f->out)
		return err_set(-errno, "cannot open %s for %s: %s", path, f->what, strerror(errno));
	return 0;
}

void format_file_flush(struct format_file *f)
{
	errno = 0;
	if (!f->err && (fflush(f->out) || ferror(f->out)))
		f->err = errno ? -errno : -EIO;
}

int format_file_close(struct format_file *f)
{
	int rc;

	format_file_flush(f);
	rc = f->err;
	if (f->out != stdout && fclose(f->out) && !rc)
		rc = -errno;
	f->out = NULL;
	if (rc)
		return err_set(rc, "write %s to %s: %s", f->what, f->path, strerror(-rc));
	return 0;
}
