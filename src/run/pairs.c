/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the threads of several pairs and their sessions; see pairs.h. Called by run_cells.c. The
 * rows are pairs_rows.c's. While pairs run, this thread waits for theirs.
 */
#include "config.h"
#include "run/pairs.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/label.h"
#include "run/gate.h"
#include "run/pairs_rows.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"
#include "util/signals.h"

#define FRESH_NS 2000000000u /* what a server gives a connection until its plan, less a reserve */

struct pair {
	struct pairs *all;
	uint32_t i;
	pthread_t thread;
	bool started;             /* the thread */
	struct session *session;  /* NULL: not connected */
	struct cfg cfg;           /* of the plan that runs */
	enum session_end end;
	int rc;
	bool held;                /* rc is of the gate: another pair has the cause */
	char error[ERR_TEXT_MAX];
};

struct pairs {
	const struct pairs_list *list;
	struct session_sink out;  /* of all pairs */
	pthread_mutex_t lock;     /* one pair at a time calls out */
	struct pair *pairs;
	uint32_t n;
	struct gate *gate;
	struct pairs_rows rows;
	struct session_progress progress[PAIRS_MAX]; /* of each pair, the last one */
};

/* ---- what a session of a pair hands over, on its thread */

static void waiting(void *arg, const char *server, uint32_t timeout_ms)
{
	const struct pair *p = arg;
	struct pairs *all = p->all;

	pthread_mutex_lock(&all->lock);
	all->out.waiting(all->out.arg, server, timeout_ms);
	pthread_mutex_unlock(&all->lock);
}

/* The first pair tells of all of them. */
static void progress(void *arg, const struct session_progress *own)
{
	const struct pair *p = arg;
	struct pairs *all = p->all;
	struct session_progress sum = *own;

	pthread_mutex_lock(&all->lock);
	all->progress[p->i] = *own;
	for (uint32_t i = 0; !p->i && i < all->n; i++)
		if (i) {
			sum.messages += all->progress[i].messages;
			sum.of_messages += all->progress[i].of_messages;
		}
	if (!p->i)
		all->out.progress(all->out.arg, &sum);
	pthread_mutex_unlock(&all->lock);
}

static int approve(void *arg, const struct format_run *run)
{
	const struct pair *p = arg;
	struct pairs *all = p->all;
	struct format_run named = *run;
	int rc;

	named.pair = p->i;
	pthread_mutex_lock(&all->lock);
	rc = all->out.approve(all->out.arg, &named);
	pthread_mutex_unlock(&all->lock);
	return rc;
}

/* The first pair's plan stands for that of all: they differ in hosts and devices only. */
static void start(void *arg, const struct format_run *run)
{
	const struct pair *p = arg;
	struct pairs *all = p->all;

	if (p->i)
		return;
	pthread_mutex_lock(&all->lock);
	all->out.start(all->out.arg, run);
	pthread_mutex_unlock(&all->lock);
}

static void take_endpoint(void *arg, const struct format_endpoint *endpoint)
{
	(void)arg;
	(void)endpoint;
}

static void take_point(void *arg, const struct point *point, const struct result_detail *detail)
{
	(void)arg;
	(void)point;
	(void)detail;
}

/* Goes out at once: intervals have no total. */
static void take_interval(void *arg, const struct row *row)
{
	const struct pair *p = arg;
	struct pairs *all = p->all;
	struct row named = *row;

	pthread_mutex_lock(&all->lock);
	pairs_rows_name(&all->rows, p->i, &named);
	all->out.interval(all->out.arg, &named);
	pthread_mutex_unlock(&all->lock);
}

static void take_row(void *arg, const struct row *row)
{
	const struct pair *p = arg;
	struct pairs *all = p->all;

	pthread_mutex_lock(&all->lock);
	pairs_rows_add(&all->rows, p->i, row);
	pthread_mutex_unlock(&all->lock);
}

static int meet(void *arg, enum session_meeting where, uint64_t until_ns, uint64_t *ticks)
{
	struct pair *p = arg;
	int rc = gate_meet(p->all->gate, p->i, until_ns, signals_fd(), ticks);

	(void)where;
	p->held = rc;
	return rc;
}

static struct session_sink sink_of(struct pair *p)
{
	const struct session_sink *out = &p->all->out;

	return (struct session_sink){
		.waiting = out->waiting ? waiting : NULL,
		.progress = out->progress ? progress : NULL,
		.approve = out->approve ? approve : NULL,
		.start = start,
		.endpoint = take_endpoint,
		.point = take_point,
		.row = take_row,
		.interval = out->interval ? take_interval : NULL,
		.meet = meet,
		.arg = p,
	};
}

/* ---- threads */

static void note(struct pair *p, int rc)
{
	p->rc = rc;
	snprintf(p->error, sizeof(p->error), "%s", rc ? err_text() : "");
}

static void *connect_main(void *arg)
{
	struct pair *p = arg;
	const struct session_sink sink = sink_of(p);

	note(p, session_open(&p->session, &p->cfg, &sink));
	return NULL;
}

/* All rows of a session are there; it waits for others no longer than its server waits for it. */
static void *run_main(void *arg)
{
	struct pair *p = arg;
	const struct session_sink sink = sink_of(p);
	const uint64_t wait_ns = p->cfg.stall_timeout_ms * 500000ull;
	int rc;

	note(p, session_run(p->session, &p->cfg, &sink, &p->end));
	gate_leave(p->all->gate, p->i,
		   p->end == SESSION_MEASURED ? GATE_DONE :
		   p->end == SESSION_REFUSED ? GATE_REFUSED : GATE_FAILED, p->error);
	if (gate_all_left(p->all->gate, p->i, clock_ns() + wait_ns))
		return NULL;
	rc = session_close(p->session);
	p->session = NULL;
	if (rc)
		log_note("pair %s: %s", p->all->list->pairs[p->i].name, err_text());
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
			gate_leave(all->gate, i, GATE_FAILED, "its thread cannot be created");
	}
	for (uint32_t i = 0; i < all->n; i++)
		if (all->pairs[i].started)
			pthread_join(all->pairs[i].thread, NULL);
	return rc ? err_set(rc, "cannot create a thread for each pair: %s", strerror(-rc)) : 0;
}

/* ---- connecting */

static void close_one(struct pair *p)
{
	const int rc = session_close(p->session);

	p->session = NULL;
	/* all results are there: nothing is lost */
	if (rc)
		log_note("pair %s: %s", p->all->list->pairs[p->i].name, err_text());
}

static void close_all(struct pairs *all)
{
	for (uint32_t i = 0; i < all->n; i++)
		close_one(&all->pairs[i]);
}

static void set_cfg(struct pairs *all, const struct cfg *cfg)
{
	for (uint32_t i = 0; i < all->n; i++) {
		all->pairs[i].cfg = *cfg;
		all->pairs[i].rc = 0;
		pairs_list_cfg(all->list, i, &all->pairs[i].cfg);
	}
}

static int name_error(const struct pairs *all)
{
	for (uint32_t i = 0; i < all->n; i++) {
		const struct pair *p = &all->pairs[i];

		if (p->rc)
			return err_set(p->rc, "pair %s: %.440s", all->list->pairs[i].name, p->error);
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
	int rc;

	set_cfg(all, cfg);
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
	const char *name;

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
	name = all->list->pairs[first->i].name;
	/* the gate's error message names a pair itself */
	return first->held ? err_set(first->rc, "%s", first->error) :
			     err_set(first->rc, "pair %s: %.420s", name, first->error);
}

int pairs_run(struct pairs *all, const struct cfg *cfg, enum session_end *end)
{
	char error[ERR_TEXT_MAX];
	int rc;

	*end = SESSION_FAILED;
	set_cfg(all, cfg);
	memset(all->progress, 0, sizeof(all->progress));
	gate_reset(all->gate);
	for (uint32_t i = 0; i < all->n; i++) {
		all->pairs[i].end = SESSION_FAILED;
		all->pairs[i].held = false;
	}
	rc = run_threads(all, true, run_main);
	snprintf(error, sizeof(error), "%s", err_text());
	for (uint32_t i = 0; i < all->n; i++) {
		struct pair *p = &all->pairs[i];

		pairs_rows_lacks(&all->rows, i, p->rc ? p->error : "it has no such point");
		if (p->end == SESSION_FAILED)
			close_one(p);
	}
	pairs_rows_flush(&all->rows, &all->out);
	return rc ? err_set(rc, "%s", error) : conclude(all, end);
}

/* ---- before and after */

int pairs_open(struct pairs **pairs, const struct pairs_list *list, const struct session_sink *sink)
{
	struct pairs *all = calloc(1, sizeof(*all));
	const char *names[PAIRS_MAX];
	int rc;

	*pairs = NULL;
	if (!all)
		return err_set(-ENOMEM, "no memory for %u pairs", list->n);
	all->list = list;
	all->out = *sink;
	pthread_mutex_init(&all->lock, NULL);
	all->pairs = calloc(list->n, sizeof(*all->pairs));
	for (uint32_t i = 0; i < list->n; i++)
		names[i] = list->pairs[i].name;
	rc = all->pairs ? gate_open(&all->gate, names, list->n) :
			  err_set(-ENOMEM, "no memory for %u pairs", list->n);
	all->n = rc ? 0 : list->n;
	for (uint32_t i = 0; i < all->n; i++) {
		all->pairs[i].all = all;
		all->pairs[i].i = i;
	}
	if (!rc)
		rc = pairs_rows_open(&all->rows, names, list->n);
	if (rc)
		pairs_close(all);
	else
		*pairs = all;
	return rc;
}

void pairs_close(struct pairs *all)
{
	if (!all)
		return;
	close_all(all);
	pairs_rows_close(&all->rows);
	gate_close(all->gate);
	pthread_mutex_destroy(&all->lock);
	free(all->pairs);
	free(all);
}
