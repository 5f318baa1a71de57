/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns --via: one process for each other host, or one for all of them; see mesh.h. */
#include "config.h"
#include "mesh/mesh.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "options/options.h"
#include "options/options_scan.h"
#include "util/err.h"
#include "util/log.h"
#include "util/must.h"

struct mesh_launch {
	const char *const *names;  /* of hosts; those of struct mesh */
	pid_t *pids;               /* owned; 0: it has ended */
	uint32_t n;
	pthread_mutex_t lock;      /* of pids */
	pthread_t thread;
	atomic_bool over;          /* nothing is noted any more */
};

/* ---- what is started */

/* For a shell. */
static void quote(char **to, const char *word)
{
	must_appendf(to, " '");
	for (; *word; word++)
		must_appendf(to, *word == '\'' ? "'\\''" : "%c", *word);
	must_appendf(to, "'");
}

/* What each agent has its own of. */
static bool is_own(const struct mesh *m, enum cfg_row row)
{
	return row == CFG_ROW_nodes || row == CFG_ROW_via || row == CFG_ROW_name ||
	       (row == CFG_ROW_key && m->key);
}

/* The options of this process. */
static void add_options(char **to, const struct mesh *m)
{
	char **words = m->words;
	int argc = 0, from = 1;
	struct options_scan scan;
	struct options_word word;
	bool own = false;

	while (words[argc])
		argc++;
	scan = options_scan_begin(argc, words);
	while (options_scan_next(&scan, &word)) {
		own = own || (word.row && is_own(m, options_target(word.row)));
		/* letters in a row are one word */
		if (scan.letters)
			continue;
		for (; from < scan.at; from++)
			if (!own)
				quote(to, words[from]);
		own = false;
	}
}

/* The host of rank i; 0: all but rank 0, or all. */
static void add_hosts(char **to, const struct mesh *m, uint32_t i, uint32_t from)
{
	const uint32_t end = i ? i + 1 : m->nodes.n;

	from = i ? i : from;
	for (uint32_t k = from; k < end; k++)
		must_appendf(to, "%s%s", k > from ? "," : "", m->nodes.names[k]);
}

/* The command of rank i; 0: of all others. Free it. */
static char *agent_command(const struct mesh *m, uint32_t i)
{
	char self[PATH_MAX], *text = NULL, *hosts = NULL;
	const ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[len > 0 ? len : 0] = '\0';
	quote(&text, len > 0 ? self : "verbench");
	must_appendf(&text, " mesh");
	add_options(&text, m);
	if (!m->cfg.join) {
		must_appendf(&text, " --join");
		quote(&text, m->rank.root);
	}
	if (i)
		must_appendf(&text, " --ranks %u/%u", i, m->rank.size);
	must_appendf(&text, i ? " --name" : " --hosts");
	add_hosts(&hosts, m, i, 0);
	quote(&text, hosts);
	free(hosts);
	if (m->key)
		must_appendf(&text, " --key -");
	return text;
}

/* --via with its %h or %w, for the shell; the command is its argument. Free it. */
static char *launcher_command(const struct mesh *m, uint32_t i)
{
	char *text = NULL;

	for (const char *at = m->cfg.via; *at; at++)
		if (at[0] == '%' && (at[1] == 'h' || at[1] == 'w'))
			add_hosts(&text, m, i, 1), at++;
		else
			must_appendf(&text, "%c", *at);
	must_appendf(&text, " \"$1\"");
	return text;
}

/* Its standard input is the key. */
static int start_one(const struct mesh *m, uint32_t i, pid_t *pid)
{
	char *command = agent_command(m, i), *via = launcher_command(m, i);
	char *words[] = { (char[]){ "sh" }, (char[]){ "-c" }, via, (char[]){ "sh" }, command, NULL };
	const size_t n = m->key ? strlen(m->key) : 0;
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t pipe_only;
	int ends[2], rc;

	rc = pipe2(ends, O_CLOEXEC) ? errno : 0;
	if (!rc && n && write(ends[1], m->key, n) != (ssize_t)n)
		rc = EIO;
	sigemptyset(&pipe_only);
	sigaddset(&pipe_only, SIGPIPE);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigdefault(&attributes, &pipe_only);
	posix_spawn_file_actions_init(&files);
	if (!rc) {
		posix_spawn_file_actions_adddup2(&files, ends[0], STDIN_FILENO);
		rc = posix_spawn(pid, "/bin/sh", &files, &attributes, words, environ);
		close(ends[0]);
		close(ends[1]);
	}
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	free(command);
	free(via);
	return rc ? err_set(-rc, "--via: cannot start sh: %s", strerror(rc)) : 0;
}

/* ---- until they end */

static uint32_t find(struct mesh_launch *l, pid_t pid)
{
	uint32_t i = 0;

	pthread_mutex_lock(&l->lock);
	while (i < l->n && l->pids[i] != pid)
		i++;
	if (i < l->n)
		l->pids[i] = 0;
	pthread_mutex_unlock(&l->lock);
	return i;
}

/* The process has no other children. */
static void *wait_main(void *arg)
{
	struct mesh_launch *l = arg;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, 0)) > 0 || errno == EINTR) {
		const uint32_t i = pid > 0 ? find(l, pid) : l->n;

		if (i == l->n || !status || atomic_load(&l->over))
			continue;
		log_note("--via: %s ended with %s %d", l->n == 1 ? "it" : l->names[i + 1],
			 WIFSIGNALED(status) ? "signal" : "exit status",
			 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	}
	return NULL;
}

static void stop(struct mesh_launch *l, int signal)
{
	pthread_mutex_lock(&l->lock);
	for (uint32_t i = 0; i < l->n; i++)
		if (l->pids[i])
			kill(l->pids[i], signal);
	pthread_mutex_unlock(&l->lock);
}

static void free_launch(struct mesh_launch *l)
{
	pthread_mutex_destroy(&l->lock);
	free(l->pids);
	free(l);
}

int mesh_launch_open(struct mesh_launch **launch, struct mesh *m)
{
	const bool each = m->cfg.via && strstr(m->cfg.via, "%h");
	struct mesh_launch *l;
	uint32_t n = 0;
	int rc = 0;

	*launch = NULL;
	if (!m->cfg.via)
		return 0;
	l = must_calloc(1, sizeof(*l));
	l->names = (const char *const *)m->nodes.names;
	l->n = each ? m->nodes.n - 1 : 1;
	l->pids = must_calloc(l->n, sizeof(*l->pids));
	pthread_mutex_init(&l->lock, NULL);
	for (; n < l->n && !rc; n++)
		rc = start_one(m, each ? n + 1 : 0, &l->pids[n]);
	if (m->key)
		explicit_bzero(m->key, strlen(m->key));
	if (!rc && pthread_create(&l->thread, NULL, wait_main, l))
		rc = err_set(-EAGAIN, "cannot start the thread of --via");
	if (!rc) {
		*launch = l;
		return 0;
	}
	stop(l, SIGTERM);
	free_launch(l);
	return rc;
}

void mesh_launch_close(struct mesh_launch *l)
{
	static const int signals[] = { SIGTERM, SIGKILL, 0 };
	bool ended = false;

	if (!l)
		return;
	atomic_store(&l->over, true);
	for (const int *signal = signals; *signal && !ended; signal++) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += (time_t)(LINKS_SILENT_NS / UINT64_C(1000000000));
		ended = !pthread_timedjoin_np(l->thread, NULL, &until);
		if (!ended)
			stop(l, *signal);
	}
	if (!ended)
		pthread_join(l->thread, NULL);
	free_launch(l);
}
