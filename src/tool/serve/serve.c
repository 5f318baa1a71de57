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
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "frame/command.h"
#include "frame/results.h"
#include "causes/remedy.h"
#include "copy/copy_files.h"
#include "write/output.h"
#include "limits/gid_text.h"
#include "decide/plan.h"
#include "serve/serve_file.h"
#include "serve/serve_state.h"
#include "service/service.h"
#include "util/standard.h"
#include "wire/ctl_socket.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"
#include "util/minmax.h"
#include "util/signals.h"

#define ACCEPT_MOST 64u        /* connections of one listener at a time */
#define DROPPED_MS 1000      /* until lines of the log that are missing are told */

/* May the host of a connection be served, or does it flood? */
static bool is_welcome(struct serve *s, const uint8_t gid[16])
{
	char host[GID_TEXT_MAX];
	uint32_t seconds;
	const enum flood_is is = flood_take(&s->floods, gid, clock_ns(), &seconds);

	if (is == FLOOD_BEGINS)
		log_note("blocking %s for %u s: too many connections without a test",
			 gid_text_address(gid, host, sizeof(host)), seconds);
	return is == FLOOD_NONE;
}

/* Of listener i. False: there is none, or no more can be served now. */
static bool take_connection(struct serve *s, uint32_t i)
{
	struct ctl ctl;
	uint8_t peer_gid[16];
	char host[GID_TEXT_MAX];
	int fd, rc;

	fd = serve_listen_accept(&s->listen, i, peer_gid);
	if (fd < 0) {
		/* the other errors are of a connection that is gone already: accept(2) */
		if (serve_is_short(-fd))
			s->pause_until_ns = serve_short_pause(s, "accept connections", -fd);
		else if (fd == -EACCES)
			serve_refused_log(s, gid_text_address(peer_gid, host, sizeof(host)),
					  "--allow does not have it");
		return fd == -EACCES;
	}
	if (!is_welcome(s, peer_gid)) {
		close(fd);
		return true;
	}
	serve_flood_unfilter(fd);
	if (ctl_accept(&ctl, fd, -1)) {
		serve_refused_log(s, gid_text_address(peer_gid, host, sizeof(host)), err_text());
		return true;
	}
	rc = serve_processes_start(s, &ctl);
	if (rc) {
		s->pause_until_ns = clock_ns() + SERVE_PAUSE_NS;
		serve_refused_log(s, ctl.peer, strerror(-rc));
	}
	ctl_close(&ctl);
	return !rc;
}

/* All that wait, but a bounded number: sessions and signals come first again. */
static void take_connections(struct serve *s, uint32_t i)
{
	for (uint32_t n = 0; n < ACCEPT_MOST && i < s->listen.n && take_connection(s, i); n++)
		continue;
}

/* Milliseconds for poll(2) until next_ns, at most a minute. */
static int wait_ms(const struct serve *s, uint64_t now_ns, uint64_t next_ns)
{
	const uint64_t most = log_has_dropped() ? DROPPED_MS : 60000;

	if (s->listen.n && s->pause_until_ns > now_ns)
		next_ns = min_u64(next_ns, s->pause_until_ns);
	return next_ns <= now_ns ? 0 : (int)min_u64((next_ns - now_ns) / 1000000u + 1, most);
}

/*
 * poll(2) of those of the n that are open: it refuses more than RLIMIT_NOFILE. There is room for
 * them behind the n.
 */
static int poll_open(struct pollfd *p, uint32_t n, int ms)
{
	struct pollfd *const open = p + n;
	uint32_t n_open = 0;
	int rc;

	for (uint32_t i = 0; i < n; i++)
		if (p[i].fd >= 0)
			open[n_open++] = p[i];
	rc = poll(open, n_open, ms);
	for (uint32_t i = n; i-- > 0;)
		if (p[i].fd >= 0)
			p[i].revents = open[--n_open].revents;
	return rc;
}

/* poll(2) has failed. -errno with an error message: not because memory is short now. */
static int wait_failed(struct serve *s, int err)
{
	if (err == EINTR)
		return 0;
	if (!serve_is_short(err))
		return err_set(-err, "the server cannot wait for its connections: poll: %s",
			       strerror(err));
	serve_short_pause(s, "wait for connections", err);
	poll(NULL, 0, SERVE_PAUSE_NS / 1000000);
	serve_life_signals(s);
	return 0;
}

/* Waits until next_ns at most, and handles what happens. -errno with an error message. */
static int step(struct serve *s, uint64_t next_ns)
{
	const uint64_t now_ns = clock_ns();
	const uint32_t n = s->n, listeners = s->pause_until_ns > now_ns ? 0 : s->listen.n;
	struct pollfd *const p = s->polls, *const status = p + n + 1 + listeners;

	for (uint32_t i = 0; i < n; i++)
		p[i] = (struct pollfd){ .fd = s->children[i].fd, .events = POLLIN };
	p[n] = (struct pollfd){ .fd = signals_fd(), .events = POLLIN };
	for (uint32_t i = 0; i < listeners; i++)
		p[n + 1 + i] = (struct pollfd){ .fd = s->listen.fds[i], .events = POLLIN };
	*status = serve_status_poll(&s->status_socket);
	if (poll_open(p, n + 1 + listeners + 1, wait_ms(s, now_ns, next_ns)) < 0)
		return wait_failed(s, errno);
	if (status->revents)
		serve_status_handle(s);
	/* the youngest first: when a child has ended, those behind it move */
	for (uint32_t i = n; i-- > 0;)
		if (p[i].revents)
			serve_processes_receive(s, i);
	if (p[n].revents)
		serve_life_signals(s);
	/* a session that has begun may have closed them, and a new child may have moved polls */
	for (uint32_t i = 0; i < listeners && i < s->listen.n; i++)
		if (s->polls[n + 1 + i].revents)
			take_connections(s, i);
	return 0;
}

/* After all that is opened, and before the first client. Says if sessions are in no sandbox. */
static int drop(struct serve *s)
{
	const enum sandbox_choice choice = s->cfg->sandbox;
	int rc = privilege_drop(s->cfg->user);

	if (rc)
		return rc;
	rc = choice == SANDBOX_OFF ? 0 : sandbox_check();
	s->sandbox = choice != SANDBOX_OFF && !rc;
	if (rc && choice == SANDBOX_ON)
		return err_wrap(rc, "--sandbox on");
	if (rc)
		log_note("sessions are in no sandbox: %s", err_text());
	else if (!s->sandbox)
		log_note("sessions are in no sandbox (--sandbox off)");
	return 0;
}

/* The files are started over only when nothing else can stop the server. */
static int begin(struct serve *s)
{
	const uint32_t sockets = s->how_many == SERVE_MANY ? notify_sockets() : 0;
	/* the user that the server becomes can own the keys, so that it can read them again */
	struct key_place keys = { .path = s->cfg->key, .many = true };
	int rc = s->cfg->copy_to ? copy_target_check_dir(s->cfg->copy_to) : 0;

	if (!rc && serve_processes_grow(s))
		rc = err_set(-ENOMEM, "no memory for the sessions of the server");
	/* libssl is filled before the fork: its pages are then those of all sessions */
	if (!rc && s->cfg->key)
		rc = privilege_user(s->cfg->user, &keys.also);
	if (!rc && s->cfg->key)
		rc = ctl_tls_open(&s->tls, &keys);
	if (!rc)
		rc = account_audit_open(&s->account.audit, s->cfg->audit, s->cfg->audit_format);
	if (!rc && sockets)
		rc = serve_listen_adopt(&s->listen, s->cfg, NOTIFY_FDS, sockets);
	else if (!rc)
		rc = serve_listen_open(&s->listen, s->cfg);
	if (!rc && s->how_many == SERVE_MANY)
		serve_status_open(s);
	if (!rc)
		rc = output_prepare(s->cfg);
	if (!rc && s->how_many == SERVE_MANY)
		rc = drop(s);
	if (!rc && s->how_many == SERVE_MANY)
		rc = serve_status_metrics(s);
	if (!rc)
		rc = serve_life_device(s);
	if (rc) {
		serve_status_close(&s->status_socket, false);
		account_audit_close(&s->account.audit);
		serve_listen_close(&s->listen);
		ctl_tls_close(s->tls);
	}
	return rc;
}

/* A server of many outlives whoever reads what it prints. */
static int guard_outputs(const struct serve *s)
{
	int rc;

	if (s->how_many != SERVE_MANY)
		return 0;
	signals_count();
	rc = signals_ignore_terminal();
	if (!rc)
		rc = log_serve(s->cfg->max_log_rate);
	if (!rc)
		standard_unshare(STDOUT_FILENO);
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

/* Until it is over: a client is not awaited any more, and no session runs. -errno as of step(). */
static int loop(struct serve *s)
{
	int rc = 0;

	while (!rc) {
		const uint64_t late_ns = serve_processes_expire(s);
		const uint64_t next_ns = min_u64(min_u64(late_ns, serve_life_due(s)),
						 serve_status_due(s));

		if (s->floods.changed)
			serve_flood_filter(s);
		s->floods.changed = false;
		log_tell_dropped();
		if (s->over || (s->stop_by_ns && !s->n))
			break;
		rc = step(s, next_ns);
	}
	return rc;
}

/* The server waits for its first client. */
static void tell_ready(struct serve *s)
{
	char at[ERR_TEXT_MAX];

	s->knows_users = s->listen.n && serve_user_known(s->listen.fds[0]);
	if (s->printer)
		s->printer->waits(s->printer->arg);
	else if (serve_listen_only_here(&s->listen, s->cfg) && !s->cfg->bind)
		log_note("waiting for a client on port %u of this host; others need --allow",
			 serve_listen_port(&s->listen));
	else
		log_note("waiting for a client on %s%s%s",
			 serve_listen_text(&s->listen, at, sizeof(at)),
			 s->cfg->allow ? "; from " : "", s->cfg->allow ? s->cfg->allow : "");
	s->life.idle_ns = clock_ns();
	notify_send(&s->life.notify, "READY=1");
}

/* printer, source: or NULL. */
static int run(const struct cfg *cfg, enum serve_for how_many, const struct serve_printer *printer,
	       const struct serve_source *source)
{
	struct cfg shared = *cfg;
	struct serve s = { .cfg = &shared, .current = &shared, .source = source,
			   .how_many = how_many, .printer = printer,
			   .status = COMMAND_OK, .account = { .audit = { .fd = -1 } },
			   .session_descriptors = serve_limits_descriptors(),
			   .status_socket = SERVE_STATUS_CLOSED,
			   .listen = { .stays = how_many == SERVE_MANY },
			   .life = { .ask_ns = UINT64_MAX }, .begun_ns = clock_ns() };
	int rc;

	notify_open(&s.life.notify);
	shared.adds = how_many == SERVE_MANY;
	shared.lines = how_many == SERVE_MANY && !cfg->verbose;
	if (serve_limits_fill(&shared, how_many)) {
		log_error("%s", err_text());
		return COMMAND_REFUSED;
	}
	if (!results_check(&shared))
		return COMMAND_REFUSED;
	rc = guard_outputs(&s);
	if (!rc)
		rc = serve_listen_allow(&s.listen, &shared);
	if (!rc)
		rc = begin(&s);
	if (rc) {
		remedy_limit(rc);
		finish_early(&s, rc, err_text());
		serve_processes_kill_all(&s);
		return rc == -EINVAL ? COMMAND_REFUSED : COMMAND_FAILED;
	}
	if (!s.life.stopped_ns)
		tell_ready(&s);
	rc = loop(&s);
	if (rc) {
		log_error("%s", err_text());
		s.status = COMMAND_FAILED;
	}
	serve_listen_close(&s.listen);
	serve_processes_kill_all(&s);
	account_audit_close(&s.account.audit);
	serve_status_close(&s.status_socket, false);
	notify_close(&s.life.notify);
	serve_refused_log_rest(&s);
	ctl_tls_close(s.tls);
	if (how_many == SERVE_ONE_CLIENT && !s.over && !rc) {
		finish_early(&s, -EINTR, "interrupted before a client came");
		return COMMAND_FAILED;
	}
	return s.status;
}

int serve_run(const struct cfg *cfg, enum serve_for how_many, const struct serve_printer *printer)
{
	return run(cfg, how_many, printer, NULL);
}

/* The owner's file, and the emulated devices that only it asks for. */
static int read_file(struct serve_file *file, const struct command_line *line, struct cfg *cfg)
{
	int rc = remedy_limit(serve_file_read(file, cfg));

	if (!rc)
		rc = plan_rules_server(cfg);
	return !rc && cfg->soft ? program_enter_soft(line->all) : rc;
}

int serve_command(const struct command *cmd, const struct command_line *line)
{
	struct serve_file file = { .n = 0 };
	struct cfg cfg, given;
	const struct serve_source source = { .given = &given, .file = &file };
	int status;

	if (!command_parse(cmd, line, &cfg, &status))
		return status;
	given = cfg;
	if (read_file(&file, line, &cfg)) {
		log_error("%s", err_text());
		serve_file_free(&file);
		return COMMAND_REFUSED;
	}
	status = command_start();
	if (!status && cfg.status)
		status = serve_status_ask(&cfg);
	else if (!status)
		status = run(&cfg, SERVE_MANY, NULL, &source);
	serve_file_free(&file);
	return status;
}
