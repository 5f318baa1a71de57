/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the processes of a check: this program as a server and as its client, each with the emulated
 * HCA, on a fabric that no other program has. The server gets its socket from here, so that it
 * needs no free port. What they say is shown only if the client fails.
 */
#include "config.h"
#include "selftest/selftest.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "service/service.h"
#include "wire/ctl_socket.h"
#include "util/err.h"
#include "util/must.h"
#include "util/signals.h"
#include "util/text.h"

#define DEADLINE_MS 60000 /* of a client; it ends itself long before */
#define LOOK_MS 10
#define ARGS 24

/* The files of a pair, in a folder that is removed after it. */
enum pair_file { FILE_ROWS, FILE_RECORD, FILE_LOG, FILE_COUNT };

static const char *const file_names[] = {
	[FILE_ROWS] = "rows.csv", [FILE_RECORD] = "record", [FILE_LOG] = "log",
};

struct pair_run {
	char *folder;   /* owned; NULL: none */
	char *path[FILE_COUNT]; /* owned */
	char host[32];  /* "127.0.0.1:40000" */
	int socket;     /* the server listens on it */
	pid_t server, client;
};

/* ---- folder and socket */

static int make_folder(struct pair_run *r)
{
	const char *asked = getenv("TMPDIR"), *base = asked && *asked ? asked : "/tmp";
	int rc = 0;

	must_appendf(&r->folder, "%s/verbench-selftest.XXXXXX", base);
	if (!mkdtemp(r->folder)) {
		rc = err_set(-errno, "cannot make a folder in %.512s (TMPDIR): %s", base,
			     strerror(errno));
		free(r->folder);
		r->folder = NULL;
	}
	for (int i = 0; i < FILE_COUNT && !rc; i++)
		must_appendf(&r->path[i], "%s/%s", r->folder, file_names[i]);
	return rc;
}

static int listen_anywhere(struct pair_run *r)
{
	char at[64];
	const int rc = ctl_listen(&r->socket, "127.0.0.1", 0);

	if (!rc)
		snprintf(r->host, sizeof(r->host), "127.0.0.1:%u",
			 ctl_listens_at(r->socket, at, sizeof(at)));
	return rc;
}

/* ---- processes */

/* The settings of the emulated HCA of both: only these. */
static void set_environment(const struct pair_run *r, const struct selftest_pair *p)
{
	const char *fabric = strrchr(r->folder, '/') + 1;

	for (char **at = environ; *at;) {
		char name[128];

		if (strncmp(*at, "SOFTHCA_", 8) || !strncmp(*at, "SOFTHCA_PROFILE_DIR", 19)) {
			at++;
			continue;
		}
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(*at, "="), *at);
		unsetenv(name);
	}
	setenv("SOFTHCA_LINK", p->link, 1);
	setenv("SOFTHCA_FABRIC", fabric, 1);
	setenv("SOFTHCA_STATS", r->path[FILE_RECORD], 1);
}

/* The child becomes this program again. No other thread runs, so it may call setenv(3). */
static void become(const struct pair_run *r, const struct selftest_pair *p, char *const words[])
{
	const int log = open(r->path[FILE_LOG], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	char pid[16];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (log < 0 || dup2(log, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0)
		_exit(COMMAND_FAILED);
	set_environment(r, p);
	if (!strcmp(words[1], "serve")) {
		snprintf(pid, sizeof(pid), "%d", (int)getpid());
		setenv("LISTEN_PID", pid, 1);
		setenv("LISTEN_FDS", "1", 1);
		if (r->socket != NOTIFY_FDS && dup2(r->socket, NOTIFY_FDS) < 0)
			_exit(COMMAND_FAILED);
		fcntl(NOTIFY_FDS, F_SETFD, 0);
	}
	execv("/proc/self/exe", words);
	_exit(COMMAND_FAILED);
}

static int start(const struct pair_run *r, const struct selftest_pair *p, char *const words[],
		 pid_t *pid)
{
	fflush(NULL);
	*pid = fork();
	if (!*pid)
		become(r, p, words);
	return *pid < 0 ? err_set(-errno, "cannot start %s: %s", words[1], strerror(errno)) : 0;
}

/* "write_bw -D 2", and what all clients have. */
static int start_client(struct pair_run *r, const struct selftest_pair *p)
{
	char text[256], *words[ARGS] = { (char *)(uintptr_t)"verbench" }, *rest;
	int n = 1;

	snprintf(text, sizeof(text), "%s --soft --csv", p->args);
	for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		words[n++] = word;
	words[n++] = r->path[FILE_ROWS];
	words[n] = r->host;
	return start(r, p, words, &r->client);
}

/* The exit status, at the deadline -ETIMEDOUT, after a signal -EINTR. */
static int wait_for(pid_t pid)
{
	struct pollfd stop = { .fd = signals_fd(), .events = POLLIN };
	int status;

	for (int ms = 0; ms < DEADLINE_MS; ms += LOOK_MS) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : COMMAND_FAILED;
		if (poll(&stop, 1, LOOK_MS) > 0)
			return err_set(-EINTR, "interrupted");
	}
	return err_set(-ETIMEDOUT, "the client has not ended in %d s", DEADLINE_MS / 1000);
}

static void finish(pid_t pid, int signal)
{
	if (pid > 0) {
		kill(pid, signal);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			continue;
	}
}

/* ---- what they wrote */

static int failed(const struct pair_run *r, const struct selftest_pair *p)
{
	char text[1024];

	text_read(r->path[FILE_LOG], text, sizeof(text));
	for (char *at = text; (at = strchr(at, '\n')); at++)
		*at = at[1] ? ';' : '\0';
	text_shown(text, strlen(text));
	return err_set(-EIO, "\"verbench %s\" has failed on the emulated HCA with SOFTHCA_LINK=%s; it says: %s",
		       p->args, p->link, text);
}

static int read_row(const struct pair_run *r, struct selftest_pair *p)
{
	const char *const path = r->path[FILE_ROWS];
	struct rows_query query = { .paths = &path, .n_paths = 1 };
	struct rows rows;
	char text[ROWS_TEXT];
	int rc;

	query.as[p->column] = ROWS_NUMBERS;
	query.as[ROWS_warning_codes] = ROWS_WORDS;
	rc = rows_load(&rows, &query);
	if (rc)
		return rc;
	p->value = rows.n ? rows_number(&rows, p->column, rows.n - 1) : NAN;
	if (rows.n)
		snprintf(p->codes, sizeof(p->codes), "%s",
			 rows_text(&rows, ROWS_warning_codes, rows.n - 1, text));
	rc = rows.n ? 0 : failed(r, p);
	rows_free(&rows);
	return rc;
}

/* " key=number" in the line of the client. */
static void read_record(const struct pair_run *r, struct selftest_pair *p, const char *key)
{
	char line[1024], begin[32], word[64];
	FILE *f = fopen(r->path[FILE_RECORD], "re");

	p->link_value = NAN;
	snprintf(begin, sizeof(begin), "pid=%d ", (int)r->client);
	snprintf(word, sizeof(word), " %s=", key);
	while (f && fgets(line, sizeof(line), f)) {
		const char *at = strncmp(line, begin, strlen(begin)) ? NULL : strstr(line, word);

		if (at)
			p->link_value = strtod(at + strlen(word), NULL);
	}
	if (f)
		fclose(f);
}

/* ---- the pair */

static void remove_all(const struct pair_run *r)
{
	for (int i = 0; i < FILE_COUNT && r->folder; i++) {
		unlink(r->path[i]);
		free(r->path[i]);
	}
	if (r->folder)
		rmdir(r->folder);
	free(r->folder);
	if (r->socket >= 0)
		close(r->socket);
}

int selftest_pair(struct selftest_pair *p, const char *key)
{
	char *const serve[] = { (char *)(uintptr_t)"verbench", (char *)(uintptr_t)"serve",
				(char *)(uintptr_t)"--soft", NULL };
	struct pair_run r = { .socket = -1 };
	int rc = make_folder(&r);

	if (!rc)
		rc = listen_anywhere(&r);
	if (!rc)
		rc = start(&r, p, serve, &r.server);
	if (!rc)
		rc = start_client(&r, p);
	if (!rc)
		rc = wait_for(r.client);
	if (rc < 0)
		finish(r.client, SIGKILL);
	else if (rc > 0)
		rc = failed(&r, p);
	/* SIGTERM: its sessions end, and it removes what it shares */
	finish(r.server, SIGTERM);
	if (!rc)
		rc = read_row(&r, p);
	if (!rc && key)
		read_record(&r, p, key);
	remove_all(&r);
	return rc;
}
