/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the drop-in programs: with a host the client, without one a server for one client. Called by
 * main.c. Must not know a line of their output: that is dropin_screen.c.
 */
#include "config.h"
#include "perftest/dropin_main.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "serve/serve.h"
#include "config/label.h"
#include "perftest/dropin_options.h"
#include "perftest/dropin_screen.h"
#include "util/err.h"
#include "util/log.h"
#include "util/signals.h"

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

/* Options are named as they were typed. */
static void log_failure(const struct dropin *d)
{
	char text[ERR_TEXT_MAX];

	log_error("%s", label_as_typed(&d->cfg, err_text(), text, sizeof(text)));
}

static struct session_sink child_sink(void *arg, const struct session_sink *base)
{
	return dropin_screen_sink(arg, base);
}

/* --wait_destroy; a signal of the user ends it. */
static void wait_destroy(const struct dropin *d)
{
	struct pollfd p = { .fd = signals_fd(), .events = POLLIN };

	if (d->wait_destroy_s && d->wait_destroy_s <= 86400)
		(void)poll(&p, 1, (int)d->wait_destroy_s * 1000);
}

static int child_end(void *arg, enum session_end end)
{
	struct dropin_screen *screen = arg;

	return dropin_screen_end(screen, end);
}

static void waits(void *arg)
{
	const struct dropin_screen *screen = arg;

	if (screen->asked->output == DROPIN_FULL)
		dropin_print_waiting(stdout);
	fflush(stdout);
}

static int serve(const struct dropin *d)
{
	struct dropin_screen screen = { .asked = d };
	const struct serve_printer printer = { waits, child_sink, child_end, &screen };

	return serve_one(&d->cfg, &printer) ? DROPIN_FAILED : DROPIN_OK;
}

static int measure(const struct dropin *d)
{
	struct dropin_screen screen = { .asked = d };
	const struct session_sink sink = dropin_screen_sink(&screen, NULL);
	enum session_end end = SESSION_FAILED;
	struct session *session;
	int rc = session_open(&session, &d->cfg, &sink);

	if (rc) {
		log_failure(d);
		if (rc != -EPROTOTYPE)
			fprintf(stderr, "Couldn't connect to %s:%u\n Unable to init the socket connection\n",
				d->cfg.host, d->cfg.tcp_port);
		return DROPIN_FAILED;
	}
	rc = session_run(session, &d->cfg, &sink, &end);
	if (rc)
		log_failure(d);
	wait_destroy(d);
	if (session_close(session) && !rc) {
		log_failure(d);
		end = SESSION_FAILED;
	}
	return dropin_screen_end(&screen, end);
}

int dropin_main(const char *program, enum test test, int argc, char **argv)
{
	struct dropin d = { .program = program, .cfg = { .test = test } };
	int rc;

	log_name(program);
	rc = dropin_options(&d, argc, argv);
	if (rc < 0) {
		log_failure(&d);
		fputs(" Parser function exited with Error\n", stderr);
	}
	/* as there, --help and --version are no success */
	if (rc)
		return DROPIN_FAILED;
	if (command_start())
		return DROPIN_FAILED;
	if (d.output == DROPIN_FULL)
		dropin_print_warnings(stdout, &d);
	return d.cfg.host ? measure(&d) : serve(&d);
}
