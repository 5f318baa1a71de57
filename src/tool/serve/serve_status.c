/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns what a server tells of itself, its status socket and its file of metrics. */
#include "config.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "file/json_build.h"
#include "file/out_path.h"
#include "frame/command.h"
#include "serve/serve_state.h"
#include "service/service.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"
#include "util/minmax.h"
#include "util/text.h"

#define CLIENT_NS UINT64_C(2000000000)
#define METRICS_NS UINT64_C(15000000000)
#define METRICS_BEGIN "# HELP verbench_"

/* ---- the object */

static double seconds_since(uint64_t ns)
{
	return (double)(clock_ns() - ns) / 1e9;
}

static json_t *session_json(const struct serve_process *c)
{
	const struct account_entry *e = &c->entry;
	const struct ran *ran = &e->ran;

	return json_pack("{s:I, s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:f, s:b}",
			 "session", (json_int_t)e->number, "pid", (int)c->pid, "peer", c->peer,
			 "host", ran->host, "auth", ran->auth[0] ? ran->auth : "none", "key",
			 e->key, "test", ran->test, "transport", ran->transport, "plans", (json_int_t)ran->plans,
			 "points", (json_int_t)ran->points, "messages", (json_int_t)ran->messages,
			 "bytes", (json_int_t)ran->bytes, "seconds", seconds_since(e->begun_ns),
			 "ending", c->gone);
}

static json_t *sessions_json(const struct serve *s)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < s->n; i++)
		if (s->children[i].state == SERVE_CHILD_CLIENT)
			json_build_add(&list, session_json(&s->children[i]));
	return list;
}

static json_t *totals_json(const struct serve *s)
{
	const struct account_totals *t = &s->account.totals;
	json_t *ended = json_object();

	for (int i = 0; i < AUDIT_OUTCOMES; i++)
		json_build_set(&ended, account_outcomes[i], json_integer((json_int_t)t->ended[i]));
	return json_pack("{s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:f, s:I}", "connections",
			 (json_int_t)t->connections, "ignored", (json_int_t)t->ignored, "ended",
			 ended, "plans", (json_int_t)t->plans, "points", (json_int_t)t->points,
			 "messages", (json_int_t)t->messages, "bytes", (json_int_t)t->bytes,
			 "session_seconds", t->seconds, "audit_lost",
			 (json_int_t)s->account.audit.lost);
}

/* One JSON object and a newline. NULL: no memory. Freed by the caller. */
static char *status_text(const struct serve *s)
{
	const uint32_t sessions = serve_limits_sessions(s);
	char *text = NULL, *line = NULL;
	json_t *json;

	json = json_pack("{s:s, s:i, s:s, s:f, s:{s:{s:i, s:i}, s:{s:i, s:i}}, s:o, s:o}",
			 "tool_version", PACKAGE_VERSION, "pid", (int)getpid(), "state",
			 s->stop_by_ns ? "stopping" : "serving", "up_seconds",
			 seconds_since(s->begun_ns), "limits", "sessions", "used", (int)sessions,
			 "most", (int)s->cfg->max_sessions, "pending", "used",
			 (int)(s->n - sessions), "most", (int)serve_limits_new(s->cfg), "sessions",
			 sessions_json(s), "totals", totals_json(s));
	text = json ? json_build_text(json, JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;
	json_decref(json);
	if (text && asprintf(&line, "%s\n", text) < 0)
		line = NULL;
	free(text);
	return line;
}

/* ---- the socket */

void serve_status_open(struct serve *s)
{
	struct serve_status *st = &s->status_socket;

	st->port = serve_listen_port(&s->listen);
	if (!status_place_listen(&st->listener, st->path, sizeof(st->path), st->port))
		return;
	log_note("no status: %s", err_text());
	err_clear();
}

static void close_client(struct serve_status *st)
{
	if (st->client >= 0)
		close(st->client);
	free(st->text);
	st->client = -1;
	st->text = NULL;
	st->until_ns = 0;
}

static void take_client(struct serve *s)
{
	struct serve_status *st = &s->status_socket;
	const int fd = accept4(st->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	/* it waits in the queue: without a pause poll(2) would report it at once */
	if (fd < 0 && serve_is_short(errno))
		st->until_ns = serve_short_pause(s, "accept who asks for the status", errno);
	if (fd < 0)
		return;
	st->text = status_place_is_owner(fd) ? status_text(s) : NULL;
	st->len = st->text ? strlen(st->text) : 0;
	st->at = 0;
	st->client = fd;
	st->until_ns = clock_ns() + CLIENT_NS;
}

void serve_status_handle(struct serve *s)
{
	struct serve_status *st = &s->status_socket;
	ssize_t n = 0;

	if (st->client < 0)
		take_client(s);
	if (st->client < 0)
		return;
	if (st->at < st->len)
		n = send(st->client, st->text + st->at, st->len - st->at,
			 MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0 && errno != EPIPE && errno != ECONNRESET)
		serve_refused_log(s, "--status", strerror(errno));
	st->at += n > 0 ? (size_t)n : 0;
	if (n < 0 || st->at == st->len)
		close_client(st);
}

/* After an accept(2) that failed. */
static bool pauses(const struct serve_status *st)
{
	return st->client < 0 && clock_ns() < st->until_ns;
}

struct pollfd serve_status_poll(const struct serve_status *st)
{
	if (st->client >= 0)
		return (struct pollfd){ .fd = st->client, .events = POLLOUT };
	return (struct pollfd){ .fd = pauses(st) ? -1 : st->listener, .events = POLLIN };
}

/* ---- the metrics */

struct metric {
	const char *name, *type, *help;
	double value;
};

static void put_metrics(FILE *out, const struct serve *s)
{
	const struct account_totals *t = &s->account.totals;
	const uint32_t sessions = serve_limits_sessions(s), port = s->status_socket.port;
	const struct metric rows[] = {
		{ "up_seconds", "gauge", "Since the server began.", seconds_since(s->begun_ns) },
		{ "sessions", "gauge", "Sessions that run now.", sessions },
		{ "sessions_limit", "gauge", "The most of them.", s->cfg->max_sessions },
		{ "pending", "gauge", "Connections that have sent no plan yet.", s->n - sessions },
		{ "connections_total", "counter", "Connections that were accepted.",
		  (double)t->connections },
		{ "connections_ignored_total", "counter", "Of them those that were no client.",
		  (double)t->ignored },
		{ "plans_total", "counter", "Plans of sessions that have ended.", (double)t->plans },
		{ "points_total", "counter", "Points of sessions that have ended.",
		  (double)t->points },
		{ "messages_total", "counter", "Messages of these points.", (double)t->messages },
		{ "bytes_total", "counter", "Payload of these points and of copies.",
		  (double)t->bytes },
		{ "session_seconds_total", "counter", "Time of all sessions that have ended.",
		  t->seconds },
		{ "audit_lost_total", "counter", "Lines of the audit that were not written.",
		  (double)s->account.audit.lost },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		fprintf(out, "# HELP verbench_%s %s\n# TYPE verbench_%s %s\nverbench_%s{port=\"%u\"} %.17g\n",
			rows[i].name, rows[i].help, rows[i].name, rows[i].type, rows[i].name, port,
			rows[i].value);
	fprintf(out, "# HELP verbench_sessions_total Sessions that have ended, by how.\n"
		     "# TYPE verbench_sessions_total counter\n");
	for (int i = 0; i < AUDIT_OUTCOMES; i++)
		fprintf(out, "verbench_sessions_total{port=\"%u\",outcome=\"%s\"} %" PRIu64 "\n",
			port, account_outcomes[i], t->ended[i]);
}

/*
 * For Prometheus ("Exposition formats", text format 0.0.4). The label tells servers of one host
 * apart. No addresses. NULL: no memory. Freed by the caller.
 */
static char *metrics_text(const struct serve *s)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	put_metrics(out, s);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

int serve_status_metrics(struct serve *s)
{
	static const struct out_replace_kind kind = {
		.what = "file of verbench's metrics", .begins = METRICS_BEGIN,
		.len = sizeof(METRICS_BEGIN) - 1,
	};
	const char *path = s->cfg->metrics;
	struct out_path file;
	int rc;

	if (!path)
		return 0;
	rc = out_path_find(&file, path);
	if (!rc && (!strcmp(path, "-") || (file.exists && !S_ISREG(file.st.st_mode))))
		rc = err_set(-EINVAL, "%s: this is no regular file", path);
	/* an address, or a file that the collector would not read */
	if (!rc && fnmatch("*.prom", path, 0))
		rc = err_set(-EINVAL, "%s: node_exporter reads only files whose name ends with .prom", path);
	if (!rc)
		rc = out_replace_check(path, &kind, s->cfg->force);
	if (!rc)
		s->status_socket.metrics = strdup(file.path);
	if (!rc && !s->status_socket.metrics)
		rc = err_set(-ENOMEM, "no memory for the path");
	out_path_free(&file);
	return rc ? err_set(rc, "--metrics %s", err_text()) : 0;
}

/* An error is logged once, until a write succeeds again. */
static void write_metrics(struct serve *s)
{
	struct serve_status *st = &s->status_socket;
	char *text = metrics_text(s);
	const int rc = text ? out_replace_file(st->metrics, text, strlen(text)) : -ENOMEM;

	free(text);
	if (rc && !st->metrics_lost)
		log_error("--metrics %s: %s", st->metrics, out_path_strerror(rc));
	st->metrics_lost = rc;
	st->metrics_ns = clock_ns() + METRICS_NS;
}

uint64_t serve_status_due(struct serve *s)
{
	struct serve_status *st = &s->status_socket;

	if (st->client >= 0 && clock_ns() >= st->until_ns)
		close_client(st);
	if (st->metrics && clock_ns() >= st->metrics_ns)
		write_metrics(s);
	return min_u64(st->client >= 0 || pauses(st) ? st->until_ns : UINT64_MAX,
		       st->metrics ? st->metrics_ns : UINT64_MAX);
}

void serve_status_close(struct serve_status *st, bool leave)
{
	close_client(st);
	if (st->listener >= 0)
		close(st->listener);
	if (st->listener >= 0 && !leave)
		unlink(st->path);
	if (st->metrics && st->metrics_ns && !leave)
		unlink(st->metrics);
	free(st->metrics);
	*st = (struct serve_status)SERVE_STATUS_CLOSED;
}

/* ---- serve_ask */

/* Owns "verbench serve --status": asks a server, and prints its answer; foreign texts are cleaned. */

#define WAIT_MS 10000u /* longer than the server gives a connection */
#define TEXT_MAX 1024

static const char *text_at(const json_t *json, const char *key)
{
	const char *value = json_string_value(json_object_get(json, key));

	return value ? value : "";
}

static long long number_at(const json_t *json, const char *key)
{
	return json_integer_value(json_object_get(json, key));
}

/* A line; the server may be less trusted than who asks. */
__attribute__((format(printf, 1, 2))) static void print_line(const char *format, ...)
{
	char line[TEXT_MAX], clean[TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	puts(text_clean(line, clean, sizeof(clean)));
}

static void print_session(const json_t *session)
{
	const char *host = text_at(session, "host"), *key = text_at(session, "key");

	print_line("  session %lld: %s%s%s%s, %s%s%s: %s %s, %lld plans, %lld points, %lld bytes, %.1f s%s",
		   number_at(session, "session"), text_at(session, "peer"), host[0] ? " (" : "",
		   host, host[0] ? ")" : "", text_at(session, "auth"), key[0] ? " " : "", key,
		   text_at(session, "test"), text_at(session, "transport"), number_at(session, "plans"),
		   number_at(session, "points"), number_at(session, "bytes"),
		   json_number_value(json_object_get(session, "seconds")),
		   json_is_true(json_object_get(session, "ending")) ? ", ending" : "");
}

/* For people. */
static void print_report(const json_t *report)
{
	const json_t *totals = json_object_get(report, "totals"), *session;
	json_t *limits = json_object_get(report, "limits"), *limit;
	json_t *ended = json_object_get(totals, "ended"), *value;
	const char *key;
	size_t i;

	print_line("verbench %s, process %lld, %s for %.0f s", text_at(report, "tool_version"),
		   number_at(report, "pid"), text_at(report, "state"),
		   json_number_value(json_object_get(report, "up_seconds")));
	json_object_foreach(limits, key, limit)
		print_line("%s: %lld of %lld", key, number_at(limit, "used"),
			   number_at(limit, "most"));
	json_array_foreach(json_object_get(report, "sessions"), i, session)
		print_session(session);
	print_line("since the start: %lld connections, %lld ignored, %lld points, %lld bytes; sessions:",
		   number_at(totals, "connections"), number_at(totals, "ignored"),
		   number_at(totals, "points"), number_at(totals, "bytes"));
	json_object_foreach(ended, key, value)
		print_line("  %lld %s", (long long)json_integer_value(value), key);
}

static json_t *ask(uint32_t port)
{
	json_error_t error;
	json_t *report;
	FILE *in;
	int fd;

	if (status_place_connect(&fd, port, WAIT_MS))
		return NULL;
	in = fdopen(fd, "r");
	if (!in) {
		close(fd);
		(void)err_set(-ENOMEM, "no memory for the answer of the server");
		return NULL;
	}
	report = json_loadf(in, 0, &error);
	if (!report && ferror(in))
		(void)err_set(-ETIMEDOUT, "the server did not send its whole status within %u ms",
			      WAIT_MS);
	else if (!report && !error.position)
		(void)err_set(-EPROTO, "the server did not answer; its status is for its own user and root");
	else if (!report)
		(void)err_set(-EPROTO, "the answer of the server is no JSON: %s", error.text);
	fclose(in);
	return report;
}

/* --json: the object as it came, on lines. */
static int write_json(const char *path, const json_t *report)
{
	char *text = json_build_text(report, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
	char *lines = NULL;
	int rc = -ENOMEM;

	if (text && asprintf(&lines, "%s\n", text) >= 0)
		rc = out_replace(path, lines, strlen(lines));
	free(lines);
	free(text);
	return rc ? err_set(rc, "write the status to %s: %s", path, strerror(-rc)) : 0;
}

int serve_status_ask(const struct cfg *cfg)
{
	json_t *report = ask(cfg->tcp_port);
	int rc = report ? 0 : -1;

	if (report && cfg->json)
		rc = write_json(cfg->json, report);
	else if (report)
		print_report(report);
	json_decref(report);
	if (rc)
		log_error("%s", err_text());
	return rc ? COMMAND_FAILED : COMMAND_OK;
}
