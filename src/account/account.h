/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder account: what the sessions of a server have done: counted in their processes, kept in the
 * server's, written to the audit. It knows no listener and no process table.
 *
 * This header: the account of a server: what each session that runs has done so far, how each one
 * ended, and the totals since the start. The server's process keeps it.
 */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "account/audit.h"
#include "account/ran.h"

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
	bool rejected;             /* and then was not let in */
	char reason[ERR_TEXT_MAX]; /* why it was not let in, or was killed; "": neither */
	bool killed;
	struct ran ran;
};

/* The peer of the child sent a plan: it is a session now. */
void account_begin(struct account *account, struct account_entry *entry);
/* It is not let in. */
void account_reject(struct account_entry *entry, const char *reason);
/* The server kills it now. The first reason counts. */
void account_kill(struct account_entry *entry, const char *reason);
/* The child has sent a message (serve_child.h); 'A' is for the account. False: another one. */
bool account_take(struct account_entry *entry, const char *message, size_t len);

/* The child has ended; wstatus: of waitpid(2), or 0 if nobody waited. Writes the audit. */
void account_end(struct account *account, const struct account_entry *entry,
		 const char *peer, pid_t pid, int wstatus);

#endif
