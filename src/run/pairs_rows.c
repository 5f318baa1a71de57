/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the rows of several pairs; see pairs_rows.h. Called by pairs.c. */
#include "config.h"
#include "run/pairs_rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/row_total.h"
#include "util/err.h"
#include "util/log.h"
#include "util/text.h"
#include "worker/result.h"

int pairs_rows_open(struct pairs_rows *all, const char *const *names, uint32_t n)
{
	all->of = calloc(n, sizeof(*all->of));
	if (!all->of)
		return err_set(-ENOMEM, "no memory for the rows of %u pairs", n);
	all->n = n;
	for (uint32_t i = 0; i < n; i++)
		all->of[i].name = names[i];
	return 0;
}

void pairs_rows_close(struct pairs_rows *all)
{
	for (uint32_t i = 0; i < all->n; i++)
		free(all->of[i].rows);
	free(all->of);
	*all = (struct pairs_rows){ .n = 0 };
}

void pairs_rows_name(const struct pairs_rows *all, uint32_t pair, struct row *row)
{
	snprintf(row->pair, ROW_NAME, "%s", all->of[pair].name);
	row->pairs = all->n;
}

void pairs_rows_add(struct pairs_rows *all, uint32_t pair, const struct row *row)
{
	struct pairs_rows_one *one = &all->of[pair];
	struct row *rows = realloc(one->rows, (one->n + 1) * sizeof(*rows));

	if (!rows) {
		one->lost++;
		return;
	}
	one->rows = rows;
	one->rows[one->n] = *row;
	pairs_rows_name(all, pair, &one->rows[one->n]);
	one->n++;
}

void pairs_rows_lacks(struct pairs_rows *all, uint32_t pair, const char *reason)
{
	struct pairs_rows_one *one = &all->of[pair];

	snprintf(one->lacks, sizeof(one->lacks), "%s", one->lost ? "no memory" : reason);
}

/* Of a pair that has no row k: what is measured is that of another pair's row. */
static void put_missing(struct row *row, const struct row *like, const struct pairs_rows_one *one)
{
	row_init(row);
	memcpy(row->kind, like->kind, ROW_NAME);
	memcpy(row->test, like->test, ROW_NAME);
	memcpy(row->transport, like->transport, ROW_NAME);
	memcpy(row->opcode, like->opcode, ROW_NAME);
	memcpy(row->completion, like->completion, ROW_NAME);
	memcpy(row->pattern, like->pattern, ROW_NAME);
	memcpy(row->role, like->role, ROW_NAME);
	memcpy(row->direction, like->direction, ROW_NAME);
	memcpy(row->time, like->time, ROW_NAME);
	memcpy(row->host, like->host, ROW_NAME);
	row->size_bytes = like->size_bytes;
	row->threads = like->threads;
	row->qps = like->qps;
	row->pairs = like->pairs;
	snprintf(row->pair, ROW_NAME, "%s", one->name);
	snprintf(row->status, ROW_NAME, "%s", result_status_names[RESULT_FAILED]);
	text_clean(one->lacks, row->reason, sizeof(row->reason));
}

static const struct row *find_row(const struct pairs_rows *all, uint32_t k)
{
	for (uint32_t i = 0; i < all->n; i++)
		if (k < all->of[i].n)
			return &all->of[i].rows[k];
	return NULL;
}

static void flush_one(const struct pairs_rows *all, uint32_t k, const struct row *like,
		      const struct session_sink *sink)
{
	struct row *rows = calloc(all->n, sizeof(*rows));
	struct row total;

	if (!rows) {
		log_error("no memory for the total of %u pairs", all->n);
		return;
	}
	for (uint32_t i = 0; i < all->n; i++) {
		if (k < all->of[i].n)
			rows[i] = all->of[i].rows[k];
		else
			put_missing(&rows[i], like, &all->of[i]);
		sink->row(sink->arg, &rows[i]);
	}
	row_total(&total, rows, all->n);
	sink->row(sink->arg, &total);
	free(rows);
}

void pairs_rows_flush(struct pairs_rows *all, const struct session_sink *sink)
{
	const struct row *like;

	for (uint32_t k = 0; (like = find_row(all, k)); k++)
		flush_one(all, k, like, sink);
	for (uint32_t i = 0; i < all->n; i++) {
		all->of[i].n = all->of[i].lost = 0;
		all->of[i].lacks[0] = '\0';
	}
}
