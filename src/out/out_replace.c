/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the way of a whole file to its path: see out_replace.h. Must not know what is in it. */
#include "config.h"
#include "out/out_replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "out/out_path.h"
#include "out/replace.h"
#include "util/err.h"

#define BEGINS_MAX 256

struct content {
	const char *text;
	size_t len;
};

static int write_stream(const char *path, const struct content *content)
{
	const bool is_stdout = !strcmp(path, "-");
	const int fd = is_stdout ? STDOUT_FILENO : out_path_open_stream(path);
	size_t written;
	int rc = fd < 0 ? fd : 0;

	/* what was printed before comes before */
	if (!rc && is_stdout && fflush(stdout))
		rc = -errno;
	if (!rc)
		rc = out_path_write(fd, content->text, content->len, &written);
	if (fd >= 0 && !is_stdout)
		close(fd);
	return rc;
}

int out_replace(const char *path, const char *text, size_t len)
{
	const struct content content = { .text = text, .len = len };
	struct out_path file;
	int rc = out_path_find(&file, path);

	if (!rc && (!strcmp(path, "-") || (file.exists && !S_ISREG(file.st.st_mode))))
		rc = write_stream(path, &content);
	else if (!rc)
		rc = replace_file(file.path, text, len);
	out_path_free(&file);
	return rc;
}

/* Of a regular file. */
static int check_begin(const char *path, const struct out_replace_kind *kind)
{
	char text[BEGINS_MAX];
	FILE *file = fopen(path, "re");
	size_t n;

	if (!file)
		return err_set(-errno, "cannot open %s: %s", path, strerror(errno));
	n = fread(text, 1, kind->len < sizeof(text) ? kind->len : sizeof(text), file);
	fclose(file);
	if (n == kind->len && !memcmp(text, kind->begins, n))
		return 0;
	return err_set(-EINVAL, "%s: this is no %s; give another file, or --force to replace it", path,
		       kind->what);
}

int out_replace_check(const char *path, const struct out_replace_kind *kind, bool force)
{
	struct out_path file;
	int rc = out_path_find(&file, path);
	const bool is_old = !rc && strcmp(path, "-") && file.exists && S_ISREG(file.st.st_mode);

	if (!rc)
		rc = out_path_check(&file, is_old && !force, true);
	if (!rc && is_old && !force && file.st.st_size)
		rc = check_begin(path, kind);
	out_path_free(&file);
	return rc;
}
