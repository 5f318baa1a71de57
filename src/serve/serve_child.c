/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the process of one session. Called by serve_processes.c in the forked child. Standard output
 * is shared with the other sessions: only results go there, each row in one write.
 */
#include "config.h"
#include "serve/serve_child.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "command/command.h"
#include "command/results.h"
#include "rdma/dev.h"
#include "rdma/dev_none.h"
#include "serve/serve_clock.h"
#include "account/ran.h"
#include "service/sandbox.h"
#include "session/session.h"
#include "limits/budget.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"
#include "util/minmax.h"
#include "util/signals.h"
#include "standard/standard.h"

#define PRINT_MS 2000 /* less than a client's stall timeout usually is */
#define TELL_NS 1000000000u

/* rc: of the refusal. */
static int ask(const struct serve_child *child, const char *question, int rc)
{
	struct pollfd p = { .fd = child->fd, .events = POLLIN };
	const uint32_t ms = child->cfg->connect_timeout_ms;
	char answer[ERR_TEXT_MAX] = "";
	int n = -1;

	if (send(child->fd, question, strlen(question), MSG_NOSIGNAL) > 0) {
		do
			n = poll(&p, 1, (int)ms);
		while (n < 0 && errno == EINTR);
	}
	if (n > 0 && recv(child->fd, answer, sizeof(answer) - 1, 0) > 0 && answer[0] == 'G')
		return 0;
	if (!n)
		return err_set(rc, "the server's process has not answered its session for %g s: this host may be too busy",
			       1e-3 * ms);
	return err_set(rc, "%s", answer[0] == 'B' ? answer + 1 : "the server is stopping");
}

/* May the session run? The server logs it when not. */
static int ask_server(void *arg)
{
	return ask(arg, "P", -EBUSY);
}

/* Of all sessions together. */
static int ask_memory(void *arg, uint64_t bytes)
{
	char question[32];

	snprintf(question, sizeof(question), "M%" PRIu64, bytes);
	return ask(arg, question, -ENOMEM);
}

/* What the server does not hear, because it is gone, ends nothing. */
static void tell_point(void *arg, bool begin)
{
	struct serve_child *child = arg;

	(void)!send(child->fd, begin ? "T" : "t", 1, MSG_NOSIGNAL);
	child->in_point = begin;
	serve_clock_point(child->clock, begin);
}

/*
 * Often called. What the server does not take now, the next one replaces. Not while the loops of a
 * point run: it would wake the server's process beside them.
 */
static void tell_alive(void *arg)
{
	struct serve_child *child = arg;
	const uint64_t now_ns = clock_ns();

	if (child->in_point || now_ns - child->told_ns < TELL_NS)
		return;
	child->told_ns = now_ns;
	(void)!send(child->fd, "L", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* The user's stop, and the end of the session's time. */
static int watch(struct serve_child *child)
{
	int rc = signals_init_session();

	if (!rc)
		rc = serve_clock_open(child->clock, child->cfg, signals_fd());
	if (rc)
		return rc;
	child->ctl->signals_fd = child->clock->fd;
	child->ctl->stop_reason = serve_clock_reason;
	child->ctl->stop_arg = child->clock;
	child->ctl->alive = tell_alive;
	child->ctl->alive_arg = child;
	return 0;
}

static void tell_late(void)
{
	log_error("standard output: nobody has read it for %d s; what sessions print is lost until somebody does",
		  PRINT_MS / 1000);
}

/*
 * A reader of standard output that has stopped must not stop the session. The standard streams of
 * the GNU C library are variables (its manual, "Standard Streams").
 */
static void guard_output(void)
{
	FILE *out = log_serves() ? standard_stream(STDOUT_FILENO, PRINT_MS, tell_late) : NULL;

	if (out)
		stdout = out;
}

uint32_t serve_child_plan_ms(const struct cfg *cfg)
{
	return min_u32(cfg->connect_timeout_ms, cfg->max_plan_ms);
}

/* Before the peer is told anything. SESSION_MEASURED: it has the key, or none is asked for. */
static enum session_end prove(const struct serve_child *child)
{
	const int rc = child->tls ? ctl_prove(child->ctl, child->tls, true,
						  serve_child_plan_ms(child->cfg)) : 0;

	if (!rc)
		return SESSION_MEASURED;
	return rc == -EPROTOTYPE ? SESSION_PERFTEST : SESSION_NO_CLIENT;
}

/* auto: a kernel that says it can, and then does not (a container forbids it), stops no session. */
static int enter_sandbox(const struct serve_child *child)
{
	int rc = child->sandbox ? sandbox_enter(dev_none_emulates()) : 0;

	if (!rc || child->cfg->sandbox == SANDBOX_ON)
		return rc;
	log_note("a session is in no sandbox: %s", err_text());
	return 0;
}

static int run(struct serve_child *child)
{
	struct memory_budget budget = {
		.most = child->cfg->max_memory, .ask = ask_memory, .arg = child,
	};
	struct results results = {
		.cfg = child->cfg,
		.admit = ask_server,
		.admit_arg = child,
		.client = child->ctl->peer,
		.runs = tell_point,
		.runs_arg = child,
		.budget = &budget,
	};
	const struct session_sink base = results_sink(&results);
	const struct serve_printer *printer = child->printer;
	struct ran_watch counted = { .fd = child->fd };
	const struct session_sink shown = printer ? printer->sink(printer->arg, &base) : base;
	const struct session_sink sink = ran_sink(&counted, &shown);
	char reason[ERR_TEXT_MAX + 1];
	enum session_end end;
	int len;

	guard_output();
	/* a process group for each session: Ctrl-C of the terminal then reaches only the server */
	setpgid(0, 0);
	/* when the server is killed its sessions stop, and still tell their peers */
	prctl(PR_SET_PDEATHSIG, SIGNALS_ASK);
	if (getppid() != child->server)
		return COMMAND_FAILED;
	if (watch(child) || enter_sandbox(child)) {
		log_error("%s", err_text());
		return COMMAND_FAILED;
	}
	err_clear();
	end = prove(child);
	snprintf(counted.ran.auth, sizeof(counted.ran.auth), "%s",
		 child->tls ? "key" : child->cfg->allow ? "allow" : "none");
	if (end == SESSION_MEASURED)
		end = session_server(child->cfg, child->ctl, &sink);
	ran_end(&counted, end);
	if (end != SESSION_NO_CLIENT && end != SESSION_PERFTEST)
		return printer ? printer->end(printer->arg, end) : results_exit(&results, end);
	len = snprintf(reason, sizeof(reason), "%c%s", end == SESSION_PERFTEST ? 'F' : 'R',
		       err_text());
	/* without a server nobody reads the reason */
	if (send(child->fd, reason, (size_t)len, MSG_NOSIGNAL) < 0)
		return COMMAND_FAILED;
	return results_exit(&results, end);
}

void serve_child_look(const struct serve_child *child)
{
	const struct dev_wish wish = { .cfg = child->cfg, .side = SIDE_SERVER };
	struct serve_device found;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	memset(&found, 0, sizeof(found));
	found.rc = enter_sandbox(child);
	if (!found.rc)
		found.rc = dev_check(&wish);
	found.error = err_keep();
	/* a server that is gone asks nothing */
	_exit(write(child->fd, &found, sizeof(found)) == (ssize_t)sizeof(found) ? 0 : 1);
}

void serve_child_run(const struct serve_child *child)
{
	struct serve_child own = *child;
	struct serve_clock clock = { .fd = -1 };
	int status;

	own.clock = &clock;
	status = run(&own);
	ctl_close(own.ctl);
	serve_clock_close(&clock);
	fflush(NULL);
	_exit(status);
}
