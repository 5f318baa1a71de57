/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The account of a server, and the lines of its audit. */
#include "config.h"
#include "account/account.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>
#include <jansson.h>

#include "file/json_build.h"
#include "util/standard.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"

#define TEXT_FLAGS (JSON_ENSURE_ASCII | JSON_REAL_PRECISION(6))
#define JOURNAL "journal"
#define STDERR_WORD "-"
#define JOURNAL_SOCKET "/run/systemd/journal/socket" /* systemd, "Native Journal Protocol" */
#define FILE_MODE 0640

const char *const account_outcomes[] = {
	[AUDIT_MEASURED] = "measured",
	[AUDIT_FAILED] = "failed",
	[AUDIT_REFUSED] = "refused",
	[AUDIT_REJECTED] = "rejected",
	[AUDIT_INTERRUPTED] = "interrupted",
	[AUDIT_KILLED] = "killed",
	[AUDIT_CRASHED] = "crashed",
	NULL,
};

/* ---- where the audit is */

static int open_journal(void)
{
	const struct sockaddr_un at = { .sun_family = AF_UNIX, .sun_path = JOURNAL_SOCKET };
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int rc;

	if (fd >= 0 && !connect(fd, (const struct sockaddr *)&at, sizeof(at)))
		return fd;
	rc = -errno;
	if (fd >= 0)
		close(fd);
	return err_set(rc, "--audit journal: no journal at %s: %s", JOURNAL_SOCKET, strerror(-rc));
}

/* A file that is there must be one that can be appended to; no link leads to another one. */
static int open_file(const char *path)
{
	const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW |
			    O_NONBLOCK | O_NOCTTY, FILE_MODE);
	struct stat st;
	int rc;

	if (fd < 0)
		return err_set(-errno, "--audit %s: %s", path,
			       errno == ENXIO ? "no program reads from this pipe" : strerror(errno));
	if (!fstat(fd, &st) && (S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode)))
		return fd;
	rc = err_set(-EINVAL, "--audit %s: this is neither a file nor a pipe", path);
	close(fd);
	return rc;
}

int account_audit_open(struct audit *audit, const char *where, enum audit_format format)
{
	*audit = (struct audit){ .where = where, .format = format, .fd = -1 };
	if (!where || !strcmp(where, STDERR_WORD))
		return 0;
	audit->fd = !strcmp(where, JOURNAL) ? open_journal() : open_file(where);
	return audit->fd < 0 ? audit->fd : 0;
}

void account_audit_replace(struct audit *audit, const struct audit *by)
{
	const uint64_t lost = audit->lost;

	account_audit_close(audit);
	*audit = *by;
	audit->lost = lost;
}

void account_audit_close(struct audit *audit)
{
	if (audit->fd >= 0)
		close(audit->fd);
	audit->fd = -1;
}

/* ---- a line of the audit */

static const char *time_text(char text[40])
{
	struct timespec now;
	struct tm tm;
	size_t len;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	len = strftime(text, 40, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + len, 40 - len, ".%03ldZ", now.tv_nsec / 1000000);
	return text;
}

/* "10.0.0.2 port 4711": the address, and *port. */
static const char *split_peer(const char *peer, char address[128], unsigned long *port)
{
	char *word;

	snprintf(address, 128, "%s", peer);
	word = strstr(address, " port ");
	*port = word ? strtoul(word + 6, NULL, 10) : 0;
	if (word)
		*word = '\0';
	return address;
}

static json_t *ending_json(const struct account_entry *entry, const char *peer, pid_t pid,
			   double seconds)
{
	const struct ran *ran = &entry->ran;
	char when[40], address[128];
	unsigned long port;

	split_peer(peer, address, &port);
	return json_pack("{s:s, s:I, s:i, s:s, s:I, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:s, s:s}",
			 "time", time_text(when), "session", (json_int_t)entry->number, "pid",
			 (int)pid, "address", address, "port", (json_int_t)port, "host",
			 ran->host, "auth", ran->auth[0] ? ran->auth : "none", "key", entry->key,
			 "test", ran->test, "transport", ran->transport, "size_min_bytes",
			 (json_int_t)ran->size_min, "size_max_bytes", (json_int_t)ran->size_max, "plans",
			 (json_int_t)ran->plans, "points", (json_int_t)ran->points, "messages",
			 (json_int_t)ran->messages, "bytes", (json_int_t)ran->bytes, "seconds",
			 seconds, "outcome", account_outcomes[entry->outcome], "reason",
			 entry->reason);
}

/* name=value of each key, texts in quotes; without its newline. NULL: no memory. */
static char *text_of(json_t *json)
{
	char *text = NULL, *quoted;
	const char *key, *between = "";
	bool lost = false;
	json_t *value;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	json_object_foreach(json, key, value) {
		quoted = json_build_text(value, JSON_ENCODE_ANY | TEXT_FLAGS);
		lost |= !quoted;
		fprintf(out, "%s%s=%s", between, key, quoted ? quoted : "");
		free(quoted);
		between = " ";
	}
	if (!fclose(out) && !lost)
		return text;
	free(text);
	return NULL;
}

/*
 * One write(2): with O_APPEND lines of several servers do not mix. A full disk may tear one.
 * -errno: not the whole line was written.
 */
static int write_file(struct audit *audit, const char *text)
{
	char *line = NULL;
	const int len = asprintf(&line, "%s%s\n", audit->torn ? "\n" : "", text);
	ssize_t n;

	if (len < 0)
		return -ENOMEM;
	n = standard_write(audit->fd, line, (size_t)len);
	if (n > 0)
		audit->torn = n < len;
	free(line);
	if (n < 0)
		return (int)n;
	return n == len ? 0 : -ENOSPC;
}

static int write_journal(const struct audit *audit, const char *text)
{
	char *entry = NULL;
	const int len = asprintf(&entry,
				 "PRIORITY=%d\nSYSLOG_IDENTIFIER=verbench\nVERBENCH_AUDIT=1\nMESSAGE=%s\n",
				 LOG_INFO, text);
	int rc;

	if (len < 0)
		return -ENOMEM;
	rc = send(audit->fd, entry, (size_t)len, MSG_NOSIGNAL) < 0 ? -errno : 0;
	free(entry);
	return rc;
}

/* json: NULL: no memory; released. */
static void audit_write(struct audit *audit, json_t *json)
{
	char *text = !json ? NULL : audit->format == AUDIT_JSON ?
		     json_build_text(json, JSON_COMPACT | TEXT_FLAGS) : text_of(json);
	int rc = -ENOMEM;

	json_decref(json);
	if (text && audit->fd < 0)
		rc = log_record("audit: %s", text) ? 0 : -EAGAIN; /* nobody reads the log */
	else if (text)
		rc = !strcmp(audit->where, JOURNAL) ? write_journal(audit, text) :
						      write_file(audit, text);
	free(text);
	if (rc && !audit->lost++)
		log_error("--audit %s: a line could not be written: %s; the number of such lines is in the status",
			  audit->where, strerror(-rc));
}

/* ---- the account */

void account_begin(struct account *account, struct account_entry *entry)
{
	entry->number = ++account->last;
	entry->begun_ns = clock_ns();
}

void account_decide(struct account_entry *entry, enum audit_outcome outcome, const char *reason)
{
	if (entry->decided)
		return;
	entry->decided = true;
	entry->outcome = outcome;
	snprintf(entry->reason, sizeof(entry->reason), "%s", reason);
}

static bool is_bool(const bool *value)
{
	unsigned char byte;

	memcpy(&byte, value, sizeof(byte));
	return byte <= 1;
}

bool account_take(struct account_entry *entry, const struct ran *ran)
{
	if (!is_bool(&ran->interrupted) || !is_bool(&ran->ended) || ran->host[RAN_NAME - 1] ||
	    ran->auth[RAN_NAME - 1] || ran->test[RAN_NAME - 1] ||
	    ran->transport[RAN_NAME - 1] || ran->reason[ERR_TEXT_MAX - 1])
		return false;
	entry->ran = *ran;
	return true;
}

static enum audit_outcome outcome_of(const struct ran *ran)
{
	if (!ran->ended)
		return AUDIT_FAILED;
	if (ran->end == SESSION_MEASURED)
		return AUDIT_MEASURED;
	if (ran->interrupted)
		return AUDIT_INTERRUPTED;
	return ran->end == SESSION_REFUSED ? AUDIT_REFUSED : AUDIT_FAILED;
}

/* Unless the server has decided. */
static void judge(const struct account *account, struct account_entry *entry, int wstatus)
{
	const struct ran *ran = &entry->ran;
	const int sig = WIFSIGNALED(wstatus) ? WTERMSIG(wstatus) : 0;
	char reason[ERR_TEXT_MAX];

	snprintf(reason, sizeof(reason), "%s", ran->reason);
	if (sig)
		snprintf(reason, sizeof(reason), "signal %d (%s)", sig, strsignal(sig));
	else if (outcome_of(ran) == AUDIT_INTERRUPTED && account->stopping)
		snprintf(reason, sizeof(reason), "the server was stopped");
	else if (!reason[0] && WEXITSTATUS(wstatus))
		snprintf(reason, sizeof(reason), "%s (exit status %d)",
			 ran->ended ? "its results could not be written" : "its process ended early",
			 WEXITSTATUS(wstatus));
	account_decide(entry, sig ? AUDIT_CRASHED : outcome_of(ran), reason);
}

void account_end(struct account *account, struct account_entry *entry, const char *peer, pid_t pid,
		 int wstatus)
{
	const double seconds = (double)(clock_ns() - entry->begun_ns) / 1e9;
	struct account_totals *totals = &account->totals;

	if (!entry->number) {
		totals->ignored++;
		return;
	}
	judge(account, entry, wstatus);
	totals->ended[entry->outcome]++;
	totals->plans += entry->ran.plans;
	totals->points += entry->ran.points;
	totals->messages += entry->ran.messages;
	totals->bytes += entry->ran.bytes;
	totals->seconds += seconds;
	if (account->audit.where)
		audit_write(&account->audit, ending_json(entry, peer, pid, seconds));
}
