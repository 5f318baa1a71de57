/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Runs a plan's points in order and reports their rows; the outcome of a task. point.c measures
 * each of the points.
 */
#include "config.h"
#include "agree/agree.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "options/hosts.h"
#include "options/options.h"
#include "row/row_build.h"
#include "point/point.h"
#include "wire/proto.h"
#include "util/clock.h"
#include "util/err.h"

/* receivers: HOSTS_MAX, which must live as long as the returned plan. */
static struct event_plan run_of(const struct task *t, struct event_receiver *receivers)
{
	const struct agree *a = t->agree;
	struct event_plan run = {
		.plan = &a->plan,
		.self = &a->own->dev.limits,
		.peer = &a->peer,
		.side = a->side,
		.receivers = receivers,
	};

	for (uint32_t i = 0; i < t->peers.n && a[i].name; i++)
		receivers[run.n_receivers++] = (struct event_receiver){
			.name = a[i].name,
			.limits = &a[i].peer,
			.gid_index = a[i].plan.path.server_gid,
		};
	return run;
}

/* Reports the plan, which is agreed: later errors are failures, not refusals. */
static int start(struct task *t)
{
	struct event_receiver receivers[HOSTS_MAX];
	struct event_plan run = run_of(t, receivers);
	int rc = 0;

	t->started = true;
	if (t->agree->side == SIDE_CLIENT && t->host->approve)
		rc = t->host->approve(t->host->arg, &run);
	if (rc)
		return rc;
	run.options = options_to_json(&t->agree->test);
	event_tell(&t->host->events, &(struct event){ EVENT_PLAN, .plan = &run });
	json_decref(run.options);
	return 0;
}

/* A failed result: of this side, or of a peer; NULL: none. */
static const struct result *find_failed(const struct task *t, const struct point_out *po)
{
	if (po->have_own && po->own.status == RESULT_FAILED)
		return &po->own;
	for (uint32_t i = 0; po->peers && i < t->peers.n; i++)
		if (po->peers[i].have && po->peers[i].result.status == RESULT_FAILED)
			return &po->peers[i].result;
	return NULL;
}

/*
 * The status of all sides' results: the worst one, with its first reason. A point that runs until
 * the user ends it is complete then.
 */
static enum result_status judge(const struct task *t, const struct point_out *po, int rc,
				char reason[RESULT_REASON])
{
	const bool forever = po->point->forever;
	const size_t size = RESULT_REASON;
	const struct result *failed = find_failed(t, po);

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

/* The rows with one peer. Returns their number; theirs NULL: unknown. */
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

/* Without results. place must live as long as the returned value. */
static struct row_build_in row_input(struct task *t, const struct owner_place *place)
{
	const struct agree *a = t->agree;

	if (t->origin && !(t->clock_step_ns > 0))
		t->clock_step_ns = clock_step_ns(t->origin);
	return (struct row_build_in){
		.side = a->side,
		.by_sender = t->host->by_sender,
		.clock = clock_name(),
		.clock_step_ns = t->clock_step_ns,
		.pin = { a->test.pin, place->pin },
		.mem = { a->test.mem, place->mem },
		.overhead = { NAN, NAN },
	};
}

/* Reports an interval of the running point. arg: the points. */
static void report_interval(void *arg, const struct monitor_interval *interval)
{
	struct task *t = arg;
	const struct owner_place server = agree_place(t->agree, SIDE_SERVER);
	uint64_t *const at_ns = t->interval_at_ns[interval->peer];
	const struct row_interval part = { interval->number, { at_ns[0], at_ns[1] } };
	struct row_build_in in = row_input(t, &server);
	struct row rows[ROW_BUILD_MAX];
	uint32_t n;

	in.point = t->point;
	in.interval = &part;
	n = build_rows(rows, &t->agree[interval->peer], &in, interval->own, interval->theirs);
	for (uint32_t i = 0; i < n; i++) {
		at_ns[i] += rows[i].window_ns == ROW_NONE ? 0 : rows[i].window_ns;
		event_tell(&t->host->events, &(struct event){ EVENT_INTERVAL, .row = &rows[i] });
	}
}

static void report_point(struct task *t, const struct point *point, const struct point_out *po,
			 int rc)
{
	const struct agree *a = t->agree;
	const struct owner_place server = agree_place(a, SIDE_SERVER);
	struct row_build_in in = row_input(t, &server);
	char reason[RESULT_REASON];
	struct row rows[ROW_BUILD_MAX];

	/* between two points: it disturbs neither of them, and does not delay the first one */
	if (!t->overhead_known)
		overhead_measure(&t->overhead, &a->plan, a->side);
	t->overhead_known = true;
	in.overhead = t->overhead;
	in.point = point;
	in.reason = reason;
	in.status = judge(t, po, rc, reason);
	event_tell(&t->host->events, &(struct event){ EVENT_POINT,
						      .point = &(struct event_point){
							      point, &po->detail,
							      find_failed(t, po), in.status } });
	for (uint32_t i = 0; i < t->peers.n; i++) {
		const bool has = po->peers && po->peers[i].have;
		const uint32_t n = build_rows(rows, &a[i], &in, po->have_own ? &po->own : NULL,
					      has ? &po->peers[i].result : NULL);

		for (uint32_t k = 0; k < n; k++)
			event_tell(&t->host->events, &(struct event){ EVENT_ROW, .row = &rows[k] });
	}
	t->not_ok |= in.status != RESULT_OK;
	t->interrupted |= po->interrupted;
}

static int run_one(struct task *t, const struct point *point, const json_t *first,
		   struct point_out *po)
{
	struct agree *a = t->agree;
	const struct point_in in = {
		.peers = &t->peers,
		.dev = &a->own->dev,
		.plan = &a->plan,
		.point = point,
		.side = a->side,
		.origin = t->origin,
		.affinity = &a->own->affinity,
		.vector = a->local->vector,
		.host = t->host,
		.interval_ns = a->plan.work.interval_ns,
		.interval = report_interval,
		.interval_arg = t,
	};

	t->point = point;
	memset(t->interval_at_ns, 0, sizeof(t->interval_at_ns));
	return point_run(&in, first, po);
}

static int run_point(struct task *t, const struct point *point, const json_t *first)
{
	struct point_out po;
	int rc = run_one(t, point, first, &po);

	report_point(t, point, &po, rc);
	point_out_free(&po);
	return rc;
}

int task_client(struct task *t)
{
	const struct plan *plan = &t->agree->plan;
	int rc = start(t);

	for (uint32_t i = 0; i < plan->n_points && !rc && !t->not_ok; i++)
		rc = run_point(t, &plan->points[i], NULL);
	return rc;
}

/* The message before point i, or after the last one. */
static int receive_next(struct task *t, uint32_t i, json_t **msg)
{
	const struct plan *plan = &t->agree->plan;
	const uint32_t silence_ms = i < plan->n_points ? point_silence_ms(plan, &plan->points[i]) :
							 plan->stall_timeout_ms;

	/* the QPs of the previous point may still be under destruction */
	return ctl_recv_from_living(t->agree->ctl, NULL, msg, silence_ms,
				    silence_ms + 2 * PLAN_QP_MS * plan_total_qps(plan));
}

/* After i points a message other than an endpoint arrived: may the plan end here? */
static int check_end(const struct task *t, uint32_t i, const json_t *msg)
{
	const uint32_t n = t->agree->plan.n_points;

	if (strcmp(proto_type(msg), "bye") && !agree_asks(proto_type(msg)))
		return agree_unexpected(t->agree, msg, "instead of the start of a point");
	/* only after the last point, or after one that was not ok */
	if (i == n || t->not_ok)
		return 0;
	return err_set(-EBADMSG, "the peer %s ended the plan after %u of %u points",
		       t->agree->ctl->peer, i, n);
}

int task_server(struct task *t, json_t **next)
{
	const struct plan *plan = &t->agree->plan;
	bool none = true;
	int rc = start(t);

	for (uint32_t i = 0; !rc;) {
		json_t *msg = NULL;

		rc = receive_next(t, i, &msg);
		/*
		 * The client may still refuse a plan of which nothing was run, because another of
		 * its sessions cannot run.
		 */
		if (none && rc == -EPERM) {
			t->started = false;
			t->agree->refused = true;
		}
		if (rc)
			return rc;
		none = false;
		if (strcmp(proto_type(msg), "endpoint") || i == plan->n_points || t->not_ok) {
			rc = check_end(t, i, msg);
			*next = rc ? NULL : json_incref(msg);
			json_decref(msg);
			return rc;
		}
		rc = run_point(t, &plan->points[i++], msg);
		json_decref(msg);
	}
	return rc;
}

/* ---- the outcome of a task */

/* -EPERM: the peer sent refuse. */
bool task_refuses(const struct task *t, int rc)
{
	return !t->started && (rc == -EINVAL || rc == -EPERM);
}

enum session_end task_conclude(const struct task *t, int rc, bool *alive)
{
	*alive = true;
	if (!rc)
		return t->not_ok ? SESSION_FAILED : SESSION_MEASURED;
	if (!task_refuses(t, rc)) {
		*alive = false;
		peers_abort(&t->peers, rc);
		return SESSION_FAILED;
	}
	/* a peer that refused the plan knows it, and waits for the next one */
	for (uint32_t i = 0; i < t->peers.n; i++)
		if (!t->agree[i].refused)
			*alive &= ctl_refuse(t->agree[i].ctl);
	return SESSION_REFUSED;
}
