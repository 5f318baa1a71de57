/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the process of gnuplot; see gnuplot.h. Its input and its messages are files in memory, so
 * that only one pipe is read, and a process that reads nothing stops nobody.
 */
#include "config.h"
#include "plot/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/err.h"
#include "util/text.h"

#define BLOCK 65536u
#define OUT_MAX (64u << 20)
#define STEP_MS 10       /* between two looks at a process that has closed its output */

struct process {
	pid_t pid;
	int in, out, errors; /* files in memory; out: the end of the pipe that this process reads */
	uint64_t deadline;   /* clock_ns() */
	unsigned int seconds;
};

static int failed(const char *what, int error)
{
	return err_set(-error, "gnuplot: %s: %s", what, strerror(error));
}

static int ms_left(const struct process *p)
{
	const uint64_t now = clock_ns();

	return now >= p->deadline ? 0 : (int)((p->deadline - now) / 1000000 + 1);
}

static int late(const struct process *p)
{
	return err_set(-ETIMEDOUT, "gnuplot has not drawn the picture within %u seconds",
		       p->seconds);
}

/* ---- start */

static int make_input(struct process *p, const struct gnuplot_job *job)
{
	p->in = memfd_create("script", MFD_CLOEXEC);
	p->errors = memfd_create("messages", MFD_CLOEXEC);
	if (p->in < 0 || p->errors < 0)
		return failed("memfd_create", errno);
	for (size_t at = 0; at < job->len;) {
		const ssize_t n = write(p->in, job->script + at, job->len - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return failed("write", errno);
		at += (size_t)n;
	}
	return lseek(p->in, 0, SEEK_SET) < 0 ? failed("lseek", errno) : 0;
}

/* Signals that this process ignores or blocks are not so for gnuplot. */
static int set_signals(posix_spawnattr_t *attr)
{
	sigset_t all, none;

	sigfillset(&all);
	sigemptyset(&none);
	posix_spawnattr_setsigdefault(attr, &all);
	posix_spawnattr_setsigmask(attr, &none);
	return posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
}

static int spawn(struct process *p, int out)
{
	/* -d: no file of the user or the system says how pictures look */
	char name[] = "gnuplot", plain[] = "-d", *const words[] = { name, plain, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	int error = posix_spawn_file_actions_init(&files);

	if (error)
		return failed("posix_spawn", error);
	error = posix_spawnattr_init(&attr);
	if (!error) {
		error = set_signals(&attr);
		if (!error)
			error = posix_spawn_file_actions_adddup2(&files, p->in, STDIN_FILENO);
		if (!error)
			error = posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
		if (!error)
			error = posix_spawn_file_actions_adddup2(&files, p->errors, STDERR_FILENO);
		if (!error)
			error = posix_spawnp(&p->pid, name, &files, &attr, words, environ);
		posix_spawnattr_destroy(&attr);
	}
	posix_spawn_file_actions_destroy(&files);
	if (error == ENOENT)
		return err_set(-ENOENT, "gnuplot is not installed: apt install gnuplot-nox (Debian, Ubuntu), or the package gnuplot of your system");
	return error ? failed("cannot start it", error) : 0;
}

static int start(struct process *p, const struct gnuplot_job *job)
{
	int ends[2];
	int rc = make_input(p, job);

	if (rc)
		return rc;
	if (pipe2(ends, O_CLOEXEC))
		return failed("pipe", errno);
	p->out = ends[0];
	rc = spawn(p, ends[1]);
	close(ends[1]);
	return rc;
}

/* ---- reading */

static int read_block(struct process *p, struct gnuplot_out *out)
{
	char *text;
	ssize_t n;

	if (out->len > OUT_MAX)
		return err_set(-EFBIG, "gnuplot: the picture has more than %u MiB", OUT_MAX >> 20);
	text = realloc(out->text, out->len + BLOCK);
	if (!text)
		return err_set(-ENOMEM, "no memory for the picture");
	out->text = text;
	n = read(p->out, text + out->len, BLOCK);
	if (n < 0)
		return errno == EINTR ? 1 : failed("read", errno);
	out->len += (size_t)n;
	return n > 0;
}

/* 1 while there may be more. */
static int read_some(struct process *p, struct gnuplot_out *out)
{
	struct pollfd fd = { .fd = p->out, .events = POLLIN };
	const int n = poll(&fd, 1, ms_left(p));

	if (n < 0)
		return errno == EINTR ? 1 : failed("poll", errno);
	return n ? read_block(p, out) : late(p);
}

/* ---- end */

/* Waits for the end, until the deadline; then by force. *status is that of waitpid(2). */
static int wait_end(struct process *p, bool kill_it, int *status)
{
	pid_t pid = 0;
	bool in_time = !kill_it;

	while (in_time && (pid = waitpid(p->pid, status, WNOHANG)) == 0) {
		poll(NULL, 0, STEP_MS);
		in_time = ms_left(p) > 0;
	}
	if (pid == 0) {
		kill(p->pid, SIGKILL);
		while ((pid = waitpid(p->pid, status, 0)) < 0 && errno == EINTR)
			;
	}
	if (pid < 0)
		return failed("waitpid", errno);
	return in_time || kill_it ? 0 : late(p);
}

/* The first line of gnuplot's own words that says something. */
static int refused(struct process *p)
{
	char text[2048], line[256];
	const ssize_t n = pread(p->errors, text, sizeof(text) - 1, 0);
	const char *at = strstr((text[n > 0 ? n : 0] = '\0', text), "line ");

	at = at ? at : text + strspn(text, "\n\t ^");
	snprintf(line, sizeof(line), "%.*s", (int)strcspn(at, "\n"), at);
	return err_set(-EIO, "gnuplot has failed: %s",
		       *line ? text_clean(line, line, sizeof(line)) : "it says nothing");
}

static int run(struct process *p, struct gnuplot_out *out)
{
	int status = 0, rc, ended;

	do
		rc = read_some(p, out);
	while (rc > 0);
	ended = wait_end(p, rc < 0, &status);
	if (rc || ended)
		return rc ? rc : ended;
	if (!WIFEXITED(status) || WEXITSTATUS(status) || !out->len)
		return refused(p);
	return 0;
}

int gnuplot_run(const struct gnuplot_job *job, struct gnuplot_out *out)
{
	struct process p = { .in = -1, .out = -1, .errors = -1, .seconds = job->seconds };
	int rc;

	*out = (struct gnuplot_out){ .len = 0 };
	p.deadline = clock_ns() + job->seconds * UINT64_C(1000000000);
	rc = start(&p, job);
	if (!rc)
		rc = run(&p, out);
	for (const int *fd = (const int[]){ p.in, p.out, p.errors, -2 }; *fd != -2; fd++)
		if (*fd >= 0)
			close(*fd);
	if (rc) {
		free(out->text);
		*out = (struct gnuplot_out){ .len = 0 };
	}
	return rc;
}
