/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the command serve: the listener and the loop that waits for connections, child processes and
 * the user. Also called by test.c for a server of one client. Must not touch verbs, nor send or
 * receive a byte of a connection: that is serve_child.c, so that no client can delay the others.
 */
#include "config.h"
#include "serve/serve.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "command/results.h"
#include "copy/target.h"
#include "format/output.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/signals.h"

#define PAUSE_NS 100000000u    /* without accept when the system has no descriptors or memory */
#define STOP_GRACE_MS 10000u   /* beyond the stall timeout: finish, report, abort */

/* The system has no resources, and at once it will have none again: accept later. */
static void pause_accept(struct serve *s, const char *peer, int err)
{
	s->pause_until_ns = clock_ns() + PAUSE_NS;
	serve_log_ignored(s, peer, strerror(err));
}

static void take_connection(struct serve *s)
{
	struct ctl ctl;
	int fd, rc;

	fd = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0) {
		/* the other errors are of a connection that is gone already: accept(2) */
		if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
			pause_accept(s, "an unknown host", errno);
		return;
	}
	if (ctl_accept(&ctl, fd, -1))
		return;
	rc = serve_processes_start(s, &ctl);
	if (rc)
		pause_accept(s, ctl.peer, -rc);
	ctl_close(&ctl);
}

/* The user asks to stop. Sessions are asked once, and have time to report what they measured. */
static void begin_stop(struct serve *s)
{
	s->stop_by_ns = clock_ns() +
			((uint64_t)s->cfg->stall_timeout_ms + STOP_GRACE_MS) * 1000000u;
	serve_close_listener(s);
	serve_processes_stop(s);
}

/* Milliseconds for poll(2) until next_ns, at most a minute. */
static int wait_ms(const struct serve *s, uint64_t now_ns, uint64_t next_ns)
{
	if (s->listener >= 0 && s->pause_until_ns > now_ns && s->pause_until_ns < next_ns)
		next_ns = s->pause_until_ns;
	if (next_ns <= now_ns)
		return 0;
	if ((next_ns - now_ns) / 1000000u < 60000u)
		return (int)((next_ns - now_ns) / 1000000u) + 1;
	return 60000;
}

/* Waits until next_ns at most, and handles what happens. */
static void step(struct serve *s, uint64_t next_ns)
{
	struct pollfd p[SERVE_MAX_CHILDREN + 2];
	const uint64_t now_ns = clock_ns();
	const uint32_t n = s->n;

	for (uint32_t i = 0; i < n; i++)
		p[i] = (struct pollfd){ .fd = s->children[i].fd, .events = POLLIN };
	p[n] = (struct pollfd){ .fd = s->stop_by_ns ? -1 : signals_fd(), .events = POLLIN };
	p[n + 1] = (struct pollfd){ .fd = s->pause_until_ns > now_ns ? -1 : s->listener,
				    .events = POLLIN };
	if (poll(p, (nfds_t)n + 2, wait_ms(s, now_ns, next_ns)) <= 0)
		return;
	/* the youngest first: when a child has ended, those behind it move */
	for (uint32_t i = n; i-- > 0;)
		if (p[i].revents)
			serve_processes_receive(s, i);
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
	memcpy(&in6, &any, sizeof(in6)); /* the port is at the same place in both families */
	return ntohs(in6.sin6_port);
}

/* The files are started over only when nothing else can stop the server. */
static int begin(struct serve *s)
{
	int rc = s->cfg->copy_to ? target_check_dir(s->cfg->copy_to) : 0;

	if (!rc)
		rc = ctl_listen(&s->listener, s->cfg->bind, s->cfg->tcp_port);
	if (!rc)
		rc = output_prepare(s->cfg);
	if (rc)
		serve_close_listener(s);
	return rc;
}

/* There was no session: the document of the run is that of the server itself. */
static void finish_early(const struct serve *s, int rc, const char *text)
{
	char error[ERR_TEXT_MAX];

	snprintf(error, sizeof(error), "%s", text);
	if (s->how_many == SERVE_ONE_CLIENT && !s->printer)
		results_none(s->cfg, rc, error);
	else
		log_error("%s", error);
}

static int run(const struct cfg *cfg, enum serve_for how_many, const struct serve_printer *printer)
{
	struct cfg shared = *cfg;
	struct serve s = { .cfg = &shared, .how_many = how_many, .printer = printer,
			   .status = COMMAND_OK, .listener = -1 };
	int rc;

	shared.adds = how_many == SERVE_MANY;
	shared.lines = how_many == SERVE_MANY && !cfg->verbose;
	if (!results_check(&shared))
		return COMMAND_REFUSED;
	rc = begin(&s);
	if (rc) {
		finish_early(&s, rc, err_text());
		return COMMAND_FAILED;
	}
	if (!printer)
		log_note("waiting for a client on port %u", listening_on(&s));
	for (;;) {
		const uint64_t next_ns = serve_processes_expire(&s);

		if (s.over || (s.stop_by_ns && !s.n))
			break;
		step(&s, next_ns);
	}
	serve_close_listener(&s);
	serve_processes_kill_all(&s);
	serve_flush_ignored(&s);
	if (how_many == SERVE_ONE_CLIENT && !s.over) {
		finish_early(&s, -EINTR, "interrupted before a client came");
		return COMMAND_FAILED;
	}
	return s.status;
}

int serve_run(const struct cfg *cfg, enum serve_for how_many)
{
	return run(cfg, how_many, NULL);
}

int serve_one(const struct cfg *cfg, const struct serve_printer *printer)
{
	return run(cfg, SERVE_ONE_CLIENT, printer);
}

int serve_command(const struct command *cmd, const struct command_line *line)
{
	struct cfg cfg;
	int status;

	if (!command_parse(cmd, line, &cfg, &status))
		return status;
	status = command_start();
	return status ? status : serve_run(&cfg, SERVE_MANY);
}
