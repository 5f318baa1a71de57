/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the sum of both directions; see row_sum.h. Called by row_build.c. */
#include "config.h"
#include "report/row_sum.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static uint64_t add(uint64_t a, uint64_t b)
{
	return a == ROW_NONE || b == ROW_NONE ? ROW_NONE : a + b;
}

/* What is of one direction only. */
static void clear_direction(struct row *sum)
{
	sum->qp_messages_min = sum->qp_messages_max = ROW_NONE;
	sum->qp_fairness = sum->thread_fairness = NAN;
	sum->thread_rate_min_per_s = sum->thread_rate_max_per_s = NAN;
	sum->messages = sum->bytes = sum->window_messages = sum->window_ns = ROW_NONE;
	sum->start_ns = sum->start_slack_ns = ROW_NONE;
	sum->bandwidth_gbit_s = sum->bandwidth_mib_s = sum->message_rate_per_s = NAN;
	snprintf(sum->direction, ROW_NAME, "both");
}

static void skip(struct row *sum, const char *reason)
{
	if (strcmp(sum->status, result_status_names[RESULT_OK]))
		return; /* the row says already what went wrong */
	snprintf(sum->status, ROW_NAME, "%s", result_status_names[RESULT_SKIPPED]);
	snprintf(sum->reason, ROW_TEXT, "%s", reason);
}

void row_sum(struct row *sum, const struct row *other, const struct row_window windows[2])
{
	const uint64_t messages = add(sum->messages, other->messages);
	const uint64_t bytes = add(sum->bytes, other->bytes);
	const uint64_t in_window = add(sum->window_messages, other->window_messages);
	/* absent: the counts of that direction make no rate */
	const bool rates = !isnan(sum->message_rate_per_s) && !isnan(other->message_rate_per_s);
	struct row_windows_common common;
	const bool one = row_windows_compare(&common, windows, 2);
	char reason[2 * ROW_NAME + 64];

	clear_direction(sum);
	if (strcmp(sum->counted_by, other->counted_by))
		snprintf(sum->counted_by, ROW_NAME, "both");
	sum->sent_messages = add(sum->sent_messages, other->sent_messages);
	sum->received_messages = add(sum->received_messages, other->received_messages);
	sum->lost = add(sum->lost, other->lost);
	sum->duplicated = add(sum->duplicated, other->duplicated);
	sum->out_of_order = add(sum->out_of_order, other->out_of_order);
	if (messages == ROW_NONE || common.start_ns == UINT64_MAX || !rates) {
		skip(sum, "no sum: a direction has no figure");
		return;
	}
	if (!one) {
		snprintf(
			reason, sizeof(reason),
			"no sum: the directions shared %.1f %% of their time, %d %% are needed (run for %.0f s or longer: -D)",
			common.percent, ROW_WINDOWS_PERCENT, row_windows_enough_s(&common));
		skip(sum, reason);
		return;
	}
	sum->messages = messages;
	sum->bytes = bytes;
	sum->window_messages = in_window;
	sum->window_ns = common.union_ns;
	sum->start_ns = common.start_ns;
	sum->start_slack_ns = common.slack_ns;
	row_rates(sum);
}
