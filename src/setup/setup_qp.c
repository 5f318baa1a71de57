/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the measurement of QPs, from create to RTS and their end, connected with QPs of the server
 * over the control connection; see measure.h. A round takes each step for all QPs before the next
 * step; one after the other is a round of one QP.
 */
#include "config.h"
#include "setup/measure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "setup/conn.h"
#include "setup/series.h"
#include "util/err.h"

enum step {
	STEP_CREATE,
	STEP_INIT,
	STEP_EXCHANGE,
	STEP_RTR,
	STEP_RTS,
	STEP_WHOLE,   /* all of the above */
	STEP_DESTROY,
	STEP_COUNT
};

static const char *const step_names[] = {
	[STEP_CREATE] = "ibv_create_qp",
	[STEP_INIT] = "ibv_modify_qp to INIT",
	[STEP_EXCHANGE] = "exchange with the server",
	[STEP_RTR] = "ibv_modify_qp to RTR",
	[STEP_RTS] = "ibv_modify_qp to RTS",
	[STEP_WHOLE] = "create to RTS",
	[STEP_DESTROY] = "ibv_destroy_qp",
};

struct loop {
	struct setup_run *run;
	const char *measurement;
	struct conn conn;
	uint32_t n;                 /* QPs of a round */
	bool many;                  /* --qps of them at once, else one after the other */
	bool warm;                  /* the first round is over: of it only first_ns is kept */
	bool connected;             /* the server has its QPs */
	struct ep_addr peer;
	struct series *series[STEP_COUNT];
	uint64_t wall_ticks[STEP_COUNT]; /* of all rounds but the first */
	struct stamp sum;           /* of the operations of this round */
	enum setup_status status;
	int rc;                     /* the session has failed */
};

static int exchange(struct loop *l)
{
	const struct setup_peer *peer = l->run->peer;

	l->conn.addr.n_qps = l->n;
	l->rc = peer->connect(peer->arg, &l->conn.addr, &l->peer);
	l->connected = !l->rc;
	return 0;
}

/* 0, or an errno. */
static int do_step(struct loop *l, enum step step, uint32_t i)
{
	switch (step) {
	case STEP_CREATE:
		return conn_create(&l->conn, i);
	case STEP_INIT:
		return conn_init(&l->conn, i);
	case STEP_EXCHANGE:
		return exchange(l);
	case STEP_RTR:
		return conn_rtr(&l->conn, i, &l->peer);
	case STEP_RTS:
		return conn_rts(&l->conn, i);
	default:
		return conn_destroy(&l->conn, i);
	}
}

static bool stopped(const struct loop *l)
{
	return l->rc || l->status != SETUP_OK;
}

/* One step of all QPs, each timed by itself. The exchange is one operation for all. */
static void take_step(struct loop *l, enum step step)
{
	const uint32_t n = step == STEP_EXCHANGE ? 1 : l->n;
	const uint64_t begin = clock_ticks();

	for (uint32_t i = 0; i < n && !l->rc; i++) {
		const struct stamp stamp = stamp_take();
		const int err = do_step(l, step, i);
		const struct stamp taken = stamp_since(&stamp);

		if (l->rc)
			return;
		if (err) {
			l->status = series_fault(step_names[step],
						 l->warm ? l->series[step]->calls + n - 1 : i,
						 series_errno(err));
			return;
		}
		if (l->warm || !i)
			series_add_taken(l->series[step], &taken);
		l->sum.ticks += taken.ticks;
		l->sum.cpu_ns += taken.cpu_ns;
		l->rc = pace_alive(l->run);
	}
	if (l->warm)
		l->wall_ticks[step] += clock_ticks() - begin;
}

/*
 * One QP: the whole is the sum of its steps, without the time stamps between them. Many: it is the
 * time from the first step to the last one. CPU time is always the sum.
 */
static void add_whole(struct loop *l, uint64_t began_ticks)
{
	const uint64_t operations = 4 * (uint64_t)l->n + 1;
	const uint64_t stamps_ns = (uint64_t)(l->run->cpu_clock_ns * (double)(operations - 1));
	struct stamp taken = l->sum;

	if (l->many)
		taken.ticks = clock_ticks() - began_ticks;
	taken.cpu_ns -= stamps_ns < taken.cpu_ns ? stamps_ns : taken.cpu_ns;
	series_add_taken(l->series[STEP_WHOLE], &taken);
}

static void disconnect(struct loop *l)
{
	const struct setup_peer *peer = l->run->peer;

	if (!l->connected)
		return;
	l->connected = false;
	ep_addr_free(&l->peer);
	if (!l->rc)
		l->rc = peer->disconnect(peer->arg);
}

static void run_round(struct loop *l)
{
	const uint64_t began_ticks = clock_ticks();

	l->sum = (struct stamp){ 0 };
	for (enum step step = STEP_CREATE; step < STEP_WHOLE && !stopped(l); step++)
		take_step(l, step);
	if (!stopped(l)) {
		add_whole(l, began_ticks);
		take_step(l, STEP_DESTROY);
	}
	disconnect(l);
	l->warm = true;
}

static void fill_row(const struct loop *l, enum step step, struct setup_row *row)
{
	setup_row_init(row);
	snprintf(row->measurement, sizeof(row->measurement), "%s", l->measurement);
	snprintf(row->operation, sizeof(row->operation), "%s", step_names[step]);
	row->send_depth = l->run->plan->work.depth;
	row->recv_depth = l->run->plan->work.recv_depth;
	if (!l->many)
		return;
	snprintf(row->mode, sizeof(row->mode), "many");
	row->at_once = l->n;
	if (step == STEP_WHOLE || step == STEP_EXCHANGE)
		row->objects = l->n;
}

static void write_row(struct loop *l, enum step step, const struct pace *pace)
{
	const uint64_t rounds = l->series[STEP_WHOLE]->calls;
	const struct clock_anchor now = clock_anchor();
	struct setup_row row;

	fill_row(l, step, &row);
	if (l->many && step != STEP_WHOLE && step != STEP_EXCHANGE && rounds > 1)
		row.wall_ns = (double)l->wall_ticks[step] / (double)(rounds - 1) *
			      clock_ns_per_tick(l->run->origin, &now);
	if (l->status == SETUP_OK)
		series_row(l->series[step], pace, &row);
	else
		series_row_without(l->run, &row, l->status, NULL);
}

static int run_loop(struct loop *l)
{
	struct pace pace = pace_begin(l->run, l->n);

	while (!stopped(l) && pace_more(&pace))
		run_round(l);
	pace_end(&pace);
	if (l->rc)
		pace.rc = l->rc;
	for (enum step step = 0; step < STEP_COUNT; step++)
		write_row(l, step, &pace);
	return pace.rc;
}

/* The reason is err_text(). */
static void write_without(struct loop *l)
{
	struct setup_row row;

	for (enum step step = 0; step < STEP_COUNT; step++) {
		fill_row(l, step, &row);
		series_row_without(l->run, &row, SETUP_UNSUPPORTED, NULL);
	}
}

static int measure(struct setup_run *run, const char *measurement, uint32_t n, bool many)
{
	struct loop l = { .run = run, .measurement = measurement, .n = n, .many = many };
	int rc;

	if (series_room(run, n)) {
		write_without(&l);
		return 0;
	}
	rc = conn_open(&l.conn, run->dev, run->plan, SIDE_CLIENT, n);

	for (enum step step = 0; !rc && step < STEP_COUNT; step++) {
		l.series[step] = series_new();
		if (!l.series[step])
			rc = err_set(-ENOMEM, "no memory for the times of QPs");
	}
	if (!rc)
		rc = run_loop(&l);
	for (enum step step = 0; step < STEP_COUNT; step++)
		free(l.series[step]);
	conn_close(&l.conn);
	return rc;
}

int setup_qp(struct setup_run *run)
{
	return measure(run, "qp", 1, false);
}

int setup_qps(struct setup_run *run)
{
	return measure(run, "qps", run->wish->qps, true);
}
