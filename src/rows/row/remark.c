/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The table of the kinds of warnings, and their sentences; see remark.h. */
#include "config.h"
#include "row/remark.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NUMBER_TEXT 32

/* verbench-row(5) lists the codes: the help of warning_codes in row.def. */
const struct remark remark_kinds[REMARKS] = {
	[AFFINITY_DISPLACED] = {
		.code = "displaced", .before = "a thread ran on another CPU",
		.after = "than it is bound to" },
	[AFFINITY_MOVED] = {
		.code = "moved", .before = "a thread moved to another NUMA node",
		.after = "(--pin binds it)" },
	[AFFINITY_PREEMPTED] = {
		.code = "preempted", .before = "a thread waited", .unit = "%",
		.after = "for a CPU", .own = offsetof(struct row, cpu_wait_pct),
		.peer = offsetof(struct row, peer_cpu_wait_pct), .scale = 1 },
	[AFFINITY_SIBLING_BUSY] = {
		.code = "sibling_busy", .before = "another program used the SMT sibling",
		.after = "of a thread's CPU" },
	[AFFINITY_MEMORY_DISPLACED] = {
		.code = "memory_displaced", .before = "buffers are on another NUMA node",
		.after = "than they should be" },
	[AFFINITY_WARNINGS] = {
		.code = "missed_events", .before = "completion events did not come:",
		.after = "a poll every 20 ms found the completions" },
	[AFFINITY_WARNINGS + 1] = {
		.code = "short_window", .before = "measured for", .unit = "ms,",
		.after = ROW_SHORT_TEXT ": the start counts; -D 1 measures for a second",
		.own = offsetof(struct row, window_ns), .scale = 1e-6 },
	[AFFINITY_WARNINGS + 2] = {
		.code = "above_link", .before = "no rate or no link %: by the counts",
		.after = "it is more than the rate of the link" },
	[AFFINITY_WARNINGS + 3] = {
		.code = "no_gap", .before = "no rate: the receiver saw no two messages arrive;",
		.after = "more messages are needed" },
	[AFFINITY_WARNINGS + 4] = {
		.code = "partly_shared", .before = "the windows of a sum shared", .unit = "%",
		.after = "of their time", .own = offsetof(struct row, windows_shared_pct),
		.scale = 1 },
	[AFFINITY_WARNINGS + 5] = {
		.code = "retransmissions", .before = "a device sent requests again", .unit = "times:",
		.after = "messages were lost on the way",
		.counts = true, .own = offsetof(struct row, retransmissions),
		.peer = offsetof(struct row, peer_retransmissions), .scale = 1 },
	[AFFINITY_WARNINGS + 6] = {
		.code = "saturated", .before = "more messages were due than could be carried:",
		.after = "response times grow with the length of the run" },
	[AFFINITY_WARNINGS + 7] = {
		.code = "unsteady", .before = "not steady: the figure changed while it was measured;",
		.after = "-D 10 shows whether it settles" },
};

const struct remark remark_without_code = {
	.before = "disturbed:", .after = "see the column warnings",
};

static double quantity(const struct row *row, size_t off)
{
	size_t base;
	const struct field *f = off ? field_at(&row_table, off, &base) : NULL;

	if (!f || field_is_absent(f, row))
		return NAN;
	return f->type == FIELD_F64 ? field_real(f, row) : (double)field_integer(f, row);
}

double remark_value(const struct remark *remark, const struct row *row)
{
	return fmax(quantity(row, remark->own), quantity(row, remark->peer)) * remark->scale;
}

void remark_count(struct remark_range *range, double value)
{
	range->rows++;
	if (isnan(value))
		return;
	range->least = range->known && range->least < value ? range->least : value;
	range->most = range->known && range->most > value ? range->most : value;
	range->known++;
}

/* Two digits, and all of a larger number or of a count. */
static const char *number(double v, bool whole, char text[NUMBER_TEXT])
{
	snprintf(text, NUMBER_TEXT, "%.*f", whole ? 0 : v < 0.95 ? 2 : v < 9.95, v);
	return text;
}

const char *remark_numbers(const struct remark_range *range, bool whole, char text[REMARK_NUMBERS])
{
	char least[NUMBER_TEXT], most[NUMBER_TEXT];

	number(range->least, whole, least);
	number(range->most, whole, most);
	if (strcmp(least, most))
		snprintf(text, REMARK_NUMBERS, "%s to %s", least, most);
	else
		snprintf(text, REMARK_NUMBERS, "%s", most);
	return text;
}

static void put_sentence(const struct remark *remark, const struct remark_range *range, char *text,
			 size_t size)
{
	char numbers[REMARK_NUMBERS];

	if (!remark->unit || !range->known)
		snprintf(text, size, "%s %s", remark->before, remark->after);
	else
		snprintf(text, size, "%s %s %s %s", remark->before,
			 remark_numbers(range, remark->counts, numbers), remark->unit,
			 remark->after);
}

const char *remark_text(const struct remark *remark, const struct remark_range *range,
			uint64_t of_rows, char text[REMARK_TEXT])
{
	int len = 0;

	if (of_rows > 1)
		len = snprintf(text, REMARK_TEXT, "%" PRIu64 " of %" PRIu64 " rows: ", range->rows,
			       of_rows);
	put_sentence(remark, range, text + len, REMARK_TEXT - (size_t)len);
	return text;
}

unsigned int remark_bits(const char *codes)
{
	unsigned int bits = 0;

	while (*codes) {
		const size_t len = strcspn(codes, " ");

		for (size_t i = 0; i < REMARKS; i++)
			if (strlen(remark_kinds[i].code) == len &&
			    !strncmp(remark_kinds[i].code, codes, len))
				bits |= 1u << i;
		codes += len;
		codes += strspn(codes, " ");
	}
	return bits;
}
