/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The line that a server of many clients prints for each plan that it has run: client, test,
 * the main figure or why there is none, and the time. With --verbose it prints tables instead.
 */
#include "config.h"
#include "write/output.h"

#include <inttypes.h>
#include <math.h>

#include "util/clock.h"
#include "util/text.h"

#define CLIENT_TEXT 128
#define TEST_TEXT 128
#define FIGURE_TEXT 128
#define SIZES_TEXT 56
#define LINE_TEXT (CLIENT_TEXT + TEST_TEXT + FIGURE_TEXT + ROW_WHY + 64)

struct session_line {
	FILE *out;
	struct format_screen screen;
	bool started, lat, sums; /* sums: the figures are those of both directions together */
	uint64_t begin_ns;
	char client[CLIENT_TEXT], test[TEST_TEXT];
	uint32_t n_points;
	char sizes[SIZES_TEXT];  /* of the first point */
	/* Gbit/s, the most of all rows; or us, the least median; NAN none */
	double figure;
	char why[ROW_WHY];       /* of the first row that is not ok */
};

static int open_session(void *state, const struct format_file *file)
{
	struct session_line *s = state;

	s->out = file->out;
	s->screen = file->screen;
	s->figure = NAN;
	return 0;
}

/* "64 bytes", or of both sides "64 and 4096 bytes". */
static void put_sizes(struct session_line *s, const struct point *point)
{
	const uint64_t client = point->size_bytes, server = point->server_size_bytes;
	const int len = client == server ? 0 :
			snprintf(s->sizes, sizeof(s->sizes), "%" PRIu64 " and ", client);

	snprintf(s->sizes + len, sizeof(s->sizes) - (size_t)len, "%" PRIu64 " bytes", server);
}

static void take_plan(struct session_line *s, const struct event_plan *run)
{
	const struct plan *p = run->plan;

	s->started = true;
	s->begin_ns = clock_ns();
	s->lat = kind_test_is_lat(p->work.test);
	snprintf(s->client, sizeof(s->client), "%s", run->client ? run->client : run->peer->host);
	snprintf(s->test, sizeof(s->test), "%s %s%s", kind_test_names[p->work.test],
		 kind_transport_names[p->work.kind.tp], p->work.bidir ? " both ways" : "");
	s->sums = p->work.bidir && !s->lat;
	s->n_points = p->n_points;
	put_sizes(s, &p->points[0]);
}

static bool is_ok(const struct row *row)
{
	return row->status == RESULT_OK;
}

static bool is_sum(const struct row *row)
{
	return row->status == RESULT_SKIPPED;
}

static void take_figure(struct session_line *s, const struct row *row)
{
	const double figure = s->lat ? row->lat_p50_ns / 1e3 : row->bandwidth_gbit_s;

	if (isfinite(figure) && (!s->sums || row->direction == ROW_BOTH_WAYS) &&
	    (isnan(s->figure) || (s->lat ? figure < s->figure : figure > s->figure)))
		s->figure = figure;
}

static void note_why(struct session_line *s, const struct row *row)
{
	if (is_ok(row) || is_sum(row) || s->why[0])
		return;
	row_why(row, s->why);
}

static int take(void *state, const struct event *event)
{
	struct session_line *s = state;

	if (event->kind == EVENT_PLAN)
		take_plan(s, event->plan);
	if (event->kind == EVENT_ROW)
		take_figure(s, event->row);
	if (event->kind == EVENT_ROW || event->kind == EVENT_INTERVAL)
		note_why(s, event->row);
	/* the session has logged the error itself */
	if (event->kind == EVENT_END && !s->why[0] && event->end->status)
		snprintf(s->why, sizeof(s->why), "%s", event->end->status);
	return 0;
}

/* Of one point "64 bytes, 9.9 Gbit/s", of several "23 points, at most 9.9 Gbit/s". */
static void put_figure(const struct session_line *s, char *text, size_t size)
{
	const bool one = s->n_points == 1;
	const int len = one ? snprintf(text, size, "%s", s->sizes) :
			      snprintf(text, size, "%u points", s->n_points);

	if (isfinite(s->figure) && s->lat)
		snprintf(text + len, size - (size_t)len, ", %smedian %.3f us",
			 one ? "" : "least ", s->figure);
	else if (isfinite(s->figure))
		snprintf(text + len, size - (size_t)len, ", %s%.4f Gbit/s",
			 one ? "" : "at most ", s->figure);
	else if (s->sums)
		snprintf(text + len, size - (size_t)len, ", no sum of both directions");
}

static void print_line(const struct session_line *s)
{
	char text[LINE_TEXT], figure[FIGURE_TEXT];

	put_figure(s, figure, sizeof(figure));
	snprintf(text, sizeof(text), "%s: %s, %s, %.1f s%s%s", s->client, s->test, figure,
		 (double)(clock_ns() - s->begin_ns) / 1e9, s->why[0] ? ", " : "", s->why);
	screen_wrap(s->out, text, (struct screen_place){ 0, 3, s->screen.width });
}

static int close_session(void *state)
{
	struct session_line *s = state;

	if (s->started && !s->screen.quiet)
		print_line(s);
	fflush(s->out);
	return 0;
}

const struct format format_session = {
	.shows = FORMAT_SHOWS_SESSIONS, .size = sizeof(struct session_line),
	.open = open_session, .take = take, .close = close_session,
};
