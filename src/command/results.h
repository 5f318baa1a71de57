/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What a command does with the results and errors of a session: log lines, and the outputs that the
 * options ask for (table, CSV, JSON). One output for each plan.
 */
#ifndef RESULTS_H
#define RESULTS_H

#include <stdbool.h>

#include "command/expected.h"
#include "command/progress.h"
#include "format/output.h"
#include "session/session.h"
#include "util/err.h"

/* Set the first fields, zero the others. */
struct results {
	const struct cfg *cfg;    /* borrowed */
	/*
	 * Before the first plan: may the session run? -errno with an error message: no, and nothing
	 * is logged or written. NULL: yes.
	 */
	int (*admit)(void *arg);
	void *admit_arg;
	/* sink.h: approve; NULL: of every plan */
	int (*approve)(void *arg, const struct format_run *run);
	void *approve_arg;
	/* sink.h; NULL: not told, not counted */
	void (*runs)(void *arg, bool begin);
	void *runs_arg;
	struct memory_budget *budget;
	const char *scenario, *cell; /* columns of the rows that follow, borrowed; NULL: none */
	const char *progress;     /* before what is shown of a point, "3 of 69, "; NULL: nothing */
	void (*seen)(void *arg, const struct row *row); /* told of every row; NULL: nobody is */
	void *seen_arg;
	uint32_t n_rows, n_not_ok; /* rows since they were set to 0; those that are not ok */
	const char *client;       /* of a server of many: its address, borrowed; else NULL */
	bool admitted;            /* admit said yes */
	bool rejected;            /* admit said no */
	bool open;                /* between results_begin() and results_end() */
	bool adds;                /* a plan was written before: the next one is added */
	bool started;             /* the plan that is open is agreed */
	bool begun;               /* a point of it has begun */
	bool quiet;               /* it is one of a client's check: nothing of it is shown */
	bool write_failed;
	struct progress shown;    /* of the point that runs */
	int rc;                   /* of error */
	char error[ERR_TEXT_MAX]; /* of the plan that is open, "" none */
	struct output output;
	struct expected expected; /* what comes of --expect */
};

/*
 * A plan begins: asks admit, opens the outputs. -errno with an error message. arg: struct results.
 */
int results_begin(void *arg) __attribute__((warn_unused_result));

/*
 * Logs the error, and writes it to the output of the plan. rc: -errno; -EINTR by the user; -EINVAL
 * and -EPERM before the plan is agreed are a refusal.
 */
void results_error(void *arg, int rc, const char *text);

/* A row of this side alone: of what was not measured. Columns of a sweep are filled in. */
void results_row(struct results *results, const struct row *row);

/* A row that an earlier run has written: it counts for --expect and seen, and is not written. */
void results_earlier(struct results *results, const struct row *row);

/* The plan has ended: closes the outputs. Results that could not be written are logged. */
void results_end(void *arg);

/* For every client: says on standard error that it waits for the server. arg is not used. */
void results_waiting(void *arg, const char *server, uint32_t timeout_ms);

/* The calls above and those for results, for session_run() and session_server(). */
struct session_sink results_sink(struct results *results);

/*
 * Before anything runs, or connects: can the files be written? False: an error was printed, and an
 * old JSON document tells it.
 */
bool results_check(const struct cfg *cfg) __attribute__((warn_unused_result));

/* Before anything runs: prints the error message, and an old JSON document tells it. */
void results_refused(const struct cfg *cfg, int rc);

/* A run that is over before its first plan: its JSON document has the error, which is printed. */
void results_none(const struct cfg *cfg, int rc, const char *error);

/*
 * The exit status: a session that measured has failed when its results were not written. Prints
 * what comes of --expect.
 */
int results_exit(struct results *results, enum session_end end);

#endif
