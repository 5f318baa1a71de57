/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the comparison of rows with the clauses of a norm; see tables.h. */
#include "config.h"
#include "tables/tables.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "read/axes.h"
#include "sweep/bench_file.h"
#include "util/err.h"
#include "util/must.h"
#include "util/text.h"

#define LABEL 10 /* columns before the text of a clause */

/* What the rules of a clause look at. */
enum of { OF_ROWS, OF_REPEATS, OF_CV };

struct clause {
	const struct bench_clause *text; /* borrowed */
	enum of of;
	struct condition_rules rules;    /* OF_ROWS */
	struct conditions where;         /* the others */
	enum rows_column column;         /* OF_CV */
	double limit;                    /* the least number of repeats; the most percent */
};

struct norm {
	struct bench bench;
	struct clause *clauses;          /* bench.n_clauses */
};

/* ---- the rules */

/* "20 where test == write_lat", "5% where ...". */
static int read_limit(struct clause *c, const char *text)
{
	char *end;

	c->limit = strtod(text, &end);
	if (end == text || !(c->limit > 0))
		return err_set(-EINVAL, "\"%s\": not a number above 0", text);
	end += strspn(end, "% ");
	if (strncmp(end, "where ", 6))
		return err_set(-EINVAL, "\"%s\": \"where\" and conditions are missing", text);
	return condition_parse_all(&c->where, "clause", end + 6);
}

static int read_cv(struct clause *c, const char *text)
{
	char name[64];
	const size_t len = strcspn(text, " ");

	snprintf(name, sizeof(name), "%.*s", (int)len, text);
	c->column = rows_find(name);
	if (c->column == ROWS_COLUMNS || !rows_is_number(c->column))
		return err_set(-EINVAL, "\"%s\" is not a column of numbers", name);
	return read_limit(c, text + len);
}

static int read_rules(struct clause *c)
{
	const char *rules = c->text->rules;

	if (!rules)
		return 0;
	if (!strncmp(rules, "repeats ", 8)) {
		c->of = OF_REPEATS;
		return read_limit(c, rules + 8);
	}
	if (!strncmp(rules, "cv ", 3)) {
		c->of = OF_CV;
		return read_cv(c, rules + 3);
	}
	return condition_rules_parse(&c->rules, "clause", rules);
}

int norm_read(struct norm **norm, const struct cfg *cfg)
{
	const char *scenario = cfg->report_norm;
	struct norm *n;
	char *path = NULL;
	int rc;

	*norm = NULL;
	if (cfg->report_format != REPORT_TEXT || content_has_files(cfg))
		return err_set(-EINVAL, "--norm prints below the tables of text: leave --format, --html and --plot out");
	n = must_calloc(1, sizeof(*n));
	rc = bench_find(scenario, &path);
	if (!rc)
		rc = bench_read(&n->bench, path);
	free(path);
	if (rc) {
		free(n);
		return err_wrap(rc, "--norm");
	}
	*norm = n;
	if (!n->bench.norm || !n->bench.n_clauses)
		return err_set(-EINVAL, "--norm %s: the scenario follows no norm", scenario);
	n->clauses = must_calloc(n->bench.n_clauses, sizeof(*n->clauses));
	for (uint32_t i = 0; i < n->bench.n_clauses && !rc; i++) {
		n->clauses[i].text = &n->bench.clauses[i];
		rc = read_rules(&n->clauses[i]);
		if (rc)
			err_wrap(rc, "%s: clause %s", n->bench.path, n->clauses[i].text->number);
	}
	return rc;
}

void norm_free(struct norm *norm)
{
	for (uint32_t i = 0; norm && norm->clauses && i < norm->bench.n_clauses; i++) {
		condition_rules_free(&norm->clauses[i].rules);
		condition_free_all(&norm->clauses[i].where);
	}
	if (norm) {
		free(norm->clauses);
		bench_free(&norm->bench);
	}
	free(norm);
}

void norm_want(const struct norm *norm, struct rows_query *query)
{
	for (uint32_t i = 0; i < norm->bench.n_clauses; i++) {
		const struct clause *c = &norm->clauses[i];

		condition_rules_want(&c->rules, query);
		condition_want_all(&c->where, query);
		if (c->of == OF_CV)
			axes_want(query, c->column);
	}
}

/* ---- the verdict of a clause */

struct met {
	size_t n, good;     /* rows or lines that it is about, and those that meet it */
	bool missing;       /* a rule is about no row */
};

/* Does the row meet each rule that is about it? of: how many rows each rule is about. */
static void judge_row(const struct clause *c, const struct condition_row *values, size_t *of,
		      struct met *v)
{
	bool selected = false, good = true;

	for (size_t i = 0; i < c->rules.n; i++) {
		if (!condition_hold_all(&c->rules.all[i].where, values))
			continue;
		of[i]++;
		selected = true;
		good &= condition_rule_check(&c->rules.all[i], values) == CONDITION_HOLDS;
	}
	v->n += selected;
	v->good += selected && good;
}

static struct met judge_rows(const struct clause *c, const struct report *r)
{
	size_t *of = must_calloc(c->rules.n, sizeof(*of));
	struct met v = { .n = 0 };

	for (size_t row = 0; row < r->rows.n; row++) {
		const struct report_row one = { .rows = &r->rows, .row = row };
		const struct condition_row values = tables_row(&one);

		judge_row(c, &values, of, &v);
	}
	for (size_t i = 0; i < c->rules.n; i++)
		v.missing |= !of[i];
	free(of);
	return v;
}

/* In percent; NAN: fewer than two values. */
static double variation(const struct spread_values *values)
{
	double sum = 0, squares = 0, mean;

	for (size_t i = 0; i < values->n; i++)
		sum += values->sorted[i];
	mean = sum / (double)values->n;
	for (size_t i = 0; i < values->n; i++)
		squares += (values->sorted[i] - mean) * (values->sorted[i] - mean);
	return values->n < 2 ? NAN : 100 * sqrt(squares / (double)(values->n - 1)) / mean;
}

static bool line_is_good(const struct clause *c, const struct groups *groups, size_t g,
			 const bool *skip)
{
	struct spread_values values;
	double cv;

	if (c->of == OF_REPEATS)
		return groups->begin[g + 1] - groups->begin[g] >= c->limit;
	values = spread_values(groups, g, c->column, skip);
	cv = variation(&values);
	free(values.sorted);
	return cv <= c->limit;
}

static struct met judge_lines(const struct clause *c, const struct report *r,
				  const struct groups *groups)
{
	struct met v = { .n = 0 };

	for (size_t g = 0; g < groups->n; g++) {
		const struct report_row one = { .rows = &r->rows,
						.row = groups->members[groups->begin[g]] };
		const struct condition_row values = tables_row(&one);

		if (!condition_hold_all(&c->where, &values))
			continue;
		v.n++;
		v.good += line_is_good(c, groups, g, r->skip);
	}
	v.missing = !v.n;
	return v;
}

/* ---- */

static void print_clause(FILE *out, const struct clause *c, struct met v, int width)
{
	const char *what = c->of == OF_ROWS ? "row" : "line";
	char *text = NULL;

	fprintf(out, "%-*s", LABEL, c->text->number);
	must_appendf(&text, "%s: ", c->text->text);
	if (!c->text->rules)
		must_appendf(&text, "NOT DONE: %s", c->text->why);
	else if (v.missing)
		must_appendf(&text, "NOT DONE: not measured");
	else if (v.good < v.n)
		must_appendf(&text, "NOT DONE by %zu of %zu %s%s", v.n - v.good, v.n, what,
			     text_plural(v.n));
	else
		must_appendf(&text, "done, %zu %s%s", v.n, what, text_plural(v.n));
	screen_wrap(out, text, (struct screen_place){ LABEL, LABEL, width });
	free(text);
}

void norm_print(FILE *out, const struct report *r, int width)
{
	const struct norm *norm = r->norm;
	struct columns_named swept;
	struct groups groups;

	axes_swept(&r->rows, r->skip, &swept);
	groups_make_some(&groups, &r->rows, r->skip, &swept);
	fprintf(out, "\nclauses of %s:\n", norm->bench.norm);
	for (uint32_t i = 0; i < norm->bench.n_clauses; i++) {
		const struct clause *c = &norm->clauses[i];

		print_clause(out, c, c->of == OF_ROWS ? judge_rows(c, r) :
			     judge_lines(c, r, &groups), width);
	}
	groups_free(&groups);
}
