/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns which formats are open, and hands rows to them: see output.h. Called by the commands of
 * a client and a server. Must not know any format by name.
 */
#include "config.h"

#include "report/output.h"

#include <string.h>

#include "util/screen.h"

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
			rc = formats_all[i]->open(&out->states[i], path, cfg->adds);
	}
	return rc;
}

int output_prepare(const struct cfg *cfg)
{
	int rc = 0;

	for (size_t i = 0; i < formats_n && !rc; i++) {
		const char *path = formats_path(i, cfg);

		if (path && formats_all[i]->prepare)
			rc = formats_all[i]->prepare(path);
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

int output_close(struct output *out, const char *error)
{
	int first = 0;

	for (size_t i = 0; i < formats_n; i++) {
		int rc;

		if (!out->states[i])
			continue;
		if (error && formats_all[i]->error)
			formats_all[i]->error(out->states[i], error);
		rc = formats_all[i]->close(out->states[i]);
		out->states[i] = NULL;
		first = first ? first : rc;
	}
	return first;
}
