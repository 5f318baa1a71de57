/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the tables and spellings of a result, used by messages, rows and tables; and the sum of
 * results. Holds no state.
 */
#include "config.h"
#include "worker/result.h"

#include <stdlib.h>
#include <string.h>

const char *const result_status_names[] = {
	[RESULT_OK] = "ok",
	[RESULT_INCOMPLETE] = "incomplete",
	[RESULT_FAILED] = "failed",
	[RESULT_SKIPPED] = "skipped",
	[RESULT_INTERRUPTED] = "interrupted",
	NULL,
};

#define FIELD(type, f, ...) FIELD_ROW(struct result_lat, f, __VA_ARGS__)
static const struct field lat_rows[] = {
#include "worker/result_lat.def"
};

const struct field_table result_lat_table = {
	.what = "latency", .rows = lat_rows, .n = FIELD_COUNT(lat_rows),
};

#define FIELD(type, f, ...) FIELD_ROW(struct result, f, __VA_ARGS__)
#define FIELD_TEXT_ROW(n, f, ...) FIELD_ROW(struct result, f, __VA_ARGS__)
static const struct field rows[] = {
#include "worker/result.def"
};

const struct field_table result_table = {
	.what = "result", .rows = rows, .n = FIELD_COUNT(rows),
};

void result_detail_free(struct result_detail *detail)
{
	free(detail->threads);
	free(detail->sent);
	free(detail->received);
	free(detail->latency);
	free(detail->kept.ticks);
	memset(detail, 0, sizeof(*detail));
}

void result_clear(struct result *r)
{
	memset(r, 0, sizeof(*r));
	field_clear(&result_table, r);
	r->locks = LOCKS_OFF_ALL; /* of no thread yet: FIELD_AND */
}

void result_add(struct result *sum, const struct result *one)
{
	/* failed is worse than incomplete, which other threads are because one failed */
	if (one->status > sum->status) {
		memcpy(sum->reason, one->reason, sizeof(sum->reason));
		memcpy(sum->failure, one->failure, sizeof(sum->failure));
	}
	field_merge(&result_table, sum, one);
}
