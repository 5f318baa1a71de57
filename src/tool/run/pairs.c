/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the threads of several pairs and their sessions; see pairs.h. While pairs run, this thread
 * waits for theirs.
 */
#include "config.h"
#include "run/pairs.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/label.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"
#include "util/must.h"
#include "util/signals.h"

#define FRESH_NS 2000000000u /* what a server gives a connection until its plan, less a reserve */

/* ---- what a session of a pair hands over, on its thread */

/* The first pair tells of all of them. */
static void take_progress(struct pairs *all, uint32_t pair, const struct event_progress *own)
{
	struct event_progress sum = *own;

	all->progress[pair] = *own;
	for (uint32_t i = 1; i < all->n && !all->list->bulk; i++) {
		sum.messages += all->progress[i].messages;
		sum.of_messages += all->progress[i].of_messages;
	}
	if (!pair)
		event_tell(&all->out.events, &(struct event){ EVENT_PROGRESS, .progress = &sum });
}

/* Goes out at once: intervals have no total. */
static void take_interval(struct pairs *all, uint32_t pair, const struct row *row)
{
	struct row named = *row;

	pairs_rows_name(&all->rows, pair, &named);
	if (all->list->bulk)
		background_name(all->alone ? NULL : all->list->bulk, &named);
	event_tell(&all->out.events, &(struct event){ EVENT_INTERVAL, .row = &named });
}

static int take(void *arg, const struct event *event)
{
	struct pair *p = arg;
	struct pairs *all = p->all;

	if (all->list->bulk && !all->alone)
		pairs_beside_loops(p, event);
	pthread_mutex_lock(&all->lock);
	switch (event->kind) {
	case EVENT_WAITING:
		event_tell(&all->out.events, event);
		break;
	case EVENT_PLAN:
		/* the first stands for all: they differ in hosts and devices only */
		if (!p->i && !all->alone)
			event_tell(&all->out.events, event);
		break;
	case EVENT_PROGRESS:
		take_progress(all, p->i, event->progress);
		break;
	case EVENT_INTERVAL:
		take_interval(all, p->i, event->row);
		break;
	case EVENT_ROW:
		pairs_rows_add(&all->rows, p->i, event->row);
		break;
	default:
		break;
	}
	pthread_mutex_unlock(&all->lock);
	return 0;
}

static int approve(void *arg, const struct event_plan *plan)
{
	const struct pair *p = arg;
	struct pairs *all = p->all;
	struct event_plan named = *plan;
	int rc;

	named.pair = p->i;
	pthread_mutex_lock(&all->lock);
	rc = all->out.approve(all->out.arg, &named);
	pthread_mutex_unlock(&all->lock);
	return rc;
}

static int meet(void *arg, enum session_meeting where, uint64_t until_ns, uint64_t *ticks)
{
	struct pair *p = arg;
	int rc = p->all->list->bulk ?
			 pairs_beside_meet(p, where, until_ns, ticks) :
			 gate_meet(&p->all->gate, p->i, until_ns, signals_fd(), ticks);

	p->held = rc;
	return rc;
}

struct session_host pairs_host(struct pair *p)
{
	return (struct session_host){
		.events = { take, p },
		.progress = p->all->out.progress,
		.approve = p->all->out.approve ? approve : NULL,
		.meet = p->all->alone ? NULL : meet,
		.stop_fd = p->all->list->bulk ? p->stop_fd : 0,
		.arg = p,
	};
}

/* ---- threads */

void pairs_note(struct pair *p, int rc)
{
	p->rc = rc;
	snprintf(p->error, sizeof(p->error), "%s", rc ? err_text() : "");
}

static void *connect_main(void *arg)
{
	struct pair *p = arg;
	const struct session_host host = pairs_host(p);

	pairs_note(p, session_open(&p->session, &p->cfg, &host));
	return NULL;
}

void pairs_close_one(struct pair *p)
{
	const int rc = session_close(p->session);

	p->session = NULL;
	/* all results are there: nothing is lost */
	if (rc)
		log_note("pair %s: %s", p->all->list->pairs[p->i].name, err_text());
}

/* All rows of a session are there; it waits for others no longer than its server waits for it. */
static void *run_main(void *arg)
{
	struct pair *p = arg;
	const struct session_host host = pairs_host(p);

	pairs_note(p, session_run(p->session, &p->cfg, &host, &p->end));
	gate_leave(&p->all->gate, p->i,
		   p->end == SESSION_MEASURED ? GATE_DONE :
		   p->end == SESSION_REFUSED ? GATE_REFUSED : GATE_FAILED, p->error);
	/* a refusal goes through the gate */
	if (p->all->list->bulk && p->end != SESSION_REFUSED)
		pairs_beside_leave(p);
	p->left_ns = clock_ns();
	if (!gate_all_left(&p->all->gate, clock_ns() + pair_wait_ns(p)))
		pairs_close_one(p);
	return NULL;
}

/* Runs main on a thread of each pair that has a session, or of each that has none. */
static int run_threads(struct pairs *all, bool connected, void *(*main)(void *arg))
{
	int rc = 0;

	for (uint32_t i = 0; i < all->n; i++) {
		struct pair *p = &all->pairs[i];

		p->started = false;
		if (rc || !p->session == connected)
			continue;
		rc = -pthread_create(&p->thread, NULL, main, p);
		p->started = !rc;
		if (rc)
			gate_leave(&all->gate, i, GATE_FAILED, "its thread cannot be created");
	}
	for (uint32_t i = 0; i < all->n; i++)
		if (all->pairs[i].started)
			pthread_join(all->pairs[i].thread, NULL);
	return rc ? err_set(rc, "cannot create a thread for each pair: %s", strerror(-rc)) : 0;
}

/* ---- connecting */

static void close_all(struct pairs *all)
{
	for (uint32_t i = 0; i < all->n; i++)
		pairs_close_one(&all->pairs[i]);
}

static void set_cfg(struct pairs *all, const struct cfg *cfg)
{
	for (uint32_t i = 0; i < all->n; i++) {
		all->pairs[i].cfg = *cfg;
		all->pairs[i].rc = 0;
		pairs_list_cfg(all->list, i, &all->pairs[i].cfg);
	}
}

/* A server of one client is a likely cause where two sessions did not begin. */
static int tell_error(const struct pair *p)
{
	const int rc = err_set(p->rc, "pair %s: %.420s", p->all->list->pairs[p->i].name, p->error);

	if (p->all->list->bulk && !p->origin && p->end == SESSION_FAILED)
		err_advise(rc, "remedy: start \"verbench serve\" instead of a server of one client: --background needs two sessions");
	return rc;
}

static int name_error(const struct pairs *all)
{
	for (uint32_t i = 0; i < all->n; i++) {
		const struct pair *p = &all->pairs[i];

		if (p->rc)
			return tell_error(p);
	}
	return 0;
}

static int connect_all(struct pairs *all)
{
	int rc = run_threads(all, false, connect_main);

	if (!rc)
		rc = name_error(all);
	if (rc)
		close_all(all);
	return rc;
}

/*
 * The first servers may wait for the last one to start, and give up meanwhile. They are connected
 * to again: now all of them are there.
 */
int pairs_connect(struct pairs *all, const struct cfg *cfg)
{
	const uint64_t start_ns = clock_ns();
	int rc = 0;

	set_cfg(all, cfg);
	for (uint32_t i = 0; i < all->n && !rc; i++)
		rc = pairs_beside_open(&all->pairs[i]);
	pairs_beside_reset(all);
	if (!rc)
		rc = connect_all(all);
	if (!rc && clock_ns() - start_ns > FRESH_NS) {
		close_all(all);
		rc = connect_all(all);
	}
	return rc;
}

/* ---- a plan */

static bool is_cause(const struct pair *p)
{
	return p->rc && !p->held;
}

/* The worst end. What ended a pair by itself is logged, but for the first: that is returned. */
static int conclude(struct pairs *all, enum session_end *end)
{
	const struct pair *first = NULL;

	*end = SESSION_MEASURED;
	for (uint32_t i = 0; i < all->n; i++) {
		const struct pair *p = &all->pairs[i];

		if (p->end == SESSION_FAILED || *end == SESSION_MEASURED)
			*end = p->end;
		if (is_cause(p) && first && p->rc != -EINTR)
			log_error("pair %s: %s", all->list->pairs[i].name, p->error);
		first = is_cause(p) && !first ? p : first;
	}
	for (uint32_t i = 0; i < all->n && !first; i++)
		first = all->pairs[i].rc ? &all->pairs[i] : NULL;
	if (!first)
		return 0;
	/* the gate's error message names a pair itself */
	return first->held ? err_set(first->rc, "%s", first->error) : tell_error(first);
}

int pairs_run(struct pairs *all, const struct cfg *cfg, enum session_end *end)
{
	char error[ERR_TEXT_MAX];
	int rc;

	*end = SESSION_FAILED;
	set_cfg(all, cfg);
	memset(all->progress, 0, sizeof(all->progress));
	gate_reset(&all->gate);
	for (uint32_t i = 0; i < all->n; i++) {
		all->pairs[i].end = SESSION_FAILED;
		all->pairs[i].held = false;
	}
	rc = run_threads(all, true, run_main);
	snprintf(error, sizeof(error), "%s", err_text());
	if (all->list->bulk)
		pairs_beside_end(all);
	for (uint32_t i = 0; i < all->n; i++) {
		struct pair *p = &all->pairs[i];

		pairs_rows_lacks(&all->rows, i, p->rc ? p->error : "it has no such point");
		if (p->end == SESSION_FAILED)
			pairs_close_one(p);
	}
	pairs_rows_flush(&all->rows, &all->out.events);
	return rc ? err_set(rc, "%s", error) : conclude(all, end);
}

/* ---- before and after */

struct pairs *pairs_open(const struct pairs_list *list, const struct session_host *host)
{
	struct pairs *all = must_calloc(1, sizeof(*all));

	*all = (struct pairs){ .list = list, .out = *host, .n = list->n, .rows = { .list = list } };
	pthread_mutex_init(&all->lock, NULL);
	gate_open(&all->gate, list);
	all->pairs = must_calloc(list->n, sizeof(*all->pairs));
	for (uint32_t i = 0; i < list->n; i++)
		all->pairs[i] = (struct pair){ .all = all, .i = i };
	return all;
}

void pairs_close(struct pairs *all)
{
	if (!all)
		return;
	close_all(all);
	for (uint32_t i = 0; i < all->n; i++)
		pairs_beside_close(&all->pairs[i]);
	pairs_rows_free(&all->rows);
	gate_close(&all->gate);
	pthread_mutex_destroy(&all->lock);
	free(all->pairs);
	free(all);
}
