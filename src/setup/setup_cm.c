/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the measurement of connections by rdma_cm, from rdma_create_id() to ESTABLISHED and their
 * end; see measure.h. A step that an event ends is timed from its call to the return of the event.
 * A round takes each step for all connections before the next step, as setup_qp.c does.
 */
#include "config.h"
#include "setup/measure.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cm/cm_address.h"
#include "setup/cm_objects.h"
#include "setup/series.h"
#include "util/err.h"
#include "util/log.h"

/*
 * Steps under way that wait for the peer: as cm_links_client.c has; more could overrun the
 * management queues of the devices, whose losses cost a time-out of seconds.
 */
#define WINDOW 32u
#define SLICE_NS 50000000u

enum step {
	STEP_ID,
	STEP_ADDRESS,
	STEP_ROUTE,
	STEP_QP,
	STEP_CONNECT,
	STEP_WHOLE,   /* all of the above */
	STEP_DISCONNECT,
	STEP_DESTROY,
	STEP_COUNT
};

/* event: what ends the step; -1: its call does. */
static const struct {
	const char *name;
	int event;
} steps[] = {
	[STEP_ID] = { "rdma_create_id", -1 },
	[STEP_ADDRESS] = { "rdma_resolve_addr to its event", RDMA_CM_EVENT_ADDR_RESOLVED },
	[STEP_ROUTE] = { "rdma_resolve_route to its event", RDMA_CM_EVENT_ROUTE_RESOLVED },
	[STEP_QP] = { "rdma_create_qp", -1 },
	[STEP_CONNECT] = { "rdma_connect to ESTABLISHED", RDMA_CM_EVENT_ESTABLISHED },
	[STEP_WHOLE] = { "rdma_create_id to ESTABLISHED", -1 },
	[STEP_DISCONNECT] = { "rdma_disconnect to its event", RDMA_CM_EVENT_DISCONNECTED },
	[STEP_DESTROY] = { "rdma_destroy_qp, rdma_destroy_id", -1 },
};

struct link {
	struct rdma_cm_id *id;
	uint64_t began_ticks;
};

struct loop {
	struct setup_run *run;
	const char *measurement;
	struct cm_objects objects;
	struct sockaddr_storage to;
	uint64_t token;             /* big-endian */
	bool listening;             /* the server is */
	uint32_t n;                 /* connections of a round */
	bool many, warm;            /* as in setup_qp.c */
	struct link *links;
	struct series *series[STEP_COUNT];
	uint64_t wall_ticks[STEP_COUNT];
	struct stamp sum;
	enum setup_status status;
	int rc;                     /* the session has failed */
};

static bool stopped(const struct loop *l)
{
	return l->rc || l->status != SETUP_OK;
}

static int timeout_ms(const struct loop *l)
{
	return (int)l->run->plan->stall_timeout_ms;
}

/* The call of a step. 0, or -1 and errno. */
static int call(struct loop *l, enum step step, struct link *link)
{
	struct rdma_conn_param param = cm_objects_param(&l->objects);

	switch (step) {
	case STEP_ID:
		return rdma_create_id(l->objects.cm.channel, &link->id, link, RDMA_PS_TCP);
	case STEP_ADDRESS:
		return rdma_resolve_addr(link->id, (struct sockaddr *)&l->objects.own,
					 (struct sockaddr *)&l->to, timeout_ms(l));
	case STEP_ROUTE:
		return rdma_resolve_route(link->id, timeout_ms(l));
	case STEP_QP:
		return cm_objects_qp(&l->objects, link->id);
	case STEP_CONNECT:
		param.private_data = &l->token;
		param.private_data_len = sizeof(l->token);
		return rdma_connect(link->id, &param);
	case STEP_DISCONNECT:
		return rdma_disconnect(link->id);
	default:
		rdma_destroy_qp(link->id);
		return rdma_destroy_id(link->id);
	}
}

static void start(struct loop *l, enum step step, uint32_t i)
{
	errno = 0;
	l->links[i].began_ticks = clock_ticks();
	if (call(l, step, &l->links[i])) {
		l->status = series_fault(steps[step].name, l->warm ? l->series[step]->calls : i,
					 series_errno(0));
		if (step == STEP_ID)
			l->links[i].id = NULL;
	} else if (step == STEP_DESTROY) {
		l->links[i].id = NULL;
	}
}

/* keep: it is in the figures. The CPU time is known for the step as a whole: add_cpu(). */
static void add(struct loop *l, enum step step, const struct link *link, bool keep)
{
	const struct stamp taken = { .ticks = clock_ticks() - link->began_ticks };

	l->sum.ticks += taken.ticks;
	if (keep)
		series_add_taken(l->series[step], &taken);
}

/* The event that ends a step of one connection, or what came instead. */
static void take_event(struct loop *l, enum step step, const struct cm_event *event,
		       uint32_t *ended)
{
	/* a time after the end of a connection, which nobody waits for */
	if (event->type == RDMA_CM_EVENT_TIMEWAIT_EXIT)
		return;
	if (event->status || (int)event->type != steps[step].event) {
		cm_refuse_event(event, steps[step].name);
		l->status = SETUP_FAILED;
		return;
	}
	add(l, step, event->id->context, l->warm || !*ended);
	++*ended;
	if (step == STEP_ADDRESS && cm_objects_take(&l->objects, event->id))
		l->status = SETUP_FAILED;
}

/* Waits for one event, and tells the server meanwhile that this side lives. */
static void await_event(struct loop *l, enum step step, uint32_t *ended)
{
	const uint64_t until_ns = clock_ns() + (uint64_t)timeout_ms(l) * 1000000u;
	struct cm_event event;
	int rc = -ETIMEDOUT;

	while (rc == -ETIMEDOUT && !stopped(l)) {
		const struct cm_wait wait = { .deadline_ns = clock_ns() + SLICE_NS,
					      .fds = { -1, -1 } };

		rc = cm_next(&l->objects.cm, &event, &wait);
		l->rc = pace_alive(l->run);
		if (rc == -ETIMEDOUT && clock_ns() > until_ns)
			rc = err_set(-ETIME, "%s: no event within %d ms", steps[step].name,
				     timeout_ms(l));
	}
	if (rc > 0 && !l->rc)
		take_event(l, step, &event, ended);
	else if (rc < 0 && !l->rc)
		l->status = SETUP_FAILED;
}

/* The calls go out as the window allows, and each event makes room for the next one. */
static void take_events(struct loop *l, enum step step)
{
	uint32_t started = 0, ended = 0;

	while (ended < l->n && !stopped(l)) {
		if (started < l->n && started - ended < WINDOW)
			start(l, step, started++);
		else
			await_event(l, step, &ended);
	}
}

static void take_calls(struct loop *l, enum step step)
{
	for (uint32_t i = 0; i < l->n && !stopped(l); i++) {
		start(l, step, i);
		if (l->status == SETUP_OK)
			add(l, step, &l->links[i], l->warm || !i);
		l->rc = pace_alive(l->run);
	}
}

static void take_step(struct loop *l, enum step step)
{
	const struct stamp stamp = stamp_take();
	struct stamp taken;

	if (steps[step].event < 0)
		take_calls(l, step);
	else
		take_events(l, step);
	taken = stamp_since(&stamp);
	l->sum.cpu_ns += taken.cpu_ns;
	if (!l->warm)
		return;
	/* the CPU clock was read once for all, and the row subtracts it from each */
	l->series[step]->cpu_ns += taken.cpu_ns +
				   (uint64_t)(l->run->cpu_clock_ns * (double)(l->n - 1));
	l->wall_ticks[step] += taken.ticks;
}

/* One connection: the sum of its steps. Many: the time from the first step to the last one. */
static void add_whole(struct loop *l, uint64_t began_ticks)
{
	const uint64_t stamps_ns = (uint64_t)(l->run->cpu_clock_ns * (STEP_WHOLE - 1));
	struct stamp taken = l->sum;

	if (l->many)
		taken.ticks = clock_ticks() - began_ticks;
	taken.cpu_ns -= stamps_ns < taken.cpu_ns ? stamps_ns : taken.cpu_ns;
	series_add_taken(l->series[STEP_WHOLE], &taken);
}

/* What a round that failed has left. */
static void destroy_links(struct loop *l)
{
	for (uint32_t i = 0; i < l->n; i++) {
		if (!l->links[i].id)
			continue;
		if (l->links[i].id->qp)
			rdma_destroy_qp(l->links[i].id);
		if (rdma_destroy_id(l->links[i].id))
			log_note("rdma_cm: cannot destroy an id: %s", strerror(errno));
		l->links[i].id = NULL;
	}
}

static void run_round(struct loop *l)
{
	const uint64_t began_ticks = clock_ticks();

	l->sum = (struct stamp){ 0 };
	for (enum step step = 0; step < STEP_WHOLE && !stopped(l); step++)
		take_step(l, step);
	if (!stopped(l))
		add_whole(l, began_ticks);
	for (enum step step = STEP_DISCONNECT; step < STEP_COUNT && !stopped(l); step++)
		take_step(l, step);
	destroy_links(l);
	l->warm = true;
}

static void fill_row(const struct loop *l, enum step step, struct setup_row *row)
{
	setup_row_init(row);
	snprintf(row->measurement, sizeof(row->measurement), "%s", l->measurement);
	snprintf(row->operation, sizeof(row->operation), "%s", steps[step].name);
	row->send_depth = l->run->plan->work.depth;
	row->recv_depth = l->run->plan->work.recv_depth;
	if (!l->many)
		return;
	snprintf(row->mode, sizeof(row->mode), "many");
	row->at_once = l->n;
	if (step == STEP_WHOLE)
		row->objects = l->n;
}

static void write_row(struct loop *l, enum step step, const struct pace *pace)
{
	const uint64_t rounds = l->series[STEP_WHOLE]->calls;
	const struct clock_anchor now = clock_anchor();
	struct setup_row row;

	fill_row(l, step, &row);
	if (l->many && step != STEP_WHOLE && rounds > 1)
		row.wall_ns = (double)l->wall_ticks[step] / (double)(rounds - 1) *
			      clock_ns_per_tick(l->run->origin, &now);
	/* they overlap, so the time of one says nothing about how many there are */
	if (steps[step].event >= 0 && row.wall_ns > 0)
		row.rate_per_s = (double)l->n * 1e9 / row.wall_ns;
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

/* ---- what the connections need */

static int ask_server(struct loop *l)
{
	const struct setup_peer *peer = l->run->peer;
	struct ep_addr addr = { 0 };

	l->rc = peer->listen(peer->arg, &addr);
	if (l->rc)
		return l->rc;
	ep_addr_free(&addr);
	l->listening = true;
	l->token = htobe64(addr.cm_token);
	if (!addr.cm_address[0])
		return err_set(-EOPNOTSUPP, "the server cannot listen by rdma_cm; its log says why");
	return cm_address_peer(&l->to, addr.cm_address, addr.cm_port, &l->objects.own);
}

static int open_loop(struct loop *l)
{
	int rc = 0;

	l->links = calloc(l->n, sizeof(*l->links));
	if (!l->links)
		return err_set(-ENOMEM, "no memory for %u connections", l->n);
	for (enum step step = 0; !rc && step < STEP_COUNT; step++) {
		l->series[step] = series_new();
		if (!l->series[step])
			rc = err_set(-ENOMEM, "no memory for the times of connections");
	}
	if (!rc)
		rc = cm_objects_open(&l->objects, l->run->dev, l->run->plan, SIDE_CLIENT);
	return rc ? rc : ask_server(l);
}

static void write_without(struct loop *l)
{
	struct setup_row row;

	for (enum step step = 0; step < STEP_COUNT; step++) {
		fill_row(l, step, &row);
		series_row_without(l->run, &row, l->rc ? SETUP_INCOMPLETE : SETUP_UNSUPPORTED,
				   NULL);
	}
}

static int measure(struct setup_run *run, const char *measurement, uint32_t n, bool many)
{
	const struct setup_peer *peer = run->peer;
	struct loop l = { .run = run, .measurement = measurement, .n = n, .many = many };

	/* without rdma_cm on a side, or an IP address, there is nothing to measure */
	if (series_room(run, n) || open_loop(&l))
		write_without(&l);
	else
		l.rc = run_loop(&l);
	cm_objects_close(&l.objects);
	if (l.listening && !l.rc)
		l.rc = peer->unlisten(peer->arg);
	for (enum step step = 0; step < STEP_COUNT; step++)
		free(l.series[step]);
	free(l.links);
	return l.rc;
}

int setup_cm(struct setup_run *run)
{
	return measure(run, "cm", 1, false);
}

int setup_cms(struct setup_run *run)
{
	return measure(run, "cms", run->wish->qps, true);
}
