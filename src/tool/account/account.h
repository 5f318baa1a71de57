/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room account: what the sessions of a server have done: counted in their processes, kept in the
 * server's, written to the audit. It knows no listener and no process table.
 */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "agree/session.h"
#include "options/choices.h"
#include "util/err.h"
#include "wire/key.h"
#include "wire/session_host.h"

/*
 * ---- ran.c: what a session has run: its process counts it and tells the server's process, which
 * keeps the last one. So it is known also when the process is killed.
 */

#define RAN_NAME 64

/* Texts are cleaned: text_clean(). Zero: nothing yet. */
struct ran {
	char host[RAN_NAME];           /* as the client calls itself; "" unknown */
	char auth[RAN_NAME];           /* why it was let in: "key", "allow" (--allow), "none" */
	char test[RAN_NAME];           /* of the last plan: "send_bw", "copy"; "check" before its first; "" none */
	char transport[RAN_NAME];
	uint64_t size_min, size_max;   /* bytes of a message, of all plans */
	uint64_t plans;                /* that were begun, with copies and checks */
	uint64_t points;               /* that have ended */
	uint64_t messages, bytes;      /* of these points, and of copies */
	bool interrupted;              /* by a user, or by the server that stops */
	bool ended;                    /* by itself: end is how */
	enum session_end end;
	char reason[ERR_TEXT_MAX];     /* the first error, or why a row is not ok; "" none */
};

/* Set tell and arg, zero the others. */
struct ran_watch {
	/* To the server's process. flags: of send(2). */
	void (*tell)(void *arg, const struct ran *ran, int flags);
	void *arg;
	struct event_sink next;        /* gets every event */
	bool sized;                    /* ran.size_min is known */
	struct ran ran;
};

/* Counts events and passes them on. watch lives as long as the host. */
struct session_host ran_host(struct ran_watch *watch, const struct session_host *base);

/* The session has ended by itself. */
void ran_end(struct ran_watch *watch, enum session_end end);

/*
 * ---- account.c: what each session that runs has done so far, how each one ended, and the totals
 * since the start. The server's process keeps it.
 */

/*
 * The audit: a line for each session that ends, in one write; to a file, to standard error or to
 * the journal. It never waits: a line that cannot be written is counted and told.
 */
struct audit {
	const char *where;     /* --audit, borrowed; NULL: no audit */
	enum audit_format format;
	int fd;                /* of a file, or a socket to the journal; -1 none */
	bool torn;             /* the last line is not whole */
	uint64_t lost;         /* lines that are in no file */
};

/* How a session ended, in the words of the audit: account_outcomes[]. */
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
extern const char *const account_outcomes[];

/* Since the start. */
struct account_totals {
	uint64_t connections;      /* that were accepted */
	uint64_t ignored;          /* of them: no client, or it was not let in */
	uint64_t ended[AUDIT_OUTCOMES]; /* sessions that are over */
	uint64_t plans, points, messages, bytes;
	double seconds;            /* of all sessions together */
};

struct account {
	struct audit audit;
	struct account_totals totals;
	uint64_t last;             /* number of the youngest session */
	bool stopping;             /* the server was asked to stop */
};

/* Of one child process, in the server's. */
struct account_entry {
	uint64_t number;           /* 0: it sent no plan yet */
	uint64_t begun_ns;         /* clock_ns(): when it sent one */
	char key[KEY_NAME_SIZE];   /* the name of the client's key; "": it has none */
	bool decided;              /* outcome and reason are valid: */
	enum audit_outcome outcome;
	char reason[ERR_TEXT_MAX];
	struct ran ran;
};

/* where: a path, "-" standard error, "journal"; NULL: no audit. Borrowed. -errno, error message. */
int account_audit_open(struct audit *audit, const char *where, enum audit_format format)
	__attribute__((warn_unused_result));

/* by: one that was opened since, maybe at the same path after the file was renamed. */
void account_audit_replace(struct audit *audit, const struct audit *by);

/* In the process of a session too: the file is the server's. */
void account_audit_close(struct audit *audit);

/* The peer of the child sent a plan: it is a session now. */
void account_begin(struct account *account, struct account_entry *entry);
/* The server rejects or kills it. The first decision counts. */
void account_decide(struct account_entry *entry, enum audit_outcome outcome, const char *reason);
/* What the session has run so far, as its process says. False: it cannot be true. */
bool account_take(struct account_entry *entry, const struct ran *ran);

/* The child has ended; wstatus: of waitpid(2), or 0 if nobody waited. Writes the audit. */
void account_end(struct account *account, struct account_entry *entry, const char *peer, pid_t pid,
		 int wstatus);

#endif
