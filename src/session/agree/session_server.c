/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The server's side of a session. */
#include "config.h"
#include "agree/agree.h"

#include <errno.h>
#include <string.h>

#include "options/options.h"
#include "wire/proto.h"
#include "util/err.h"
#include "util/minmax.h"

struct server {
	struct agree_own own;
	struct agree agree;
	const struct session_host *host;
	struct clock_anchor origin;
	bool interrupted;       /* by the user of one side: no further plan */
	bool checked;           /* by its client: reported once */
	bool sent_facts;        /* a refused client asks again over other transports */
	struct err no_facts;    /* the first of these refusals; reported if no facts follow */
	enum session_end worst;
};

static enum agree_for asks(const json_t *msg)
{
	return agree_asks(proto_type(msg));
}

static void note_end(struct server *s, enum session_end end)
{
	if (s->worst == SESSION_MEASURED || end == SESSION_FAILED)
		s->worst = end;
}

static void report_error(const struct server *s, int rc, const char *text)
{
	const struct event_error error = { rc, text };

	event_tell(&s->host->events, &(struct event){ EVENT_ERROR, .error = &error });
}

/* Is msg the plan of a check? Reads it as agree_read() does; a plan that is not valid is none. */
static bool is_check(const struct server *s, const json_t *msg)
{
	struct cfg test = *s->agree.local;

	if (s->agree.what != AGREE_TEST)
		return false;
	if (!options_from_json(&test, json_object_get(msg, "options")))
		return test.check_by != CHECK_NONE;
	err_clear();
	return false;
}

/* The first message after hello. */
static int receive_first(struct server *s, json_t **first)
{
	json_t *msg = NULL;
	int rc = ctl_recv(s->agree.ctl, NULL, &msg, s->agree.local->connect_timeout_ms);

	if (rc)
		return rc;
	if (asks(msg)) {
		*first = msg;
		return 0;
	}
	rc = agree_unexpected(&s->agree, msg, "instead of a plan");
	json_decref(msg);
	return rc;
}

/* After a plan that was refused, or a copy. */
static int receive_next(struct server *s, json_t **next)
{
	const struct cfg *own = s->agree.local;
	const uint32_t silence_ms = s->agree.test.stall_timeout_ms;
	const uint32_t idle_ms = min_u32(silence_ms, own->max_idle_ms);
	json_t *msg = NULL;
	int rc = ctl_recv(s->agree.ctl, NULL, &msg, idle_ms);

	if (rc == -ETIMEDOUT && idle_ms < silence_ms)
		return err_set_cause(rc, "owner", "--max-idle %.15gs of the server's owner: no plan came",
			       idle_ms / 1e3);
	if (rc)
		return rc;
	if (asks(msg) || !strcmp(proto_type(msg), "bye")) {
		*next = msg;
		return 0;
	}
	rc = agree_unexpected(&s->agree, msg, "after a plan was refused or a copy");
	json_decref(msg);
	return rc;
}

/* Agrees on a plan, and runs it. */
static int run_task(struct task *t, const json_t *msg, json_t **next)
{
	int rc;

	t->agree->ctl->admitted = true;
	if (t->agree->what == AGREE_COPY)
		return copying_server(t, msg);
	rc = agree_server(t->agree, msg);
	if (rc)
		return rc;
	return t->agree->what == AGREE_SETUP ? setup_server(t, next) : task_server(t, next);
}

/* The facts of this side. */
static int send_facts(struct agree *a, const json_t *ask)
{
	const struct limits *limits = &a->own->dev.limits;
	struct machine machine;
	json_t *msg;
	int rc = agree_read(a, ask);

	if (!rc)
		rc = agree_device(a);
	if (rc)
		return rc;
	dev_probe_gpu(&a->own->dev, CFG_AUTO);
	machine_read(&machine, limits->device, limits->netdev);
	msg = json_pack("{s:s,s:o,s:o}", "type", "facts", "limits", limits_encode(limits), "machine",
			field_encode(json_object(), &machine_table, &machine, FIELD_WIRE));
	return ctl_send(a->ctl, msg, a->local->connect_timeout_ms);
}

/* A device that cannot be opened is not a failure. False: the connection is no longer usable. */
static bool serve_facts(struct server *s, const json_t *msg)
{
	s->agree.refused = false;
	if (!s->checked)
		event_tell(&s->host->events, &(struct event){ .kind = EVENT_CHECKS });
	s->checked = true;
	if (!send_facts(&s->agree, msg)) {
		s->sent_facts = true;
		return true;
	}
	if (!s->no_facts.text[0])
		s->no_facts = err_keep();
	note_end(s, SESSION_REFUSED);
	return ctl_refuse(s->agree.ctl);
}

/*
 * One plan or copy, or the facts. False: the connection is no longer usable. *next: the message
 * after the plan, bye or plan.
 */
static bool serve(struct server *s, const json_t *msg, json_t **next)
{
	struct task t = { .agree = &s->agree, .peers = { &s->agree.ctl, 1 }, .host = s->host,
			  .origin = &s->origin };
	enum session_asked asked = ASKED_PLAN;
	enum session_end end;
	bool alive, checks;
	int rc;

	s->agree.what = asks(msg);
	checks = is_check(s, msg);
	if (checks)
		asked = ASKED_CHECK;
	else if (s->agree.what == AGREE_COPY || s->agree.what == AGREE_FACTS)
		asked = ASKED_OTHER;
	rc = s->host->begin(s->host->arg, asked);
	if (!rc)
		event_tell(&s->host->events, &(struct event){ .kind = EVENT_BEGIN });
	if (!rc && s->agree.what == AGREE_FACTS) {
		alive = serve_facts(s, msg);
	} else {
		if (!rc)
			rc = run_task(&t, msg, next);
		/* the results of a check include refusals */
		checks = checks && rc && task_refuses(&t, rc);
		if (rc && !checks)
			report_error(s, rc, err_text());
		end = task_conclude(&t, rc, &alive);
		note_end(s, checks ? SESSION_MEASURED : end);
	}
	agree_end(&s->own);
	event_tell(&s->host->events, &(struct event){ .kind = EVENT_END });
	budget_back(s->agree.budget, 0);
	s->interrupted = t.interrupted;
	return alive;
}

/* Every plan until bye. first: the first plan message; taken over. */
static void serve_plans(struct server *s, json_t *first)
{
	json_t *msg = first;

	while (msg && asks(msg)) {
		json_t *next = NULL;
		bool alive = false;
		int rc = 0;

		if (s->interrupted)
			rc = err_set(-EINTR, "the session was interrupted; it takes no further plan");
		else
			alive = serve(s, msg, &next);
		if (alive && !next)
			rc = receive_next(s, &next);
		if (rc) {
			report_error(s, rc, err_text());
			note_end(s, SESSION_FAILED);
			peers_abort(&(struct peers){ &s->agree.ctl, 1 }, rc);
		}
		/* the plan's options borrow their texts from its message */
		json_decref(msg);
		msg = next;
	}
	json_decref(msg);
}

enum session_end session_server(const struct cfg *cfg, struct ctl *ctl,
				const struct session_host *host)
{
	struct server s = {
		.agree = { .side = SIDE_SERVER, .ctl = ctl, .local = cfg,
			   .budget = host->budget },
		.own = { .affinity = { .machine = host->machine } },
		.host = host,
		.origin = clock_anchor(),
		.worst = SESSION_MEASURED,
	};
	json_t *msg = NULL;
	int rc;

	s.agree.own = &s.own;
	ctl->budget = host->budget;
	rc = agree_hello(&s.agree);
	if (!rc)
		rc = receive_first(&s, &msg);
	if (rc) {
		peers_abort(&(struct peers){ &ctl, 1 }, rc);
		return rc == -EPROTOTYPE ? SESSION_PERFTEST : SESSION_NO_CLIENT;
	}
	serve_plans(&s, msg);
	if (s.no_facts.text[0] && !s.sent_facts)
		report_error(&s, -EINVAL, s.no_facts.text);
	agree_close(&s.own);
	return s.worst;
}
