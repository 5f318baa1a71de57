/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The axes of a command line, the cells of a run and their order. */
#include "config.h"
#include "sweep/cells.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/label.h"
#include "util/err.h"
#include "util/must.h"

/* What an option of the command line belongs to. */
enum scope {
	SCOPE_CELL,   /* to a cell and its name, if tests take it */
	SCOPE_PLACE,  /* to each cell, but not to its name */
	SCOPE_OUTPUT, /* to the whole sweep */
	SCOPE_SWEEP,  /* the same, and it makes a test a sweep, even without a list */
};

static const enum scope scopes[CFG_OPTIONS] = {
	[CFG_ROW_device] = SCOPE_PLACE,
	[CFG_ROW_peer_device] = SCOPE_PLACE,
	[CFG_ROW_soft] = SCOPE_PLACE,
	[CFG_ROW_tcp_port] = SCOPE_PLACE,
	[CFG_ROW_bind] = SCOPE_PLACE,
	[CFG_ROW_connect_timeout_ms] = SCOPE_PLACE,
	[CFG_ROW_stall_timeout_ms] = SCOPE_PLACE,
#define FORMAT(name, takers, of, text) [CFG_ROW_##name] = SCOPE_OUTPUT,
#define FORMAT_STDOUT(name)
#include "options/formats.def"
	[CFG_ROW_csv_new] = SCOPE_OUTPUT,
	[CFG_ROW_force] = SCOPE_OUTPUT,
	[CFG_ROW_expect] = SCOPE_OUTPUT,
	[CFG_ROW_verbose] = SCOPE_OUTPUT,
	[CFG_ROW_quiet] = SCOPE_OUTPUT,
	[CFG_ROW_wide] = SCOPE_OUTPUT,
	[CFG_ROW_help] = SCOPE_OUTPUT,
	[CFG_ROW_help_all] = SCOPE_OUTPUT,
	[CFG_ROW_version] = SCOPE_OUTPUT,
	[CFG_ROW_confident] = SCOPE_SWEEP,
	[CFG_ROW_rounds] = SCOPE_SWEEP,
	[CFG_ROW_until] = SCOPE_SWEEP,
	[CFG_ROW_max_rounds] = SCOPE_SWEEP,
	[CFG_ROW_find_knee_us] = SCOPE_SWEEP,
	[CFG_ROW_background] = SCOPE_SWEEP,
	[CFG_ROW_shuffle] = SCOPE_SWEEP,
	[CFG_ROW_resume] = SCOPE_SWEEP,
	[CFG_ROW_dry_run] = SCOPE_SWEEP,
};

bool cells_is_outside(enum cfg_row row)
{
	return scopes[row] != SCOPE_CELL;
}

/* Can it have several values? */
static bool is_axis(const struct field *f)
{
	const enum cfg_row row = options_target(f);

	return row == CFG_ROW_tests ||
	       (options_takes(f, OPTIONS_TEST) && scopes[row] == SCOPE_CELL);
}

/* ---- axes */

void cells_axes_free(struct axes *axes)
{
	for (uint32_t i = 0; i < axes->n; i++)
		list_free(&axes->of[i].values);
	free(axes->of);
	*axes = (struct axes){ .n = 0 };
}

struct axis *cells_axis(const struct axes *axes, enum cfg_row row)
{
	for (uint32_t i = 0; i < axes->n; i++)
		if (axes->of[i].row == row)
			return &axes->of[i];
	return NULL;
}

/* Takes over the values. */
static void add_axis(struct axes *axes, enum cfg_row row, const struct list *values)
{
	axes->of = must_realloc(axes->of, (size_t)axes->n + 1, sizeof(*axes->of));
	axes->of[axes->n++] = (struct axis){ .row = row, .values = *values };
}

void cells_add_test(struct axes *axes, enum test test)
{
	struct list one = { .n = 0 };

	if (cells_axis(axes, CFG_ROW_tests))
		return;
	list_add(&one, kind_test_names[test], test);
	add_axis(axes, CFG_ROW_tests, &one);
}

/* ---- the command line */

/* The value of a bool: the next word, if that is a list of on and off. */
static const char *switch_of(struct options_scan *scan, const struct options_word *word)
{
	const char *next = scan->at < scan->argc ? scan->argv[scan->at] : NULL;

	if (scan->letters || word->extra || !next || !list_is_switch(next))
		return NULL;
	options_scan_take(scan);
	return next;
}

/* "--imm=on,off": options_parse() accepts no such value, but it is valid here. */
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

/* The values of an option that may have several. */
static const char *values_of(struct options_scan *scan, struct options_word *word)
{
	const char *given;

	if (word->row->type != FIELD_BOOL)
		return word->value ? word->value : options_word_value(word);
	given = attached(word);
	if (given)
		word->extra = false;
	else
		given = switch_of(scan, word);
	return given ? given : "on";
}

/* A struct options_lists; *word is left with the first value. */
static int take_word(void *arg, struct options_scan *scan, struct options_word *word)
{
	struct axes *axes = arg;
	struct list values;
	const char *text;
	int rc;

	if (!word->row || word->missing || !is_axis(word->row))
		return 0;
	text = values_of(scan, word);
	if (word->extra)
		return 0;
	/* the parser sees no option that is off */
	if (word->row->type == FIELD_BOOL && cells_axis(axes, options_target(word->row)))
		return refuse_twice(word);
	rc = list_read(&values, word, text);
	if (rc)
		return rc;
	add_axis(axes, options_target(word->row), &values);
	if (word->row->type == FIELD_BOOL)
		return !values.numbers[0];
	if (word->value)
		word->value = values.words[0];
	return 0;
}

struct options_lists cells_lists(struct axes *axes)
{
	return (struct options_lists){ take_word, axes };
}

bool cells_are_asked(int argc, char *const *argv)
{
	char **words = must_calloc((size_t)argc + 1, sizeof(*words));
	struct options_scan scan = options_scan_begin(argc, words);
	struct options_word word;
	bool found = false;

	/* the scan moves the operands */
	memcpy(words, argv, (size_t)argc * sizeof(*words));
	while (!found && options_scan_next(&scan, &word)) {
		const char *next = scan.at < argc ? words[scan.at] : NULL;

		if (word.row && scopes[options_target(word.row)] == SCOPE_SWEEP)
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

void cells_drop(struct axes *axes, enum cfg_row row)
{
	struct axis *a = cells_axis(axes, row);

	if (!a)
		return;
	list_free(&a->values);
	axes->n--;
	memmove(a, a + 1, (size_t)(axes->of + axes->n - a) * sizeof(*a));
}

/* Removes options that exclude this one. */
static void drop_others(struct axes *axes, enum cfg_row row)
{
	static const enum cfg_row pairs[][2] = {
		{ CFG_ROW_size_bytes, CFG_ROW_all_sizes },
		{ CFG_ROW_messages, CFG_ROW_duration_ms },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		for (int k = 0; k < 2; k++)
			if (pairs[i][k] == row)
				cells_drop(axes, pairs[i][!k]);
}

void cells_override(struct axes *axes, const struct axes *over)
{
	for (uint32_t i = 0; i < over->n; i++) {
		struct list copy = { .n = 0 };
		struct axis *a;

		drop_others(axes, over->of[i].row);
		for (uint32_t k = 0; k < over->of[i].values.n; k++)
			list_add(&copy, over->of[i].values.words[k],
				 over->of[i].values.numbers[k]);
		a = cells_axis(axes, over->of[i].row);
		if (a) {
			list_free(&a->values);
			a->values = copy;
		} else {
			add_axis(axes, over->of[i].row, &copy);
		}
	}
}

/* ---- cells */

static int refuse_many(void)
{
	return err_set(-EINVAL, "the lists make more than %u cells", LIST_MAX);
}

void cells_begin(struct cells *cells, const struct cfg *cfg)
{
	/* defaults are not refused: tests/unit/test_options */
	if (field_defaults(&options_table, &cells->base))
		err_clear();
	for (size_t i = 0; i < CFG_OPTIONS; i++) {
		const struct field *f = &options_table.rows[i];

		if (scopes[i] != SCOPE_PLACE)
			continue;
		memcpy((char *)&cells->base + f->off, (const char *)cfg + f->off, f->size);
		cells->base.given.rows[i] = cfg->given.rows[i];
	}
	memcpy(cells->base.typed, cfg->typed, sizeof(cfg->typed));
}

int cells_add(struct cells *cells, const char *scenario, struct axes *axes)
{
	struct cells_part part = { .axes = *axes, .first = cells->n };
	uint64_t n = 1;

	if (!cells_axis(axes, CFG_ROW_tests))
		return err_set(-EINVAL, "no test is given: --test send_bw,write_lat,...");
	cells_like_closed(axes);
	for (uint32_t i = 0; i < axes->n && n <= LIST_MAX; i++)
		n *= axes->of[i].values.n;
	if (n > LIST_MAX - cells->n)
		return refuse_many();
	part.n = (uint32_t)n;
	part.scenario = scenario ? must_strdup(scenario) : NULL;
	*axes = (struct axes){ .n = 0 };
	cells->parts = must_realloc(cells->parts, (size_t)cells->n_parts + 1,
				    sizeof(*cells->parts));
	cells->parts[cells->n_parts++] = part;
	cells->n += part.n;
	return 0;
}

uint32_t cells_in_round(const struct cells *cells)
{
	const struct cells_part *last = &cells->parts[cells->n_parts - 1];

	return last->first + last->n;
}

int cells_repeat(struct cells *cells, uint32_t rounds)
{
	if (cells->n > LIST_MAX / rounds)
		return refuse_many();
	cells->n *= rounds;
	return 0;
}

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t next_random(uint64_t *state)
{
	uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* Fisher-Yates. The modulo bias of a 64-bit number is at most 1 in 10^14. */
void cells_shuffle(struct cells *cells, uint32_t seed, bool in_rounds)
{
	uint32_t *order = must_calloc(cells->n, sizeof(*order));
	const uint32_t part = in_rounds ? cells_in_round(cells) : cells->n;
	uint64_t state = seed;

	for (uint32_t i = 0; i < cells->n; i++) {
		const uint32_t first = i / part * part;
		const uint32_t k = first + (uint32_t)(next_random(&state) % (i - first + 1));

		order[i] = order[k];
		order[k] = i;
	}
	free(cells->order);
	cells->order = order;
}

/* ---- one cell */

uint32_t cells_choice(const struct cells *cells, const struct cell *cell, uint32_t axis)
{
	const struct axes *axes = &cell->part->axes;
	uint32_t i = cells->order ? cells->order[cell->index] : cell->index;

	i = i % cells_in_round(cells) - cell->part->first;
	/* the last axis changes fastest */
	for (uint32_t k = axes->n - 1; k > axis; k--)
		i /= axes->of[k].values.n;
	return i % axes->of[axis].values.n;
}

const char *cells_value(const struct cells *cells, const struct cell *cell, uint32_t axis)
{
	return cell->part->axes.of[axis].values.words[cells_choice(cells, cell, axis)];
}

static void set_option(struct cfg *cfg, const struct axis *axis, uint32_t i)
{
	const struct field *f = &options_table.rows[axis->row];
	const uint64_t number = axis->values.numbers[i];

	if (axis->row == CFG_ROW_tests)
		cfg->test = (enum test)number;
	else if (f->type == FIELD_STRING)
		memcpy((char *)cfg + f->off, &axis->values.words[i], sizeof(char *));
	else
		field_set_integer(f, cfg, number);
	cfg->given.rows[axis->row] = axis->row != CFG_ROW_tests &&
				     (f->type != FIELD_BOOL || number);
}

/* Options with a single value are also part of the name. */
static void make_text(const struct cells *cells, struct cell *cell)
{
	const struct axes *axes = &cell->part->axes;

	must_appendf(&cell->text, "%s", kind_test_names[cell->cfg.test]);
	for (size_t row = 0; row < CFG_OPTIONS; row++) {
		const struct field *f = &options_table.rows[row];
		const struct axis *axis = cells_axis(axes, (enum cfg_row)row);
		char name[FIELD_TEXT_MAX];

		if (!axis || !cell->cfg.given.rows[row])
			continue;
		must_appendf(&cell->text, " --%s", field_option(f, name, sizeof(name)));
		if (f->type != FIELD_BOOL)
			must_appendf(&cell->text, " %s",
				     cells_value(cells, cell, (uint32_t)(axis - axes->of)));
	}
}

/* A closed loop beside open ones: no message of it is due. */
static void drop_arrival(struct cell *cell)
{
	const struct axis *arrival = cells_axis(&cell->part->axes, CFG_ROW_arrival);
	struct cfg *cfg = &cell->cfg;

	if (!cfg->given.rate_milli || cfg->rate_milli != CFG_AUTO64 || !arrival ||
	    arrival->values.n > 1)
		return;
	cfg->arrival = ARRIVAL_FIXED;
	cfg->given.arrival = false;
}

void cells_get(const struct cells *cells, uint32_t i, struct cell *cell)
{
	const uint32_t at = cells->order ? cells->order[i] : i;
	const uint32_t in_round = at % cells_in_round(cells);
	uint32_t part = 0;

	while (in_round >= cells->parts[part].first + cells->parts[part].n)
		part++;
	*cell = (struct cell){
		.part = &cells->parts[part], .index = i, .round = at / cells_in_round(cells),
		.in_round = in_round, .cfg = cells->base,
	};
	for (uint32_t k = 0; k < cell->part->axes.n; k++)
		set_option(&cell->cfg, &cell->part->axes.of[k], cells_choice(cells, cell, k));
	drop_arrival(cell);
	make_text(cells, cell);
}

void cells_free(struct cells *cells)
{
	for (uint32_t i = 0; i < cells->n_parts; i++) {
		cells_axes_free(&cells->parts[i].axes);
		free(cells->parts[i].scenario);
	}
	free(cells->parts);
	free(cells->order);
	*cells = (struct cells){ .n = 0 };
}
