/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the agent: its place in the tree, of which its main thread takes care, and the threads that
 * measure, one for each lane; see mesh.h.
 */
#include "config.h"
#include "mesh/mesh_relay.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "agree/session.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"
#include "util/signals.h"

#define LOOK_NS 100000000u /* between two looks at a deadline */
#define LABEL_TEXT 11

struct agent;

/* A session and the thread that measures with it. */
struct lane {
	struct agent *agent;
	pthread_t thread;
	/* with the lock of the agent */
	bool ordered;              /* a cell is to be measured */
	struct mesh_order next;
	struct mesh_start gone;    /* the last start of the pairs of the round */
	/* of its thread alone */
	struct mesh_order order;
	uint32_t starts;           /* of the cell */
	struct session *session;   /* NULL: none */
	struct mesh_order session_of;
	uint64_t go_ns;            /* clock_ns() */
};

struct agent {
	const struct mesh *mesh;
	struct mesh_serve *serve;
	struct mesh_relay *relay;
	uint32_t n_lanes;
	pthread_mutex_t lock;      /* of all that follows */
	pthread_cond_t woken;
	struct lane lanes[MESH_RAILS_MAX];
	int64_t ahead_ns;          /* the root's clock less this one: clock_ns() */
	bool over;                 /* no more cells: rc and reason say why */
	int rc;
	char reason[ERR_TEXT_MAX];
};

/* ---- with the lock */

/* The first reason counts. Sessions end. */
static void end(struct agent *a, int rc)
{
	if (a->over)
		return;
	a->over = true;
	a->rc = rc;
	snprintf(a->reason, sizeof(a->reason), "%s", rc ? err_text() : "");
	mesh_serve_stop(a->serve);
	pthread_cond_broadcast(&a->woken);
}

static void sleep_a_while(struct agent *a)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_nsec += LOOK_NS;
	at.tv_sec += at.tv_nsec / 1000000000;
	at.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&a->woken, &a->lock, &at);
}

/* ---- what the session of a lane says, on its thread */

static int take(void *arg, const struct event *event)
{
	struct lane *lane = arg;
	struct agent *a = lane->agent;
	int64_t ahead_ns;
	struct row row;

	if (event->kind != EVENT_ROW)
		return 0;
	row = *event->row;
	pthread_mutex_lock(&a->lock);
	ahead_ns = a->ahead_ns;
	pthread_mutex_unlock(&a->lock);
	/* by the root's clock */
	if (row.start_ns != ROW_NONE)
		row.mesh_start_ns = (uint64_t)((int64_t)(lane->go_ns + row.start_ns) + ahead_ns);
	mesh_relay_row(a->relay, lane->order.what.order, mesh_wire_row(&row));
	return 0;
}

/* All pairs of the round are ready, or the root waits no longer for those that are not. */
static int meet(void *arg, enum session_meeting where, uint64_t until_ns, uint64_t *ticks)
{
	struct lane *lane = arg;
	struct agent *a = lane->agent;
	struct mesh_start start;
	int rc = 0;

	if (where != MEETING_READY)
		return 0;
	start = (struct mesh_start){ lane->order.what.order, ++lane->starts };
	mesh_relay_ready(a->relay, &start);
	pthread_mutex_lock(&a->lock);
	while ((lane->gone.order != start.order || lane->gone.number != start.number) && !rc) {
		if (a->over)
			rc = err_set(-EINTR, "the mesh has ended: %s", a->reason);
		else if (clock_ns() >= until_ns)
			rc = err_set(-ETIMEDOUT, "the other pairs of the round were not ready in time (--stall-timeout)");
		else
			sleep_a_while(a);
	}
	pthread_mutex_unlock(&a->lock);
	*ticks = clock_ticks();
	lane->go_ns = clock_ns();
	return rc;
}

/* ---- a cell */

static void close_session(struct lane *lane)
{
	if (session_close(lane->session))
		log_note("%s", err_text());
	lane->session = NULL;
}

/* One session for all cells of a round. */
static int need_session(struct lane *lane, const struct cfg *cfg, const struct session_host *host)
{
	int rc;

	if (lane->session && lane->session_of.what.round == lane->order.what.round &&
	    lane->session_of.to == lane->order.to)
		return 0;
	close_session(lane);
	rc = session_open(&lane->session, cfg, host);
	lane->session_of = lane->order;
	return rc;
}

static void measure(struct lane *lane, struct mesh_done *done)
{
	const struct mesh *mesh = lane->agent->mesh;
	const struct mesh_order *order = &lane->order;
	const struct session_host host = {
		.events = { take, lane }, .meet = meet, .arg = lane,
		.stop_fd = mesh_serve_stop_fd(lane->agent->serve), .tls = mesh->tls,
		.machine = mesh->described ? &mesh->machine : NULL,
	};
	struct hosts_one peer = { .port = order->port };
	enum session_end ended = SESSION_REFUSED;
	char text[HOSTS_TEXT], beside[NEIGHBOURS_TEXT], label[LABEL_TEXT];
	struct cell cell;
	int rc = mesh_cell(mesh, order->what.cell, &cell);

	snprintf(peer.host, sizeof(peer.host), "%s", order->host);
	cell.cfg.host = hosts_text(&peer, text);
	mesh_rails_choose(mesh, &cell.cfg, &order->rails);
	if (order->flow_label) {
		snprintf(label, sizeof(label), "%u", order->flow_label);
		cell.cfg.flow_label = label;
	}
	/* with itself perhaps on all rails */
	if (order->what.round != MESH_ALONE || order->to == mesh->rank.rank)
		mesh_rails_beside(mesh, &cell.cfg, order->lane, beside);
	if (!rc) {
		ended = SESSION_FAILED;
		rc = need_session(lane, &cell.cfg, &host);
	}
	if (!rc)
		rc = session_run(lane->session, &cell.cfg, &host, &ended);
	*done = (struct mesh_done){ .status = RESULT_OK };
	if (rc)
		done->status = ended == SESSION_REFUSED ? RESULT_SKIPPED : RESULT_FAILED;
	if (rc)
		snprintf(done->reason, sizeof(done->reason), "%s", err_text());
	if (ended == SESSION_FAILED || order->what.round == MESH_ALONE ||
	    order->what.cell + 1 == mesh->cells.n)
		close_session(lane);
	free(cell.text);
}

static void *measure_main(void *arg)
{
	struct lane *lane = arg;
	struct agent *a = lane->agent;

	pthread_mutex_lock(&a->lock);
	while (!a->over) {
		struct mesh_done done;

		if (!lane->ordered) {
			sleep_a_while(a);
			continue;
		}
		lane->ordered = false;
		lane->order = lane->next;
		lane->starts = 0;
		pthread_mutex_unlock(&a->lock);
		measure(lane, &done);
		mesh_relay_done(a->relay, lane->order.what.order, mesh_wire_done(&done));
		pthread_mutex_lock(&a->lock);
	}
	pthread_mutex_unlock(&a->lock);
	close_session(lane);
	return NULL;
}

/* ---- what the root says */

static void take_order(void *arg, const struct mesh_order *order, int64_t ahead_ns)
{
	struct agent *a = arg;
	const struct mesh *mesh = a->mesh;
	const bool wrong = order->what.cell >= mesh->cells.n || order->to >= mesh->rank.size ||
			   (order->to == mesh->rank.rank && order->what.round != MESH_ALONE) ||
			   order->rails.from >= mesh->rails.n ||
			   order->rails.to >= mesh->rails.n || order->lane >= a->n_lanes;

	pthread_mutex_lock(&a->lock);
	if (wrong) {
		end(a, err_set(-EBADMSG, "the root asks for cell %u with rank %u, rails %u and %u, lane %u; allowed: 0..%u, 0..%u but for %u, 0..%u, and 0..%u",
			       order->what.cell, order->to, order->rails.from, order->rails.to,
			       order->lane, mesh->cells.n - 1, mesh->rank.size - 1,
			       mesh->rank.rank, mesh->rails.n - 1, a->n_lanes - 1));
	} else {
		a->lanes[order->lane].ordered = true;
		a->lanes[order->lane].next = *order;
	}
	a->ahead_ns = ahead_ns;
	pthread_cond_broadcast(&a->woken);
	pthread_mutex_unlock(&a->lock);
}

static void take_go(void *arg, const struct mesh_start *start)
{
	struct agent *a = arg;

	pthread_mutex_lock(&a->lock);
	for (uint32_t i = 0; i < a->n_lanes; i++)
		if (a->lanes[i].next.what.order == start->order)
			a->lanes[i].gone = *start;
	pthread_cond_broadcast(&a->woken);
	pthread_mutex_unlock(&a->lock);
}

static void take_over(void *arg, int rc)
{
	struct agent *a = arg;

	pthread_mutex_lock(&a->lock);
	end(a, rc);
	pthread_mutex_unlock(&a->lock);
}

static bool is_over(struct agent *a)
{
	bool over;

	pthread_mutex_lock(&a->lock);
	over = a->over;
	pthread_mutex_unlock(&a->lock);
	return over;
}

/* Until the mesh is over. */
static void listen_to_root(struct agent *a)
{
	char name[ROW_NAME];

	mesh_name(a->mesh, name, sizeof(name));
	while (!is_over(a)) {
		mesh_relay_work(a->relay, LOOK_NS / 1000000);
		if (signals_asked())
			mesh_relay_abort(a->relay, err_set(-EINTR, "interrupted on %s", name));
	}
	/* a message that is wrong ends only this agent */
	mesh_relay_abort(a->relay, a->rc ? err_set(a->rc, "%s", a->reason) : 0);
	while (!mesh_relay_finished(a->relay))
		mesh_relay_work(a->relay, LOOK_NS / 1000000);
	mesh_relay_work(a->relay, 0);
}

/* ---- its sessions as a server */

static int take_served(void *arg, const struct event *event)
{
	(void)arg;
	/* the end of the mesh ends what still runs */
	if (event->kind == EVENT_ERROR && event->error->rc != -EINTR)
		log_note("a session with another agent: %s", event->error->text);
	return 0;
}

static int begin_served(void *arg, enum session_asked what)
{
	(void)arg;
	(void)what;
	return 0;
}

static void serve_session(void *arg, struct ctl *ctl)
{
	const struct mesh *mesh = arg;
	const struct session_host host = {
		.events = { .take = take_served }, .begin = begin_served,
		.machine = mesh->described ? &mesh->machine : NULL,
	};
	const enum session_end ended = session_server(&mesh->server, ctl, &host);

	if (ended == SESSION_NO_CLIENT || ended == SESSION_PERFTEST)
		log_note("a connection from %s is no session: %s", ctl->peer, err_text());
}

/* ---- */

static int run(struct agent *a)
{
	uint32_t started = 0;

	while (started < a->n_lanes &&
	       !pthread_create(&a->lanes[started].thread, NULL, measure_main, &a->lanes[started]))
		started++;
	if (started < a->n_lanes)
		take_over(a, err_set(-EAGAIN, "cannot start the threads that measure"));
	listen_to_root(a);
	while (started)
		pthread_join(a->lanes[--started].thread, NULL);
	return a->rc ? err_set(a->rc, "%s", a->reason) : 0;
}

static void open_agent(struct agent *a)
{
	pthread_condattr_t clock;

	pthread_mutex_init(&a->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&a->woken, &clock);
	pthread_condattr_destroy(&clock);
	a->n_lanes = schedule_lanes(a->mesh->schedule);
	for (uint32_t i = 0; i < a->n_lanes; i++)
		a->lanes[i].agent = a;
}

int mesh_agent(const struct mesh *mesh)
{
	struct agent a = { .mesh = mesh };
	const struct mesh_relay_host host = { take_order, take_go, take_over, &a };
	const struct mesh_server server = { serve_session, (void *)(uintptr_t)mesh, false };
	uint32_t port = 0;
	int rc;

	open_agent(&a);
	rc = mesh_serve_open(&a.serve, mesh, &server, &port);
	if (!rc)
		rc = mesh_relay_open(&a.relay, mesh, &host, port);
	if (!rc)
		rc = run(&a);
	mesh_serve_close(a.serve);
	mesh_relay_close(a.relay);
	pthread_cond_destroy(&a.woken);
	pthread_mutex_destroy(&a.lock);
	return rc;
}
