/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The audit of a server: a line for each session that ends, in one write; to a file, to standard
 * error or to the journal. It never waits: a line that cannot be written is counted and told.
 */
#ifndef AUDIT_H
#define AUDIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "config/choices.h"
#include "account/ran.h"

/* How a session ended, in the words of the audit: audit_outcomes[]. */
enum audit_outcome {
	AUDIT_MEASURED,    /* all that the client asked for */
	AUDIT_FAILED,      /* an error, or a point that is not ok */
	AUDIT_REFUSED,     /* a plan cannot be run here */
	AUDIT_REJECTED,    /* the session was not begun: the server is busy, or a limit */
	AUDIT_INTERRUPTED, /* by a user, or as the server was stopped */
	AUDIT_KILLED,      /* by the server, over a limit */
	AUDIT_CRASHED,     /* a signal that the server did not send */
	AUDIT_OUTCOMES
};
extern const char *const audit_outcomes[];

/* What a line tells. Borrowed. */
struct audit_ending {
	uint64_t number;       /* of the session, from 1 */
	pid_t pid;
	const char *peer;      /* "10.0.0.2 port 4711" */
	uint64_t ns;           /* how long */
	const struct ran *ran;
	enum audit_outcome outcome;
	const char *reason;    /* "" none */
};

struct audit {
	const char *where;     /* --audit, borrowed; NULL: no audit */
	enum audit_format format;
	int fd;                /* of a file, or a socket to the journal; -1 none */
	bool torn;             /* the last line is not whole */
	uint64_t lost;         /* lines that are in no file */
};

/* where: a path, "-" standard error, "journal"; NULL: no audit. Borrowed. -errno, error message. */
int audit_open(struct audit *audit, const char *where, enum audit_format format)
	__attribute__((warn_unused_result));

/* by: one that was opened since, maybe at the same path after the file was renamed. */
void audit_replace(struct audit *audit, const struct audit *by);

void audit_write(struct audit *audit, const struct audit_ending *ending);

/* In the process of a session: the file is the server's. */
void audit_close(struct audit *audit);

#endif
