/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the way from a session to log and outputs. Called by test.c and serve_child.c. Must not know
 * a format: that is report.
 */
#include "config.h"
#include "commands/results.h"

#include <stdio.h>

#include "commands/command.h"
#include "util/log.h"

int results_begin(void *arg)
{
	struct results *r = arg;
	struct cfg cfg = *r->cfg;
	int rc = r->admit && !r->adds ? r->admit(r->admit_arg) : 0;

	r->rejected = rc;
	if (rc)
		return rc;
	cfg.adds |= r->adds;
	r->error[0] = '\0';
	r->open = true;
	r->adds = true;
	return output_open(&r->output, &cfg);
}

static void start(void *arg, const struct format_run *run)
{
	struct results *r = arg;

	output_start(&r->output, run);
}

static void take_endpoint(void *arg, const struct format_endpoint *endpoint)
{
	struct results *r = arg;

	output_endpoint(&r->output, endpoint);
}

static void take_point(void *arg, const struct point *point, const struct result_detail *detail)
{
	struct results *r = arg;

	output_point(&r->output, point, detail);
}

static void take_row(void *arg, const struct row *row)
{
	struct results *r = arg;

	output_row(&r->output, row);
}

void results_error(void *arg, const char *text)
{
	struct results *r = arg;

	if (r->rejected)
		return;
	snprintf(r->error, sizeof(r->error), "%s", text);
	log_error("%s", r->error);
}

void results_end(void *arg)
{
	struct results *r = arg;

	if (!r->open)
		return;
	r->open = false;
	if (output_close(&r->output, r->error[0] ? r->error : NULL)) {
		r->write_failed = true;
		log_error("%s", err_text());
	}
}

struct session_sink results_sink(struct results *results)
{
	return (struct session_sink){
		.start = start,
		.endpoint = take_endpoint,
		.point = take_point,
		.row = take_row,
		.begin = results_begin,
		.error = results_error,
		.end = results_end,
		.arg = results,
	};
}

int results_exit(const struct results *results, enum session_end end)
{
	if (end == SESSION_MEASURED && results->write_failed)
		return COMMAND_FAILED;
	return command_exit(end);
}
