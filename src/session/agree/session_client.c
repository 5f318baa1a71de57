/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The client's side of a session. */
#include "config.h"
#include "agree/agree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/hosts.h"
#include "wire/ctl_socket.h"
#include "wire/key.h"
#include "wire/proto.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/signals.h"

/*
 * The time that a server gives a connection until its plan, less a reserve:
 * serve/serve_processes.c.
 */
#define FRESH_NS 2000000000u

/* One server. */
struct remote {
	struct ctl ctl;
	struct hosts_one host;
	char name[HOSTS_TEXT]; /* of a receiver of a group */
};

struct session {
	struct agree_own own;
	struct ctl_tls *tls;       /* the key of --key; NULL: none, or the caller has one */
	struct agree *agrees;      /* one per server, as the next two */
	struct remote *remotes;
	struct ctl **ctls;         /* of the remotes */
	struct peers peers;        /* all of them */
	struct clock_anchor origin;
	bool alive;       /* the servers wait for a plan or bye */
	bool interrupted; /* by the user of one side */
};

static void close_all(struct session *s)
{
	for (uint32_t i = 0; i < s->peers.n; i++)
		ctl_close(&s->remotes[i].ctl);
}

static void waiting(const void *arg, const struct ctl_dial *dial)
{
	const struct session_host *host = arg;
	struct hosts_one one = { .port = dial->port };
	char text[HOSTS_TEXT];

	snprintf(one.host, sizeof(one.host), "%s", dial->host);
	event_tell(&host->events, &(struct event){ EVENT_WAITING,
						   .waiting = &(struct event_waiting){
							   hosts_text(&one, text),
							   dial->timeout_ms } });
}

/* Connects, and proves the key if there is one. */
static int connect_all(struct session *s, const struct cfg *cfg, const struct session_host *host)
{
	const struct ctl_tls *tls = host->tls ? host->tls : s->tls;
	int rc = 0;

	for (uint32_t i = 0; i < s->peers.n && !rc; i++) {
		struct remote *r = &s->remotes[i];
		char start[64];
		const struct ctl_dial dial = {
			.host = r->host.host,
			.port = r->host.port,
			.timeout_ms = cfg->connect_timeout_ms,
			.signals_fd = host->stop_fd ? host->stop_fd : signals_fd(),
			.from = cfg->bind,
			.start = start,
			.open = cfg->key,
			.waiting = waiting,
			.arg = host,
		};

		/* a server there that this client can use */
		snprintf(start, sizeof(start), "verbench serve%s%s%s -p %u",
			 cfg->soft ? " --soft" : "", cfg->key ? " --key FILE" : "",
			 cfg->copy_from ? " --copy-to DIR" : "", r->host.port);
		rc = ctl_dial(&r->ctl, &dial);
		if (!rc && tls)
			rc = ctl_prove(&r->ctl, tls, false, cfg->connect_timeout_ms);
	}
	return rc;
}

/*
 * The first servers of a group may wait for the last one to start, and give up meanwhile. Connects
 * to them again: now all of them are up.
 */
static int connect_servers(struct session *s, const struct cfg *cfg,
			   const struct session_host *host)
{
	const uint64_t start_ns = clock_ns();
	int rc = connect_all(s, cfg, host);

	if (!rc && s->peers.n > 1 && clock_ns() - start_ns > FRESH_NS) {
		close_all(s);
		rc = connect_all(s, cfg, host);
	}
	for (uint32_t i = 0; i < s->peers.n && !rc; i++) {
		rc = agree_hello(&s->agrees[i]);
		s->ctls[i]->admitted = true;
	}
	if (rc)
		peers_abort(&s->peers, rc);
	return rc;
}

/* The name in a receiver's rows: as the user gave it, numbered if given twice. */
static void name_remote(struct session *s, uint32_t i)
{
	struct remote *r = &s->remotes[i];
	char text[HOSTS_TEXT];
	uint32_t before = 0;

	hosts_text(&r->host, text);
	for (uint32_t k = 0; k < i; k++)
		before += s->remotes[k].host.port == r->host.port &&
			  !strcmp(s->remotes[k].host.host, r->host.host);
	if (before)
		snprintf(r->name, HOSTS_TEXT, "%.250s#%u", text, before + 1);
	else
		snprintf(r->name, HOSTS_TEXT, "%s", text);
	s->agrees[i].name = r->name;
}

static int open_servers(struct session *s, const struct cfg *cfg)
{
	const uint32_t n = cfg->mcast ? cfg->n_hosts : 1;
	int rc;

	s->agrees = calloc(n, sizeof(*s->agrees));
	s->remotes = calloc(n, sizeof(*s->remotes));
	s->ctls = calloc(n, sizeof(*s->ctls));
	if (!s->agrees || !s->remotes || !s->ctls)
		return err_set(-ENOMEM, "no memory for a session");
	s->peers = (struct peers){ s->ctls, n };
	for (uint32_t i = 0; i < n; i++) {
		s->remotes[i].ctl = (struct ctl)CTL_CLOSED;
		s->ctls[i] = &s->remotes[i].ctl;
		s->agrees[i] = (struct agree){
			.side = SIDE_CLIENT, .ctl = s->ctls[i], .own = &s->own, .local = cfg,
			.test = *cfg,
		};
	}
	rc = cfg->key ? ctl_tls_open(&s->tls, &(struct key_place){ .path = cfg->key }) : 0;
	for (uint32_t i = 0; i < n && !rc; i++) {
		rc = hosts_parse(&s->remotes[i].host, cfg->mcast ? cfg->hosts[i] : cfg->host,
				 cfg->tcp_port);
		if (cfg->mcast)
			name_remote(s, i);
	}
	return rc;
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

int session_open(struct session **session, const struct cfg *cfg, const struct session_host *host)
{
	struct session *s = calloc(1, sizeof(*s));
	int rc;

	*session = NULL;
	if (!s)
		return err_set(-ENOMEM, "no memory for a session");
	s->origin = clock_anchor();
	s->own.affinity.machine = host->machine;
	rc = open_servers(s, cfg);
	if (!rc)
		rc = connect_servers(s, cfg, host);
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
	for (uint32_t i = 0; i < s->peers.n; i++) {
		s->agrees[i].local = cfg;
		s->agrees[i].what = what;
		s->agrees[i].file = NULL;
	}
}

/* With concurrent sessions: the server waits for the first point meanwhile. */
static int meet_agreed(const struct session *s, const struct session_host *host)
{
	const uint64_t until_ns = clock_ns() + s->agrees->test.stall_timeout_ms * 750000ull;
	uint64_t ticks;

	return host->meet ? host->meet(host->arg, MEETING_AGREED, until_ns, &ticks) : 0;
}

/* Agrees on a plan, and runs it. */
static int run_task(struct session *s, struct task *t)
{
	int rc = agree_client(s->agrees, s->peers.n);

	if (rc)
		return rc;
	if (t->setup)
		return setup_client(t);
	if (t->copy)
		return copying_client(t);
	/* until the points start it can be refused */
	rc = meet_agreed(s, t->host);
	return rc ? rc : task_client(t);
}

/* what: a plan, not the facts. host, copy and setup of t are set. */
static int run(struct session *s, const struct cfg *cfg, enum agree_for what, struct task *t,
	       enum session_end *end)
{
	int rc = check_usable(s);

	*end = SESSION_FAILED;
	if (rc)
		return rc;
	begin(s, cfg, what);
	s->agrees->file = t->copy ? t->copy->file : NULL;
	t->agree = s->agrees;
	t->peers = s->peers;
	t->origin = &s->origin;
	rc = run_task(s, t);
	s->interrupted = t->interrupted;
	*end = task_conclude(t, rc, &s->alive);
	agree_end(&s->own);
	return rc;
}

int session_run(struct session *s, const struct cfg *cfg, const struct session_host *host,
		enum session_end *end)
{
	return run(s, cfg, AGREE_TEST, &(struct task){ .host = host }, end);
}

int session_copy(struct session *s, const struct cfg *cfg, const struct session_file *file,
		 const struct session_host *host, enum session_end *end)
{
	return run(s, cfg, AGREE_COPY, &(struct task){ .host = host, .copy = file }, end);
}

int session_setup(struct session *s, const struct cfg *cfg, const struct session_setup *setup,
		  enum session_end *end)
{
	return run(s, cfg, AGREE_SETUP, &(struct task){ .setup = setup }, end);
}

/* Asks the server, which may refuse because it has no device. */
static int ask_facts(struct agree *a, struct session_facts *facts)
{
	json_t *msg = NULL;
	int rc;

	a->test = *a->local;
	rc = agree_ask(a);
	if (!rc)
		rc = ctl_recv(a->ctl, "facts", &msg, a->local->connect_timeout_ms);
	a->refused = rc == -EPERM;
	if (!rc)
		rc = limits_decode(&a->peer, json_object_get(msg, "limits"));
	if (!rc)
		rc = field_decode(&machine_table, &facts->machine[SIDE_SERVER],
				  json_object_get(msg, "machine"));
	json_decref(msg);
	facts->limits[SIDE_SERVER] = a->peer;
	facts->known[SIDE_SERVER] = !rc;
	return rc;
}

int session_facts(struct session *s, const struct cfg *cfg, struct session_facts *facts,
		  enum session_end *end)
{
	struct limits *own = &facts->limits[SIDE_CLIENT];
	int rc = check_usable(s);

	*end = SESSION_FAILED;
	*facts = (struct session_facts){ .known = { false } };
	if (rc)
		return rc;
	begin(s, cfg, AGREE_FACTS);
	rc = ask_facts(s->agrees, facts);
	if (!rc)
		rc = agree_device(s->agrees);
	if (!rc) {
		dev_probe_gpu(&s->own.dev, CFG_AUTO);
		*own = s->own.dev.limits;
		machine_read(&facts->machine[SIDE_CLIENT], own->device, own->netdev);
		facts->known[SIDE_CLIENT] = true;
		*end = SESSION_MEASURED;
	} else if (s->agrees->refused || facts->known[SIDE_SERVER]) {
		/* the server waits for a plan: it need not know about this side's device */
		*end = SESSION_REFUSED;
	} else {
		s->alive = false;
		peers_abort(&s->peers, rc);
	}
	return rc;
}

int session_close(struct session *s)
{
	int rc = 0;

	if (!s)
		return 0;
	if (s->alive)
		rc = peers_send(&s->peers, proto_plain("bye"),
				s->agrees->test.stall_timeout_ms);
	agree_close(&s->own);
	free_session(s);
	return rc;
}
