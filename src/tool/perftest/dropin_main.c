/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the drop-in programs: with a host the client, without one a server for one client; and what
 * is printed when, on which side: the order of lines in main() of src/write_bw.c, send_bw.c,
 * read_lat.c, ... of perftest. Must not know the format of a result: that is dropin_print.c.
 */
#include "config.h"
#include "perftest/dropin.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agree/session.h"
#include "frame/command.h"
#include "serve/serve.h"
#include "util/err.h"
#include "util/log.h"
#include "util/signals.h"

/* The exit status of perftest's programs where nothing failed, and of all else. */
enum { DROPIN_OK, DROPIN_FAILED };

/* What is printed of a session, in place of the outputs of the options. A process has one. */
struct screen {
	const struct dropin *asked; /* set this, zero the others */
	struct session_host base;   /* of a server: whom it asks, and how it logs */
	struct dropin_run run;      /* of the plan that runs */
	bool started;               /* settings are printed */
	bool connected;             /* addresses and heads are printed */
	bool failed;                /* something was not written, or a row was not ok */
	bool bw_reached, msgrate_reached; /* a row was not below the limit */
	uint32_t n_rows;            /* of this point */
	uint32_t n_points;          /* of this plan, that have ended */
	struct row rows[2];         /* of this point: client's requests, server's */
};

static bool is_full(const struct screen *s)
{
	return s->asked->output == DROPIN_FULL;
}

static bool is_stream(const struct screen *s)
{
	return s->run.work.pattern == PATTERN_STREAM;
}

/* Does this side see the messages of a test in one direction? */
static bool takes_part(const struct screen *s)
{
	return s->run.work.role[s->run.side] != ROLE_PASSIVE;
}

/* The target of one-sided latency tests waits for the end, without columns. */
static bool has_columns(const struct screen *s)
{
	return is_stream(s) || takes_part(s);
}

/*
 * The target of a one-sided test learns the client's result at the end: it prints the last size
 * only.
 */
static bool is_shown(const struct screen *s)
{
	if (!takes_part(s))
		return is_stream(s) && s->n_points == s->run.n_points;
	return true;
}

/* check_mtu(): sizes that nobody asked for end at the MTU. */
static void tell_mtu(const struct screen *s)
{
	const struct cfg *cfg = &s->asked->cfg;

	if (kind_is_datagram(s->run.work.kind.tp) && cfg->size_bytes == CFG_AUTO64 &&
	    (is_stream(s) || cfg->all_sizes))
		fprintf(stderr, " Max msg size in UD is MTU %u\n Changing to this MTU\n",
			s->run.path.mtu_bytes);
}

static void take_plan(struct screen *s, const struct event_plan *run)
{
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

static void take_endpoint(struct screen *s, const struct event_endpoint *endpoint)
{
	if (!s->connected && is_full(s)) {
		dropin_print_addresses(stdout, &s->run, endpoint);
		fputs(has_columns(s) ? DROPIN_LINE : "", stdout);
		if (has_columns(s))
			dropin_print_heads(stdout, &s->run);
	}
	s->connected = true;
	fflush(stdout);
}

/* Of all CPUs of the machine, so that it can be compared; system time is counted, too. */
static double cpu_percent(const struct row *row)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (row->cpu_ns == ROW_NONE || !row->window_ns || row->window_ns == ROW_NONE || cpus < 1)
		return 0;
	return 100.0 * (double)row->cpu_ns / (double)row->window_ns / (double)cpus;
}

static void show(struct screen *s)
{
	const uint32_t own = s->n_rows == 2 && s->run.side == SIDE_SERVER;
	const struct dropin_result r = {
		.own = &s->rows[own],
		.other = s->n_rows == 2 ? &s->rows[!own] : NULL,
		.cpu_percent = cpu_percent(&s->rows[own]),
	};
	const struct dropin_bw bw = dropin_bw(&s->run, &r);

	dropin_print_result(stdout, &s->run, &r);
	if (s->asked->report_both && s->n_rows == 2 && !s->asked->cfg.all_sizes && is_full(s))
		dropin_print_both(stdout, &s->run, &r);
	fflush(stdout);
	s->bw_reached |= bw.average >= s->asked->limit_bw;
	s->msgrate_reached |= bw.msg_rate >= s->asked->limit_msgrate;
	if (s->asked->json && dropin_print_json(&s->run, &r)) {
		s->failed = true;
		log_error("%s", err_text());
	}
}

static bool has_result(const struct row *row)
{
	return row->messages != ROW_NONE && row->messages && row->window_ns != ROW_NONE;
}

/* Behind them there is the sum of both directions. */
static bool has_rows(const struct screen *s)
{
	return s->n_rows == (s->run.work.bidir ? 2 : 1);
}

static void take_part(struct screen *s, const struct row *row)
{
	s->rows[s->n_rows++] = *row;
	/* scripts need a number in each column: 0, and here is why */
	if (has_result(row) && isnan(row->message_rate_per_s))
		log_note("%s", row->warnings);
	if (has_rows(s) && is_shown(s) &&
	    (has_result(&s->rows[0]) || !is_stream(s)))
		show(s);
}

static void take_row(struct screen *s, const struct row *row)
{
	if (has_rows(s))
		return;
	if (row->status != RESULT_OK) {
		s->failed = true;
		log_error("%s: %s", ROW_TEXT_OF(row, status), row->reason);
	}
	if (s->asked->forever)
		s->n_rows++;
	else
		take_part(s, row);
}

/*
 * May the session run? The server says so; no output of the options is opened. No client of a
 * drop-in server copies files or checks.
 */
static int begin(void *arg, enum session_asked what)
{
	const struct screen *s = arg;

	if (what != ASKED_PLAN)
		return err_set(-EPERM, "this server runs tests only");
	return s->base.begin(s->base.arg, ASKED_OTHER);
}

static int take(void *arg, const struct event *event)
{
	struct screen *s = arg;

	switch (event->kind) {
	case EVENT_PLAN:
		take_plan(s, event->plan);
		break;
	case EVENT_ENDPOINT:
		take_endpoint(s, event->endpoint);
		break;
	case EVENT_INTERVAL:
		/* --run_infinitely: a line each, and none of the whole time */
		if (has_rows(s))
			s->n_rows = 0;
		take_part(s, event->row);
		break;
	case EVENT_POINT:
		s->n_rows = 0;
		s->n_points++;
		break;
	case EVENT_ROW:
		take_row(s, event->row);
		break;
	case EVENT_ERROR:
		return event_tell(&s->base.events, event);
	default:
		break;
	}
	return 0;
}

/* The host of a session. base: of a server, else NULL. arg: the screen, borrowed. */
static struct session_host host_of(void *arg, const struct session_host *base)
{
	struct screen *screen = arg;

	if (base)
		screen->base = *base;
	return (struct session_host){
		.events = { take, screen },
		.begin = begin,
		.by_sender = true, /* so that both sides print the same sum */
		.arg = screen,
	};
}

/*
 * After the last plan of a session: the last line, and whether limits were reached, with an error
 * line for each that was not. Returns the exit status.
 */
static int end_of(void *arg, enum session_end end)
{
	const struct screen *s = arg;

	if (s->started && is_full(s) && end == SESSION_MEASURED)
		fputs(DROPIN_LINE, stdout);
	fflush(stdout);
	if (end != SESSION_MEASURED || s->failed)
		return DROPIN_FAILED;
	/* as there, the target of a one-sided test does not judge */
	if (!is_stream(s) || !takes_part(s))
		return DROPIN_OK;
	if (s->asked->limit_bw >= 0 && !s->bw_reached) {
		fputs("Error: BW result is below bw limit\n", stderr);
		return DROPIN_FAILED;
	}
	if (s->asked->limit_msgrate >= 0 && !s->msgrate_reached) {
		fputs("Error: Msg rate  is below msg_rate limit\n", stderr);
		return DROPIN_FAILED;
	}
	return DROPIN_OK;
}

/* ---- programs */

bool dropin_find(const char *program, enum test *test)
{
	for (uint32_t i = 0; kind_test_names[i]; i++) {
		if (strncmp(program, "ib_", 3) || strcmp(program + 3, kind_test_names[i]))
			continue;
		*test = (enum test)i;
		return true;
	}
	return false;
}

/* What perftest warns of on standard output while it reads its options. */
static void print_warnings(const struct dropin *d)
{
	const bool stream = !kind_test_is_lat(d->cfg.test);

	if (stream && d->cfg.post_list > 1 &&
	    (d->cfg.signal_interval == CFG_AUTO || d->cfg.signal_interval == d->cfg.post_list))
		fputs(DROPIN_LINE "Post List requested - CQ moderation will be the size of the post list\n",
		      stdout);
}

/* --wait_destroy; a signal of the user ends it. */
static void wait_destroy(const struct dropin *d)
{
	struct pollfd p = { .fd = signals_fd(), .events = POLLIN };

	if (d->wait_destroy_s && d->wait_destroy_s <= 86400)
		(void)poll(&p, 1, (int)d->wait_destroy_s * 1000);
}

static void print_waiting(const struct screen *screen)
{
	if (is_full(screen))
		fputs("\n************************************\n"
		      "* Waiting for client to connect... *\n"
		      "************************************\n", stdout);
	fflush(stdout);
}

/* Perftest then takes the side with a host for the server; with -b that is all it does. */
static bool is_reversed(const struct dropin *d)
{
	return d->cfg.typed[CFG_ROW_reverse].word != NULL;
}

static void waits(void *arg)
{
	const struct screen *screen = arg;

	if (!is_reversed(screen->asked))
		print_waiting(screen);
}

static int measure(const struct dropin *d, struct screen *screen)
{
	const struct session_host host = host_of(screen, NULL);
	enum session_end end;
	struct session *session;
	int rc = early_client(&d->cfg, &end);

	if (rc) {
		command_error(&d->cfg);
		return DROPIN_FAILED;
	}
	if (is_reversed(d))
		print_waiting(screen);
	rc = session_open(&session, &d->cfg, &host);
	if (rc) {
		command_error(&d->cfg);
		if (rc != -EPROTOTYPE)
			fprintf(stderr, "Couldn't connect to %s:%u\n Unable to init the socket connection\n",
				d->cfg.host, d->cfg.tcp_port);
		return DROPIN_FAILED;
	}
	rc = session_run(session, &d->cfg, &host, &end);
	if (rc)
		command_error(&d->cfg);
	wait_destroy(d);
	if (session_close(session) && !rc) {
		command_error(&d->cfg);
		end = SESSION_FAILED;
	}
	return end_of(screen, end);
}

int dropin_main(const char *program, enum test test, int argc, char **argv)
{
	struct dropin d = { .program = program, .cfg = { .test = test } };
	struct screen screen = { .asked = &d };
	const struct serve_printer printer = { waits, host_of, end_of, &screen };
	int rc;

	log_name(program);
	rc = dropin_options(&d, argc, argv);
	if (rc < 0) {
		dropin_help_wrong(&d);
		fputs(" Parser function exited with Error\n", stderr);
	}
	if (rc > 0)
		dropin_help_print(stdout, &d);
	/* as there, --help and --version are no success */
	if (rc || command_start())
		return DROPIN_FAILED;
	if (d.output == DROPIN_FULL)
		print_warnings(&d);
	if (d.cfg.host)
		return measure(&d, &screen);
	return serve_run(&d.cfg, SERVE_ONE_CLIENT, &printer) ? DROPIN_FAILED : DROPIN_OK;
}
