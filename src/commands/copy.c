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

#include "commands/commands.h"
#include "command/copy_print.h"
#include "command/results.h"
#include "serve/serve.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"

#define HOST_MAX 256

/* What the client has; the sink's arg. */
struct client {
	struct cfg cfg;
	char host[HOST_MAX];
	struct copy_file file;
	struct source source;
	struct copy_meter meter;
};

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

static void moved(void *arg, uint64_t bytes, uint64_t of_bytes)
{
	struct client *c = arg;

	copy_meter_show(&c->meter, bytes, of_bytes);
}

static void copied(void *arg, const struct copy_report *report)
{
	struct client *c = arg;

	copy_meter_end(&c->meter);
	copy_print(stdout, report);
}

/* After a copy that has failed nobody reads this message. */
static int end_session(struct session *session)
{
	int rc = session_close(session);

	return rc ? err_set(rc, "the file is complete, but the session does not end: %s", err_text()) : 0;
}

static enum session_end run(struct client *c)
{
	const struct session_sink sink = {
		.waiting = results_waiting, .moved = moved, .copied = copied, .arg = c,
	};
	enum session_end end = SESSION_FAILED;
	const struct session_file file = { &c->file, &c->source };
	struct session *session;
	int rc = session_open(&session, &c->cfg, &sink);

	c->meter = copy_meter_begin();
	if (!rc)
		rc = session_copy(session, &c->cfg, &file, &sink, &end);
	if (rc) {
		copy_meter_end(&c->meter);
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
		rc = source_open(&c->source, path);
	if (rc) {
		command_error(&c->cfg);
		return COMMAND_REFUSED;
	}
	c->file.size_bytes = (uint64_t)c->source.stat.st_size;
	c->file.mode = c->source.stat.st_mode & 0777;
	c->file.overwrite = c->cfg.overwrite;
	end = run(c);
	source_close(&c->source);
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
	return c.cfg.copy_from ? client(&c) : serve_run(&c.cfg, SERVE_ONE_CLIENT);
}
