/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the process of one session. Called by serve_processes.c in the forked child. Standard output
 * is shared with the other sessions: only results go there, each row in one write.
 */
#include "config.h"
#include "serve/serve_child.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "command/command.h"
#include "command/results.h"
#include "session/session.h"
#include "util/err.h"
#include "util/log.h"
#include "util/signals.h"

#define ANSWER_MS 5000

/* May the session run? The server logs it when not. */
static int ask_server(void *arg)
{
	const struct serve_child *child = arg;
	struct pollfd p = { .fd = child->fd, .events = POLLIN };
	char answer[ERR_TEXT_MAX] = "";
	int n = 0;

	if (send(child->fd, "P", 1, MSG_NOSIGNAL) == 1) {
		do
			n = poll(&p, 1, ANSWER_MS);
		while (n < 0 && errno == EINTR);
	}
	if (n > 0 && recv(child->fd, answer, sizeof(answer) - 1, 0) > 0 && answer[0] == 'G')
		return 0;
	return err_set(-EBUSY, "%s", answer[0] == 'B' ? answer + 1 : "the server is stopping");
}

static int run(struct serve_child *child)
{
	struct results results = {
		.cfg = child->cfg,
		.admit = ask_server,
		.admit_arg = child,
		.client = child->ctl->peer,
	};
	const struct session_sink base = results_sink(&results);
	const struct serve_printer *printer = child->printer;
	const struct session_sink sink = printer ? printer->sink(printer->arg, &base) : base;
	char reason[ERR_TEXT_MAX + 1];
	enum session_end end;
	int len;

	/* a process group for each session: Ctrl-C of the terminal then reaches only the server */
	setpgid(0, 0);
	/* when the server is killed its sessions stop, and still tell their peers */
	prctl(PR_SET_PDEATHSIG, SIGNALS_ASK);
	if (getppid() != child->server)
		return COMMAND_FAILED;
	if (signals_init()) {
		log_error("%s", err_text());
		return COMMAND_FAILED;
	}
	child->ctl->signals_fd = signals_fd();
	err_clear();
	end = session_server(child->cfg, child->ctl, &sink);
	if (end != SESSION_NO_CLIENT && end != SESSION_PERFTEST)
		return printer ? printer->end(printer->arg, end) : results_exit(&results, end);
	len = snprintf(reason, sizeof(reason), "%c%s", end == SESSION_PERFTEST ? 'F' : 'R',
		       err_text());
	/* without a server nobody reads the reason */
	if (send(child->fd, reason, (size_t)len, MSG_NOSIGNAL) < 0)
		return COMMAND_FAILED;
	return results_exit(&results, end);
}

void serve_child_run(const struct serve_child *child)
{
	struct serve_child own = *child;
	const int status = run(&own);

	ctl_close(own.ctl);
	fflush(NULL);
	_exit(status);
}
