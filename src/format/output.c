/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns which formats are open, and hands rows to them: see output.h. Called by the commands of
 * a client and a server. Must not know any format by name.
 */
#include "config.h"

#include "format/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "out/out_path.h"
#include "util/err.h"
#include "util/screen.h"

/* How the options of a run open its files. */
static unsigned int how(const struct cfg *cfg)
{
	return (cfg->adds ? FORMAT_SHARED : 0) | (cfg->csv_new ? FORMAT_ANEW : 0) |
	       (cfg->force ? FORMAT_FORCE : 0) | (cfg->sweep ? FORMAT_HELD : 0);
}

static int refuse_same(const struct cfg *cfg, size_t a, size_t b)
{
	char first[ERR_TEXT_MAX / 4], second[ERR_TEXT_MAX / 4];

	return err_set(-EEXIST, "%s and %s are the same file: each of them needs its own",
		       formats_label(a, cfg, first, sizeof(first)),
		       formats_label(b, cfg, second, sizeof(second)));
}

/* Two formats cannot share a file, nor one with standard output that is redirected to it. */
int output_check_same(const struct cfg *cfg)
{
	struct out_path files[FORMATS_MAX] = { { .path = NULL } };
	size_t n = 0;
	int rc = 0;

	for (; n < formats_n && !rc; n++) {
		const char *path = formats_path(n, cfg);

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

int output_check(const struct cfg *cfg)
{
	int rc = output_check_same(cfg);

	for (size_t i = 0; i < formats_n && !rc; i++) {
		const char *path = formats_path(i, cfg);

		if (path && formats_all[i]->check)
			rc = formats_all[i]->check(path, how(cfg));
	}
	return rc;
}

int output_open(struct output *out, const struct cfg *cfg)
{
	int rc = 0;

	memset(out, 0, sizeof(*out));
	out->screen = (struct format_screen){
		.width = cfg->wide ? SCREEN_UNLIMITED : screen_columns(),
		.wide = cfg->wide,
		.verbose = cfg->verbose,
		.quiet = cfg->quiet,
	};
	for (size_t i = 0; i < formats_n && !rc; i++) {
		const char *path = formats_path(i, cfg);

		if (path)
			rc = formats_all[i]->open(&out->states[i], path, how(cfg));
	}
	return rc;
}

int output_prepare(const struct cfg *cfg)
{
	int rc = 0;

	for (size_t i = 0; i < formats_n && !rc; i++) {
		const char *path = formats_path(i, cfg);

		if (path && formats_all[i]->prepare)
			rc = formats_all[i]->prepare(path, how(cfg));
	}
	return rc;
}

void output_start(struct output *out, const struct format_run *run)
{
	struct format_run shown = *run;

	shown.screen = out->screen;
	for (size_t i = 0; i < formats_n; i++)
		if (out->states[i] && formats_all[i]->start)
			formats_all[i]->start(out->states[i], &shown);
}

void output_endpoint(struct output *out, const struct format_endpoint *endpoint)
{
	for (size_t i = 0; i < formats_n; i++)
		if (out->states[i] && formats_all[i]->endpoint)
			formats_all[i]->endpoint(out->states[i], endpoint);
}

void output_point(struct output *out, const struct point *point, const struct result_detail *detail)
{
	for (size_t i = 0; i < formats_n; i++)
		if (out->states[i] && formats_all[i]->point)
			formats_all[i]->point(out->states[i], point, detail);
}

void output_row(struct output *out, const struct row *row)
{
	for (size_t i = 0; i < formats_n; i++)
		if (out->states[i])
			formats_all[i]->row(out->states[i], row);
}

void output_cell(struct output *out, const struct format_cell *cell)
{
	struct format_cell shown = *cell;

	shown.screen = out->screen;
	for (size_t i = 0; i < formats_n; i++)
		if (out->states[i] && formats_all[i]->cell)
			formats_all[i]->cell(out->states[i], &shown);
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

int output_cell_end(struct output *out)
{
	struct errors errors = { .rc = 0 };

	for (size_t i = 0; i < formats_n; i++) {
		int rc = 0;

		if (out->states[i] && formats_all[i]->cell_end)
			rc = formats_all[i]->cell_end(out->states[i]);
		add_error(&errors, rc);
	}
	return tell(&errors);
}

int output_close(struct output *out, const struct format_end *end)
{
	struct errors errors = { .rc = 0 };

	for (size_t i = 0; i < formats_n; i++) {
		if (!out->states[i])
			continue;
		if (formats_all[i]->end)
			formats_all[i]->end(out->states[i], end);
		add_error(&errors, formats_all[i]->close(out->states[i]));
		out->states[i] = NULL;
	}
	return tell(&errors);
}
