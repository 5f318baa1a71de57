/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Rules of the files of results: what a run does not fill is refused, two cannot share standard
 * output. Changes no value.
 */
#include "config.h"
#include "decide/plan.h"

#include <errno.h>
#include <string.h>

#include "options/label.h"
#include "util/err.h"

/* A format that has an option: formats.def. */
struct format_asked {
	enum cfg_row row;
	const char *path; /* NULL: not asked for */
	bool of_samples;
};

#define FORMAT(name, takers, of, text) +1
#define FORMAT_STDOUT(name)
enum {
	FORMATS = 0
#include "options/formats.def"
};

static void asked(const struct cfg *cfg, struct format_asked formats[FORMATS])
{
	enum { ROWS, SAMPLES };
	const struct format_asked all[FORMATS] = {
#define FORMAT(name, takers, of, text) { CFG_ROW_##name, cfg->name, of == SAMPLES },
#define FORMAT_STDOUT(name)
#include "options/formats.def"
	};

	memcpy(formats, all, sizeof(all));
}

const char *plan_lacks_samples(enum test test)
{
	return kind_test_is_lat(test) ? NULL : "without a latency test: only these have samples";
}

int plan_formats_fill(const struct cfg *cfg, const char *lacks_samples)
{
	struct format_asked formats[FORMATS];
	char label[LABEL_MAX];

	asked(cfg, formats);
	for (size_t i = 0; i < FORMATS && lacks_samples; i++)
		if (formats[i].path && formats[i].of_samples)
			return err_set(-EINVAL, "%s has no effect %s",
				       label_row(cfg, formats[i].row, label), lacks_samples);
	return 0;
}

int plan_formats(const struct cfg *cfg)
{
	struct format_asked formats[FORMATS];
	char label[LABEL_MAX], other[LABEL_MAX];
	const struct format_asked *first = NULL;
	const char *lacks = cfg->host ? plan_lacks_samples(cfg->test) :
					"without a HOST: only a client has samples";
	/* for a report: tables/content.c */
	bool any = cfg->n_files;

	asked(cfg, formats);
	if (cfg->csv_new && !cfg->csv)
		return err_set(-EINVAL, "--csv-new has no effect without --csv FILE");
	if (plan_formats_fill(cfg, lacks))
		return -EINVAL;
	for (size_t i = 0; i < FORMATS; i++)
		any |= formats[i].path != NULL;
	if (cfg->force && !any)
		return err_set(-EINVAL, "--force has no effect without a FILE of results: --csv, --json, --jsonl, --hdr or --dump-samples");
	for (size_t i = 0; i < FORMATS; i++) {
		if (!formats[i].path || strcmp(formats[i].path, "-"))
			continue;
		if (first)
			return err_set(-EINVAL, "%s - and %s - exclude each other: only one of them can go to standard output",
				       label_row(cfg, first->row, other),
				       label_row(cfg, formats[i].row, label));
		first = &formats[i];
	}
	return 0;
}
