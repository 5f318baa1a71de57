/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The formats of a run and their files, and the way of events to them; see output.h. It knows no
 * format by name: options/formats.def lists them.
 */
#include "config.h"
#include "write/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/out_path.h"
#include "options/label.h"
#include "util/err.h"
#include "util/text.h"

#define NO_OPTION SIZE_MAX

const struct format_rows output_rows_tests = {
	.table = &row_table, .schema = ROW_SCHEMA, .harmless = "skipped", .of_tests = true,
};

#define FORMAT(name, takers, of, text) &format_##name,
#define FORMAT_STDOUT(name) &format_##name,
const struct format *const output_formats[OUTPUT_N] = {
#include "options/formats.def"
};

#define FORMAT(name, takers, of, text) offsetof(struct cfg, name),
#define FORMAT_STDOUT(name) NO_OPTION,
static const size_t options[OUTPUT_N] = {
#include "options/formats.def"
};

#define FORMAT(name, takers, of, text) CFG_ROW_##name,
#define FORMAT_STDOUT(name) (enum cfg_row)CFG_OPTIONS,
static const enum cfg_row rows[OUTPUT_N] = {
#include "options/formats.def"
};

int output_begin(void **state, const struct format *format, const struct format_file *file)
{
	int rc;

	*state = calloc(1, format->size);
	if (!*state)
		return err_set(-ENOMEM, "no memory for the output to %s", file->path);
	rc = format->open(*state, file);
	if (!rc)
		return 0;
	free(*state);
	*state = NULL;
	return rc;
}

int output_end(void *state, const struct format *format)
{
	int rc = format->close ? format->close(state) : 0;

	free(state);
	return rc;
}

static const char *option(size_t i, const struct cfg *cfg)
{
	const char *path;

	memcpy(&path, (const char *)cfg + options[i], sizeof(path));
	return path;
}

static enum format_shows shown(const struct cfg *cfg)
{
	if (cfg->rows)
		return cfg->rows->shows;
	if (cfg->pingpong)
		return FORMAT_SHOWS_PINGPONG;
	if (cfg->no_table)
		return FORMAT_SHOWS_NOTHING;
	if (cfg->sweep)
		return FORMAT_SHOWS_SWEEP;
	return cfg->lines ? FORMAT_SHOWS_SESSIONS : FORMAT_SHOWS_TABLE;
}

const char *output_path(size_t i, const struct cfg *cfg)
{
	if (options[i] != NO_OPTION)
		return option(i, cfg);
	return output_formats[i]->shows == shown(cfg) && output_for_people(cfg) ? "-" : NULL;
}

bool output_for_people(const struct cfg *cfg)
{
	for (size_t i = 0; i < OUTPUT_N; i++) {
		const char *path = options[i] == NO_OPTION ? NULL : option(i, cfg);

		if (path && !strcmp(path, "-"))
			return false;
	}
	return true;
}

/* ---- all of a run */

/* How the options of a run open its files. */
static unsigned int how(const struct cfg *cfg)
{
	return (cfg->adds ? FORMAT_SHARED : 0) | (cfg->csv_new ? FORMAT_ANEW : 0) |
	       (cfg->force ? FORMAT_FORCE : 0) | (cfg->sweep ? FORMAT_HELD : 0);
}

/* "--csv FILE", "standard output" of a table. */
static const char *name(const struct cfg *cfg, size_t i, char text[LABEL_MAX + 128])
{
	char label[LABEL_MAX];

	if (options[i] == NO_OPTION)
		return "standard output";
	snprintf(text, LABEL_MAX + 128, "%s %.100s", label_row(cfg, rows[i], label),
		 option(i, cfg));
	return text;
}

static int refuse_same(const struct cfg *cfg, size_t a, size_t b)
{
	char one[LABEL_MAX + 128], other[LABEL_MAX + 128];

	return err_set(-EEXIST, "%s and %s are the same file: each of them needs its own",
		       name(cfg, a, one), name(cfg, b, other));
}

/* Two formats cannot share a file, nor one with standard output that is redirected to it. */
static int check_same(const struct cfg *cfg)
{
	struct out_path files[OUTPUT_N] = { { .path = NULL } };
	size_t n = 0;
	int rc = 0;

	for (; n < OUTPUT_N && !rc; n++) {
		const char *path = output_path(n, cfg);

		if (path)
			rc = out_path_find(&files[n], path);
		for (size_t k = 0; path && k < n && !rc; k++)
			if (files[k].path && out_path_same(&files[n], &files[k]))
				rc = refuse_same(cfg, k, n);
	}
	while (n)
		out_path_free(&files[--n]);
	return rc;
}

static struct format_file file_of(const struct cfg *cfg, size_t format)
{
	return (struct format_file){
		.path = output_path(format, cfg),
		.out = stdout,
		.how = how(cfg),
		.format = output_formats[format],
		.rows = cfg->rows ? cfg->rows : &output_rows_tests,
		.screen = {
			.width = cfg->wide ? SCREEN_UNLIMITED : screen_columns(),
			.wide = cfg->wide,
			.verbose = cfg->verbose,
			.quiet = cfg->quiet,
		},
	};
}

int output_check(const struct cfg *cfg)
{
	int rc = check_same(cfg);

	for (size_t i = 0; i < OUTPUT_N && !rc; i++) {
		const struct format_file file = file_of(cfg, i);

		if (file.path && output_formats[i]->check)
			rc = output_formats[i]->check(&file);
	}
	return rc;
}

int output_open(struct output *out, const struct cfg *cfg)
{
	int rc = 0;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < OUTPUT_N && !rc; i++) {
		const struct format_file file = file_of(cfg, i);

		if (file.path)
			rc = output_begin(&out->states[i], output_formats[i], &file);
	}
	return rc;
}

int output_prepare(const struct cfg *cfg)
{
	int rc = 0;

	for (size_t i = 0; i < OUTPUT_N && !rc; i++) {
		const struct format_file file = file_of(cfg, i);

		if (file.path && output_formats[i]->prepare)
			rc = output_formats[i]->prepare(&file);
	}
	return rc;
}

/* The first error, and what the others say besides. */
struct errors {
	int rc;
	char text[ERR_TEXT_MAX];
};

static void add_error(struct errors *e, int rc)
{
	const size_t len = strlen(e->text);

	if (!rc)
		return;
	snprintf(e->text + len, sizeof(e->text) - len, "%s%s", len ? "; " : "", err_text());
	e->rc = e->rc ? e->rc : rc;
}

static int tell(const struct errors *e)
{
	return e->rc ? err_set(e->rc, "%s", e->text) : 0;
}

int output_take_others(struct output *out, size_t but, const struct event *event)
{
	struct errors errors = { .rc = 0 };

	for (size_t i = 0; i < OUTPUT_N; i++)
		if (out->states[i] && i != but)
			add_error(&errors, output_formats[i]->take(out->states[i], event));
	return tell(&errors);
}

int output_take(struct output *out, const struct event *event)
{
	return output_take_others(out, OUTPUT_N, event);
}

int output_close(struct output *out, const struct event_end *end)
{
	struct errors errors = { .rc = 0 };

	output_take(out, &(struct event){ EVENT_END, .end = end });
	for (size_t i = 0; i < OUTPUT_N; i++) {
		if (out->states[i])
			add_error(&errors, output_end(out->states[i], output_formats[i]));
		out->states[i] = NULL;
	}
	return tell(&errors);
}
