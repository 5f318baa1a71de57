/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Counts what a session has run. */
#include "config.h"
#include "account/account.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "options/kind.h"
#include "copy/copy.h"
#include "row/row.h"
#include "util/text.h"

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

static void note_plan(struct ran_watch *w, const struct event_plan *agreed)
{
	const struct plan *plan = agreed->plan;

	text_clean(agreed->peer->host, w->ran.host, sizeof(w->ran.host));
	note_test(&w->ran, kind_test_names[plan->work.test],
		  kind_transport_names[plan->work.kind.tp]);
	/* of the client, then of the server */
	for (uint32_t i = 0; i < SIDE_COUNT * plan->n_points; i++) {
		const uint64_t bytes = plan_payload_bytes(plan, &plan->points[i / SIDE_COUNT],
							  (enum side)(i % SIDE_COUNT));

		if (!w->sized || bytes < w->ran.size_min)
			w->ran.size_min = bytes;
		w->sized = true;
		if (bytes > w->ran.size_max)
			w->ran.size_max = bytes;
	}
}

static void note_row(struct ran *ran, const struct row *row)
{
	/* the row of both directions of a stream is the sum of rows that are counted already */
	if (row->direction != ROW_BOTH_WAYS || row->pattern != PATTERN_STREAM) {
		ran->messages += row->messages == ROW_NONE ? 0 : row->messages;
		ran->bytes += row->bytes == ROW_NONE ? 0 : row->bytes;
	}
	if (row->status != RESULT_SKIPPED && row->status != RESULT_OK)
		note_reason(ran, row->reason);
	ran->interrupted |= row->status == RESULT_INTERRUPTED;
}

/* Counts an event. Is what is counted told now? */
static bool note(struct ran_watch *w, const struct event *event)
{
	switch (event->kind) {
	case EVENT_BEGIN:
		w->ran.plans++;
		return false;
	case EVENT_CHECKS:
		note_test(&w->ran, "check", "");
		return true;
	case EVENT_PLAN:
		note_plan(w, event->plan);
		return true;
	case EVENT_POINT:
		w->ran.points++;
		return false;
	case EVENT_ROW:
		note_row(&w->ran, event->row);
		return true;
	case EVENT_COPIED:
		note_test(&w->ran, "copy", "");
		w->ran.points++;
		w->ran.bytes += event->copied->file->size_bytes;
		return true;
	case EVENT_ERROR:
		w->ran.interrupted |= event->error->rc == -EINTR;
		note_reason(&w->ran, event->error->text);
		return true;
	default:
		return false;
	}
}

static int watch_event(void *arg, const struct event *event)
{
	struct ran_watch *w = arg;

	/* the next one replaces what cannot be sent now */
	if (note(w, event))
		w->tell(w->arg, &w->ran, MSG_DONTWAIT);
	return event_tell(&w->next, event);
}

struct session_host ran_host(struct ran_watch *watch, const struct session_host *base)
{
	struct session_host host = *base;

	watch->next = base->events;
	host.events = (struct event_sink){ watch_event, watch };
	return host;
}

void ran_end(struct ran_watch *watch, enum session_end end)
{
	watch->ran.ended = true;
	watch->ran.end = end;
	watch->tell(watch->arg, &watch->ran, 0);
}
