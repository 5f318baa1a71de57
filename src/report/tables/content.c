/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns what is around the tables of a report: which files, what all rows share, remarks; and the
 * files of --html and --plot. See tables.h. Must not compute.
 */
#include "config.h"
#include "tables/tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "file/out_path.h"
#include "pictures/canvas.h"
#include "read/axes.h"
#include "row/row.h"
#include "util/err.h"
#include "util/log.h"
#include "util/must.h"
#include "util/text.h"

#define LINE_TEXT 1024
#define NAMED_FILES 3 /* more of them are a number */

/* A report that is printed. */
struct printer {
	const struct report *r;
	enum report_format format;
	int width;
	json_t *remarks;  /* of JSON */
	bool any;         /* remark was printed */
};

static const char *clean_path(const char *path, char clean[LINE_TEXT])
{
	return strcmp(path, "-") ? text_clean(path, clean, LINE_TEXT) : "standard input";
}

/* "46 rows of a.csv, b.csv", "46 rows of 12 files". The caller frees it. */
static char *describe_files(const struct report *r)
{
	const struct cfg *cfg = r->cfg;
	char *text = NULL, clean[LINE_TEXT];

	must_appendf(&text, "%zu row%s of ", r->rows.n, r->rows.n == 1 ? "" : "s");
	if (cfg->n_files > NAMED_FILES)
		must_appendf(&text, "%zu files", cfg->n_files);
	for (size_t i = 0; i < cfg->n_files && cfg->n_files <= NAMED_FILES; i++)
		must_appendf(&text, "%s%s", i ? ", " : "", clean_path(cfg->files[i], clean));
	return text;
}

/* "test send_bw, transport RC": the axes of the head that have one value in all rows. NULL: none. */
static char *describe_same(const struct rows *rows)
{
	char *text = NULL;

	for (size_t i = 0; i < axes_n; i++) {
		const enum rows_column column = axes[i].column;
		const uint32_t word = rows_only_word(rows, column);

		if (axes[i].flags & AXES_HEAD && word != WORDS_ABSENT)
			must_appendf(&text, "%s%s %s", text ? ", " : "", rows_field(column)->name,
				     rows_word_value(rows, column, word)->text);
	}
	return text;
}

/* A note may have a text of a row, and so of the peer. */
static void remark(void *arg, const char *note)
{
	struct printer *p = arg;

	switch (p->format) {
	case REPORT_TEXT:
		fputs(p->any ? "" : "\n", stdout);
		screen_wrap(stdout, note, (struct screen_place){ 0, 2, p->width });
		break;
	case REPORT_MARKDOWN:
		fputs("* ", stdout);
		sheet_put_markdown(stdout, note);
		putchar('\n');
		break;
	case REPORT_CSV:
	case REPORT_PROMETHEUS:
		log_note("%s", note);
		break;
	case REPORT_JSON:
		json_array_append_new(p->remarks, json_string(note));
		break;
	}
	p->any = true;
}

/* What was not read as a row of the report, then what the rows themselves say. */
static void print_remarks(struct printer *p)
{
	const struct rows *rows = &p->r->rows;
	char text[LINE_TEXT];

	if (!rows->n && rows->left_out) {
		snprintf(text, sizeof(text), "--where holds for none of %zu rows", rows->left_out);
		remark(p, text);
	} else if (!p->r->n_sheets) {
		remark(p, "no row has one of the quantities");
	}
	if (rows->intervals) {
		snprintf(text, sizeof(text), "%zu rows of intervals are left out", rows->intervals);
		remark(p, text);
	}
	measured_notes(rows, remark, p);
}

/* indent: of the lines behind the first one. */
static void put_paragraph(const struct printer *p, const char *text, int indent)
{
	if (p->format == REPORT_TEXT) {
		screen_wrap(stdout, text, (struct screen_place){ 0, indent, p->width });
		return;
	}
	sheet_put_markdown(stdout, text);
	fputs("\n\n", stdout);
}

/* Lines with '\n' between them; with --expect they have PASS or FAIL. */
static void put_words(struct printer *p)
{
	const struct report *r = p->r;

	if (r->verdicts != VERDICTS_ANY && p->width < screen_line_columns(stdout))
		p->width = screen_line_columns(stdout);
	for (const char *at = r->words; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		char *line = strndup(at, strcspn(at, "\n"));

		if (!line)
			return;
		if (p->r->people)
			put_paragraph(p, line, 2);
		else if (p->format == REPORT_JSON)
			json_array_append_new(p->remarks, json_string(line));
		else
			log_note("%s", line);
		free(line);
	}
}

/* Text and Markdown. */
static void print_people(struct printer *p)
{
	const bool plain = p->format == REPORT_TEXT;
	const char *gap = plain ? "\n" : "";
	char *files = describe_files(p->r), *same = describe_same(&p->r->rows), *all = NULL;

	put_paragraph(p, files, 2);
	must_appendf(&all, plain ? "all: %s" : "All rows: %s", same ? same : "");
	if (same)
		put_paragraph(p, all, 5);
	for (size_t i = 0; i < p->r->n_sheets; i++) {
		fputs(gap, stdout);
		if (plain)
			sheet_print(stdout, &p->r->sheets[i], p->width);
		else
			sheet_print_markdown(stdout, &p->r->sheets[i]);
	}
	if (p->r->words) {
		fputs(gap, stdout);
		put_words(p);
	}
	print_remarks(p);
	free(files);
	free(same);
	free(all);
}

static json_t *same_json(const struct rows *rows)
{
	json_t *json = json_object();

	for (size_t i = 0; i < axes_n; i++) {
		const enum rows_column column = axes[i].column;
		const uint32_t word = rows_only_word(rows, column);
		const struct words_one *one = rows_word_value(rows, column, word);

		if (word != WORDS_ABSENT)
			json_object_set_new(json, rows_field(column)->name,
					    rows_is_number(column) ?
					    sheet_number_json(one->number) :
					    json_string(one->text));
	}
	return json;
}

static int print_json(struct printer *p)
{
	const struct report *r = p->r;
	json_t *json, *files = json_array();
	char clean[LINE_TEXT];
	int rc;

	for (size_t i = 0; i < r->cfg->n_files; i++)
		json_array_append_new(files, json_string(text_clean(r->cfg->files[i], clean,
								    sizeof(clean))));
	p->remarks = json_array();
	put_words(p);
	print_remarks(p);
	json = json_pack("{sIsosososo}", "rows_read", (json_int_t)r->rows.n, "files", files,
			 "same", same_json(&r->rows), "results",
			 r->n_sheets ? sheet_json(&r->sheets[0]) : json_array(),
			 "remarks", p->remarks);
	rc = json_dumpf(json, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(ROW_JSON_DIGITS));
	putchar('\n');
	json_decref(json);
	return rc ? err_set(-ENOMEM, "no memory for the report") : 0;
}

int content_print(const struct report *r, int width)
{
	struct printer p = { .r = r, .format = r->cfg->report_format, .width = width };

	if (p.format == REPORT_JSON)
		return print_json(&p);
	if (r->people) {
		print_people(&p);
		return 0;
	}
	put_words(&p);
	if (r->n_sheets && p.format == REPORT_CSV)
		sheet_print_csv(stdout, &r->sheets[0]);
	else if (r->n_sheets)
		prometheus_print(stdout, r, &r->sheets[0]);
	print_remarks(&p);
	return 0;
}

/* ---- pictures: before anything is read */

static const struct out_replace_kind page_kind = {
	"page of verbench", PAGE_BEGINS, sizeof(PAGE_BEGINS) - 1,
};

static bool ends_with(const char *path, const char *suffix)
{
	const size_t len = strlen(path), n = strlen(suffix);

	return len > n && !strcasecmp(path + len - n, suffix);
}

/* The kind of a file by its name; NULL: a directory. */
static const struct canvas_kind *kind_of(const char *path)
{
	static const struct canvas_kind *const all[] = { &canvas_svg, &canvas_png, &canvas_pdf };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (ends_with(path, all[i]->suffix))
			return all[i];
	return NULL;
}

/* Only a file of the same kind is replaced. */
static int check_picture(const char *path, bool force)
{
	const struct canvas_kind *kind = kind_of(path);
	const struct out_replace_kind replaced = { kind->name, kind->begins, strlen(kind->begins) };

	return out_replace_check(path, &replaced, force);
}

bool content_has_files(const struct cfg *cfg)
{
	return cfg->report_html || cfg->report_plot;
}

static int check_directory(const char *path)
{
	static const char *const others[] = { ".eps", ".jpg", ".jpeg", ".gif", ".html", ".gp" };
	struct stat st;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (ends_with(path, others[i]))
			return err_set(-EINVAL, "--plot %s: pictures are SVG, PNG and PDF files; give a name that ends with .svg, .png or .pdf, or a directory",
				       path);
	if (!stat(path, &st) && !S_ISDIR(st.st_mode))
		return err_set(-EINVAL, "--plot %s: it is a file; give a directory, or a name that ends with .svg, .png or .pdf",
			       path);
	return 0;
}

int content_check_files(const struct cfg *cfg)
{
	int rc = 0;

	if (!cfg->report_y && (cfg->report_x || cfg->report_series))
		return err_set(-EINVAL, "%s needs --y, the quantity of the picture",
			       cfg->report_x ? "--x" : "--series");
	if (cfg->force && !content_has_files(cfg))
		return err_set(-EINVAL, "--force has no effect without a file of --html or --plot");
	if (cfg->report_y && !content_has_files(cfg))
		return err_set(-EINVAL, "--y is for --plot and --html, which say where the picture goes");
	if (cfg->report_html)
		rc = out_replace_check(cfg->report_html, &page_kind, cfg->force);
	if (!rc && cfg->report_plot)
		rc = kind_of(cfg->report_plot) ? check_picture(cfg->report_plot, cfg->force) :
						 check_directory(cfg->report_plot);
	return rc;
}

int content_want_files(struct rows_query *query, struct report *r)
{
	const struct cfg *cfg = r->cfg;
	int rc;

	query->intervals = true;
	plot_choose_want(query);
	page_want(query);
	if (!cfg->report_y)
		return 0;
	rc = plot_choose_read(&r->asked, cfg->report_x, cfg->report_y, cfg->report_series);
	if (!rc)
		plot_choose_want_asked(query, &r->asked);
	return rc;
}

/* ---- pictures: files */

/* --force is for an old report, not for the rows. */
static bool is_read(const struct cfg *cfg, const char *path)
{
	struct out_path out, in;
	bool is = false, found = !out_path_find(&out, path) && S_ISREG(out.st.st_mode);

	for (size_t i = 0; i < cfg->n_files && found && !is; i++) {
		const char *file = cfg->files[i];

		is = !out_path_find(&in, strcmp(file, "-") ? file : "/dev/stdin") &&
		     out_path_same(&out, &in);
		out_path_free(&in);
	}
	out_path_free(&out);
	return is;
}

/* what: of messages, "the page". Frees the text. */
static int write_file(const struct cfg *cfg, const char *path, const char *what, char *text,
		      size_t len)
{
	const bool own = is_read(cfg, path);
	const int rc = own ? 0 : out_replace(path, text, len);

	free(text);
	if (own)
		return err_set(-EINVAL, "write %s to %s: the report reads its rows from this file; give another name",
			       what, path);
	return rc ? err_set(rc, "write %s to %s: %s", what, path, out_path_strerror(rc)) : 0;
}

static int write_page(const struct report *r)
{
	const struct cfg *cfg = r->cfg;
	char *text;
	size_t len;
	FILE *out = must_memstream(&text, &len);
	int rc;

	page_write(out, r);
	must_close(out);
	rc = write_file(cfg, cfg->report_html, "the page", text, len);
	if (!rc && strcmp(cfg->report_html, "-") && !cfg->quiet)
		log_note("the report is in %s", cfg->report_html);
	return rc;
}

/* n pictures in one file. */
static int write_pictures(const struct cfg *cfg, const struct plot *plots, size_t n,
			  const char *path)
{
	char *text;
	size_t len;
	FILE *out = must_memstream(&text, &len);

	plot_file(out, kind_of(path), plots, n);
	must_close(out);
	return write_file(cfg, path, n == 1 ? "a picture" : "the pictures", text, len);
}

static int write_directory(const struct plots *plots, size_t n, const struct cfg *cfg)
{
	int rc = 0;

	if (mkdir(cfg->report_plot, 0777) && errno != EEXIST)
		return err_set(-errno, "cannot create %s: %s", cfg->report_plot, strerror(errno));
	for (size_t i = 0; i < n && !rc; i++) {
		char *path = NULL;

		must_appendf(&path, "%s/%s.svg", cfg->report_plot, plots->all[i].name);
		rc = check_picture(path, cfg->force);
		if (!rc)
			rc = write_pictures(cfg, &plots->all[i], 1, path);
		free(path);
	}
	return rc;
}

/* The first n pictures. left_out: how many more there would be. */
static int write_plots(const struct report *r, size_t n, size_t left_out)
{
	const struct cfg *cfg = r->cfg;
	int rc;

	if (!n && r->matrix)
		return err_set(-EINVAL, "--plot: the picture of the pairs of a mesh is in the page of --html; --y makes others");
	if (!n)
		return err_set(-EINVAL, left_out ? "--plot: the pictures of these rows have too many values or curves; choose rows with --where, or a picture with --y" :
						   "--plot: no setting varies in these rows, so there is nothing to draw");
	rc = kind_of(cfg->report_plot) ? write_pictures(cfg, r->plots.all, n, cfg->report_plot) :
					 write_directory(&r->plots, n, cfg);
	if (rc || cfg->quiet)
		return rc;
	log_note("%zu picture%s in %s", n, n == 1 ? "" : "s", cfg->report_plot);
	if (left_out)
		log_note("%zu more pictures are left out; choose one with --y", left_out);
	return 0;
}

int content_write_files(struct report *r)
{
	const bool asks = r->asked.y.n;
	struct plots *plots = &r->plots;
	int rc = asks ? plot_choose_asked(plots, &r->rows, &r->asked) : 0;
	size_t n = plots->n, left_out = plots->left_out;

	/* those that the user asks for come first, also on the page */
	if (!rc && !r->matrix && (r->cfg->report_html || !asks))
		rc = plot_choose(plots, &r->rows);
	if (!asks) {
		n = plots->n;
		left_out = plots->left_out;
	}
	if (!rc && r->cfg->report_html)
		rc = write_page(r);
	if (!rc && r->cfg->report_plot)
		rc = write_plots(r, n, left_out);
	return rc;
}
