/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the command copy: "copy FILE HOST:FILE", or without operands a server for one client. Must
 * not know how a file is moved: that is session and copy.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands/commands.h"
#include "frame/results.h"
#include "serve/serve.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"

#define HOST_MAX 256
#define SHOW_NS 200000000u
#define CLEAR "\r\033[K"

/* One line on a terminal that is written again and again; nothing elsewhere. */
struct meter {
	FILE *out;         /* NULL: no terminal */
	uint64_t begin_ns, shown_ns;
};

/* What the client has; the arg of its events. */
struct client {
	struct cfg cfg;
	char host[HOST_MAX];
	struct copy_file file;
	struct source source;
	struct meter meter;
};

static struct meter meter_begin(void)
{
	return (struct meter){
		.out = isatty(STDERR_FILENO) ? stderr : NULL,
		.begin_ns = clock_ns(),
	};
}

static void meter_show(struct meter *m, uint64_t bytes, uint64_t of_bytes)
{
	const uint64_t now_ns = clock_ns();
	const double seconds = (double)(now_ns - m->begin_ns) / 1e9;

	if (!m->out || now_ns - m->shown_ns < SHOW_NS)
		return;
	m->shown_ns = now_ns;
	fprintf(m->out, CLEAR "%3.0f %%  %.1f of %.1f MB  %.3f Gbit/s",
		of_bytes ? 100.0 * (double)bytes / (double)of_bytes : 100.0, (double)bytes / 1e6,
		(double)of_bytes / 1e6, (double)bytes * 8 / seconds / 1e9);
	fflush(m->out);
}

static void meter_end(struct meter *m)
{
	if (!m->out || !m->shown_ns)
		return;
	fputs(CLEAR, m->out);
	fflush(m->out);
}

/* "host:name", "[::1]:name". */
static int split(struct client *c)
{
	const char *text = c->cfg.copy_name;
	const bool quoted = text[0] == '[';
	const char *end = quoted ? strstr(text, "]:") : strchr(text, ':');
	const char *name = end ? end + (quoted ? 2 : 1) : NULL;
	const char *host = text + (quoted ? 1 : 0);

	if (!end || end == host || end - host >= HOST_MAX)
		return err_set(-EINVAL, "\"%s\" is not HOST:FILE, nor [ADDRESS]:FILE", text);
	snprintf(c->host, sizeof(c->host), "%.*s", (int)(end - host), host);
	c->cfg.host = c->host;
	if (copy_check_name(name))
		return -EINVAL;
	snprintf(c->file.name, sizeof(c->file.name), "%s", name);
	return 0;
}

static int take(void *arg, const struct event *event)
{
	struct client *c = arg;

	switch (event->kind) {
	case EVENT_MOVED:
		meter_show(&c->meter, event->moved->bytes, event->moved->of_bytes);
		break;
	case EVENT_COPIED:
		meter_end(&c->meter);
		results_copied(event->copied);
		break;
	default:
		return results_waiting(NULL, event);
	}
	return 0;
}

/* After a copy that has failed nobody reads this message. */
static int end_session(struct session *session)
{
	int rc = session_close(session);

	return rc ? err_wrap(rc, "the file is complete, but the session does not end") : 0;
}

static enum session_end run(struct client *c)
{
	const struct session_host host = { .events = { take, c } };
	enum session_end end;
	const struct session_file file = { &c->file, &c->source };
	struct session *session = NULL;
	int rc = early_client(&c->cfg, &end);

	if (!rc)
		rc = session_open(&session, &c->cfg, &host);
	c->meter = meter_begin();
	if (!rc)
		rc = session_copy(session, &c->cfg, &file, &host, &end);
	if (rc) {
		meter_end(&c->meter);
		command_error(&c->cfg);
	}
	if (end_session(session) && !rc) {
		command_error(&c->cfg);
		end = SESSION_FAILED;
	}
	return end;
}

static int client(struct client *c)
{
	const char *path = c->cfg.copy_from;
	enum session_end end;
	int rc = split(c);

	c->source.fd = -1;
	if (!rc)
		rc = copy_options(&c->cfg);
	if (!rc)
		rc = copy_source_open(&c->source, path);
	if (rc) {
		command_error(&c->cfg);
		return COMMAND_REFUSED;
	}
	c->file.size_bytes = (uint64_t)c->source.stat.st_size;
	c->file.mode = c->source.stat.st_mode & 0777;
	c->file.overwrite = c->cfg.overwrite;
	end = run(c);
	copy_source_close(&c->source);
	return command_exit(end);
}

int copy_command(const struct command *cmd, const struct command_line *line)
{
	struct client c = { .host = "" };
	int status;

	if (!command_parse(cmd, line, &c.cfg, &status))
		return status;
	status = command_start();
	if (status)
		return status;
	return c.cfg.copy_from ? client(&c) : serve_run(&c.cfg, SERVE_ONE_CLIENT, NULL);
}
