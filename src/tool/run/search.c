/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns --find-knee between the decisions of knee.h and the cells of a sweep: what it needs, the
 * cells of its trials, their rows, and what is said at the end; see run_sweep.h.
 */
#include "config.h"
#include "run/run_sweep.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decide/plan.h"
#include "read/axes.h"
#include "row/remark.h"
#include "row/row_build.h"
#include "util/err.h"
#include "util/log.h"

#define SHORT_PART 4      /* a short trial lasts a fourth of a full one, */
#define LEAST_MS 100.0    /* but no shorter than a test can, */
#define SAMPLES 1200.0    /* and long enough for a p99: 1000, and six deviations more */
#define LEAST_PART 0.01   /* the lowest load, of the capacity */

/* ---- the command line */

static int refuse(const char *what, const char *why)
{
	return err_set(-EINVAL, "%s and --find-knee exclude each other: %s", what, why);
}

static int check(const struct run *run, const struct cfg *cell)
{
	const struct cfg *cfg = &run->cfg;
	const struct {
		bool given;
		const char *what, *why;
	} others[] = {
		{ cell->rate_milli != CFG_AUTO64, "--rate", "the search chooses the rates" },
		{ cell->messages != CFG_AUTO64, "-n (--messages)",
		  "trials last as long as --duration says" },
		{ cell->duration_ms == CFG_FOREVER, "-D (--duration) forever", "a trial must end" },
		{ cell->all_sizes, "-a (--all)", "it finds the knee of one size" },
		{ cfg->rounds > 1, "--rounds", "it repeats its trials itself" },
		{ cfg->until, "--until", "it repeats its trials itself" },
		{ cfg->shuffle != CFG_AUTO, "--shuffle", "a trial depends on those before it" },
		{ cfg->resume, "--resume", "a trial depends on those before it" },
		{ run->pairs.n > 1 || run->n_hosts > 1, "several hosts",
		  "it finds the knee of one pair" },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i].given)
			return refuse(others[i].what, others[i].why);
	return 0;
}

/* Would a trial be refused? The cell before it is a closed loop, and does not show it. */
static int check_trial(struct cfg *cfg, char *const *words)
{
	int rc = options_take_hosts(cfg, 1, words);

	cfg->rate_milli = 1000;
	cfg->given.rate_milli = true;
	return rc ? rc : plan_rules(cfg);
}

int search_read(struct run *run)
{
	struct search *search = &run->search;
	struct cell cell;
	int rc;

	*search = (struct search){ .on = run->cfg.find_knee_us != CFG_AUTO };
	if (!search->on)
		return 0;
	if (run->cells.n > 1)
		return err_set(-EINVAL, "--find-knee needs one cell, and the lists or scenarios make %u",
			       run->cells.n);
	cells_get(&run->cells, 0, &cell);
	rc = check(run, &cell.cfg);
	if (!rc)
		rc = check_trial(&cell.cfg, run->argv);
	free(cell.text);
	search->arrives = cell.cfg.given.arrival;
	search->arrival = cell.cfg.arrival;
	search->full_ms = cell.cfg.duration_ms == CFG_AUTO ? PLAN_DURATION_MS :
							    cell.cfg.duration_ms;
	cells_drop(&run->cells.parts[0].axes, CFG_ROW_arrival);
	return rc;
}

/* ---- rows */

/* The sum of both directions has no times of its own. */
static bool is_sum(const struct row *row)
{
	return row->bidir == 1 && row->direction == ROW_BOTH_WAYS;
}

void search_take(struct search *search, const struct row *row)
{
	struct search_seen *seen = &search->seen;

	if (!search->on || row->kind != ROW_KIND_RESULT || is_sum(row))
		return;
	if (!search->begun)
		search->like = *row;
	else
		search->like.arrival = row->arrival;
	seen->saturated |= !!(remark_bits(row->warning_codes) & WARNING_CODES_SATURATED);
	if (search->begun)
		seen->p99_ns = fmax(seen->p99_ns, isnan(row->response_p99_ns) ?
							  INFINITY : row->response_p99_ns);
	else if (!seen->rows || capacity_of_row(row) < seen->capacity_per_s)
		seen->capacity_per_s = capacity_of_row(row);
	/* a trial without a p99 has not met the goal: few messages were sent in its time */
	seen->wrong |= row->status != RESULT_OK ||
		       (!search->begun && !(capacity_of_row(row) > 0));
	seen->rows++;
}

/* ---- trials */

static uint32_t short_ms(const struct search *search, double rate)
{
	const double ms = fmax(fmax(search->full_ms / SHORT_PART, LEAST_MS),
			       ceil(SAMPLES / rate * 1000));

	return ms < search->full_ms ? (uint32_t)ms : search->full_ms;
}

static bool add_trial(struct run *run)
{
	const struct search *search = &run->search;
	struct cells_change changes[3] = { { .row = CFG_ROW_rate_milli },
					   { .row = CFG_ROW_duration_ms },
					   { .row = CFG_ROW_arrival } };
	bool full;
	const double rate = knee_next(&search->knee, &full);

	changes[0].number = (uint64_t)llround(rate * 1000);
	changes[1].number = full ? search->full_ms : short_ms(search, rate);
	changes[2].number = search->arrival;
	changes[2].absent = !search->arrives;
	return !cells_like(&run->cells, 0, changes, 3);
}

/* The capacity is known. False: trials are too short for it. */
static bool begin(struct search *search, double bound_ns, double capacity_per_s)
{
	const double least = SAMPLES * 1000 / search->full_ms;

	search->capacity_per_s = capacity_per_s;
	search->begun = least <= capacity_per_s;
	search->broken = !search->begun;
	if (search->begun)
		knee_begin(&search->knee, bound_ns, capacity_per_s,
			   fmax(least, capacity_per_s * LEAST_PART));
	return search->begun;
}

bool search_next(struct run *run)
{
	struct search *search = &run->search;
	const struct search_seen seen = search->seen;

	if (!search->on || search->broken)
		return false;
	search->seen = (struct search_seen){ .rows = 0 };
	search->broken = seen.wrong || !seen.rows;
	if (search->broken)
		return false;
	if (search->begun)
		knee_take(&search->knee, seen.p99_ns, seen.saturated);
	else if (!begin(search, run->cfg.find_knee_us * 1e3, seen.capacity_per_s))
		return false;
	if (knee_found(&search->knee) != KNEE_SEARCHING)
		return false;
	search->broken = !add_trial(run);
	return !search->broken;
}

/* ---- the end */

#define P99_TEXT 48

/* "2942 us", "6100 us (saturated)"; of a saturated trial it may be unknown. Returns text. */
static const char *p99_text(const struct knee_end *end, char text[P99_TEXT])
{
	const int len = isinf(end->p99_ns) ? snprintf(text, P99_TEXT, "unknown") :
					     snprintf(text, P99_TEXT, "%.1f us", end->p99_ns / 1e3);

	snprintf(text + len, P99_TEXT - (size_t)len, "%s", end->saturated ? " (saturated)" : "");
	return text;
}

static void tell_knee(const struct search *search, FILE *out)
{
	const struct knee *k = &search->knee;
	const double lower = k->lower.rate_per_s;
	char below[P99_TEXT], above[P99_TEXT];

	fprintf(out, "knee: between %.15g and %.15g messages/s (%.4g Gbit/s), p99 %s and %s; bound %g us; %.1f %% of the capacity of a closed loop, %.0f messages/s\n",
		lower, k->upper.rate_per_s, lower * (double)search->like.size_bytes * 8 / 1e9,
		p99_text(&k->lower, below), p99_text(&k->upper, above), k->bound_ns / 1e3,
		lower / search->capacity_per_s * 100, search->capacity_per_s);
}

static enum knee_found found_by(const struct search *search)
{
	return search->begun && !search->broken ? knee_found(&search->knee) : KNEE_SEARCHING;
}

/* Why there is no knee; "": there is one. */
static void put_reason(const struct search *search, char text[ROW_TEXT])
{
	const struct knee *k = &search->knee;
	const enum knee_found found = found_by(search);
	char p99[P99_TEXT];

	text[0] = '\0';
	if (search->broken && !search->begun && search->capacity_per_s > 0)
		snprintf(text, ROW_TEXT, "--duration is too short: at the capacity, %.4g messages/s, a trial needs %.2g s for %g messages",
			 search->capacity_per_s, SAMPLES / search->capacity_per_s, SAMPLES);
	else if (found == KNEE_SEARCHING)
		snprintf(text, ROW_TEXT, "a cell of the search was not measured");
	else if (found == KNEE_NONE)
		snprintf(text, ROW_TEXT, "at the lowest load that is tried, %.15g messages/s, response p99 is %s; bound %g us",
			 k->upper.rate_per_s, p99_text(&k->upper, p99), k->bound_ns / 1e3);
	else if (found == KNEE_CAPACITY)
		snprintf(text, ROW_TEXT, "the capacity is reached first: at %.15g messages/s, that of a closed loop, response p99 is %s; bound %g us",
			 k->lower.rate_per_s, p99_text(&k->lower, p99), k->bound_ns / 1e3);
}

/* An end that was not found has the rate 0. */
static void put_end(const struct knee_end *end, double *rate_per_s, double *p99_ns)
{
	if (!(end->rate_per_s > 0))
		return;
	*rate_per_s = end->rate_per_s;
	*p99_ns = isinf(end->p99_ns) ? NAN : end->p99_ns;
}

bool search_row(const struct search *search, struct row *row)
{
	const struct knee *k = &search->knee;

	if (found_by(search) == KNEE_SEARCHING)
		return false;
	row_init(row);
	for (size_t i = 0; i < axes_n; i++) {
		const struct field *f = rows_field(axes[i].column);

		memcpy((char *)row + f->off, (const char *)&search->like + f->off, f->size);
	}
	row->kind = ROW_KIND_KNEE;
	row_build_time(row->time);
	if (row->bidir == 1)
		row->direction = ROW_BOTH_WAYS;
	put_end(&k->lower, &row->knee_low_per_s, &row->knee_low_p99_ns);
	put_end(&k->upper, &row->knee_high_per_s, &row->knee_high_p99_ns);
	row->knee_bound_ns = k->bound_ns;
	row->knee_capacity_per_s = search->capacity_per_s;
	row->knee_trials = k->trials;
	put_reason(search, row->reason);
	row->status = row->reason[0] ? RESULT_FAILED : RESULT_OK;
	return true;
}

bool search_tell(const struct search *search, FILE *out)
{
	char reason[ROW_TEXT];

	put_reason(search, reason);
	if (reason[0])
		log_error("no knee: %s", reason);
	else
		tell_knee(search, out);
	return !reason[0];
}
