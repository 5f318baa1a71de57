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
#include "commands/copy_print.h"
#include "config/label.h"
#include "util/log.h"

/* Before the first plan or copy: may the session run? */
static int admit(void *arg)
{
	struct results *r = arg;
	int rc = r->admit && !r->admitted ? r->admit(r->admit_arg) : 0;

	r->rejected = rc;
	r->admitted = !rc;
	return rc;
}

int results_begin(void *arg)
{
	struct results *r = arg;
	struct cfg cfg = *r->cfg;
	int rc = admit(r);

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

static void take_copy(void *arg, const struct copy_report *report)
{
	(void)arg;
	copy_print(stdout, report);
}

/* Who watches the server's terminal sees the end of a copy only. */
static void take_window(void *arg, uint64_t bytes, uint64_t of_bytes)
{
	(void)arg;
	(void)bytes;
	(void)of_bytes;
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
	label_as_typed(r->cfg, text, r->error, sizeof(r->error));
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
		.moved = take_window,
		.copied = take_copy,
		.begin = results_begin,
		.begin_copy = admit,
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
