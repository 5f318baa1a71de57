/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns what is around the tables of a report: which files, what all rows share, remarks. Called by
 * the reports. Must not compute.
 */
#include "config.h"
#include "analysis/print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rows/axes.h"
#include "rows/measured.h"
#include "analysis/sheet_print.h"
#include "report/row.h"
#include "util/err.h"
#include "util/log.h"
#include "util/screen.h"
#include "util/text.h"

#define LINE_TEXT 1024
#define NAMED_FILES 3 /* more of them are a number */

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* "46 rows of a.csv, b.csv", "46 rows of 12 files". */
static const char *describe_files(const struct print *p, char text[LINE_TEXT])
{
	size_t len = (size_t)snprintf(text, LINE_TEXT, "%zu row%s of ", p->rows->n,
				      plural(p->rows->n));
	char clean[LINE_TEXT];

	if (p->n_paths > NAMED_FILES) {
		snprintf(text + len, LINE_TEXT - len, "%zu files", p->n_paths);
		return text;
	}
	for (size_t i = 0; i < p->n_paths && len < LINE_TEXT; i++)
		len += (size_t)snprintf(text + len, LINE_TEXT - len, "%s%s", i ? ", " : "",
					strcmp(p->paths[i], "-") ?
					text_clean(p->paths[i], clean, sizeof(clean)) :
					"standard input");
	return text;
}

/* "test send_bw, transport RC": the axes with these flags that have one value in all rows. */
static const char *describe_same(const struct print *p, unsigned int flags, char text[LINE_TEXT])
{
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < axes_n && len < LINE_TEXT; i++) {
		const enum rows_column column = axes[i].column;
		const uint32_t word = rows_only_word(p->rows, column);

		if ((axes[i].flags & flags) == flags && word != WORDS_ABSENT)
			len += (size_t)snprintf(text + len, LINE_TEXT - len, "%s%s %s",
						len ? ", " : "", rows_field(column)->name,
						rows_word_value(p->rows, column, word)->text);
	}
	return text;
}

struct remarks {
	FILE *out;
	int width;
	bool any;
};

static void remark_line(void *arg, const char *note)
{
	struct remarks *r = arg;

	if (!r->any)
		putc('\n', r->out);
	r->any = true;
	screen_wrap(r->out, note, (struct screen_place){ 0, 2, r->width });
}

/* A note may have a text of a row, and so of the peer. */
static void remark_markdown(void *arg, const char *note)
{
	FILE *out = arg;

	fputs("* ", out);
	sheet_put_markdown(out, note);
	putc('\n', out);
}

static void remark_log(void *arg, const char *note)
{
	(void)arg;
	log_note("%s", note);
}

/* What was not read as a row of the report, then what the rows themselves say. */
static void take_remarks(const struct print *p, void (*take)(void *arg, const char *note),
			 void *arg)
{
	char text[LINE_TEXT];

	if (!p->rows->n && p->rows->left_out) {
		snprintf(text, sizeof(text), "--where holds for none of %zu rows", p->rows->left_out);
		take(arg, text);
	} else if (!p->n_sheets) {
		take(arg, "no row has one of the quantities");
	}
	if (p->rows->intervals) {
		snprintf(text, sizeof(text), "%zu rows of intervals are left out",
			 p->rows->intervals);
		take(arg, text);
	}
	measured_notes(p->rows, take, arg);
}

static void print_words(FILE *out, const struct print *p)
{
	putc('\n', out);
	screen_wrap(out, p->words, (struct screen_place){ 0, 2, p->width });
}

static void print_text(FILE *out, const struct print *p)
{
	struct remarks remarks = { .out = out, .width = p->width };
	char text[LINE_TEXT], line[LINE_TEXT + 64];

	screen_wrap(out, describe_files(p, text), (struct screen_place){ 0, 2, p->width });
	snprintf(line, sizeof(line), "all: %s", describe_same(p, AXES_HEAD, text));
	if (text[0])
		screen_wrap(out, line, (struct screen_place){ 0, 5, p->width });
	for (size_t i = 0; i < p->n_sheets; i++) {
		putc('\n', out);
		sheet_print_text(out, &p->sheets[i], p->width);
	}
	if (p->words[0])
		print_words(out, p);
	take_remarks(p, remark_line, &remarks);
}

static void put_paragraph(FILE *out, const char *label, const char *text)
{
	fputs(label, out);
	sheet_put_markdown(out, text);
	fputs("\n\n", out);
}

static void print_markdown(FILE *out, const struct print *p)
{
	char text[LINE_TEXT];

	put_paragraph(out, "", describe_files(p, text));
	if (describe_same(p, AXES_HEAD, text)[0])
		put_paragraph(out, "All rows: ", text);
	for (size_t i = 0; i < p->n_sheets; i++)
		sheet_print_markdown(out, &p->sheets[i]);
	if (p->words[0])
		put_paragraph(out, "", p->words);
	take_remarks(p, remark_markdown, out);
}

static void append_remark(void *arg, const char *note)
{
	json_array_append_new(arg, json_string(note));
}

/* New reference; NULL: no memory. */
static json_t *same_json(const struct rows *rows)
{
	json_t *json = json_object();

	for (size_t i = 0; i < axes_n && json; i++) {
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

static int print_json(FILE *out, const struct print *p)
{
	json_t *json = json_object(), *files = json_array(), *remarks = json_array();
	char clean[LINE_TEXT];
	int rc = -1;

	for (size_t i = 0; i < p->n_paths; i++)
		json_array_append_new(files, json_string(text_clean(p->paths[i], clean,
								    sizeof(clean))));
	take_remarks(p, append_remark, remarks);
	/* a NULL is refused by the setters, which release it */
	rc = json_object_set_new(json, "rows_read", json_integer((json_int_t)p->rows->n));
	rc |= json_object_set_new(json, "files", files);
	rc |= json_object_set_new(json, "same", same_json(p->rows));
	rc |= json_object_set_new(json, "results", p->n_sheets ? sheet_json(&p->sheets[0]) : json_array());
	rc |= json_object_set_new(json, "remarks", remarks);
	if (!rc)
		rc = json_dumpf(json, out, JSON_INDENT(1) | JSON_REAL_PRECISION(ROW_JSON_DIGITS));
	putc('\n', out);
	json_decref(json);
	return rc ? err_set(-ENOMEM, "no memory for the report") : 0;
}

int print_report(FILE *out, enum report_format format, const struct print *print)
{
	switch (format) {
	case REPORT_TEXT:
		print_text(out, print);
		break;
	case REPORT_MARKDOWN:
		print_markdown(out, print);
		break;
	case REPORT_CSV:
		if (print->words[0])
			log_note("%s", print->words);
		if (print->n_sheets)
			sheet_print_csv(out, &print->sheets[0]);
		take_remarks(print, remark_log, NULL);
		break;
	case REPORT_JSON:
		return print_json(out, print);
	}
	return 0;
}
