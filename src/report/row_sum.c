/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the sum of both directions; see row_sum.h. Called by row_build.c. */
#include "config.h"
#include "report/row_sum.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct interval {
	double from, to;
};

/* late_ns: how much later than the client the server was about to start. */
static struct interval interval_of(const struct row_sum_window *w, double late_ns)
{
	const double from = (double)w->start_ns + (w->side == SIDE_SERVER ? late_ns : 0);

	return (struct interval){ from, from + (double)w->window_ns };
}

/*
 * Lowers *common_ns and raises *union_ns to those of this case. Both are the worst at one end of
 * the slack: the common part is concave in it, the union convex.
 */
static void compare(const struct row_sum_window windows[2], double late_ns, double *common_ns,
		    double *union_ns)
{
	const struct interval a = interval_of(&windows[0], late_ns);
	const struct interval b = interval_of(&windows[1], late_ns);

	*common_ns = fmin(*common_ns, fmax(0, fmin(a.to, b.to) - fmax(a.from, b.from)));
	*union_ns = fmax(*union_ns, fmax(a.to, b.to) - fmin(a.from, b.from));
}

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
	sum->messages = sum->bytes = sum->window_ns = ROW_NONE;
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

void row_sum(struct row *sum, const struct row *other, const struct row_sum_window windows[2],
	     uint64_t slack_ns)
{
	const uint64_t messages = add(sum->messages, other->messages);
	const uint64_t bytes = add(sum->bytes, other->bytes);
	double common_ns = INFINITY, union_ns = 0;
	char reason[ROW_NAME + 64];

	clear_direction(sum);
	if (strcmp(sum->counted_by, other->counted_by))
		snprintf(sum->counted_by, ROW_NAME, "both");
	sum->sent_messages = add(sum->sent_messages, other->sent_messages);
	sum->received_messages = add(sum->received_messages, other->received_messages);
	sum->lost = add(sum->lost, other->lost);
	sum->duplicated = add(sum->duplicated, other->duplicated);
	sum->out_of_order = add(sum->out_of_order, other->out_of_order);
	if (messages == ROW_NONE || windows[0].start_ns == UINT64_MAX ||
	    windows[1].start_ns == UINT64_MAX || slack_ns == UINT64_MAX) {
		skip(sum, "no sum: a direction has no figure");
		return;
	}
	compare(windows, 0, &common_ns, &union_ns);
	compare(windows, (double)slack_ns, &common_ns, &union_ns);
	if (common_ns * 100 < union_ns * SUM_COMMON_PERCENT) {
		snprintf(reason, sizeof(reason),
			 "no sum: the directions shared %.1f %% of their time (run longer: -D)",
			 union_ns > 0 ? common_ns * 100 / union_ns : 0);
		skip(sum, reason);
		return;
	}
	sum->messages = messages;
	sum->bytes = bytes;
	sum->window_ns = (uint64_t)union_ns;
	row_rates(sum);
}
