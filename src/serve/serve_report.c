/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the words of the status of a server; see serve_report.h. Must not know sockets. */
#include "config.h"
#include "serve/serve_report.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "serve/serve_state.h"
#include "util/clock.h"
#include "util/text.h"

#define TEXT_MAX 128

static double seconds_since(uint64_t ns)
{
	return (double)(clock_ns() - ns) / 1e9;
}

/* ---- the object */

static json_t *session_json(const struct serve_process *c)
{
	const struct account_entry *e = &c->entry;
	const struct ran *ran = &e->ran;

	return json_pack("{s:I, s:i, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:f, s:b}",
			 "session", (json_int_t)e->number, "pid", (int)c->pid, "peer", c->peer,
			 "host", ran->host, "auth", ran->auth[0] ? ran->auth : "none", "test",
			 ran->test, "transport", ran->transport, "plans", (json_int_t)ran->plans,
			 "points", (json_int_t)ran->points, "messages", (json_int_t)ran->messages,
			 "bytes", (json_int_t)ran->bytes, "seconds", seconds_since(e->begun_ns),
			 "ending", c->gone);
}

static json_t *sessions_json(const struct serve *s)
{
	json_t *list = json_array();

	for (uint32_t i = 0; list && i < s->n; i++)
		if (s->children[i].state == SERVE_CHILD_CLIENT &&
		    json_array_append_new(list, session_json(&s->children[i]))) {
			json_decref(list);
			return NULL;
		}
	return list;
}

static uint32_t count_sessions(const struct serve *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n; i++)
		n += s->children[i].state == SERVE_CHILD_CLIENT;
	return n;
}

static json_t *totals_json(const struct serve *s)
{
	const struct account_totals *t = &s->account.totals;
	json_t *ended = json_object();

	for (int i = 0; ended && i < AUDIT_OUTCOMES; i++)
		json_object_set_new(ended, audit_outcomes[i],
				    json_integer((json_int_t)t->ended[i]));
	return json_pack("{s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:f, s:I}", "connections",
			 (json_int_t)t->connections, "ignored", (json_int_t)t->ignored, "ended",
			 ended, "plans", (json_int_t)t->plans, "points", (json_int_t)t->points,
			 "messages", (json_int_t)t->messages, "bytes", (json_int_t)t->bytes,
			 "session_seconds", t->seconds, "audit_lost",
			 (json_int_t)s->account.audit.lost);
}

json_t *serve_report_json(const struct serve *s)
{
	const uint32_t sessions = count_sessions(s);

	return json_pack("{s:s, s:i, s:s, s:f, s:{s:{s:i, s:i}, s:{s:i, s:i}}, s:o, s:o}",
			 "tool_version", PACKAGE_VERSION, "pid", (int)getpid(), "state",
			 s->stop_by_ns ? "stopping" : "serving", "up_seconds",
			 seconds_since(s->begun_ns), "limits", "sessions", "used", (int)sessions,
			 "most", (int)s->cfg->max_sessions, "strangers", "used",
			 (int)(s->n - sessions), "most", (int)SERVE_MAX_NEW, "sessions",
			 sessions_json(s), "totals", totals_json(s));
}

/* ---- Prometheus */

struct metric {
	const char *name, *type, *help;
};

static void put_metric(FILE *out, const struct metric *m, double value)
{
	fprintf(out, "# HELP verbench_%s %s\n# TYPE verbench_%s %s\nverbench_%s %.17g\n", m->name,
		m->help, m->name, m->type, m->name, value);
}

static void put_counters(FILE *out, const struct account_totals *t, const struct audit *audit)
{
	static const struct metric rows[] = {
		{ "connections_total", "counter", "Connections that were accepted." },
		{ "connections_ignored_total", "counter", "Of them those that were no client." },
		{ "plans_total", "counter", "Plans of sessions that have ended." },
		{ "points_total", "counter", "Points of sessions that have ended." },
		{ "messages_total", "counter", "Messages of these points." },
		{ "bytes_total", "counter", "Payload of these points and of copies." },
		{ "session_seconds_total", "counter", "Time of all sessions that have ended." },
		{ "audit_lost_total", "counter", "Lines of the audit that were not written." },
	};
	const double values[] = {
		(double)t->connections, (double)t->ignored, (double)t->plans, (double)t->points,
		(double)t->messages, (double)t->bytes, t->seconds, (double)audit->lost,
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		put_metric(out, &rows[i], values[i]);
	fprintf(out, "# HELP verbench_sessions_total Sessions that have ended, by how.\n"
		     "# TYPE verbench_sessions_total counter\n");
	for (int i = 0; i < AUDIT_OUTCOMES; i++)
		fprintf(out, "verbench_sessions_total{outcome=\"%s\"} %" PRIu64 "\n",
			audit_outcomes[i], t->ended[i]);
}

char *serve_report_metrics(const struct serve *s)
{
	static const struct metric running = { "sessions", "gauge", "Sessions that run now." };
	static const struct metric most = { "sessions_limit", "gauge", "The most of them." };
	static const struct metric strangers = {
		"strangers", "gauge", "Connections that have sent no plan yet."
	};
	static const struct metric up = { "up_seconds", "gauge", "Since the server began." };
	const uint32_t sessions = count_sessions(s);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	put_metric(out, &up, seconds_since(s->begun_ns));
	put_metric(out, &running, sessions);
	put_metric(out, &most, s->cfg->max_sessions);
	put_metric(out, &strangers, s->n - sessions);
	put_counters(out, &s->account.totals, &s->account.audit);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/* ---- for people */

static const char *text_at(const json_t *json, const char *key, char text[TEXT_MAX])
{
	const char *value = json_string_value(json_object_get(json, key));

	return text_clean(value ? value : "", text, TEXT_MAX);
}

static long long number_at(const json_t *json, const char *key)
{
	return json_integer_value(json_object_get(json, key));
}

static double real_at(const json_t *json, const char *key)
{
	return json_number_value(json_object_get(json, key));
}

static void print_session(FILE *out, const json_t *session)
{
	char peer[TEXT_MAX], host[TEXT_MAX], auth[TEXT_MAX], test[TEXT_MAX], transport[TEXT_MAX];
	const char *name = text_at(session, "host", host);

	fprintf(out, "  session %lld: %s%s%s%s, %s: %s %s, %lld plans, %lld points, %lld bytes, %.1f s%s\n",
		number_at(session, "session"), text_at(session, "peer", peer), name[0] ? " (" : "",
		name, name[0] ? ")" : "", text_at(session, "auth", auth),
		text_at(session, "test", test), text_at(session, "transport", transport),
		number_at(session, "plans"), number_at(session, "points"),
		number_at(session, "bytes"), real_at(session, "seconds"),
		json_is_true(json_object_get(session, "ending")) ? ", ending" : "");
}

void serve_report_print(FILE *out, const json_t *report)
{
	const json_t *limits = json_object_get(report, "limits");
	const json_t *totals = json_object_get(report, "totals");
	const json_t *session, *limit, *ended = json_object_get(totals, "ended"), *value;
	char version[TEXT_MAX], state[TEXT_MAX], name[TEXT_MAX];
	const char *key;
	size_t i;

	fprintf(out, "verbench %s, process %lld, %s for %.0f s\n",
		text_at(report, "tool_version", version), number_at(report, "pid"),
		text_at(report, "state", state), real_at(report, "up_seconds"));
	json_object_foreach((json_t *)(uintptr_t)limits, key, limit)
		fprintf(out, "%s: %lld of %lld\n",
			text_clean(key, name, sizeof(name)), number_at(limit, "used"),
			number_at(limit, "most"));
	json_array_foreach(json_object_get(report, "sessions"), i, session)
		print_session(out, session);
	fprintf(out, "since the start: %lld connections, %lld ignored; sessions:", number_at(totals, "connections"), number_at(totals, "ignored"));
	json_object_foreach((json_t *)(uintptr_t)ended, key, value)
		fprintf(out, " %lld %s", (long long)json_integer_value(value),
			text_clean(key, name, sizeof(name)));
	fprintf(out, "; %lld points, %lld bytes\n",
		number_at(totals, "points"), number_at(totals, "bytes"));
}
