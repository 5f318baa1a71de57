/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the table of the server's child processes, from fork to wait, and which of them may run a
 * session. Called by serve.c. Must not send or receive a byte of a connection.
 */
#include "config.h"
#include "serve/serve_processes.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/command.h"
#include "serve/serve_child.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/signals.h"

#define NEW_MS 5000u           /* for hello and a plan, at most */
#define IGNORED_LINES 10u      /* per IGNORED_NS; the others are only counted */
#define IGNORED_NS 60000000000u

void serve_flush_ignored(struct serve *s)
{
	if (s->ignored > IGNORED_LINES)
		log_note("ignored %" PRIu64 " more connections", s->ignored - IGNORED_LINES);
	s->ignored = 0;
}

void serve_log_ignored(struct serve *s, const char *peer, const char *reason)
{
	const uint64_t now_ns = clock_ns();

	if (now_ns - s->ignored_since_ns > IGNORED_NS) {
		serve_flush_ignored(s);
		s->ignored_since_ns = now_ns;
	}
	if (s->ignored++ < IGNORED_LINES)
		log_note("ignored a connection from %s: %s", peer, reason);
}

void serve_close_listener(struct serve *s)
{
	if (s->listener >= 0)
		close(s->listener);
	s->listener = -1;
}

static uint32_t count_clients(const struct serve *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n; i++)
		n += s->children[i].state == SERVE_CHILD_CLIENT;
	return n;
}

static void remove_child(struct serve *s, uint32_t i)
{
	close(s->children[i].fd);
	s->n--;
	memmove(&s->children[i], &s->children[i + 1], (s->n - i) * sizeof(s->children[0]));
}

static int wait_child(pid_t pid)
{
	int wstatus = 0;

	while (waitpid(pid, &wstatus, 0) < 0 && errno == EINTR)
		continue;
	return wstatus;
}

static void kill_child(struct serve *s, uint32_t i)
{
	kill(s->children[i].pid, SIGKILL);
	/* the kernel may take long to destroy the QPs of a client's process: init waits for it */
	if (s->children[i].state != SERVE_CHILD_CLIENT)
		wait_child(s->children[i].pid);
	remove_child(s, i);
}

void serve_processes_kill_all(struct serve *s)
{
	while (s->n)
		kill_child(s, 0);
}

static void add_child(struct serve *s, const struct ctl *ctl, pid_t pid, int fd)
{
	struct serve_process *c = &s->children[s->n++];

	c->pid = pid;
	c->fd = fd;
	c->state = SERVE_CHILD_NEW;
	c->since_ns = clock_ns();
	snprintf(c->peer, sizeof(c->peer), "%s", ctl->peer);
	c->reason[0] = '\0';
	c->perftest = false;
}

/* Makes room for a new connection: the oldest one that sent no plan is closed. */
static void make_room(struct serve *s)
{
	if (s->n - count_clients(s) < SERVE_MAX_NEW)
		return;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->children[i].state != SERVE_CHILD_CLIENT) {
			serve_log_ignored(s, s->children[i].peer,
					  "it sent no plan, and other connections wait");
			kill_child(s, i);
			return;
		}
}

int serve_processes_start(struct serve *s, struct ctl *ctl)
{
	const pid_t parent = getpid();
	int pair[2], rc;
	pid_t pid;

	make_room(s);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	fflush(NULL); /* the child must not write the same text again */
	pid = fork();
	if (!pid) {
		const struct serve_child child = { s->cfg, s->printer, ctl, pair[1], parent };

		close(pair[0]);
		serve_close_listener(s);
		for (uint32_t i = 0; i < s->n; i++)
			close(s->children[i].fd);
		serve_child_run(&child);
	}
	rc = pid < 0 ? -errno : 0;
	close(pair[1]);
	if (rc)
		close(pair[0]);
	else
		add_child(s, ctl, pid, pair[0]);
	return rc;
}

static void answer(const struct serve_process *c, const char *text)
{
	/* when the child has ended, the end of file on fd tells it */
	if (send(c->fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		kill(c->pid, SIGKILL);
}

/* The peer of a child sent a plan: may the session run? */
static void admit(struct serve *s, struct serve_process *c)
{
	char busy[64];

	if (c->state != SERVE_CHILD_NEW)
		return;
	c->state = SERVE_CHILD_REJECTED;
	snprintf(busy, sizeof(busy), "Bbusy: %u sessions are running, try again",
		 SERVE_MAX_CLIENTS);
	if (s->how_many == SERVE_ONE_CLIENT && count_clients(s)) {
		answer(c, "Bthis server serves one client, and another client is served");
	} else if (count_clients(s) >= SERVE_MAX_CLIENTS) {
		log_note("rejected %s: %s", c->peer, busy + 1);
		answer(c, busy);
	} else {
		c->state = SERVE_CHILD_CLIENT;
		if (s->how_many == SERVE_ONE_CLIENT)
			serve_close_listener(s);
		answer(c, "G");
	}
}

static void child_ended(struct serve *s, uint32_t i)
{
	struct serve_process *c = &s->children[i];
	const int wstatus = wait_child(c->pid);

	if (WIFSIGNALED(wstatus))
		log_error("the session with %s was ended by signal %d (%s)", c->peer,
			  WTERMSIG(wstatus), strsignal(WTERMSIG(wstatus)));
	else if (c->perftest && s->how_many == SERVE_ONE_CLIENT)
		log_error("%s", c->reason);
	else if (c->state == SERVE_CHILD_NEW)
		serve_log_ignored(s, c->peer,
				  c->reason[0] ? c->reason : "it closed before it sent a plan");
	if ((c->state == SERVE_CHILD_CLIENT || c->perftest) && s->how_many == SERVE_ONE_CLIENT) {
		s->status = WIFEXITED(wstatus) ? WEXITSTATUS(wstatus) : COMMAND_FAILED;
		s->over = true;
	}
	remove_child(s, i);
}

void serve_processes_receive(struct serve *s, uint32_t i)
{
	struct serve_process *c = &s->children[i];
	char text[ERR_TEXT_MAX + 1];
	ssize_t n;

	n = recv(c->fd, text, sizeof(text) - 1, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		child_ended(s, i);
		return;
	}
	text[n] = '\0';
	if (text[0] == 'P') {
		admit(s, c);
		return;
	}
	c->perftest = text[0] == 'F';
	snprintf(c->reason, sizeof(c->reason), "%s", text + 1);
}

static uint64_t new_ns(const struct serve *s)
{
	const uint32_t ms = s->cfg->connect_timeout_ms;

	return (uint64_t)(ms < NEW_MS ? ms : NEW_MS) * 1000000u;
}

static uint64_t deadline_of(const struct serve *s, const struct serve_process *c, uint64_t now_ns)
{
	if (c->state == SERVE_CHILD_CLIENT)
		return s->stop_by_ns ? s->stop_by_ns : UINT64_MAX;
	if (s->stop_by_ns || (s->listener < 0 && c->state == SERVE_CHILD_NEW))
		return now_ns;
	return c->since_ns + new_ns(s);
}

static void expire_child(struct serve *s, uint32_t i)
{
	const struct serve_process *c = &s->children[i];

	if (c->state == SERVE_CHILD_CLIENT) {
		log_error("the session with %s did not end in time after the stop", c->peer);
		s->status = COMMAND_FAILED;
		s->over = true;
	} else if (c->state == SERVE_CHILD_NEW && s->listener >= 0) {
		serve_log_ignored(s, c->peer, "no hello and plan in time");
	}
	kill_child(s, i);
}

uint64_t serve_processes_expire(struct serve *s)
{
	const uint64_t now_ns = clock_ns();
	uint64_t next_ns = s->stop_by_ns ? s->stop_by_ns : UINT64_MAX;
	uint32_t i = 0;

	while (i < s->n) {
		const uint64_t until_ns = deadline_of(s, &s->children[i], now_ns);

		if (until_ns <= now_ns) {
			expire_child(s, i);
			continue;
		}
		next_ns = until_ns < next_ns ? until_ns : next_ns;
		i++;
	}
	return next_ns;
}

void serve_processes_stop(const struct serve *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->children[i].state == SERVE_CHILD_CLIENT)
			kill(s->children[i].pid, SIGNALS_ASK);
}
