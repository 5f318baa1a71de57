/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the process of one session. Standard output is shared with the other sessions: only results
 * go there, each row in one write.
 */
#include "config.h"
#include "serve/serve_child.h"

#include <errno.h>
#include <stdbool.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "frame/command.h"
#include "frame/results.h"
#include "device/dev.h"
#include "account/account.h"
#include "service/service.h"
#include "agree/agree.h"
#include "agree/session.h"
#include "limits/budget.h"
#include "util/clock.h"
#include "util/err.h"
#include "verbs/verbs_error.h"
#include "util/libc.h"
#include "util/log.h"
#include "util/minmax.h"
#include "util/signals.h"
#include "util/standard.h"

#define PRINT_MS 2000 /* less than a client's stall timeout usually is */
#define TELL_NS 1000000000u

static bool send_message(const struct serve_child *child, const struct serve_message *m, int flags)
{
	return send(child->fd, m, sizeof(*m), MSG_NOSIGNAL | flags) > 0;
}

/* A record of the server; the next one after SERVE_STOP, which is only noted. False: none. */
static bool receive(struct serve_child *child, struct serve_message *m, int flags)
{
	while (recv(child->fd, m, sizeof(*m), flags) == (ssize_t)sizeof(*m)) {
		if (m->kind != SERVE_STOP)
			return true;
		snprintf(child->over, sizeof(child->over), "%s", m->text);
	}
	return false;
}

/* Why the server has asked to stop; NULL: it is the user. */
static const char *stop_reason(void *arg)
{
	struct serve_child *child = arg;
	struct serve_message m;

	(void)receive(child, &m, MSG_DONTWAIT);
	child->ctl->orphan = getppid() != child->server;
	if (child->ctl->orphan)
		return "the process of the server is gone: it was killed, or has crashed";
	return child->over[0] ? child->over : NULL;
}

/* rc: of the refusal. */
static int ask(struct serve_child *child, const struct serve_message *question, int rc)
{
	struct pollfd p = { .fd = child->fd, .events = POLLIN };
	const uint32_t ms = child->cfg->connect_timeout_ms;
	struct serve_message answer;
	int n = -1;

	if (send_message(child, question, 0)) {
		do
			n = poll(&p, 1, (int)ms);
		while (n < 0 && errno == EINTR);
	}
	if (!n)
		return err_set(rc, "the server's process has not answered its session for %g s: this host may be too busy",
			       1e-3 * ms);
	if (n < 0 || !receive(child, &answer, 0))
		return err_set(rc, "the server is stopping");
	return answer.kind == SERVE_GRANTED ? 0 : err_set(rc, "%s", answer.text);
}

/* May the session run? The server logs it when not. */
static int ask_server(void *arg)
{
	const struct serve_child *child = arg;
	struct serve_message question = { .kind = SERVE_ASK_SESSION };

	if (child->tls)
		memcpy(question.key, ctl_tls_peer(child->ctl->tls), sizeof(question.key));
	return ask(arg, &question, -EBUSY);
}

/* Of all sessions together. */
static int ask_memory(void *arg, uint64_t bytes)
{
	const struct serve_message question = { .kind = SERVE_ASK_MEMORY, .bytes = bytes };

	return ask(arg, &question, -ENOMEM);
}

/* What the server does not hear, because it is gone, ends nothing. */
static void tell_ran(void *arg, const struct ran *ran, int flags)
{
	const struct serve_message m = { .kind = SERVE_RAN, .ran = *ran };

	(void)!send_message(arg, &m, flags);
}

static void tell_point(void *arg, bool begin)
{
	const struct serve_message m = { .kind = begin ? SERVE_POINT_BEGINS : SERVE_POINT_ENDED };
	struct serve_child *child = arg;

	(void)!send_message(child, &m, 0);
	child->in_point = begin;
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
	(void)!send_message(child, &(struct serve_message){ .kind = SERVE_ALIVE }, MSG_DONTWAIT);
}

static int watch(struct serve_child *child)
{
	const int rc = signals_init_session();

	child->ctl->signals_fd = signals_fd();
	child->ctl->stop_reason = stop_reason;
	child->ctl->stop_arg = child;
	child->ctl->alive = tell_alive;
	child->ctl->alive_arg = child;
	return rc;
}

static void tell_late(void)
{
	log_error("standard output was not read for %d s; the output of sessions is lost until it is read",
		  PRINT_MS / 1000);
}

/* A reader of standard output that has stopped must not stop the session; with musl it does. */
static void guard_output(void)
{
	FILE *out = log_serves() ? standard_stream(STDOUT_FILENO, PRINT_MS, tell_late) : NULL;

	if (out && !libc_set_stream(stdout, out))
		fclose(out);
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

	/* no message of the peer can get at the keys of others */
	if (child->tls)
		ctl_tls_forget(child->tls);
	if (!rc)
		return SESSION_MEASURED;
	return rc == -EPROTOTYPE ? SESSION_PERFTEST : SESSION_NO_CLIENT;
}

/* auto: a kernel that says it can, and then does not (a container forbids it), stops no session. */
static int enter_sandbox(const struct serve_child *child)
{
	int rc = child->sandbox ? sandbox_enter(verbs_emulated()) : 0;

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
		.loops = tell_point,
		.loops_arg = child,
		.budget = &budget,
	};
	const struct session_host base = results_host(&results);
	const struct serve_printer *printer = child->printer;
	struct ran_watch counted = { .tell = tell_ran, .arg = child };
	const struct session_host shown = printer ? printer->host(printer->arg, &base) : base;
	const struct session_host host = ran_host(&counted, &shown);
	struct serve_message reason = { .kind = SERVE_NO_CLIENT };
	enum session_end end;

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
		end = session_server(child->cfg, child->ctl, &host);
	ran_end(&counted, end);
	if (end != SESSION_NO_CLIENT && end != SESSION_PERFTEST)
		return printer ? printer->end(printer->arg, end) : results_exit(&results, end);
	if (end == SESSION_PERFTEST)
		reason.kind = SERVE_PERFTEST;
	snprintf(reason.text, sizeof(reason.text), "%s", err_text());
	/* without a server nobody reads the reason */
	return send_message(child, &reason, 0) ? results_exit(&results, end) : COMMAND_FAILED;
}

void serve_child_look(const struct serve_child *child)
{
	const struct dev_request request = { .cfg = child->cfg, .side = SIDE_SERVER };
	struct serve_device found;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	memset(&found, 0, sizeof(found));
	found.rc = enter_sandbox(child);
	if (!found.rc)
		found.rc = dev_check(&request);
	if (!found.rc)
		found.rc = early_check(child->cfg);
	found.error = err_keep();
	/* a server that is gone asks nothing */
	_exit(write(child->fd, &found, sizeof(found)) == (ssize_t)sizeof(found) ? 0 : 1);
}

void serve_child_run(const struct serve_child *child)
{
	struct serve_child own = *child;
	const int status = run(&own);

	ctl_close(own.ctl);
	fflush(NULL);
	_exit(status);
}
