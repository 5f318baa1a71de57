/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns the client's side of a session; see session.h. Called by commands. */
#include "config.h"
#include "session/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/hosts.h"
#include "session/conclude.h"
#include "session/copying.h"
#include "control/ctl_tls.h"
#include "control/proto.h"
#include "session/facts.h"
#include "session/setup_session.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/signals.h"

/* What a server gives a connection until its plan, less a reserve: serve/serve_processes.c. */
#define FRESH_NS 2000000000u

/* One server. */
struct remote {
	struct ctl ctl;
	struct hosts_one host;
	char name[HOSTS_TEXT]; /* of a receiver of a group */
};

struct session {
	struct agree_own own;
	struct ctl_tls *tls;       /* the key; NULL: none */
	struct agree *agrees;      /* one for each server, as the next two */
	struct remote *remotes;
	struct ctl **ctls;         /* of the remotes */
	uint32_t n;
	struct clock_anchor origin;
	bool alive;       /* the servers wait for a plan or bye */
	bool interrupted; /* by the user of one side */
};

static void close_all(struct session *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		ctl_close(&s->remotes[i].ctl);
}

/* What starts a server there that this client can use. */
static void server_command(const struct cfg *cfg, uint32_t port, char *text, size_t size)
{
	snprintf(text, size, "verbench serve%s%s%s -p %u", cfg->soft ? " --soft" : "",
		 cfg->key ? " --key FILE" : "", cfg->copy_from ? " --copy-to DIR" : "", port);
}

static void waiting(const void *arg, const struct ctl_dial *dial)
{
	const struct session_sink *sink = arg;
	struct hosts_one one = { .port = dial->port };
	char text[HOSTS_TEXT];

	snprintf(one.host, sizeof(one.host), "%s", dial->host);
	sink->waiting(sink->arg, hosts_text(&one, text), dial->timeout_ms);
}

/* Connects, and proves the key if there is one. */
static int connect_one(const struct session *s, struct remote *r, const struct cfg *cfg,
		       const struct session_sink *sink)
{
	char start[64];
	const struct ctl_dial dial = {
		.host = r->host.host,
		.port = r->host.port,
		.timeout_ms = cfg->connect_timeout_ms,
		.signals_fd = signals_fd(),
		.from = cfg->bind,
		.start = start,
		.open = cfg->key,
		.waiting = sink->waiting ? waiting : NULL,
		.arg = sink,
	};
	int rc;

	server_command(cfg, r->host.port, start, sizeof(start));
	rc = ctl_dial(&r->ctl, &dial);
	return rc || !s->tls ? rc : ctl_prove(&r->ctl, s->tls, false, cfg->connect_timeout_ms);
}

static int connect_all(struct session *s, const struct cfg *cfg, const struct session_sink *sink)
{
	int rc = 0;

	for (uint32_t i = 0; i < s->n && !rc; i++)
		rc = connect_one(s, &s->remotes[i], cfg, sink);
	return rc;
}

/*
 * The first servers of a group may wait for the last one to start, and give up meanwhile. They are
 * connected to again: now all of them are there.
 */
static int connect_servers(struct session *s, const struct cfg *cfg,
			   const struct session_sink *sink)
{
	const uint64_t start_ns = clock_ns();
	int rc = connect_all(s, cfg, sink);

	if (!rc && s->n > 1 && clock_ns() - start_ns > FRESH_NS) {
		close_all(s);
		rc = connect_all(s, cfg, sink);
	}
	for (uint32_t i = 0; i < s->n && !rc; i++) {
		rc = agree_hello(&s->agrees[i]);
		ctl_admit(s->ctls[i]);
	}
	if (rc)
		peers_abort(&(struct peers){ s->ctls, s->n }, rc, err_text());
	return rc;
}

/* The texts of the receivers' rows: what was given, numbered if it was given before. */
static void name_remotes(struct session *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		char text[HOSTS_TEXT];
		uint32_t before = 0;

		hosts_text(&s->remotes[i].host, text);
		for (uint32_t k = 0; k < i; k++)
			before += s->remotes[k].host.port == s->remotes[i].host.port &&
				  !strcmp(s->remotes[k].host.host, s->remotes[i].host.host);
		if (before)
			snprintf(s->remotes[i].name, HOSTS_TEXT, "%.250s#%u", text, before + 1);
		else
			snprintf(s->remotes[i].name, HOSTS_TEXT, "%s", text);
		s->agrees[i].name = s->remotes[i].name;
	}
}

static int find_remotes(struct session *s, const struct cfg *cfg)
{
	int rc = 0;

	if (!cfg->mcast)
		return hosts_parse(&s->remotes->host, cfg->host, cfg->tcp_port);
	for (uint32_t i = 0; i < s->n && !rc; i++)
		rc = hosts_parse(&s->remotes[i].host, cfg->hosts[i], cfg->tcp_port);
	name_remotes(s);
	return rc;
}

static int open_servers(struct session *s, const struct cfg *cfg)
{
	int rc;

	s->n = cfg->mcast ? cfg->n_hosts : 1;
	s->agrees = calloc(s->n, sizeof(*s->agrees));
	s->remotes = calloc(s->n, sizeof(*s->remotes));
	s->ctls = calloc(s->n, sizeof(*s->ctls));
	if (!s->agrees || !s->remotes || !s->ctls) {
		s->n = 0;
		return err_set(-ENOMEM, "no memory for a session");
	}
	for (uint32_t i = 0; i < s->n; i++) {
		s->remotes[i].ctl = (struct ctl)CTL_CLOSED;
		s->ctls[i] = &s->remotes[i].ctl;
		s->agrees[i] = (struct agree){
			.side = SIDE_CLIENT, .ctl = s->ctls[i], .own = &s->own, .local = cfg,
			.test = *cfg,
		};
	}
	rc = cfg->key ? ctl_tls_open(&s->tls, cfg->key) : 0;
	return rc ? rc : find_remotes(s, cfg);
}

static void free_session(struct session *s)
{
	close_all(s);
	ctl_tls_close(s->tls);
	free(s->agrees);
	free(s->remotes);
	free(s->ctls);
	free(s);
}

int session_open(struct session **session, const struct cfg *cfg, const struct session_sink *sink)
{
	struct session *s = calloc(1, sizeof(*s));
	int rc;

	*session = NULL;
	if (!s)
		return err_set(-ENOMEM, "no memory for a session");
	s->origin = clock_anchor();
	rc = open_servers(s, cfg);
	if (!rc)
		rc = connect_servers(s, cfg, sink);
	if (rc) {
		free_session(s);
		return rc;
	}
	s->alive = true;
	*session = s;
	return 0;
}

/* May another plan follow? */
static int check_usable(const struct session *s)
{
	if (!s->alive)
		return err_set(-ENOTCONN, "the session with the peer %s has failed; it takes no further plan", s->ctls[0]->peer);
	if (s->interrupted)
		return err_set(-EINTR, "the session was interrupted; it takes no further plan");
	return 0;
}

static void begin(struct session *s, const struct cfg *cfg, enum agree_for what)
{
	for (uint32_t i = 0; i < s->n; i++) {
		s->agrees[i].local = cfg;
		s->agrees[i].what = what;
	}
}

int session_copy(struct session *s, const struct cfg *cfg, const struct session_file *file,
		 const struct session_sink *sink, enum session_end *end)
{
	struct copying copying = { .agree = s->agrees, .sink = sink };
	int rc = check_usable(s);

	*end = SESSION_FAILED;
	if (rc)
		return rc;
	begin(s, cfg, AGREE_COPY);
	rc = copying_client(&copying, file->file, file->source);
	*end = SESSION_MEASURED;
	if (rc)
		*end = conclude_error(s->agrees, &(struct peers){ s->ctls, s->n }, rc,
				      copying.started, &s->alive);
	agree_end(&s->own);
	return rc;
}

/* With those that run at the same time: the server waits for the first point meanwhile. */
static int meet_agreed(const struct session *s, const struct session_sink *sink)
{
	const uint64_t until_ns = clock_ns() + s->agrees->test.stall_timeout_ms * 750000ull;
	uint64_t ticks;

	return sink->meet ? sink->meet(sink->arg, MEETING_AGREED, until_ns, &ticks) : 0;
}

int session_run(struct session *s, const struct cfg *cfg, const struct session_sink *sink,
		enum session_end *end)
{
	struct points points = { .agree = s->agrees, .peers = { s->ctls, s->n },
				 .sink = sink, .origin = &s->origin };
	int rc = check_usable(s);

	*end = SESSION_FAILED;
	if (rc)
		return rc;
	begin(s, cfg, AGREE_TEST);
	rc = agree_client(s->agrees, s->n);
	/* until then it can be refused */
	if (!rc)
		rc = meet_agreed(s, sink);
	if (!rc)
		rc = points_approve(&points);
	if (!rc) {
		points_start(&points);
		rc = points_client(&points);
	}
	s->interrupted = points.interrupted;
	*end = conclude_plan(&points, rc, &s->alive);
	agree_end(&s->own);
	return rc;
}

int session_facts(struct session *s, const struct cfg *cfg, struct session_facts *facts,
		  enum session_end *end)
{
	int rc = check_usable(s);

	*end = SESSION_FAILED;
	if (rc)
		return rc;
	begin(s, cfg, AGREE_FACTS);
	rc = facts_client(s->agrees, facts);
	*end = SESSION_MEASURED;
	if (!rc)
		return 0;
	*end = SESSION_REFUSED;
	/* the server waits for a plan: of this side's device it need not know */
	if (s->agrees->refused || facts->known[SIDE_SERVER])
		return rc;
	*end = SESSION_FAILED;
	s->alive = false;
	peers_abort(&(struct peers){ s->ctls, s->n }, rc, err_text());
	return rc;
}

int session_setup(struct session *s, const struct cfg *cfg, const struct session_setup *setup,
		  enum session_end *end)
{
	struct points points = { .agree = s->agrees, .peers = { s->ctls, s->n },
				 .origin = &s->origin };
	int rc = check_usable(s);

	*end = SESSION_FAILED;
	if (rc)
		return rc;
	begin(s, cfg, AGREE_SETUP);
	rc = agree_client(s->agrees, s->n);
	points.started = !rc;
	if (!rc)
		rc = setup_client(&points, setup);
	s->interrupted = points.interrupted;
	*end = conclude_plan(&points, rc, &s->alive);
	agree_end(&s->own);
	return rc;
}

int session_close(struct session *s)
{
	int rc = 0;

	if (!s)
		return 0;
	if (s->alive)
		rc = peers_send(&(struct peers){ s->ctls, s->n }, proto_plain("bye"),
				s->agrees->test.stall_timeout_ms);
	agree_close(&s->own);
	free_session(s);
	return rc;
}
