/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns what is printed when, on which side: the order of lines in main() of src/write_bw.c,
 * send_bw.c, read_lat.c, ... of perftest. Called by dropin_main.c and by the sessions. Must not
 * know the format of a line: that is dropin_banner.c, dropin_table.c, dropin_json.c.
 */
#include "config.h"
#include "perftest/dropin_screen.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/err.h"
#include "util/log.h"

static bool is_full(const struct dropin_screen *s)
{
	return s->asked->output == DROPIN_FULL;
}

static bool is_stream(const struct dropin_screen *s)
{
	return s->run.work.pattern == PATTERN_STREAM;
}

/* Does this side see the messages of a test in one direction? */
static bool takes_part(const struct dropin_screen *s)
{
	return s->run.work.role[s->run.side] != ROLE_PASSIVE;
}

/* The target of one-sided latency tests waits for the end, without columns. */
static bool has_columns(const struct dropin_screen *s)
{
	return is_stream(s) || takes_part(s);
}

/*
 * The target of a one-sided test learns the client's result at the end: it prints the last size
 * only.
 */
static bool is_shown(const struct dropin_screen *s)
{
	if (s->run.side == SIDE_SERVER && !takes_part(s))
		return is_stream(s) && s->n_points == s->run.n_points;
	return true;
}

/* check_mtu(): sizes that nobody asked for end at the MTU. */
static void tell_mtu(const struct dropin_screen *s)
{
	const struct cfg *cfg = &s->asked->cfg;

	if (kind_is_datagram(s->run.work.kind.tp) && cfg->size_bytes == CFG_AUTO64 &&
	    (is_stream(s) || cfg->all_sizes))
		fprintf(stderr, " Max msg size in UD is MTU %u\n Changing to this MTU\n",
			s->run.path.mtu_bytes);
}

static void start(void *arg, const struct format_run *run)
{
	struct dropin_screen *s = arg;

	s->run = (struct dropin_run){
		.asked = s->asked,
		.side = run->side,
		.work = run->plan->work,
		.path = run->plan->path,
		.self = *run->self,
		.n_points = run->plan->n_points,
		.messages = run->plan->points[0].messages,
	};
	s->n_points = 0;
	if (!s->started)
		tell_mtu(s);
	if (!s->started && is_full(s))
		dropin_print_settings(stdout, &s->run);
	s->started = true;
	fflush(stdout);
}

static void take_endpoint(void *arg, const struct format_endpoint *endpoint)
{
	struct dropin_screen *s = arg;

	if (!s->connected && is_full(s)) {
		dropin_print_addresses(stdout, &s->run, endpoint);
		fputs(has_columns(s) ? DROPIN_LINE : "", stdout);
		if (has_columns(s))
			dropin_print_heads(stdout, &s->run);
	}
	s->connected = true;
	fflush(stdout);
}

static void take_point(void *arg, const struct point *point, const struct result_detail *detail)
{
	struct dropin_screen *s = arg;

	(void)point;
	(void)detail;
	s->n_rows = 0;
	s->n_points++;
}

/* Of all CPUs of the machine, so that it can be compared; system time is counted, too. */
static double cpu_percent(const struct row *row)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (row->cpu_ns == ROW_NONE || !row->window_ns || row->window_ns == ROW_NONE || cpus < 1)
		return 0;
	return 100.0 * (double)row->cpu_ns / (double)row->window_ns / (double)cpus;
}

static void note_limits(struct dropin_screen *s, const struct dropin_result *r)
{
	const struct dropin_bw bw = dropin_bw(&s->run, r);

	s->bw_reached |= bw.average >= s->asked->limit_bw;
	s->msgrate_reached |= bw.msg_rate >= s->asked->limit_msgrate;
}

static void show(struct dropin_screen *s)
{
	const uint32_t own = s->n_rows == 2 && s->run.side == SIDE_SERVER;
	const struct dropin_result r = {
		.own = &s->rows[own],
		.other = s->n_rows == 2 ? &s->rows[!own] : NULL,
		.cpu_percent = cpu_percent(&s->rows[own]),
	};

	dropin_print_result(stdout, &s->run, &r);
	if (s->asked->report_both && s->n_rows == 2 && !s->asked->cfg.all_sizes && is_full(s))
		dropin_print_both(stdout, &s->run, &r);
	fflush(stdout);
	note_limits(s, &r);
	if (s->asked->json && dropin_write_json(&s->run, &r)) {
		s->failed = true;
		log_error("%s", err_text());
	}
}

static bool has_result(const struct row *row)
{
	return row->messages != ROW_NONE && row->messages && row->window_ns != ROW_NONE;
}

/* Scripts need a number in each column: 0, and here is why. */
static void note_absent(const struct row *row)
{
	if (has_result(row) && isnan(row->message_rate_per_s))
		log_note("%s", row->warnings);
}

/* Behind them there is the sum of both directions. */
static bool has_rows(const struct dropin_screen *s)
{
	return s->n_rows == (s->run.work.bidir ? 2 : 1);
}

static void take_part(struct dropin_screen *s, const struct row *row)
{
	s->rows[s->n_rows++] = *row;
	note_absent(row);
	if (has_rows(s) && is_shown(s) &&
	    (has_result(&s->rows[0]) || !is_stream(s)))
		show(s);
}

/* --run_infinitely: a line each, and none of the whole time. */
static void take_interval(void *arg, const struct row *row)
{
	struct dropin_screen *s = arg;

	if (has_rows(s))
		s->n_rows = 0;
	take_part(s, row);
}

static void take_row(void *arg, const struct row *row)
{
	struct dropin_screen *s = arg;

	if (has_rows(s))
		return;
	if (strcmp(row->status, result_status_names[RESULT_OK])) {
		s->failed = true;
		log_error("%s: %s", row->status, row->reason);
	}
	if (s->asked->forever)
		s->n_rows++;
	else
		take_part(s, row);
}

/* May the session run? The server says so; no output of the options is opened. */
static int begin(void *arg)
{
	const struct dropin_screen *s = arg;

	return s->base.begin_copy(s->base.arg);
}

static void take_error(void *arg, int rc, const char *text)
{
	const struct dropin_screen *s = arg;

	s->base.error(s->base.arg, rc, text);
}

static void end_plan(void *arg)
{
	(void)arg;
}

/* No client of a drop-in server copies files or checks. */
static int begin_other(void *arg)
{
	(void)arg;
	return err_set(-EPERM, "this server runs tests only");
}

struct session_sink dropin_screen_sink(struct dropin_screen *screen,
				       const struct session_sink *base)
{
	if (base)
		screen->base = *base;
	return (struct session_sink){
		.start = start,
		.endpoint = take_endpoint,
		.point = take_point,
		.row = take_row,
		.interval = take_interval,
		.begin = begin,
		.begin_copy = begin_other,
		.begin_check = begin_other,
		.error = take_error,
		.end = end_plan,
		.by_sender = true, /* so that both sides print the same sum */
		.arg = screen,
	};
}

static bool reached(double limit, bool is_reached)
{
	return limit < 0 || is_reached;
}

int dropin_screen_end(struct dropin_screen *s, enum session_end end)
{
	const bool client = s->run.side == SIDE_CLIENT;

	if (s->started && is_full(s) && end == SESSION_MEASURED)
		fputs(DROPIN_LINE, stdout);
	fflush(stdout);
	if (end != SESSION_MEASURED || s->failed)
		return DROPIN_FAILED;
	/* as there, the target of a one-sided test does not judge */
	if (!is_stream(s) || (!client && !takes_part(s)))
		return DROPIN_OK;
	if (!reached(s->asked->limit_bw, s->bw_reached)) {
		fputs("Error: BW result is below bw limit\n", stderr);
		return DROPIN_FAILED;
	}
	if (!reached(s->asked->limit_msgrate, s->msgrate_reached)) {
		fputs("Error: Msg rate  is below msg_rate limit\n", stderr);
		return DROPIN_FAILED;
	}
	return DROPIN_OK;
}
