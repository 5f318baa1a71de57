/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the way of a JSON document into its file; see format_json_file.h. Must not know what is in
 * it.
 */
#include "config.h"
#include "report/format_json_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/row.h"
#include "util/err.h"

/* Opens the file beside path, or path itself where a rename would replace what is no file. */
static int open_target(struct format_json_file *f)
{
	struct stat st;
	int fd;

	if (!lstat(f->path, &st) && !S_ISREG(st.st_mode)) {
		f->out = fopen(f->path, "we");
		return f->out ? 0 : -errno;
	}
	if (asprintf(&f->temp, "%s.%ld.tmp", f->path, (long)getpid()) < 0) {
		f->temp = NULL;
		return -ENOMEM;
	}
	fd = open(f->temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	f->out = fd < 0 ? NULL : fdopen(fd, "w");
	return f->out ? 0 : -errno;
}

static int open_file(struct format_json_file *f)
{
	if (!strcmp(f->path, "-"))
		f->out = stdout;
	else if (!f->line)
		return open_target(f);
	else
		f->out = fopen(f->path, "ae");
	return f->out ? 0 : -errno;
}

int format_json_file_open(struct format_json_file *f, const char *path, bool line)
{
	int rc;

	*f = (struct format_json_file){ .path = path, .line = line };
	rc = open_file(f);
	if (!rc)
		return 0;
	free(f->temp);
	f->temp = NULL;
	return err_set(rc, "cannot open %s for JSON: %s", path, strerror(-rc));
}

/* In one write(2) where the system takes it: lines of sessions that end together do not mix. */
static int write_text(int fd, const char *text)
{
	size_t left = strlen(text);

	while (left) {
		ssize_t n = write(fd, text, left);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			text += n;
			left -= (size_t)n;
		}
	}
	return 0;
}

static int write_doc(struct format_json_file *f, const json_t *json)
{
	const size_t layout = f->line ? JSON_COMPACT : JSON_INDENT(2);
	char *doc = json_dumps(json, layout | JSON_REAL_PRECISION(ROW_JSON_DIGITS)), *text = NULL;
	int rc = -ENOMEM;

	if (doc && asprintf(&text, "%s\n", doc) >= 0)
		rc = fflush(f->out) ? -errno : write_text(fileno(f->out), text);
	free(text);
	free(doc);
	if (f->out != stdout && fclose(f->out) && !rc)
		rc = -errno;
	f->out = NULL;
	if (f->temp && !rc && rename(f->temp, f->path))
		rc = -errno;
	if (f->temp && rc)
		unlink(f->temp);
	return rc;
}

int format_json_file_write(struct format_json_file *f, const json_t *doc)
{
	int rc = write_doc(f, doc);

	free(f->temp);
	f->temp = NULL;
	return rc ? err_set(rc, "write JSON to %s: %s", f->path, strerror(-rc)) : 0;
}
