/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the rows of several pairs and their total; see pairs.h. */
#include "config.h"
#include "run/pairs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "row/row_build.h"
#include "util/fairness.h"
#include "util/must.h"
#include "util/text.h"

/* ---- the total: columns, one by one */

static bool same_in_all(const struct field *f, const struct row *rows, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		const char *a = (const char *)&rows[0] + f->off;
		const char *b = (const char *)&rows[i] + f->off;

		if (f->type == FIELD_TEXT ? strcmp(a, b) != 0 : memcmp(a, b, f->size) != 0)
			return false;
	}
	return true;
}

/* Absent if it is absent in one row. */
static void put_sum(struct row *total, const struct field *f, const struct row *rows, uint32_t n)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (field_is_absent(f, &rows[i]))
			return;
		sum += field_integer(f, &rows[i]);
	}
	field_set_integer(f, total, sum);
}

static void put_columns(struct row *total, const struct row *rows, uint32_t n)
{
	for (size_t i = 0; i < row_table.n; i++) {
		const struct field *f = &row_table.rows[i];

		if (f->merge == FIELD_SUM)
			put_sum(total, f, rows, n);
		else if (same_in_all(f, rows, n))
			memcpy((char *)total + f->off, (const char *)&rows[0] + f->off, f->size);
	}
}

/* What is of one pair only, although it may be the same in all. */
static void clear_own(struct row *total)
{
	total->window_ns = total->start_ns = total->start_slack_ns = ROW_NONE;
	total->window_at_ns = ROW_NONE;
	total->bandwidth_gbit_s = total->bandwidth_mib_s = total->message_rate_per_s = NAN;
	total->bandwidth_pct_of_link = total->windows_shared_pct = NAN;
	total->slices = total->slices_outliers_mild = total->slices_outliers_severe = ROW_NONE;
	total->slices_first_pct = total->slices_last_pct = total->slices_correlation = NAN;
	total->qp_messages_min = total->qp_messages_max = ROW_NONE;
	total->flow_label_worst[0] = '\0';
	total->qp_fairness = total->thread_fairness = NAN;
	total->thread_rate_min_per_s = total->thread_rate_max_per_s = NAN;
	total->lat_min_ns = total->lat_max_ns = total->lat_mean_ns = total->lat_stdev_ns = NAN;
	total->lat_p50_ns = total->lat_p90_ns = total->lat_p95_ns = total->lat_p99_ns = NAN;
	total->lat_p99_within_low_ns = total->lat_p99_within_high_ns = NAN;
	total->lat_p99_9_ns = total->lat_p99_99_ns = NAN;
	total->lat_samples = ROW_NONE;
	total->cpus[0] = total->peer_cpus[0] = '\0';
	total->reason[0] = total->warnings[0] = total->warning_codes[0] = '\0';
	total->cpu_wait_pct = total->peer_cpu_wait_pct = NAN;
	row_clear_open(total);
	total->limiter = (enum row_limiter)UINT32_MAX;
}

/* ---- shares */

static void put_shares(struct row *total, const struct row *rows, uint32_t n)
{
	double *rates = must_calloc(n, sizeof(*rates));
	uint32_t slow = 0, fast = 0;
	struct fairness f;

	for (uint32_t i = 0; i < n; i++) {
		rates[i] = rows[i].message_rate_per_s;
		if (!isfinite(rates[i])) {
			free(rates);
			return;
		}
		slow = rates[i] < rates[slow] ? i : slow;
		fast = rates[i] > rates[fast] ? i : fast;
	}
	f = fairness_of(rates, n);
	free(rates);
	total->pair_rate_min_per_s = f.min;
	total->pair_rate_max_per_s = f.max;
	total->pair_fairness = f.index;
	snprintf(total->slowest_pair, ROW_NAME, "%s", rows[slow].pair);
	snprintf(total->fastest_pair, ROW_NAME, "%s", rows[fast].pair);
}

/* ---- figures per message, and of the link */

/* Of the messages that each side's row is per. */
static double per_message(const struct row *rows, uint32_t n, bool peer)
{
	double cpu_ns = 0, messages = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct row *r = &rows[i];
		const uint64_t ns = peer ? r->peer_cpu_ns : r->cpu_ns;
		const double each = peer ? r->peer_cpu_ns_per_msg : r->cpu_ns_per_msg;

		if (ns == ROW_NONE || !(each > 0))
			return NAN;
		cpu_ns += (double)ns;
		messages += (double)ns / each;
	}
	return messages > 0 ? cpu_ns / messages : NAN;
}

static bool same_device(const struct row *a, const struct row *b, bool peer)
{
	if (peer)
		return !strcmp(a->peer_host, b->peer_host) &&
		       !strcmp(a->peer_device, b->peer_device) && a->peer_port == b->peer_port;
	return !strcmp(a->device, b->device) && a->port == b->port;
}

/* Gbit/s that the links of a pair, and of the direction, can carry; NAN: unknown. */
static double capacity(const struct row *row)
{
	return row->bandwidth_gbit_s * 100 / row->bandwidth_pct_of_link;
}

/* The links of one side: that of a device which several pairs use is counted once. */
static double capacity_of_side(const struct row *rows, uint32_t n, bool peer)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		bool counted = false;

		for (uint32_t k = 0; k < i; k++)
			counted |= same_device(&rows[k], &rows[i], peer);
		sum += counted ? 0 : capacity(&rows[i]);
	}
	return sum;
}

static void put_link(struct row *total, const struct row *rows, uint32_t n)
{
	const double own = capacity_of_side(rows, n, false);
	const double peer = capacity_of_side(rows, n, true);

	if (isfinite(own) && isfinite(peer) && own > 0 && peer > 0)
		total->bandwidth_pct_of_link = total->bandwidth_gbit_s * 100 / fmin(own, peer);
}

/* ---- the total */

/* The first row that is not ok, or has no rate; NULL: none. */
static const struct row *find_bad(const struct row *rows, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (rows[i].status != RESULT_OK)
			return &rows[i];
	for (uint32_t i = 0; i < n; i++)
		if (rows[i].start_ns == ROW_NONE || isnan(rows[i].message_rate_per_s))
			return &rows[i];
	return NULL;
}

static bool add_windows(struct row *total, const struct row *rows, uint32_t n)
{
	struct row_window *windows = must_calloc(n, sizeof(*windows));
	struct row_share *shares = must_calloc(n, sizeof(*shares));
	bool added;

	for (uint32_t i = 0; i < n; i++) {
		shares[i] = row_share_of(&rows[i]);
		windows[i] = (struct row_window){
			.start_ns = rows[i].start_ns,
			.window_ns = rows[i].window_ns,
			.slack_ns = rows[i].start_slack_ns,
			/* without slack it is the client's clock, which all have in common */
			.clock = rows[i].start_slack_ns ? i + 1 : 0,
		};
	}
	added = row_windows_add(total, shares, windows, n);
	free(windows);
	free(shares);
	return added;
}

static void put_figures(struct row *total, const struct row *rows, uint32_t n)
{
	const struct row *bad = find_bad(rows, n);
	char reason[ROW_TEXT - 16];

	if (bad && bad->status != RESULT_OK)
		snprintf(reason, sizeof(reason), "pair %s is %s: %.300s", bad->pair,
			 ROW_TEXT_OF(bad, status), bad->reason);
	else if (bad)
		snprintf(reason, sizeof(reason), "pair %s has no figure", bad->pair);
	else if (!add_windows(total, rows, n))
		snprintf(reason, sizeof(reason), "the pairs did not run at the same time");
	else {
		put_link(total, rows, n);
		total->status = RESULT_OK;
		return;
	}
	for (size_t i = 0; i < row_table.n; i++)
		if (row_table.rows[i].merge == FIELD_SUM)
			field_set_integer(&row_table.rows[i], total, ROW_NONE);
	total->status = RESULT_SKIPPED;
	snprintf(total->reason, ROW_TEXT, "no total: %s", reason);
}

void pairs_rows_total(struct row *total, const struct row *rows, uint32_t n)
{
	row_init(total);
	put_columns(total, rows, n);
	clear_own(total);
	/* the last time */
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(rows[i].time, total->time) > 0)
			snprintf(total->time, ROW_NAME, "%s", rows[i].time);
	total->pairs = n;
	total->kind = ROW_KIND_TOTAL;
	snprintf(total->pair, ROW_NAME, "%s", PAIRS_TOTAL);
	total->cpu_ns_per_msg = per_message(rows, n, false);
	total->peer_cpu_ns_per_msg = per_message(rows, n, true);
	put_shares(total, rows, n);
	put_figures(total, rows, n);
}

/* ---- the rows of all pairs */

void pairs_rows_free(struct pairs_rows *all)
{
	for (uint32_t i = 0; i < all->list->n; i++)
		free(all->of[i].rows);
}

void pairs_rows_name(const struct pairs_rows *all, uint32_t pair, struct row *row)
{
	if (all->list->bulk)
		return;
	snprintf(row->pair, ROW_NAME, "%s", all->list->pairs[pair].name);
	row->pairs = all->list->n;
}

void pairs_rows_add(struct pairs_rows *all, uint32_t pair, const struct row *row)
{
	struct pairs_rows_one *one = &all->of[pair];

	one->rows = must_realloc(one->rows, one->n + 1, sizeof(*one->rows));
	one->rows[one->n++] = *row;
}

void pairs_rows_lacks(struct pairs_rows *all, uint32_t pair, const char *reason)
{
	snprintf(all->of[pair].lacks, sizeof(all->of[pair].lacks), "%s", reason);
}

/* Of a pair that has no row k: what is measured is that of another pair's row. */
static void put_missing(struct row *row, const struct row *like, const char *lacks)
{
	row_init(row);
	row->kind = like->kind;
	row->test = like->test;
	row->transport = like->transport;
	row->opcode = like->opcode;
	row->completion = like->completion;
	row->peer_completion = like->peer_completion;
	row->pattern = like->pattern;
	row->role = like->role;
	row->direction = like->direction;
	memcpy(row->time, like->time, ROW_NAME);
	memcpy(row->host, like->host, ROW_NAME);
	row->size_bytes = like->size_bytes;
	row->peer_size_bytes = like->peer_size_bytes;
	row->threads = like->threads;
	row->qps = like->qps;
	row->status = RESULT_FAILED;
	text_clean(lacks, row->reason, sizeof(row->reason));
}

static const struct row *find_row(const struct pairs_rows *all, uint32_t k)
{
	for (uint32_t i = 0; i < all->list->n; i++)
		if (k < all->of[i].n)
			return &all->of[i].rows[k];
	return NULL;
}

static void flush_pairs(struct pairs_rows *all, const struct event_sink *events)
{
	const uint32_t n = all->list->n;
	struct row *rows = must_calloc(n, sizeof(*rows)), total;
	const struct row *like;

	for (uint32_t k = 0; (like = find_row(all, k)); k++) {
		for (uint32_t i = 0; i < n; i++) {
			if (k < all->of[i].n)
				rows[i] = all->of[i].rows[k];
			else
				put_missing(&rows[i], like, all->of[i].lacks);
			pairs_rows_name(all, i, &rows[i]);
			event_tell(events, &(struct event){ EVENT_ROW, .row = &rows[i] });
		}
		pairs_rows_total(&total, rows, n);
		event_tell(events, &(struct event){ EVENT_ROW, .row = &total });
	}
	for (uint32_t i = 0; i < n; i++)
		all->of[i].n = 0;
	free(rows);
}

/* Of the probe the first row is that beside the bulk traffic. */
static void flush_beside(struct pairs_rows *all, const struct event_sink *events)
{
	const struct pairs_rows_one *probe = &all->of[BACKGROUND_PROBE];
	const struct pairs_rows_one *bulk = &all->of[BACKGROUND_BULK];

	if (bulk->n)
		bulk->rows->kind = ROW_KIND_BACKGROUND;
	if (probe->n)
		background_name(all->list->bulk, &probe->rows[0]);
	if (probe->n > 1) {
		background_name(NULL, &probe->rows[1]);
		background_compare(&probe->rows[0], &probe->rows[1], bulk->rows);
	}
	for (uint32_t i = probe->n; i-- > 0;)
		event_tell(events, &(struct event){ EVENT_ROW, .row = &probe->rows[i] });
	if (bulk->n)
		event_tell(events, &(struct event){ EVENT_ROW, .row = bulk->rows });
	all->of[BACKGROUND_PROBE].n = all->of[BACKGROUND_BULK].n = 0;
}

void pairs_rows_flush(struct pairs_rows *all, const struct event_sink *events)
{
	if (all->list->bulk)
		flush_beside(all, events);
	else
		flush_pairs(all, events);
}
