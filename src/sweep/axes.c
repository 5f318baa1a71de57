/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns which words of a command line are axes; see axes.h. Called by cells.c and folder run. */
#include "config.h"
#include "sweep/axes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/label.h"
#include "util/err.h"

/* A command line that is read. */
struct reader {
	struct axes *axes;
	struct axes_line *line;
	struct options_scan scan;
};

/* Of the whole sweep. */
static const enum cfg_row outputs[] = {
#define FORMAT(name, text) CFG_ROW_##name,
#define FORMAT_STDOUT(name)
#include "config/formats.def"
	CFG_ROW_csv_new, CFG_ROW_force, CFG_ROW_expect, CFG_ROW_verbose, CFG_ROW_quiet,
	CFG_ROW_wide,
	CFG_ROW_help, CFG_ROW_help_all, CFG_ROW_version,
};

/* The same; each makes a sweep of a test, also without a list. */
static const enum cfg_row sweeps[] = {
	CFG_ROW_rounds, CFG_ROW_shuffle, CFG_ROW_resume, CFG_ROW_dry_run,
};

/* Of each cell, but the same cell is measured with others. */
static const enum cfg_row places[] = {
	CFG_ROW_device, CFG_ROW_peer_device, CFG_ROW_soft, CFG_ROW_tcp_port, CFG_ROW_bind,
	CFG_ROW_connect_timeout_ms, CFG_ROW_stall_timeout_ms,
};

static bool has(const enum cfg_row *rows, size_t n, enum cfg_row row)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i] == row)
			return true;
	return false;
}

static bool makes_sweep(enum cfg_row row)
{
	return has(sweeps, sizeof(sweeps) / sizeof(sweeps[0]), row);
}

static bool is_of_sweep(enum cfg_row row)
{
	return makes_sweep(row) || has(outputs, sizeof(outputs) / sizeof(outputs[0]), row);
}

bool axes_is_outside(enum cfg_row row)
{
	return is_of_sweep(row) || has(places, sizeof(places) / sizeof(places[0]), row);
}

/* The option that an alias stands for, or the option itself. */
static enum cfg_row target_of(const struct field *f)
{
	const struct field *row = options_table.rows;

	while (row->off != f->off || row->flags & FIELD_ALIAS)
		row++;
	return (enum cfg_row)(row - options_table.rows);
}

/* Can it have several values? */
static bool is_axis(const struct field *f)
{
	const enum cfg_row row = target_of(f);

	return row == CFG_ROW_tests ||
	       (options_takes(f, OPTIONS_TEST) && !axes_is_outside(row));
}

/* ---- the line */

static int add_word(struct axes_line *line, char *word)
{
	char **argv = word ? realloc(line->argv, sizeof(*argv) * ((size_t)line->argc + 2)) : NULL;

	if (!argv) {
		free(word);
		return err_set(-ENOMEM, "no memory for a command line");
	}
	argv[line->argc++] = word;
	argv[line->argc] = NULL;
	line->argv = argv;
	return 0;
}

static int add_copy(struct axes_line *line, const char *word)
{
	return add_word(line, strdup(word));
}

/* The option as it was typed, with that value; NULL: without one. */
static int add_option(struct axes_line *line, const struct options_word *word, const char *value)
{
	char label[LABEL_MAX];
	char *text = NULL;
	int rc;

	/* what is wrong with it is said by who parses the line */
	if ((!word->row || word->extra || word->missing) && !word->typed.letter) {
		rc = add_copy(line, word->typed.word);
		return rc || !value || strchr(word->typed.word, '=') ? rc : add_copy(line, value);
	}
	label_typed(&word->typed, label);
	if (!value)
		return add_copy(line, label);
	if (!word->typed.letter)
		return add_word(line, asprintf(&text, "%s=%s", label, value) < 0 ? NULL : text);
	rc = add_copy(line, label);
	return rc ? rc : add_copy(line, value);
}

void axes_line_free(struct axes_line *line)
{
	for (int i = 0; i < line->argc; i++)
		free(line->argv[i]);
	free(line->argv);
	*line = (struct axes_line){ .argc = 0 };
}

/* ---- axes */

void axes_free(struct axes *axes)
{
	for (uint32_t i = 0; i < axes->n; i++)
		list_free(&axes->of[i].values);
	free(axes->of);
	*axes = (struct axes){ .n = 0 };
}

static struct axis *find(const struct axes *axes, enum cfg_row row)
{
	for (uint32_t i = 0; i < axes->n; i++)
		if (axes->of[i].row == row)
			return &axes->of[i];
	return NULL;
}

const struct axis *axes_find(const struct axes *axes, enum cfg_row row)
{
	return find(axes, row);
}

/* Takes the values. */
static int add_axis(struct axes *axes, enum cfg_row row, struct list *values)
{
	struct axis *of = realloc(axes->of, sizeof(*of) * ((size_t)axes->n + 1));

	if (!of) {
		list_free(values);
		return err_set(-ENOMEM, "no memory for an axis");
	}
	of[axes->n++] = (struct axis){ .row = row, .values = *values };
	axes->of = of;
	return 0;
}

int axes_add(struct axes *axes, enum cfg_row row, const char *value)
{
	struct list one = { .n = 0 };
	int rc = list_add(&one, value);

	return rc ? rc : add_axis(axes, row, &one);
}

/* The value of a bool: what follows it, if that is a list of on and off. */
static const char *switch_of(struct reader *r, const struct options_word *word)
{
	const char *next = r->scan.at < r->scan.argc ? r->scan.argv[r->scan.at] : NULL;

	if (r->scan.letters || word->extra || !next || !list_is_switch(next))
		return NULL;
	options_scan_take(&r->scan);
	return next;
}

/* "--imm=on,off": not a value for options_parse(), but one here. */
static const char *attached(const struct options_word *word)
{
	const char *equals = word->extra ? strchr(word->typed.word, '=') : NULL;

	return equals && list_is_switch(equals + 1) ? equals + 1 : NULL;
}

static int refuse_twice(const struct options_word *word)
{
	char label[LABEL_MAX];

	return err_set(-EINVAL, "%s is given twice", label_typed(&word->typed, label));
}

/* An option of a test. A bool whose first value is off is not on the line. */
static int take_axis(struct reader *r, struct options_word *word)
{
	const struct field *row = word->row;
	const bool is_switch = row->type == FIELD_BOOL;
	const char *given = is_switch ? attached(word) : NULL;
	struct list values;
	const char *text = word->value;
	int rc;

	if (given)
		word->extra = false;
	if (word->missing || word->extra)
		return add_option(r->line, word, NULL);
	/* options_parse() does not see one that is off */
	if (is_switch && find(r->axes, target_of(row)))
		return refuse_twice(word);
	if (is_switch && !given)
		given = switch_of(r, word);
	if (is_switch)
		text = given ? given : "on";
	else if (!text)
		text = options_word_value(word);
	rc = list_read(&values, word, text);
	if (!rc)
		rc = add_axis(r->axes, target_of(row), &values);
	if (rc || (is_switch && !strcmp(r->axes->of[r->axes->n - 1].values.words[0], "off")))
		return rc;
	return add_option(r->line, word, word->value && *word->value ?
			  r->axes->of[r->axes->n - 1].values.words[0] : NULL);
}

/* Is it an option of each cell that takes no list? Outputs are those of the whole sweep. */
static bool is_fixed(const struct options_word *word)
{
	return word->row && !word->missing && !word->extra &&
	       options_takes(word->row, OPTIONS_TEST) && !is_of_sweep(target_of(word->row));
}

static int take_word(struct reader *r, struct options_word *word)
{
	if (word->row && is_axis(word->row))
		return take_axis(r, word);
	if (is_fixed(word)) {
		int rc = axes_add(r->axes, target_of(word->row), word->value ? word->value : "on");

		if (rc)
			return rc;
	}
	return add_option(r->line, word, word->value);
}

static char **copy_words(int argc, char *const *argv)
{
	char **words = calloc((size_t)argc + 1, sizeof(*words));

	if (words)
		memcpy(words, argv, (size_t)argc * sizeof(*words));
	return words;
}

static int read_words(struct reader *r)
{
	struct options_word word;
	int rc = add_copy(r->line, r->scan.argv[0]);

	while (!rc && options_scan_next(&r->scan, &word))
		rc = take_word(r, &word);
	if (!rc && r->scan.operands)
		rc = add_copy(r->line, "--");
	for (int i = r->scan.argc - r->scan.operands; i < r->scan.argc && !rc; i++)
		rc = add_copy(r->line, r->scan.argv[i]);
	return rc;
}

int axes_read(struct axes *axes, struct axes_line *line, int argc, char *const *argv)
{
	char **words = copy_words(argc, argv);
	struct reader r = { .axes = axes, .line = line, .scan = options_scan_begin(argc, words) };
	int rc;

	*axes = (struct axes){ .n = 0 };
	*line = (struct axes_line){ .argc = 0 };
	rc = words ? read_words(&r) : err_set(-ENOMEM, "no memory for a command line");
	free(words);
	if (rc) {
		axes_free(axes);
		axes_line_free(line);
	}
	return rc;
}

bool axes_make_sweep(int argc, char *const *argv)
{
	char **words = copy_words(argc, argv);
	struct options_scan scan = options_scan_begin(argc, words);
	struct options_word word;
	bool found = false;

	while (words && !found && options_scan_next(&scan, &word)) {
		const char *next = scan.at < argc ? words[scan.at] : NULL;

		if (word.row && makes_sweep(target_of(word.row)))
			found = true;
		else if (!word.row || !is_axis(word.row))
			continue;
		else if (word.row->type == FIELD_BOOL)
			found = attached(&word) ||
				(next && list_is_switch(next) && strchr(next, ','));
		else
			found = word.value && list_is(word.row, word.value);
	}
	free(words);
	return found;
}

/* ---- overriding */

static void drop_axis(struct axes *axes, enum cfg_row row)
{
	struct axis *a = find(axes, row);

	if (!a)
		return;
	list_free(&a->values);
	axes->n--;
	memmove(a, a + 1, (size_t)(axes->of + axes->n - a) * sizeof(*a));
}

/* What cannot stand beside the option. */
static void drop_others(struct axes *axes, enum cfg_row row)
{
	static const enum cfg_row pairs[][2] = {
		{ CFG_ROW_size_bytes, CFG_ROW_all_sizes },
		{ CFG_ROW_messages, CFG_ROW_duration_ms },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		for (int k = 0; k < 2; k++)
			if (pairs[i][k] == row)
				drop_axis(axes, pairs[i][!k]);
}

int axes_override(struct axes *axes, const struct axes *over)
{
	int rc = 0;

	for (uint32_t i = 0; i < over->n && !rc; i++) {
		struct list copy = { .n = 0 };
		struct axis *a;

		drop_others(axes, over->of[i].row);
		for (uint32_t k = 0; k < over->of[i].values.n && !rc; k++)
			rc = list_add(&copy, over->of[i].values.words[k]);
		a = find(axes, over->of[i].row);
		if (rc) {
			list_free(&copy);
		} else if (a) {
			list_free(&a->values);
			a->values = copy;
		} else {
			rc = add_axis(axes, over->of[i].row, &copy);
		}
	}
	return rc;
}

int axes_count(const struct axes *axes, uint32_t *n)
{
	uint64_t all = 1;

	for (uint32_t i = 0; i < axes->n; i++) {
		all *= axes->of[i].values.n;
		if (all > LIST_MAX)
			return err_set(-EINVAL, "the lists make more than %u cells", LIST_MAX);
	}
	*n = (uint32_t)all;
	return 0;
}
