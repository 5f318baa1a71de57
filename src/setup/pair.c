/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the loop that makes and destroys one object after the other; see series.h. */
#include "config.h"
#include "setup/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verbs/verbs_error.h"
#include "util/err.h"

struct pair_loop {
	const struct pair *pair;
	struct series *make, *destroy;
	enum setup_status status;     /* not SETUP_OK: an operation failed, with an error message */
};

static void fail(struct pair_loop *l, const char *operation, uint64_t done, int err)
{
	const uint64_t bytes = l->pair->pinned_bytes;
	char text[ERR_TEXT_MAX];

	l->status = series_fault(operation, done, err);
	if (!bytes || done || !verbs_error_cause(err)[0])
		return;
	l->status = SETUP_UNSUPPORTED;
	verbs_error_mr(text, sizeof(text), err, bytes);
	err_set_cause(-err, verbs_error_cause(err), "%s", text);
}

static void once(struct pair_loop *l)
{
	struct stamp stamp;
	void *object;
	int rc;

	errno = 0;
	stamp = stamp_take();
	object = l->pair->open(l->pair->arg);
	if (!object) {
		fail(l, l->pair->make, l->make->calls, series_errno(0));
		return;
	}
	series_add(l->make, &stamp);
	errno = 0;
	stamp = stamp_take();
	rc = l->pair->close(object);
	if (rc)
		fail(l, l->pair->destroy, l->destroy->calls, series_errno(rc));
	else
		series_add(l->destroy, &stamp);
}

static int run_loop(struct setup_run *run, struct pair_loop *l, struct setup_row rows[2])
{
	struct pace pace = pace_begin(run, 1);

	while (l->status == SETUP_OK && pace_more(&pace))
		once(l);
	pace_end(&pace);
	if (l->status != SETUP_OK) {
		series_row_without(run, &rows[0], l->status, NULL);
		series_row_without(run, &rows[1], l->status, NULL);
		return 0;
	}
	series_row(l->make, &pace, &rows[0]);
	series_row(l->destroy, &pace, &rows[1]);
	return pace.rc;
}

int pair_measure(struct setup_run *run, const struct setup_row *row, const struct pair *pair,
		 const char *reason)
{
	struct pair_loop l = { .pair = pair, .make = series_new(), .destroy = series_new() };
	struct setup_row rows[2] = { *row, *row };
	int rc = 0;

	snprintf(rows[0].operation, sizeof(rows[0].operation), "%s", pair->make);
	snprintf(rows[1].operation, sizeof(rows[1].operation), "%s", pair->destroy);
	if (!l.make || !l.destroy) {
		rc = err_set(-ENOMEM, "no memory for the times of %s", pair->make);
	} else if (reason) {
		series_row_without(run, &rows[0], SETUP_UNSUPPORTED, reason);
		series_row_without(run, &rows[1], SETUP_UNSUPPORTED, reason);
	} else {
		rc = run_loop(run, &l, rows);
	}
	free(l.make);
	free(l.destroy);
	return rc;
}
