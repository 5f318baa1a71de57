/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What several windows have in common, and the sum of both directions; see row_build.h. */
#include "config.h"
#include "row/row_build.h"

#include <math.h>
#include <stdio.h>

/* ---- windows */

static bool is_known(const struct row_window *w)
{
	return w->start_ns != UINT64_MAX && w->slack_ns != UINT64_MAX;
}

/*
 * From the begin of b to the end of a, the least and the most that the slacks allow. The windows
 * have no more in common than the least of all pairs, and span the most of them: each is a bound
 * that one choice of the slacks reaches.
 */
static void span(const struct row_window *a, const struct row_window *b, double *least,
		 double *most)
{
	const double d = (double)a->start_ns + (double)a->window_ns - (double)b->start_ns;
	const bool apart = a->clock != b->clock;

	*least = fmin(*least, d - (apart ? (double)b->slack_ns : 0));
	*most = fmax(*most, d + (apart ? (double)a->slack_ns : 0));
}

bool row_windows_compare(struct row_windows_common *c, const struct row_window *windows,
			 uint32_t n)
{
	double least = INFINITY, most = 0;

	*c = (struct row_windows_common){ .start_ns = n ? 0 : UINT64_MAX };
	for (uint32_t i = 0; i < n; i++) {
		if (!is_known(&windows[i])) {
			*c = (struct row_windows_common){ .start_ns = UINT64_MAX };
			return false;
		}
		for (uint32_t k = 0; k < n; k++)
			span(&windows[i], &windows[k], &least, &most);
		if (windows[i].start_ns > c->start_ns)
			c->start_ns = windows[i].start_ns;
		if (windows[i].slack_ns > c->slack_ns)
			c->slack_ns = windows[i].slack_ns;
	}
	c->common_ns = least > 0 && n ? (uint64_t)least : 0;
	c->union_ns = (uint64_t)most;
	c->percent = most > 0 ? (double)c->common_ns * 100 / most : 0;
	return c->common_ns != 0;
}

struct row_share row_share_of(const struct row *row)
{
	return (struct row_share){
		.messages = row->window_messages,
		.bytes = row->window_bytes != ROW_NONE ? row->window_bytes :
			 row->window_messages * row->size_bytes,
	};
}

bool row_windows_add(struct row *sum, const struct row_share *shares,
		     const struct row_window *windows, uint32_t n)
{
	const bool mixed = sum->direction == ROW_BOTH_WAYS && sum->peer_size_bytes != ROW_NONE;
	struct row_windows_common common;
	double messages = 0, bytes = 0;

	if (!row_windows_compare(&common, windows, n))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const double part = (double)common.common_ns / (double)windows[i].window_ns;

		messages += (double)shares[i].messages * part;
		bytes += (double)shares[i].bytes * part;
	}
	/* so short a time says nothing */
	if (messages < 0.5)
		return false;
	sum->window_messages = (uint64_t)(messages + 0.5);
	sum->window_bytes = mixed ? (uint64_t)(bytes + 0.5) : ROW_NONE;
	sum->window_ns = common.common_ns;
	sum->start_ns = common.start_ns;
	sum->start_slack_ns = common.slack_ns;
	sum->windows_shared_pct = common.percent;
	row_rates(sum);
	row_warn_shared(sum);
	return true;
}

/* ---- the sum */

static uint64_t add(uint64_t a, uint64_t b)
{
	return a == ROW_NONE || b == ROW_NONE ? ROW_NONE : a + b;
}

void row_clear_open(struct row *row)
{
	row->response_mean_ns = row->response_p50_ns = row->response_p99_ns = NAN;
	row->response_p99_9_ns = row->response_p99_99_ns = row->response_max_ns = NAN;
	row->service_mean_ns = row->service_p50_ns = row->service_p99_ns = NAN;
	row->service_p99_9_ns = row->service_p99_99_ns = row->service_max_ns = NAN;
	row->late_p99_ns = row->late_max_ns = NAN;
	row->late_posts = row->intended_messages = ROW_NONE;
	row->unsent_messages = row->backlog_max_messages = ROW_NONE;
}

/* What is of one direction only. */
static void clear_direction(struct row *sum)
{
	sum->qp_messages_min = sum->qp_messages_max = ROW_NONE;
	sum->flow_label_worst[0] = '\0';
	sum->qp_fairness = sum->thread_fairness = NAN;
	sum->thread_rate_min_per_s = sum->thread_rate_max_per_s = NAN;
	sum->messages = sum->bytes = sum->window_messages = sum->window_ns = ROW_NONE;
	sum->start_ns = sum->start_slack_ns = sum->window_at_ns = ROW_NONE;
	sum->slices = sum->slices_outliers_mild = sum->slices_outliers_severe = ROW_NONE;
	sum->slices_first_pct = sum->slices_last_pct = sum->slices_correlation = NAN;
	sum->bandwidth_gbit_s = sum->bandwidth_mib_s = sum->message_rate_per_s = NAN;
	sum->direction = ROW_BOTH_WAYS;
	row_clear_open(sum);
	sum->limiter = (enum row_limiter)UINT32_MAX;
}

static void skip(struct row *sum, const char *reason)
{
	if (sum->status != RESULT_OK)
		return; /* the row says already what went wrong */
	sum->status = RESULT_SKIPPED;
	snprintf(sum->reason, ROW_TEXT, "%s", reason);
}

void row_sum(struct row *sum, const struct row *other, const struct row_window windows[2])
{
	const uint64_t messages = add(sum->messages, other->messages);
	const uint64_t bytes = add(sum->bytes, other->bytes);
	const struct row_share shares[2] = { row_share_of(sum), row_share_of(other) };
	/* absent: the counts of that direction make no rate */
	const bool rates = !isnan(sum->message_rate_per_s) && !isnan(other->message_rate_per_s);

	clear_direction(sum);
	row_warn_other(sum, other);
	if (sum->counted_by != other->counted_by)
		sum->counted_by = ROW_BY_BOTH;
	sum->sent_messages = add(sum->sent_messages, other->sent_messages);
	sum->warm_up_messages = add(sum->warm_up_messages, other->warm_up_messages);
	sum->received_messages = add(sum->received_messages, other->received_messages);
	sum->lost = add(sum->lost, other->lost);
	sum->duplicated = add(sum->duplicated, other->duplicated);
	sum->out_of_order = add(sum->out_of_order, other->out_of_order);
	if (messages == ROW_NONE || !is_known(&windows[0]) || !is_known(&windows[1]) || !rates) {
		skip(sum, "no sum: a direction has no figure");
		return;
	}
	if (!row_windows_add(sum, shares, windows, 2)) {
		skip(sum, "no sum: the directions did not run at the same time");
		return;
	}
	sum->messages = messages;
	sum->bytes = bytes;
}
