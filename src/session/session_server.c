/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the server's side of a session; see session.h. Called by the child process of serve. */
#include "config.h"
#include "session/session.h"

#include <errno.h>
#include <string.h>

#include "config/options.h"
#include "session/conclude.h"
#include "session/copying.h"
#include "control/proto.h"
#include "session/facts.h"
#include "session/setup_session.h"
#include "util/err.h"
#include "util/text.h"

struct server {
	struct agree_own own;
	struct agree agree;
	const struct session_sink *sink;
	struct clock_anchor origin;
	bool interrupted;       /* by the user of one side: no further plan */
	bool checks;            /* the plan is one of a check */
	bool checked;           /* by its client: told once */
	bool told_facts; /* to its client; refused, it asks again over other transports */
	struct err no_facts; /* the first of these refusals; told if no facts follow */
	enum session_end worst;
};

static bool is_type(const json_t *msg, const char *type)
{
	return !strcmp(json_string_value(json_object_get(msg, "type")), type);
}

static bool asks(const json_t *msg)
{
	return agree_asks(json_string_value(json_object_get(msg, "type")));
}

static void note_end(struct server *s, enum session_end end)
{
	if (s->worst == SESSION_MEASURED || end == SESSION_FAILED)
		s->worst = end;
}

static int run_plan(struct server *s, struct points *points, const json_t *msg, json_t **next)
{
	const struct session_sink *sink = points->sink;
	int rc = s->checks ? sink->begin_check(sink->arg) : sink->begin(sink->arg);

	if (!rc)
		ctl_admit(s->agree.ctl);
	if (!rc)
		rc = agree_server(&s->agree, msg);
	if (rc)
		return rc;
	if (is_type(msg, agree_types[AGREE_SETUP])) {
		points->started = true;
		return setup_server(&s->agree, next);
	}
	points_start(points);
	return points_server(points, next);
}

/* Is msg the plan of a check? Reads it as agree_read() does; a plan that is not valid is none. */
static bool is_check(const struct server *s, const json_t *msg)
{
	struct cfg test = *s->agree.local;

	if (!is_type(msg, agree_types[AGREE_TEST]))
		return false;
	if (!options_from_json(&test, json_object_get(msg, "options")))
		return test.check_by != CHECK_NONE;
	err_clear();
	return false;
}

static int unexpected(const struct server *s, json_t *msg, const char *when)
{
	char type[33];

	text_clean(json_string_value(json_object_get(msg, "type")), type, sizeof(type));
	json_decref(msg);
	return err_set(-EBADMSG, "the peer %s sent '%s' %s", s->agree.ctl->peer, type, when);
}

/* The first message after hello. */
static int receive_first(struct server *s, json_t **first)
{
	json_t *msg = NULL;
	int rc = ctl_recv(s->agree.ctl, NULL, &msg, s->agree.local->connect_timeout_ms);

	if (rc)
		return rc;
	if (!asks(msg))
		return unexpected(s, msg, "instead of a plan");
	*first = msg;
	return 0;
}

/* After a plan that was refused, or a copy. */
static int receive_next(struct server *s, json_t **next)
{
	const struct cfg *own = s->agree.local;
	const uint32_t silence_ms = s->agree.test.stall_timeout_ms;
	const uint32_t idle_ms = owner_idle_ms(own, silence_ms);
	json_t *msg = NULL;
	int rc = ctl_recv(s->agree.ctl, NULL, &msg, idle_ms);

	if (rc == -ETIMEDOUT && idle_ms < silence_ms)
		return err_set_cause(rc, "owner", "--max-idle %.15gs of the server's owner: no plan came",
			       idle_ms / 1e3);
	if (rc)
		return rc;
	if (asks(msg) || is_type(msg, "bye")) {
		*next = msg;
		return 0;
	}
	return unexpected(s, msg, "after a plan was refused or a copy");
}

/* One plan. False: the connection is of no more use. *next: what follows the plan, bye or plan. */
static bool serve_plan(struct server *s, const json_t *msg, json_t **next)
{
	struct points points = { .agree = &s->agree, .peers = { &s->agree.ctl, 1 },
				 .sink = s->sink, .origin = &s->origin };
	enum session_end end;
	bool alive;
	int rc;

	s->checks = is_check(s, msg);
	rc = run_plan(s, &points, msg, next);
	/* what a check learns is its result, a refusal too */
	if (rc && !(s->checks && conclude_refuses(points.started, rc)))
		s->sink->error(s->sink->arg, rc, err_text());
	end = conclude_plan(&points, rc, &alive);
	note_end(s, s->checks && end == SESSION_REFUSED ? SESSION_MEASURED : end);
	agree_end(&s->own);
	s->sink->end(s->sink->arg);
	budget_back(s->agree.budget, 0);
	s->interrupted = points.interrupted;
	return alive;
}

/* One copy. False: the connection is of no more use. */
static bool serve_copy(struct server *s, const json_t *msg)
{
	struct copying copying = { .agree = &s->agree, .sink = s->sink };
	enum session_end end = SESSION_MEASURED;
	bool alive = true;
	int rc = s->sink->begin_copy(s->sink->arg);

	if (!rc)
		ctl_admit(s->agree.ctl);
	if (!rc)
		rc = copying_server(&copying, msg);
	if (rc) {
		s->sink->error(s->sink->arg, rc, err_text());
		end = conclude_error(&s->agree, &(struct peers){ &s->agree.ctl, 1 }, rc,
				     copying.started, &alive);
	}
	note_end(s, end);
	agree_end(&s->own);
	s->sink->end(s->sink->arg);
	budget_back(s->agree.budget, 0);
	return alive;
}

/* The facts of this side. Its device cannot be had: nothing has failed. */
static bool serve_facts(struct server *s, const json_t *msg)
{
	bool alive = true;
	int rc = s->sink->begin_copy(s->sink->arg);

	if (rc) {
		s->sink->error(s->sink->arg, rc, err_text());
		conclude_error(&s->agree, &(struct peers){ &s->agree.ctl, 1 }, rc, false, &alive);
		note_end(s, SESSION_FAILED);
		return alive;
	}
	s->agree.refused = false;
	if (s->sink->checks && !s->checked)
		s->sink->checks(s->sink->arg);
	s->checked = true;
	rc = facts_server(&s->agree, msg);
	s->told_facts |= !rc;
	if (rc) {
		if (!s->no_facts.text[0])
			s->no_facts = err_keep();
		alive = ctl_refuse(s->agree.ctl, err_text());
		note_end(s, SESSION_REFUSED);
	}
	s->sink->end(s->sink->arg);
	return alive;
}

static void tell(struct ctl *ctl, int rc)
{
	peers_abort(&(struct peers){ &ctl, 1 }, rc, err_text());
}

/* An error between two plans. */
static void fail(struct server *s, int rc)
{
	s->sink->error(s->sink->arg, rc, err_text());
	note_end(s, SESSION_FAILED);
	tell(s->agree.ctl, rc);
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
		else if (is_type(msg, agree_types[AGREE_FACTS]))
			alive = serve_facts(s, msg);
		else
			alive = is_type(msg, agree_types[AGREE_COPY]) ? serve_copy(s, msg) :
						       serve_plan(s, msg, &next);
		if (alive && !next)
			rc = receive_next(s, &next);
		if (rc)
			fail(s, rc);
		/* the plan's options borrow their texts from its message */
		json_decref(msg);
		msg = next;
	}
	json_decref(msg);
}

enum session_end session_server(const struct cfg *cfg, struct ctl *ctl,
				const struct session_sink *sink)
{
	struct server s = {
		.agree = { .side = SIDE_SERVER, .ctl = ctl, .local = cfg,
			   .budget = sink->budget },
		.sink = sink,
		.origin = clock_anchor(),
		.worst = SESSION_MEASURED,
	};
	json_t *msg = NULL;
	int rc;

	s.agree.own = &s.own;
	rc = agree_hello(&s.agree);

	if (!rc)
		rc = receive_first(&s, &msg);
	if (rc) {
		tell(ctl, rc);
		return rc == -EPROTOTYPE ? SESSION_PERFTEST : SESSION_NO_CLIENT;
	}
	serve_plans(&s, msg);
	if (s.no_facts.text[0] && !s.told_facts)
		sink->error(sink->arg, -EINVAL, s.no_facts.text);
	agree_close(&s.own);
	return s.worst;
}
