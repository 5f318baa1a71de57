/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What a command does with the results and errors of a session: log lines, and the outputs that the
 * options ask for (table, CSV, JSON). One output for each plan.
 */
#ifndef RESULTS_H
#define RESULTS_H

#include <stdbool.h>

#include "write/output.h"
#include "agree/session.h"
#include "read/condition.h"
#include "util/err.h"

/* ---- progress.c */

/*
 * How far a running point is, for people, on standard error: on a terminal one line that the next
 * one replaces; else, because somebody may read a log, a line once every 10 s.
 */

/* Zeroed at first. */
struct progress {
	uint64_t told_ns;  /* when there was a line in the log */
	/* what was shown last */
	uint32_t point;
	uint64_t ns, messages;
};

/* The same while many queue pairs are made or destroyed. */
void progress_making(struct progress *shown, const char *before, const struct event_making *m);

/* before: in front of the text, "3 of 69, "; "" nothing. */
void progress_show(struct progress *shown, const char *before, const struct event_progress *p);

/* ---- results.c */

/* Set the first fields, zero the others. */
struct results {
	const struct cfg *cfg;    /* borrowed */
	/*
	 * Before the first plan: may the session run? -errno with an error message: no, and nothing
	 * is logged or written. NULL: yes.
	 */
	int (*admit)(void *arg);
	void *admit_arg;
	/* session_host.h; NULL: of every plan */
	int (*approve)(void *arg, const struct event_plan *run);
	void *approve_arg;
	/* of results_client(); NULL: session_run() */
	int (*measure)(struct results *results, struct session *session, enum session_end *end);
	/* takes EVENT_LOOPS; NULL: it is ignored */
	void (*loops)(void *arg, bool begin);
	void *loops_arg;
	struct memory_budget *budget; /* NULL: not counted */
	const char *scenario, *cell; /* columns of the rows that follow, borrowed; NULL: none */
	double rate_pct;          /* what --rate asked for in these rows; 0: no percentage */
	bool cell_has_size;       /* the text of the cell has --size */
	const char *progress;     /* before what is shown of a point, "3 of 69, "; NULL: nothing */
	void (*seen)(void *arg, const struct row *row); /* takes every row; NULL: none does */
	void *seen_arg;
	uint32_t n_rows, n_not_ok; /* rows since they were set to 0; those that are not ok */
	const char *client;       /* of a server of many: its address, borrowed; else NULL */
	bool admitted;            /* admit said yes */
	bool rejected;            /* admit said no */
	bool open;                /* between results_begin() and results_end() */
	bool adds;                /* a plan was written before: the next one is added */
	bool started;             /* the plan that is open is agreed */
	bool begun;               /* a point of the plan has begun */
	bool quiet;               /* the plan is of a client's check: nothing is shown */
	bool shows;               /* how far a point is */
	bool write_failed;
	struct progress shown;    /* of the point that runs */
	int rc;                   /* of error */
	char error[ERR_TEXT_MAX]; /* of the plan that is open, "" none */
	struct output output;
	struct expect expect;     /* of --expect; without lines: no row came yet */
};

/* A plan begins: asks admit, opens the outputs. -errno with an error message. */
int results_begin(struct results *results) __attribute__((warn_unused_result));

/*
 * Logs the error, and writes it to the output of the plan. rc: -errno; -EINTR by the user; -EINVAL
 * and -EPERM before the plan is agreed are a refusal.
 */
void results_error(struct results *results, int rc, const char *text);

/* A row of this side alone: of what was not measured. Columns of a sweep are filled in. */
void results_row(struct results *results, const struct row *row);

/* A row that an earlier run has written: it counts for --expect and seen, and is not written. */
void results_earlier(struct results *results, const struct row *row);

/* The plan has ended: closes the outputs. Results that could not be written are logged. */
void results_end(struct results *results);

/*
 * Closes a session whose results are all there: an error is only noted. *session may be NULL, and
 * is NULL then.
 */
void results_close(struct session **session);

/* Takes EVENT_WAITING alone: says on standard error that it waits for the server. */
int results_waiting(void *arg, const struct event *event);

/* The lines about a copy that is complete, on standard output. */
void results_copied(const struct copy_report *report);

/* Of session_run() and session_server(): their events go to log and outputs. */
struct session_host results_host(struct results *results);

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
 * A client of one plan: opens the outputs and a session, measures, closes both. Returns the exit
 * status.
 */
int results_client(struct results *results);

/*
 * The exit status: a session that measured has failed when its results were not written. Prints
 * what comes of --expect.
 */
int results_exit(struct results *results, enum session_end end);

#endif
