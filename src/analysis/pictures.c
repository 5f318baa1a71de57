/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the files of --html and --plot: see pictures.h. Called by report.c. */
#include "config.h"
#include "analysis/pictures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "out/out_path.h"
#include "out/out_replace.h"
#include "plot/gnuplot.h"
#include "plot/plot_choose.h"
#include "plot/plot_gnuplot.h"
#include "util/err.h"
#include "util/log.h"

static const struct out_replace_kind page_kind = {
	"page of verbench", PAGE_BEGINS, sizeof(PAGE_BEGINS) - 1,
};
static const char svg_begins[] = "<?xml", png_begins[] = "\x89PNG\r\n\x1a\n";

static const struct picture_file {
	const char *suffix;
	enum plot_file file;
	struct out_replace_kind kind;
} files[] = {
	{ ".svg", PLOT_SVG, { "SVG file", svg_begins, sizeof(svg_begins) - 1 } },
	{ ".png", PLOT_PNG, { "PNG file", png_begins, sizeof(png_begins) - 1 } },
};

#define N_FILES (sizeof(files) / sizeof(files[0]))

/* NULL: it is a directory. */
static const struct picture_file *file_of(const char *path)
{
	const size_t len = strlen(path);

	for (size_t i = 0; i < N_FILES; i++) {
		const size_t n = strlen(files[i].suffix);

		if (len > n && !strcasecmp(path + len - n, files[i].suffix))
			return &files[i];
	}
	return NULL;
}

/* ---- before */

bool pictures_wanted(const struct cfg *cfg)
{
	return cfg->report_html || cfg->report_plot;
}

static int check_directory(const char *path)
{
	struct stat st;

	if (!stat(path, &st) && !S_ISDIR(st.st_mode))
		return err_set(-EINVAL, "--plot %s: it is a file; give a directory, or a name that ends with .svg or .png",
			       path);
	return 0;
}

int pictures_check(const struct cfg *cfg)
{
	const struct picture_file *file = cfg->report_plot ? file_of(cfg->report_plot) : NULL;
	int rc = 0;

	if (!cfg->report_y && (cfg->report_x || cfg->report_series))
		return err_set(-EINVAL, "%s is for --y, which says what is drawn",
			       cfg->report_x ? "--x" : "--series");
	if (cfg->force && !pictures_wanted(cfg))
		return err_set(-EINVAL, "--force has no effect without a file of --html or --plot");
	if (cfg->report_y && !pictures_wanted(cfg))
		return err_set(-EINVAL, "--y is for --plot and --html, which say where the picture goes");
	if (file && !cfg->report_y)
		return err_set(-EINVAL, "--plot %s: one picture needs --y, which says what is drawn; without --y give a directory for all",
			       cfg->report_plot);
	if (cfg->report_html)
		rc = out_replace_check(cfg->report_html, &page_kind, cfg->force);
	if (!rc && file)
		rc = out_replace_check(cfg->report_plot, &file->kind, cfg->force);
	else if (!rc && cfg->report_plot)
		rc = check_directory(cfg->report_plot);
	return rc;
}

static struct plot_asked asked_of(const struct cfg *cfg)
{
	return (struct plot_asked){ cfg->report_x, cfg->report_y, cfg->report_series };
}

int pictures_want(struct rows_query *query, const struct cfg *cfg)
{
	const struct plot_asked asked = asked_of(cfg);

	query->intervals = true;
	plot_choose_want(query);
	page_want(query);
	return asked.y ? plot_asked_want(query, &asked) : 0;
}

/* ---- gnuplot */

/* Takes the text of a stream of memory. -ENOMEM with an error message. */
static int close_text(FILE *out)
{
	const bool failed = ferror(out);

	return fclose(out) || failed ? err_set(-ENOMEM, "no memory for the report") : 0;
}

static int draw(const struct plot *plot, enum plot_file file, struct gnuplot_out *picture)
{
	char *script = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&script, &len);
	int rc;

	if (!out)
		return err_set(-ENOMEM, "no memory for a picture");
	plot_gnuplot(out, plot, file);
	rc = close_text(out);
	if (!rc)
		rc = gnuplot_run(&(struct gnuplot_job){ script, len, GNUPLOT_SECONDS }, picture);
	free(script);
	return rc;
}

static int write_picture(const struct plot *plot, const struct picture_file *file, const char *path)
{
	struct gnuplot_out picture;
	int rc = draw(plot, file->file, &picture);

	if (rc)
		return rc;
	rc = out_replace(path, picture.text, picture.len);
	free(picture.text);
	return rc ? err_set(rc, "write a picture to %s: %s", path, out_path_strerror(rc)) : 0;
}

static int write_into(const struct plot *plot, const struct picture_file *file,
		      const struct cfg *cfg)
{
	char *path;
	int rc;

	if (asprintf(&path, "%s/%s%s", cfg->report_plot, plot->name, file->suffix) < 0)
		return err_set(-ENOMEM, "no memory for a path");
	rc = out_replace_check(path, &file->kind, cfg->force);
	if (!rc)
		rc = write_picture(plot, file, path);
	free(path);
	return rc;
}

static int write_directory(const struct plots *plots, const struct cfg *cfg)
{
	int rc = 0;

	if (!plots->n)
		return err_set(-EINVAL, "--plot: no setting varies in these rows, so there is nothing to draw");
	if (mkdir(cfg->report_plot, 0777) && errno != EEXIST)
		return err_set(-errno, "cannot create %s: %s", cfg->report_plot, strerror(errno));
	for (size_t i = 0; i < plots->n && !rc; i++)
		for (size_t k = 0; k < N_FILES && !rc; k++)
			rc = write_into(&plots->all[i], &files[k], cfg);
	if (!rc && !cfg->quiet)
		log_note("%zu picture%s in %s", plots->n, plots->n == 1 ? "" : "s",
			 cfg->report_plot);
	if (!rc && plots->left_out)
		log_note("%s%zu more pictures are left out; choose one with --y",
			 plots->more ? "more than " : "", plots->left_out);
	return rc;
}

static int write_plots(const struct plots *plots, const struct cfg *cfg)
{
	const struct picture_file *file = file_of(cfg->report_plot);

	if (!file)
		return write_directory(plots, cfg);
	if (plots->n > 1)
		return err_set(-EINVAL, "--plot %s: these rows give %zu pictures, because more settings vary than one picture can show; give a directory, or choose the curves with --series",
			       cfg->report_plot, plots->n);
	return write_picture(&plots->all[0], file, cfg->report_plot);
}

/* ---- the page */

static int page_text(const struct page *page, char **text, size_t *len)
{
	FILE *out = open_memstream(text, len);
	int rc, closed;

	if (!out)
		return err_set(-ENOMEM, "no memory for the page");
	rc = page_write(out, page);
	closed = close_text(out);
	return rc ? rc : closed;
}

static int write_page(const struct page *page, const char *path)
{
	char *text = NULL;
	size_t len = 0;
	int rc = page_text(page, &text, &len);

	if (!rc) {
		rc = out_replace(path, text, len);
		if (rc)
			err_set(rc, "write the page to %s: %s", path, out_path_strerror(rc));
	}
	free(text);
	return rc;
}

int pictures_write(const struct page *given, const struct cfg *cfg)
{
	const struct plot_asked asked = asked_of(cfg);
	struct page page = *given;
	struct plots plots = { .n = 0 };
	struct plots wanted;
	int rc = asked.y ? plot_asked(&plots, page.rows, &asked) : 0;

	wanted = plots;
	if (!rc && (cfg->report_html || !asked.y))
		rc = plot_choose(&plots, page.rows);
	page.plots = &plots;
	/* the list may have moved */
	wanted.all = plots.all;
	if (!asked.y)
		wanted = plots;
	if (!rc && cfg->report_html)
		rc = write_page(&page, cfg->report_html);
	if (!rc && cfg->report_html && strcmp(cfg->report_html, "-") && !cfg->quiet)
		log_note("the report is in %s", cfg->report_html);
	if (!rc && cfg->report_plot)
		rc = write_plots(&wanted, cfg);
	plot_free(&plots);
	return rc;
}
