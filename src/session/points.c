/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the order of a plan's points and hands their rows to the sink. Called by session_client.c
 * and session_server.c. Must not know how a point is measured: that is point.c.
 */
#include "config.h"
#include "session/points.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "config/hosts.h"
#include "config/options.h"
#include "report/row_build.h"
#include "point/point.h"
#include "control/proto.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/text.h"

/* receivers: HOSTS_MAX, which must live as long as what is returned. */
static struct format_run run_of(const struct points *p, struct format_receiver *receivers)
{
	const struct agree *a = p->agree;
	struct format_run run = {
		.plan = &a->plan,
		.self = &a->own->dev.limits,
		.peer = &a->peer,
		.side = a->side,
		.receivers = receivers,
	};

	for (uint32_t i = 0; i < p->peers.n && a[i].name; i++)
		receivers[run.n_receivers++] = (struct format_receiver){
			.name = a[i].name,
			.limits = &a[i].peer,
			.gid_index = a[i].plan.path.server_gid,
		};
	return run;
}

int points_approve(struct points *p)
{
	struct format_receiver receivers[HOSTS_MAX];
	const struct format_run run = run_of(p, receivers);

	/* what is refused now has failed: the servers have agreed */
	p->started = true;
	return p->sink->approve ? p->sink->approve(p->sink->arg, &run) : 0;
}

void points_start(struct points *p)
{
	struct format_receiver receivers[HOSTS_MAX];
	struct format_run run = run_of(p, receivers);

	p->started = true;
	if (!p->sink->start)
		return;
	run.options = options_to_json(&p->agree->test);
	p->sink->start(p->sink->arg, &run);
	json_decref(run.options);
}

/* A result that failed: of this side, or of a peer; NULL none. */
static const struct result *find_failed(const struct points *p, const struct point_out *po)
{
	if (po->have_own && po->own.status == RESULT_FAILED)
		return &po->own;
	for (uint32_t i = 0; po->peers && i < p->peers.n; i++)
		if (po->peers[i].have && po->peers[i].result.status == RESULT_FAILED)
			return &po->peers[i].result;
	return NULL;
}

/*
 * The status of the results of all sides: the worst one, with its first reason. A point that runs
 * until the user ends it is complete then.
 */
static enum result_status judge(const struct points *p, const struct point_out *po, int rc,
				char reason[RESULT_REASON])
{
	const bool forever = po->point->forever;
	const size_t size = RESULT_REASON;
	const struct result *failed = find_failed(p, po);

	reason[0] = 0;
	if (failed) {
		snprintf(reason, size, "%s", failed->reason);
		return RESULT_FAILED;
	}
	if (rc) {
		snprintf(reason, size, "%s", err_text());
		return rc == -EINTR ? RESULT_INTERRUPTED : RESULT_INCOMPLETE;
	}
	if (po->interrupted && !forever) {
		snprintf(reason, size, "%s", po->interruption);
		return RESULT_INTERRUPTED;
	}
	return RESULT_OK;
}

/* The rows with one peer. Returns how many; theirs NULL: unknown. */
static uint32_t build_rows(struct row rows[ROW_BUILD_MAX], const struct agree *a,
			   struct row_build_in *in, const struct result *own,
			   const struct result *theirs)
{
	in->plan = &a->plan;
	in->limits[SIDE_CLIENT] = agree_limits(a, SIDE_CLIENT);
	in->limits[SIDE_SERVER] = agree_limits(a, SIDE_SERVER);
	in->receiver = a->name;
	in->result[a->side] = own;
	in->result[kind_other_side(a->side)] = theirs;
	return row_build(rows, in);
}

/* Without results. place: must live as long as what is returned. */
static struct row_build_in row_input(struct points *p, const struct owner_place *place)
{
	const struct agree *a = p->agree;

	if (p->origin && !(p->clock_step_ns > 0))
		p->clock_step_ns = clock_step_ns(p->origin);
	return (struct row_build_in){
		.side = a->side,
		.by_sender = p->sink->by_sender,
		.clock = clock_name(),
		.clock_step_ns = p->clock_step_ns,
		.pin = { a->test.pin, place->pin },
		.mem = { a->test.mem, place->mem },
		.overhead = { NAN, NAN },
	};
}

/* An interval of the point that runs. arg: the points. */
static void report_interval(void *arg, const struct monitor_interval *interval)
{
	struct points *p = arg;
	const struct owner_place server = agree_place(p->agree, SIDE_SERVER);
	uint64_t *const at_ns = p->interval_at_ns[interval->peer];
	const struct row_interval part = { interval->number, { at_ns[0], at_ns[1] } };
	struct row_build_in in = row_input(p, &server);
	struct row rows[ROW_BUILD_MAX];
	uint32_t n;

	in.point = p->point;
	in.interval = &part;
	n = build_rows(rows, &p->agree[interval->peer], &in, interval->own, interval->theirs);
	for (uint32_t i = 0; i < n; i++) {
		at_ns[i] += rows[i].window_ns == ROW_NONE ? 0 : rows[i].window_ns;
		p->sink->interval(p->sink->arg, &rows[i]);
	}
}

static void report_point(struct points *p, const struct point *point, const struct point_out *po,
			 int rc)
{
	const struct agree *a = p->agree;
	const struct owner_place server = agree_place(a, SIDE_SERVER);
	struct row_build_in in = row_input(p, &server);
	char reason[RESULT_REASON];
	struct row rows[ROW_BUILD_MAX];

	/* between two points: it disturbs none of them, and does not delay the first one */
	if (!p->overhead_known)
		overhead_measure(&p->overhead, &a->plan, a->side);
	p->overhead_known = true;
	in.overhead = p->overhead;
	in.point = point;
	in.reason = reason;
	in.status = judge(p, po, rc, reason);
	if (p->sink->point)
		p->sink->point(p->sink->arg, point, &po->detail);
	for (uint32_t i = 0; i < p->peers.n; i++) {
		const bool has = po->peers && po->peers[i].have;
		const uint32_t n = build_rows(rows, &a[i], &in, po->have_own ? &po->own : NULL,
					      has ? &po->peers[i].result : NULL);

		for (uint32_t k = 0; k < n && p->sink->row; k++)
			p->sink->row(p->sink->arg, &rows[k]);
	}
	p->not_ok |= in.status != RESULT_OK;
	p->interrupted |= po->interrupted;
}

/* The warm-up is no point of the plan. */
static int run_one(struct points *p, const struct point *point, const json_t *first,
		   struct point_out *po)
{
	struct agree *a = p->agree;
	const bool counts = point == &a->plan.points[point->index];
	const struct point_in in = {
		.peers = &p->peers,
		.dev = &a->own->dev,
		.plan = &a->plan,
		.point = point,
		.side = a->side,
		.origin = p->origin,
		.affinity = &a->own->affinity,
		.sink = p->sink,
		.interval_ns = counts ? a->plan.work.interval_ns : 0,
		.interval = p->sink->interval ? report_interval : NULL,
		.interval_arg = p,
	};

	p->point = point;
	memset(p->interval_at_ns, 0, sizeof(p->interval_at_ns));
	return point_run(&in, first, po);
}

static int run_point(struct points *p, const struct point *point, const json_t *first)
{
	struct point_out po;
	int rc = run_one(p, point, first, &po);

	report_point(p, point, &po, rc);
	point_out_free(&po);
	return rc;
}

static void ignore_endpoint(void *arg, const struct format_endpoint *endpoint)
{
	(void)arg;
	(void)endpoint;
}

/* A run like the first point, without a row; one that is not ok is the row of the first point. */
static int run_warm_up(struct points *p, const json_t *first)
{
	const struct plan *plan = &p->agree->plan;
	struct session_sink quiet = *p->sink;
	struct point warm = plan->points[0];
	struct points unseen = *p;
	char reason[RESULT_REASON];
	struct point_out po;
	int rc;

	quiet.endpoint = ignore_endpoint;
	unseen.sink = &quiet;
	warm.duration_ns = 0;
	warm.forever = false;
	warm.messages = plan->work.warm_up;
	rc = run_one(&unseen, &warm, first, &po);
	if (judge(p, &po, rc, reason) != RESULT_OK)
		report_point(p, &plan->points[0], &po, rc);
	point_out_free(&po);
	return rc;
}

int points_client(struct points *p)
{
	const struct plan *plan = &p->agree->plan;
	int rc = plan->work.warm_up ? run_warm_up(p, NULL) : 0;

	for (uint32_t i = 0; i < plan->n_points && !rc && !p->not_ok; i++)
		rc = run_point(p, &plan->points[i], NULL);
	return rc;
}

/* The message before point i, or after the last one. */
static int receive_next(struct points *p, uint32_t i, json_t **msg)
{
	const struct plan *plan = &p->agree->plan;
	const uint32_t silence_ms = i < plan->n_points ? point_silence_ms(plan, &plan->points[i]) :
							 plan->stall_timeout_ms;

	/* the QPs of the point before this one may be under destruction still */
	return ctl_recv_from_living(p->agree->ctl, NULL, msg, silence_ms,
				    silence_ms + 2 * PLAN_QP_MS * plan_total_qps(plan));
}

/* A message other than an endpoint, after i points: may the plan end here? */
static int check_end(const struct points *p, uint32_t i, const char *type)
{
	const struct plan *plan = &p->agree->plan;
	const char *peer = p->agree->ctl->peer;
	char clean[33];

	text_clean(type, clean, sizeof(clean));
	if (strcmp(type, "bye") && !agree_asks(type))
		return err_set(-EBADMSG, "the peer %s sent '%s' instead of the start of a point",
			       peer, clean);
	/* only after the last point, or after one that was not ok */
	if (i == plan->n_points || p->not_ok)
		return 0;
	return err_set(-EBADMSG, "the peer %s ended the plan after %u of %u points", peer, i,
		       plan->n_points);
}

/* The client may still refuse a plan of which nothing was run: another session of it cannot. */
static void note_refused(struct points *p, int rc)
{
	if (rc != -EPERM)
		return;
	p->started = false;
	p->agree->refused = true;
}

int points_server(struct points *p, json_t **next)
{
	const struct plan *plan = &p->agree->plan;
	bool warm = !plan->work.warm_up, none = true;

	for (uint32_t i = 0;;) {
		json_t *msg = NULL;
		const char *type;
		int rc = receive_next(p, i, &msg);

		if (rc && none)
			note_refused(p, rc);
		if (rc)
			return rc;
		none = false;
		type = json_string_value(json_object_get(msg, "type"));
		if (strcmp(type, "endpoint") || i == plan->n_points || p->not_ok) {
			rc = check_end(p, i, type);
			if (rc)
				json_decref(msg);
			else
				*next = msg;
			return rc;
		}
		rc = warm ? run_point(p, &plan->points[i], msg) : run_warm_up(p, msg);
		i += warm;
		warm = true;
		json_decref(msg);
		if (rc)
			return rc;
	}
}
