/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns how a server is stopped, reloaded and ended; see serve_state.h. */
#include "config.h"
#include "serve/serve_state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "causes/remedy.h"
#include "wire/ctl.h"
#include "decide/plan.h"
#include "serve/serve_child.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"
#include "util/minmax.h"
#include "util/signals.h"

#define MS_NS UINT64_C(1000000)
#define LOOK_AGAIN_NS UINT64_C(1000000000)
#define STOP_GRACE_MS 10000u   /* beyond the stall timeout: finish, report, abort */

/* Sessions may go on for --drain-time; then they are asked, and have time to report. */
static void begin_stop(struct serve *s, uint64_t now_ns)
{
	s->life.stopped_ns = now_ns;
	s->life.ask_ns = now_ns + s->cfg->drain_ms * MS_NS;
	s->stop_by_ns = s->life.ask_ns + (s->cfg->stall_timeout_ms + STOP_GRACE_MS) * MS_NS;
	s->account.stopping = true;
	serve_listen_close(&s->listen);
	notify_send(&s->life.notify, "STOPPING=1");
	if (s->cfg->drain_ms && s->n)
		log_note("stopping: sessions have %g s to end", s->cfg->drain_ms / 1e3);
}

/* A request to stop that comes again: not the copy of the first one. */
static void stop(struct serve *s, uint64_t now_ns)
{
	if (!s->life.stopped_ns)
		begin_stop(s, now_ns);
	else if (now_ns - s->life.stopped_ns >= SIGNALS_TWIN_MS * MS_NS &&
		 s->how_many == SERVE_MANY)
		s->over = true;
}

/* Is there anything that can be read again? Else a hang-up is what it is: the terminal is gone. */
static bool reloads(const struct serve *s)
{
	return s->how_many == SERVE_MANY &&
	       (s->life.notify.fd >= 0 || s->account.audit.fd >= 0 || s->tls ||
		(s->source && s->source->file->found));
}

/* The options anew; cfg borrows from file. */
static int read_options(const struct serve *s, struct cfg *cfg, struct serve_file *file)
{
	int rc;

	*cfg = *s->source->given;
	rc = serve_file_read(file, cfg);
	if (!rc)
		rc = plan_rules_server(cfg);
	if (!rc)
		rc = serve_limits_fill(cfg, s->how_many);
	cfg->adds = s->cfg->adds;
	cfg->lines = s->cfg->lines;
	/* what cannot change while the server runs */
	cfg->soft = s->cfg->soft;
	cfg->tcp_port = s->cfg->tcp_port;
	return rc;
}

/* -errno with an error message: nothing has changed. */
static int read_again(struct serve *s)
{
	struct serve_file file = { .n = 0 };
	struct audit audit = { .fd = -1 };
	struct ctl_tls *tls = NULL;
	struct cfg cfg;
	int rc;

	if (!s->source)
		return 0;
	rc = read_options(s, &cfg, &file);
	if (!rc && cfg.key)
		rc = ctl_tls_open(&tls, &(struct key_place){ .path = cfg.key, .many = true });
	/* the path of the old one may be a text of the old file */
	if (!rc)
		rc = account_audit_open(&audit, cfg.audit, cfg.audit_format);
	if (!rc)
		rc = serve_listen_allow(&s->listen, &cfg);
	if (!rc)
		rc = log_serve(cfg.max_log_rate);
	if (rc) {
		account_audit_close(&audit);
		ctl_tls_close(tls);
		serve_file_free(&file);
		return rc;
	}
	*s->current = cfg;
	ctl_tls_close(s->tls);
	s->tls = tls;
	serve_limits_keys(s);
	account_audit_replace(&s->account.audit, &audit);
	s->status_socket.metrics_ns = 0;
	file.found |= s->source->file->found;
	serve_file_free(s->source->file);
	*s->source->file = file;
	return 0;
}

static void reload(struct serve *s)
{
	int rc;

	notify_reloading(&s->life.notify);
	rc = read_again(s);
	if (rc)
		log_error("reload: %s; the server goes on as before", err_text());
	else
		log_note("reloaded");
	notify_send(&s->life.notify, "READY=1");
}

void serve_life_signals(struct serve *s)
{
	const unsigned int came = signals_take();
	const uint64_t now_ns = clock_ns();

	if (came & SIGNALS_HANGUP && reloads(s) && !s->life.stopped_ns)
		reload(s);
	if (came & SIGNALS_STOP || (came & SIGNALS_HANGUP && !reloads(s)))
		stop(s, now_ns);
}

enum { WAIT_TIME, WAIT_READABLE, WAIT_CLIENT };

/* A client that has connected shows by itself whether there is a device. */
static uint32_t fill_listeners(const struct serve *s, struct pollfd *p)
{
	const bool waits = s->how_many == SERVE_ONE_CLIENT && !s->cfg->wait_device_ms;

	for (uint32_t i = 0; i < s->listen.n && waits; i++)
		p[i] = (struct pollfd){ .fd = s->listen.fds[i], .events = POLLIN };
	return waits ? s->listen.n : 0;
}

/*
 * Until fd can be read, or with fd the only client of the server has connected, or it is time.
 * -EINTR: the server is to stop.
 */
static int wait_until(struct serve *s, int fd, uint64_t until_ns)
{
	struct pollfd p[2 + SERVE_LISTEN_MAX] = { { .fd = signals_fd(), .events = POLLIN },
						  { .fd = fd, .events = POLLIN } };
	const nfds_t n = fd < 0 ? 1 : 2 + fill_listeners(s, &p[2]);

	for (;;) {
		const uint64_t now_ns = clock_ns();
		const uint64_t left_ms = now_ns < until_ns ? (until_ns - now_ns) / MS_NS + 1 : 0;

		for (nfds_t i = 0; i < n; i++)
			p[i].revents = 0;
		if (poll(p, n, (int)min_u64(left_ms, INT_MAX)) < 0 && errno != EINTR)
			return err_set(-errno, "cannot look for a device: poll: %s",
				       strerror(errno));
		if (p[0].revents)
			serve_life_signals(s);
		if (s->life.stopped_ns)
			return -EINTR;
		if (p[1].revents)
			return WAIT_READABLE;
		for (nfds_t i = 2; i < n; i++)
			if (p[i].revents)
				return WAIT_CLIENT;
		if (!left_ms)
			return WAIT_TIME;
	}
}

/* What the process that looks for a device has found. */
static int hear(struct serve *s, int fd)
{
	const uint32_t ms = s->cfg->connect_timeout_ms;
	const int rc = wait_until(s, fd, clock_ns() + ms * MS_NS);
	struct serve_device found;

	if (rc == WAIT_TIME)
		return err_set(-ETIMEDOUT, "no device can be opened within %.15gs (--connect-timeout)",
			       ms / 1e3);
	if (rc == WAIT_CLIENT)
		return 0;
	if (rc < 0)
		return rc;
	if (read(fd, &found, sizeof(found)) != (ssize_t)sizeof(found))
		return err_set(-EIO, "the process that searches for a device ended without an answer");
	err_restore(&found.error);
	return found.rc;
}

/* Once. -EINTR without an error message: the server is to stop. */
static int look(struct serve *s)
{
	int fds[2], rc;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return err_set(-errno, "cannot look for a device: pipe: %s", strerror(errno));
	fflush(NULL); /* the child must not write the same text again */
	pid = fork();
	if (!pid) {
		const struct serve_child child = { .cfg = s->cfg, .fd = fds[1],
						   .sandbox = s->sandbox };

		(void)!setrlimit(RLIMIT_NOFILE, &s->session_descriptors);
		serve_child_look(&child);
	}
	rc = pid < 0 ? err_set(-errno, "cannot look for a device: fork: %s", strerror(errno)) : 0;
	if (rc == -EAGAIN)
		remedy_advise(rc, REMEDY_PROCESSES, NULL);
	close(fds[1]);
	if (!rc)
		rc = hear(s, fds[0]);
	close(fds[0]);
	if (pid < 0)
		return rc;
	kill(pid, SIGKILL);
	/* a call of the kernel that hangs can keep it; a signal ends the wait only */
	while (waitpid(pid, NULL, rc == -ETIMEDOUT ? WNOHANG : 0) < 0 && errno == EINTR)
		continue;
	return rc;
}

int serve_life_device(struct serve *s)
{
	const uint64_t until_ns = clock_ns() + s->cfg->wait_device_ms * MS_NS;
	uint64_t now_ns;
	int rc = look(s);

	if (rc && !s->life.stopped_ns && clock_ns() < until_ns)
		log_note("%s; a device is looked for until one is there, for %.15gs at most (--wait-device)",
			 err_text(), s->cfg->wait_device_ms / 1e3);
	while (rc && !s->life.stopped_ns && (now_ns = clock_ns()) < until_ns) {
		if (wait_until(s, -1, min_u64(now_ns + LOOK_AGAIN_NS, until_ns)) < 0)
			break;
		rc = look(s);
	}
	if (s->life.stopped_ns)
		return 0;
	/* no usage that is wrong: what is not there now may come */
	return rc == -EINVAL ? -ENODEV : rc;
}

static uint64_t idle_until(struct serve *s, uint64_t now_ns)
{
	if (s->n)
		s->life.idle_ns = now_ns;
	if (s->cfg->idle_exit_ms == CFG_AUTO || s->life.stopped_ns || s->how_many != SERVE_MANY)
		return UINT64_MAX;
	return s->life.idle_ns + s->cfg->idle_exit_ms * MS_NS;
}

uint64_t serve_life_due(struct serve *s)
{
	const uint64_t now_ns = clock_ns();
	uint64_t next_ns = notify_alive(&s->life.notify, now_ns);

	if (now_ns >= s->life.ask_ns) {
		s->life.ask_ns = UINT64_MAX;
		serve_processes_stop(s);
	}
	if (now_ns >= idle_until(s, now_ns)) {
		log_note("idle for %g s, exiting (--idle-exit)", s->cfg->idle_exit_ms / 1e3);
		begin_stop(s, now_ns);
	}
	next_ns = min_u64(next_ns, s->life.ask_ns);
	return min_u64(next_ns, idle_until(s, now_ns));
}
