/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the account of a server; see account.h. Called by serve_processes.c. */
#include "config.h"
#include "account/account.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "util/clock.h"

void account_begin(struct account *account, struct account_entry *entry)
{
	entry->number = ++account->last;
	entry->begun_ns = clock_ns();
}

void account_reject(struct account_entry *entry, const char *reason)
{
	entry->rejected = true;
	snprintf(entry->reason, sizeof(entry->reason), "%s", reason);
}

void account_kill(struct account_entry *entry, const char *reason)
{
	if (!entry->killed)
		snprintf(entry->reason, sizeof(entry->reason), "%s", reason);
	entry->killed = true;
}

bool account_take(struct account_entry *entry, const char *message, size_t len)
{
	struct ran ran;

	if (message[0] != 'A')
		return false;
	if (len != 1 + sizeof(ran))
		return true;
	memcpy(&ran, message + 1, sizeof(ran));
	/* the process of a session is less trusted than the server */
	ran.host[sizeof(ran.host) - 1] = ran.auth[sizeof(ran.auth) - 1] = '\0';
	ran.test[sizeof(ran.test) - 1] = ran.transport[sizeof(ran.transport) - 1] = '\0';
	ran.reason[sizeof(ran.reason) - 1] = '\0';
	entry->ran = ran;
	return true;
}

static enum audit_outcome outcome_of_end(const struct ran *ran)
{
	if (ran->end == SESSION_MEASURED)
		return AUDIT_MEASURED;
	if (ran->interrupted)
		return AUDIT_INTERRUPTED;
	return ran->end == SESSION_REFUSED ? AUDIT_REFUSED : AUDIT_FAILED;
}

static enum audit_outcome judge(const struct account *account,
				const struct account_entry *entry, int wstatus,
				char reason[ERR_TEXT_MAX])
{
	const struct ran *ran = &entry->ran;
	enum audit_outcome outcome = AUDIT_FAILED;

	snprintf(reason, ERR_TEXT_MAX, "%s", entry->reason[0] ? entry->reason : ran->reason);
	if (entry->killed)
		return AUDIT_KILLED;
	if (entry->rejected)
		return AUDIT_REJECTED;
	if (WIFSIGNALED(wstatus)) {
		snprintf(reason, ERR_TEXT_MAX, "signal %d (%s)", WTERMSIG(wstatus),
			 strsignal(WTERMSIG(wstatus)));
		return AUDIT_CRASHED;
	}
	if (ran->ended)
		outcome = outcome_of_end(ran);
	if (outcome == AUDIT_INTERRUPTED && account->stopping)
		snprintf(reason, ERR_TEXT_MAX, "the server was stopped");
	else if (!reason[0] && WEXITSTATUS(wstatus))
		snprintf(reason, ERR_TEXT_MAX, "%s (exit status %d)",
			 ran->ended ? "its results could not be written" : "its process ended early",
			 WEXITSTATUS(wstatus));
	return outcome;
}

static void add(struct account_totals *totals, const struct audit_ending *ending)
{
	const struct ran *ran = ending->ran;

	totals->ended[ending->outcome]++;
	totals->plans += ran->plans;
	totals->points += ran->points;
	totals->messages += ran->messages;
	totals->bytes += ran->bytes;
	totals->seconds += (double)ending->ns / 1e9;
}

void account_end(struct account *account, const struct account_entry *entry,
		 const char *peer, pid_t pid, int wstatus)
{
	char reason[ERR_TEXT_MAX];
	struct audit_ending ending = {
		.number = entry->number, .pid = pid, .peer = peer,
		.ns = clock_ns() - entry->begun_ns, .ran = &entry->ran, .reason = reason,
	};

	if (!entry->number) {
		account->totals.ignored++;
		return;
	}
	ending.outcome = judge(account, entry, wstatus, reason);
	add(&account->totals, &ending);
	audit_write(&account->audit, &ending);
}
