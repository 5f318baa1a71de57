/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the process of one session. Called by serve in the forked child. Must not write to standard
 * output: it is shared with the other sessions, and rows come from session, one flush each.
 */
#include "config.h"
#include "commands/serve_child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/err.h"
#include "util/log.h"
#include "session/session.h"
#include "util/signals.h"

#define ANSWER_MS 5000

/* Asks whether the session may run; does not return if it may not. */
static void ask(void *arg)
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
		return;
	ctl_abort(child->ctl, answer[0] == 'B' ? answer + 1 : "the server is stopping");
	ctl_close(child->ctl);
	fflush(NULL);
	_exit(EXIT_SUCCESS);
}

static int run(struct serve_child *child)
{
	const struct session_proven proven = { .call = ask, .arg = child };
	char why[ERR_TEXT_MAX + 1];
	int status, len;

	/* a group of its own: the terminal's Ctrl-C comes once, by way of the server */
	setpgid(0, 0);
	/* a server that is killed takes its sessions along, and they still tell their peers */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != child->server)
		return EXIT_FAILURE;
	if (signals_init()) {
		log_error("%s", err_text());
		return EXIT_FAILURE;
	}
	child->ctl->signals_fd = signals_fd();
	err_clear();
	status = session_server(child->cfg, child->ctl, &proven);
	if (status != SESSION_NO_CLIENT)
		return status;
	len = snprintf(why, sizeof(why), "R%s", err_text());
	/* without the server there is nobody who counts */
	return send(child->fd, why, (size_t)len, MSG_NOSIGNAL) < 0 ? EXIT_FAILURE : status;
}

void serve_child_live(const struct serve_child *child)
{
	struct serve_child own = *child;
	const int status = run(&own);

	ctl_close(own.ctl);
	fflush(NULL);
	_exit(status);
}
