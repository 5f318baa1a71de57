/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the listener and the processes of the sessions. Called by main. Must not touch verbs, nor
 * send or receive a byte of a connection: that is the child's (serve_child.c), so that no client
 * can hold up the others.
 */
#include "config.h"
#include "commands/serve.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/clock.h"
#include "session/ctl.h"
#include "util/err.h"
#include "util/log.h"
#include "report/output.h"
#include "commands/serve_child.h"
#include "session/session.h"
#include "util/signals.h"

#define MAX_STRANGERS 64u
#define MAX_CLIENTS 16u
#define MAX_CHILDREN (MAX_STRANGERS + MAX_CLIENTS)
#define STRANGER_MS 5000u      /* to say hello and send a plan, at most */
#define PAUSE_NS 100000000u    /* no accept for so long when the system is short of something */
#define STOP_GRACE_MS 10000u   /* beyond the stall time-out: drain, report, abort */
#define IGNORED_LINES 10u      /* per IGNORED_NS; the others are counted */
#define IGNORED_NS 60000000000u

enum child_is { CHILD_STRANGER, CHILD_TURNED_AWAY, CHILD_CLIENT };

struct child {
	pid_t pid;
	int fd;
	enum child_is is;
	uint64_t since_ns;
	char peer[128];
	char why[ERR_TEXT_MAX];
};

struct serve {
	const struct cfg *cfg;
	enum serve_for how_many;
	int listener;              /* -1: no more connections are taken */
	uint64_t pause_until_ns;
	uint64_t stop_by_ns;       /* 0: no stop was asked for */
	int status;                /* SERVE_ONE_CLIENT: of its session */
	bool over;                 /* nothing is left to do */
	uint64_t ignored_since_ns, ignored;
	uint32_t n;
	struct child children[MAX_CHILDREN]; /* oldest first */
};

static void ignored_flush(struct serve *s)
{
	if (s->ignored > IGNORED_LINES)
		log_note("ignored %" PRIu64 " more connections", s->ignored - IGNORED_LINES);
	s->ignored = 0;
}

static void ignored(struct serve *s, const char *peer, const char *why)
{
	const uint64_t now_ns = clock_ns();

	if (now_ns - s->ignored_since_ns > IGNORED_NS) {
		ignored_flush(s);
		s->ignored_since_ns = now_ns;
	}
	if (s->ignored++ < IGNORED_LINES)
		log_note("ignored a connection from %s: %s", peer, why);
}

static uint32_t count(const struct serve *s, enum child_is is)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n; i++)
		n += s->children[i].is == is;
	return n;
}

static void forget(struct serve *s, uint32_t i)
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
	/* a client's process may hang in the kernel's teardown of its QPs: it is left to init */
	if (s->children[i].is != CHILD_CLIENT)
		wait_child(s->children[i].pid);
	forget(s, i);
}

static void close_listener(struct serve *s)
{
	if (s->listener >= 0)
		close(s->listener);
	s->listener = -1;
}

static void born(struct serve *s, const struct ctl *ctl, pid_t pid, int fd)
{
	struct child *c = &s->children[s->n++];

	c->pid = pid;
	c->fd = fd;
	c->is = CHILD_STRANGER;
	c->since_ns = clock_ns();
	snprintf(c->peer, sizeof(c->peer), "%s", ctl->peer);
	c->why[0] = '\0';
}

/* Room for one stranger more: the oldest one goes, so that silence cannot fill the house. */
static void make_room(struct serve *s)
{
	if (s->n - count(s, CHILD_CLIENT) < MAX_STRANGERS)
		return;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->children[i].is != CHILD_CLIENT) {
			ignored(s, s->children[i].peer, "said nothing, and others are waiting");
			kill_child(s, i);
			return;
		}
}

static int spawn(struct serve *s, struct ctl *ctl)
{
	const pid_t parent = getpid();
	int pair[2], rc;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	fflush(NULL); /* or the child would write it again */
	pid = fork();
	if (!pid) {
		const struct serve_child child = { s->cfg, ctl, pair[1], parent };

		close(pair[0]);
		close_listener(s);
		for (uint32_t i = 0; i < s->n; i++)
			close(s->children[i].fd);
		serve_child_live(&child);
	}
	rc = pid < 0 ? -errno : 0;
	close(pair[1]);
	if (rc)
		close(pair[0]);
	else
		born(s, ctl, pid, pair[0]);
	return rc;
}

/* The system is short of something, and will be at once again: the listener rests. */
static void pause_accept(struct serve *s, const char *peer, int err)
{
	s->pause_until_ns = clock_ns() + PAUSE_NS;
	ignored(s, peer, strerror(err));
}

static void take_connection(struct serve *s)
{
	struct ctl ctl;
	int fd, rc;

	fd = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0) {
		/* the others are of a connection that is gone already: accept(2) */
		if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
			pause_accept(s, "somebody", errno);
		return;
	}
	if (ctl_accept(&ctl, fd, -1))
		return;
	make_room(s);
	rc = spawn(s, &ctl);
	if (rc)
		pause_accept(s, ctl.peer, -rc);
	ctl_close(&ctl);
}

static void answer(const struct child *c, const char *text)
{
	/* a child that is gone already is seen by its end of file */
	if (send(c->fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		kill(c->pid, SIGKILL);
}

/* A child has a client. */
static void decide(struct serve *s, struct child *c)
{
	char busy[64];

	if (c->is != CHILD_STRANGER)
		return;
	c->is = CHILD_TURNED_AWAY;
	snprintf(busy, sizeof(busy), "Bbusy: %u sessions are running, try again", MAX_CLIENTS);
	if (s->how_many == SERVE_ONE_CLIENT && count(s, CHILD_CLIENT)) {
		answer(c, "Bthis server serves one client, and has it");
	} else if (count(s, CHILD_CLIENT) >= MAX_CLIENTS) {
		log_note("turned away %s: %s", c->peer, busy + 1);
		answer(c, busy);
	} else {
		c->is = CHILD_CLIENT;
		if (s->how_many == SERVE_ONE_CLIENT)
			close_listener(s);
		answer(c, "G");
	}
}

static void buried(struct serve *s, uint32_t i)
{
	struct child *c = &s->children[i];
	const int wstatus = wait_child(c->pid);
	int status = WIFEXITED(wstatus) ? WEXITSTATUS(wstatus) : EXIT_FAILURE;

	if (WIFSIGNALED(wstatus))
		log_error("the session with %s was ended by signal %d (%s)", c->peer,
			  WTERMSIG(wstatus), strsignal(WTERMSIG(wstatus)));
	else if (c->is == CHILD_STRANGER)
		ignored(s, c->peer, c->why[0] ? c->why : "it left before it sent a plan");
	if (c->is == CHILD_CLIENT && s->how_many == SERVE_ONE_CLIENT) {
		s->status = status == SESSION_NO_CLIENT ? EXIT_FAILURE : status;
		s->over = true;
	}
	forget(s, i);
}

static void hear(struct serve *s, uint32_t i)
{
	struct child *c = &s->children[i];
	char said[ERR_TEXT_MAX + 1];
	ssize_t n;

	n = recv(c->fd, said, sizeof(said) - 1, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		buried(s, i);
		return;
	}
	said[n] = '\0';
	if (said[0] == 'P')
		decide(s, c);
	else
		snprintf(c->why, sizeof(c->why), "%s", said + 1);
}

static uint64_t stranger_ns(const struct serve *s)
{
	const uint32_t ms = s->cfg->connect_timeout_ms;

	return (uint64_t)(ms < STRANGER_MS ? ms : STRANGER_MS) * 1000000u;
}

/* Ends those whose time is up; returns when the next one's will be. */
static uint64_t expire(struct serve *s)
{
	const uint64_t now_ns = clock_ns();
	uint64_t next_ns = s->stop_by_ns ? s->stop_by_ns : UINT64_MAX;
	uint32_t i = 0;

	if (s->listener >= 0 && s->pause_until_ns > now_ns && s->pause_until_ns < next_ns)
		next_ns = s->pause_until_ns;
	while (i < s->n) {
		struct child *c = &s->children[i];
		uint64_t until_ns = c->since_ns + stranger_ns(s);

		if (c->is == CHILD_CLIENT)
			until_ns = s->stop_by_ns ? s->stop_by_ns : UINT64_MAX;
		else if (s->stop_by_ns || (s->listener < 0 && c->is == CHILD_STRANGER))
			until_ns = now_ns;
		if (until_ns > now_ns) {
			next_ns = until_ns < next_ns ? until_ns : next_ns;
			i++;
			continue;
		}
		if (c->is == CHILD_CLIENT) {
			log_error("the session with %s did not end in time after the stop",
				  c->peer);
			s->status = EXIT_FAILURE;
			s->over = true;
		} else if (c->is == CHILD_STRANGER && s->listener >= 0) {
			ignored(s, c->peer, "no hello and plan in time");
		}
		kill_child(s, i);
	}
	return next_ns;
}

/* The user wants to leave: sessions are told once and have the time to say what they measured. */
static void begin_stop(struct serve *s)
{
	s->stop_by_ns = clock_ns() +
			((uint64_t)s->cfg->stall_timeout_ms + STOP_GRACE_MS) * 1000000u;
	close_listener(s);
	for (uint32_t i = 0; i < s->n; i++)
		if (s->children[i].is == CHILD_CLIENT)
			kill(s->children[i].pid, SIGTERM);
}

/* Waits until next_ns for something to happen, and sees to it. */
static void turn(struct serve *s, uint64_t next_ns)
{
	struct pollfd p[MAX_CHILDREN + 2];
	const uint64_t now_ns = clock_ns();
	const uint32_t n = s->n;
	uint64_t wait_ms = 60000u;

	if (next_ns <= now_ns)
		wait_ms = 0;
	else if ((next_ns - now_ns) / 1000000u < wait_ms)
		wait_ms = (next_ns - now_ns) / 1000000u + 1;
	for (uint32_t i = 0; i < n; i++)
		p[i] = (struct pollfd){ .fd = s->children[i].fd, .events = POLLIN };
	p[n] = (struct pollfd){ .fd = s->stop_by_ns ? -1 : signals_fd(), .events = POLLIN };
	p[n + 1] = (struct pollfd){ .fd = s->pause_until_ns > now_ns ? -1 : s->listener,
				    .events = POLLIN };
	if (poll(p, (nfds_t)n + 2, (int)wait_ms) <= 0)
		return;
	/* from the youngest on: a burial moves those behind it */
	for (uint32_t i = n; i-- > 0;)
		if (p[i].revents)
			hear(s, i);
	if (p[n].revents)
		begin_stop(s);
	else if (p[n + 1].revents && s->listener >= 0)
		take_connection(s);
}

static uint32_t listening_on(const struct serve *s)
{
	struct sockaddr_storage any;
	struct sockaddr_in6 in6;
	socklen_t len = sizeof(any);

	memset(&any, 0, sizeof(any));
	if (getsockname(s->listener, (struct sockaddr *)&any, &len))
		return s->cfg->tcp_port;
	memcpy(&in6, &any, sizeof(in6)); /* the port has one place in both families */
	return ntohs(in6.sin6_port);
}

int serve_run(const struct cfg *cfg, enum serve_for how_many)
{
	struct cfg shared = *cfg;
	struct serve s = { .cfg = &shared, .how_many = how_many, .status = EXIT_SUCCESS };

	shared.adds = how_many == SERVE_MANY;
	if ((shared.adds && output_prepare(cfg)) || ctl_listen(&s.listener, cfg->tcp_port)) {
		log_error("%s", err_text());
		return EXIT_FAILURE;
	}
	log_note("waiting for a client on port %u", listening_on(&s));
	for (;;) {
		const uint64_t next_ns = expire(&s);

		if (s.over || (s.stop_by_ns && !s.n))
			break;
		turn(&s, next_ns);
	}
	close_listener(&s);
	while (s.n)
		kill_child(&s, 0);
	ignored_flush(&s);
	if (how_many == SERVE_ONE_CLIENT && !s.over) {
		log_error("interrupted before a client came");
		return EXIT_FAILURE;
	}
	return s.status;
}
