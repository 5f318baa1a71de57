/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the format of the file of --join, and how it is written; see join_file.h. */
#include "config.h"
#include "tree/join_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/input.h"
#include "file/out_path.h"
#include "util/err.h"
#include "util/minmax.h"
#include "util/must.h"
#include "util/text.h"

#define BEGIN "verbench mesh "
#define FORMAT "1"
#define NO_JOB "-"
#define JOB 65         /* bytes of JOB, with its end */
#define MOST 65536u    /* bytes: what is longer is another file */
#define SHOWN 49       /* bytes of a line that is not understood */

/* ---- of which job a process is */

/* Those that all tasks of a job array share come before those of one task. */
static const char *const jobs[] = {
	"VERBENCH_JOB", "SLURM_ARRAY_JOB_ID", "SLURM_JOB_ID", "PBS_ARRAY_ID", "PBS_JOBID",
	"LSB_JOBID", "FLUX_JOB_ID",
};

/* One word; NO_JOB: it is not known. */
static void find_job(char job[JOB])
{
	const char *value = NULL;

	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]) && (!value || !*value); i++)
		value = getenv(jobs[i]);
	text_clean(value && *value ? value : NO_JOB, job, JOB);
	for (char *at = job; *at; at++)
		if (isspace((unsigned char)*at))
			*at = '_';
}

/* ---- rank 0 */

static int find_path(struct out_path *file, const char *path)
{
	const int rc = out_path_find(file, path);

	if (rc == -ENOENT)
		return err_set(rc, "its directory does not exist");
	if (!rc && file->exists && !S_ISREG(file->st.st_mode))
		return err_set(-EINVAL, "it is no file");
	return rc;
}

int join_file_check(const char *path, bool writes, bool force)
{
	static const struct out_replace_kind kind = { "file of mesh --join", BEGIN,
						      sizeof(BEGIN) - 1 };
	struct out_path file;
	int rc = find_path(&file, path);

	if (!rc && writes)
		rc = out_replace_check(path, &kind, force);
	out_path_free(&file);
	return rc ? err_wrap(rc, "--join %s", path) : 0;
}

int join_file_write(const char *path, const struct hosts_one *own, char **line)
{
	char text[HOSTS_TEXT], job[JOB];
	struct out_path file;
	int rc = find_path(&file, path);

	*line = NULL;
	if (!rc) {
		find_job(job);
		must_appendf(line, BEGIN FORMAT " %s %s\n", hosts_text(own, text), job);
		rc = out_replace_private(file.path, *line, strlen(*line));
		rc = rc ? err_set(rc, "%s", out_path_strerror(rc)) : 0;
	}
	out_path_free(&file);
	if (!rc)
		return 0;
	free(*line);
	*line = NULL;
	return err_wrap(rc, "--join %s", path);
}

void join_file_remove(const char *path, char *line)
{
	struct out_path file;
	char *now = NULL;
	int rc;

	if (!line)
		return;
	rc = find_path(&file, path);
	if (!rc)
		now = input_text(file.path, MOST, &rc);
	/* another run may have written its own */
	if (now && !strcmp(now, line))
		(void)!unlink(file.path);
	out_path_free(&file);
	free(now);
	free(line);
	err_clear();
}

/* ---- the others */

static int not_understood(const char *text)
{
	const size_t len = strcspn(text, "\r\n");
	char shown[SHOWN];

	snprintf(shown, sizeof(shown), "%.*s", (int)min_u64(len, sizeof(shown) - 1), text);
	return err_set(-EINVAL, "it says \"%s\"%s; expected \"" BEGIN FORMAT " HOST:PORT JOB\"",
		       text_clean(shown, shown, sizeof(shown)),
		       strlen(text) > strlen(shown) + 1 ? " and more" : "");
}

static int read_line(struct hosts_one *root, const char *text)
{
	char address[HOSTS_TEXT], job[JOB], own[JOB];
	int end = 0;

	if (!*text)
		return err_set(-EAGAIN, "it is empty: rank 0 has not written it");
	/* the widths are those of the arrays less 1 */
	if (sscanf(text, BEGIN FORMAT " %265s %64s %n", address, job, &end) < 2 || !end ||
	    text[end] || hosts_parse(root, address, 0) || !root->port)
		return not_understood(text);
	find_job(own);
	if (strcmp(job, own) && strcmp(job, NO_JOB) && strcmp(own, NO_JOB))
		return err_set(-ESTALE, "it is stale: of job %s, and this is job %s; rank 0 has not written it",
			       job, own);
	return 0;
}

int join_file_read(const char *path, struct hosts_one *root)
{
	int rc;
	char *text = input_text(path, MOST, &rc);

	if (text)
		rc = read_line(root, text);
	else if (rc == -ENOENT)
		rc = err_set(rc, "rank 0 has not written it");
	free(text);
	return rc;
}
