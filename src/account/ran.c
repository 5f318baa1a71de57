/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the count of what a session has run; see ran.h. Called by serve_child.c. */
#include "config.h"
#include "account/ran.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "config/kind.h"
#include "copy/copy.h"
#include "report/row.h"
#include "util/text.h"

/* flags: MSG_DONTWAIT for one that the next one replaces. */
static void tell(const struct ran_watch *w, int flags)
{
	char message[1 + sizeof(w->ran)];

	message[0] = 'A';
	memcpy(message + 1, &w->ran, sizeof(w->ran));
	/* a server that is gone keeps no audit */
	if (send(w->fd, message, sizeof(message), MSG_NOSIGNAL | flags) < 0)
		errno = 0;
}

static void note_reason(struct ran *ran, const char *reason)
{
	if (!ran->reason[0] && reason)
		text_clean(reason, ran->reason, sizeof(ran->reason));
}

static void note_test(struct ran *ran, const char *test, const char *transport)
{
	snprintf(ran->test, sizeof(ran->test), "%s", test);
	snprintf(ran->transport, sizeof(ran->transport), "%s", transport);
}

static int watch_begin(void *arg)
{
	struct ran_watch *w = arg;
	int rc = w->base.begin(w->base.arg);

	w->ran.plans += !rc;
	return rc;
}

static int watch_begin_copy(void *arg)
{
	struct ran_watch *w = arg;
	int rc = w->base.begin_copy(w->base.arg);

	w->ran.plans += !rc;
	return rc;
}

static int watch_begin_check(void *arg)
{
	struct ran_watch *w = arg;
	int rc = w->base.begin_check(w->base.arg);

	w->ran.plans += !rc;
	return rc;
}

static void watch_checks(void *arg)
{
	struct ran_watch *w = arg;

	note_test(&w->ran, "check", "");
	tell(w, MSG_DONTWAIT);
	w->base.checks(w->base.arg);
}

static void watch_start(void *arg, const struct format_run *run)
{
	struct ran_watch *w = arg;
	const struct plan *plan = run->plan;

	text_clean(run->peer->host, w->ran.host, sizeof(w->ran.host));
	note_test(&w->ran, kind_test_names[plan->work.test],
		  kind_transport_names[plan->work.kind.tp]);
	for (uint32_t i = 0; i < plan->n_points; i++) {
		const uint64_t bytes = plan_payload_bytes(plan, &plan->points[i]);

		if (!w->sized || bytes < w->ran.size_min)
			w->ran.size_min = bytes;
		w->sized = true;
		if (bytes > w->ran.size_max)
			w->ran.size_max = bytes;
	}
	tell(w, MSG_DONTWAIT);
	w->base.start(w->base.arg, run);
}

static void watch_endpoint(void *arg, const struct format_endpoint *endpoint)
{
	struct ran_watch *w = arg;

	w->base.endpoint(w->base.arg, endpoint);
}

static void watch_point(void *arg, const struct point *point, const struct result_detail *detail)
{
	struct ran_watch *w = arg;

	w->ran.points++;
	w->base.point(w->base.arg, point, detail);
}

static void watch_row(void *arg, const struct row *row)
{
	struct ran_watch *w = arg;
	const bool sum = !strcmp(row->status, result_status_names[RESULT_SKIPPED]);

	/* the row of both directions of a stream is the sum of rows that are counted already */
	if (strcmp(row->direction, "both") || strcmp(row->pattern, "stream")) {
		w->ran.messages += row->messages == ROW_NONE ? 0 : row->messages;
		w->ran.bytes += row->bytes == ROW_NONE ? 0 : row->bytes;
	}
	if (!sum && strcmp(row->status, result_status_names[RESULT_OK]))
		note_reason(&w->ran, row->reason);
	w->ran.interrupted |= !strcmp(row->status, result_status_names[RESULT_INTERRUPTED]);
	tell(w, MSG_DONTWAIT);
	w->base.row(w->base.arg, row);
}

static void watch_interval(void *arg, const struct row *row)
{
	struct ran_watch *w = arg;

	w->base.interval(w->base.arg, row);
}

static void watch_moved(void *arg, uint64_t bytes, uint64_t of_bytes)
{
	struct ran_watch *w = arg;

	w->base.moved(w->base.arg, bytes, of_bytes);
}

static void watch_copied(void *arg, const struct copy_report *report)
{
	struct ran_watch *w = arg;

	note_test(&w->ran, "copy", "");
	w->ran.points++;
	w->ran.bytes += report->file->size_bytes;
	tell(w, MSG_DONTWAIT);
	w->base.copied(w->base.arg, report);
}

static void watch_runs(void *arg, bool begin)
{
	struct ran_watch *w = arg;

	w->base.runs(w->base.arg, begin);
}

static void watch_error(void *arg, int rc, const char *text)
{
	struct ran_watch *w = arg;

	w->ran.interrupted |= rc == -EINTR;
	note_reason(&w->ran, text);
	tell(w, MSG_DONTWAIT);
	w->base.error(w->base.arg, rc, text);
}

static void watch_end(void *arg)
{
	struct ran_watch *w = arg;

	w->base.end(w->base.arg);
}

struct session_sink ran_sink(struct ran_watch *watch, const struct session_sink *base)
{
	watch->base = *base;
	return (struct session_sink){
		.start = watch_start,
		.endpoint = watch_endpoint,
		.point = watch_point,
		.row = watch_row,
		.interval = base->interval ? watch_interval : NULL,
		.by_sender = base->by_sender,
		.moved = watch_moved,
		.copied = watch_copied,
		.begin = watch_begin,
		.begin_copy = watch_begin_copy,
		.begin_check = watch_begin_check,
		.checks = base->checks ? watch_checks : NULL,
		.runs = base->runs ? watch_runs : NULL,
		.budget = base->budget,
		.error = watch_error,
		.end = watch_end,
		.arg = watch,
	};
}

void ran_end(struct ran_watch *watch, enum session_end end)
{
	watch->ran.ended = true;
	watch->ran.end = end;
	tell(watch, 0);
}
