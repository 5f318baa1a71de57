/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Client and server of one run. Order of messages: hello, hello, plan, limits, agree, agreed, then
 * the points (point.h), then bye. docs/protocol.md gives their members.
 */
#include "config.h"

#include "session/session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "rdma/api.h"
#include "util/clock.h"
#include "rdma/dev.h"
#include "util/err.h"
#include "util/log.h"
#include "config/opts.h"
#include "report/output.h"
#include "session/point.h"
#include "session/proto.h"
#include "report/row_build.h"
#include "host/affinity.h"
#include "util/signals.h"

#define EXIT_MEASURED 0
#define EXIT_FAILED 1
#define EXIT_REFUSED 2

/* What a server lets a client ask for. */
#define SERVER_MAX_BYTES (8ull << 30)
#define SERVER_MAX_THREADS 128u
#define SERVER_MAX_SECONDS (7u * 24 * 3600)
#define LATENCY_INLINE_BYTES 256u /* largest inline worth probing when the tool chooses */

struct session {
	const struct cfg *local; /* device, port, time-outs, files */
	struct cfg test; /* as the client asked */
	struct ctl *ctl;
	enum side side;
	struct dev dev;
	struct plan plan;
	struct limits peer;
	struct affinity_plan affinity;
	struct clock_anchor origin;
	struct output out;
	bool started; /* out has been told of the plan */
	bool all_ok;
	bool overhead_known;
	struct overhead_cost overhead;
};

static const struct limits *limits_of(const struct session *s, enum side side)
{
	return side == s->side ? &s->dev.limits : &s->peer;
}

static int exchange_hello(struct session *s, struct proto_hello *hello)
{
	json_t *msg = NULL;
	int rc = 0;

	if (s->side == SIDE_CLIENT)
		rc = ctl_send(s->ctl, proto_hello(), s->local->connect_timeout_ms);
	if (!rc)
		rc = ctl_recv(s->ctl, "hello", &msg, s->local->connect_timeout_ms);
	if (!rc && s->side == SIDE_SERVER)
		rc = ctl_send(s->ctl, proto_hello(), s->local->connect_timeout_ms);
	if (!rc)
		rc = proto_read_hello(hello, msg);
	json_decref(msg);
	return rc;
}

static uint32_t inline_wanted(const struct cfg *test)
{
	if (test->inline_bytes != CFG_AUTO)
		return test->inline_bytes;
	return kind_test_is_lat(test->test) ? LATENCY_INLINE_BYTES : 0;
}

static int open_device(struct session *s)
{
	const struct dev_wish wish = {
		.device = s->local->device,
		.port = s->local->ib_port,
		.gid_index = s->local->gid_index,
		.transport = (enum transport)s->test.transport,
		.inline_wanted = inline_wanted(&s->test),
		.probe_locks = s->test.locks != LOCKS_ON,
		.send_ops = s->test.post_api == APIS_POST_WR ?
			    api_send_ops(APIS_POST_WR, cfg_kind(&s->test).op) : 0,
		.poll_extended = s->test.poll_api == APIS_POLL_EXTENDED,
		.local_gid = s->ctl->local_gid,
		.peer = s->side == SIDE_CLIENT ? &s->peer : NULL,
	};
	int rc = dev_open(&s->dev, &wish);

	/* -EPERM is a refusal of the peer's, and would not be told to it */
	if (rc == -EPERM)
		rc = -EACCES;
	if (!rc && s->side == SIDE_SERVER) {
		s->dev.limits.max_total_bytes = SERVER_MAX_BYTES;
		s->dev.limits.max_threads = SERVER_MAX_THREADS;
		s->dev.limits.max_seconds = SERVER_MAX_SECONDS;
	}
	return rc;
}

static int resolve(struct session *s)
{
	return plan_resolve(&s->plan, &s->test, limits_of(s, SIDE_CLIENT),
			    limits_of(s, SIDE_SERVER));
}

/* Once both sides' limits are known. */
static int choose_affinity(struct session *s)
{
	const struct limits *const limits[] = { limits_of(s, SIDE_CLIENT),
						limits_of(s, SIDE_SERVER) };
	struct plan *plan = &s->plan;
	int rc = affinity_open(&s->affinity, &s->test, s->side, limits);

	if (!rc && s->affinity.note[0] && plan->n_notes < PLAN_MAX_NOTES)
		snprintf(plan->notes[plan->n_notes++], sizeof(plan->notes[0]), "%.*s",
			 (int)sizeof(plan->notes[0]) - 1, s->affinity.note);
	return rc;
}

static int agree_client(struct session *s)
{
	const uint32_t timeout_ms = s->local->connect_timeout_ms;
	json_t *msg = NULL;
	int rc;

	rc = ctl_send(s->ctl,
		      json_pack("{s:s,s:o}", "type", "plan", "options", opts_to_json(&s->test)),
		      timeout_ms);
	if (!rc)
		rc = ctl_recv(s->ctl, "limits", &msg, timeout_ms);
	if (!rc)
		rc = limits_decode(&s->peer, msg);
	json_decref(msg);
	msg = NULL;
	if (!rc)
		rc = open_device(s);
	if (!rc)
		rc = resolve(s);
	if (!rc)
		rc = choose_affinity(s);
	if (!rc)
		rc = ctl_send(s->ctl,
			      json_pack("{s:s,s:o,s:o}", "type", "agree", "limits",
					limits_encode(&s->dev.limits), "plan",
					plan_encode(&s->plan)),
			      timeout_ms);
	if (!rc)
		rc = ctl_recv(s->ctl, "agreed", &msg, timeout_ms);
	json_decref(msg);
	return rc;
}

static int agree_server(struct session *s, const json_t *plan_msg)
{
	const uint32_t timeout_ms = s->local->connect_timeout_ms;
	json_t *msg = NULL;
	int rc = opts_from_json(&s->test, json_object_get(plan_msg, "options"));

	if (!rc)
		rc = open_device(s);
	if (!rc)
		rc = ctl_send(s->ctl, proto_limits(&s->dev.limits), timeout_ms);
	if (!rc)
		rc = ctl_recv(s->ctl, "agree", &msg, timeout_ms);
	if (!rc)
		rc = limits_decode(&s->peer, json_object_get(msg, "limits"));
	if (!rc)
		rc = resolve(s);
	if (!rc)
		rc = plan_compare(&s->plan, json_object_get(msg, "plan"));
	if (!rc)
		rc = choose_affinity(s);
	json_decref(msg);
	return rc ? rc : ctl_send(s->ctl, proto_plain("agreed"), timeout_ms);
}

static void start_output(struct session *s)
{
	json_t *options = opts_to_json(&s->test);
	const struct format_run run = {
		.plan = &s->plan,
		.self = &s->dev.limits,
		.peer = &s->peer,
		.side = s->side,
		.options = options,
	};

	output_start(&s->out, &run);
	s->started = true;
	json_decref(options);
}

/* Both sides' results and what stopped them, as one status: the worst, with the first reason. */
static enum result_status judge(const struct point_out *po, int rc, char *reason, size_t size)
{
	const struct result *results[] = { &po->own, &po->peer };
	const bool have[] = { po->have_own, po->have_peer };

	reason[0] = 0;
	for (size_t i = 0; i < 2; i++) {
		if (!have[i] || results[i]->status != RESULT_FAILED)
			continue;
		snprintf(reason, size, "%s", results[i]->reason);
		return RESULT_FAILED;
	}
	if (rc) {
		snprintf(reason, size, "%s", err_text());
		return RESULT_INCOMPLETE;
	}
	if (po->interrupted) {
		snprintf(reason, size, "%s", po->interruption);
		return RESULT_INCOMPLETE;
	}
	return RESULT_OK;
}

static void report_point(struct session *s, const struct point *point, const struct point_out *po,
			 int rc)
{
	char reason[RESULT_REASON];
	struct row rows[ROW_BUILD_MAX];
	struct row_build_in in = {
		.plan = &s->plan,
		.point = point,
		.side = s->side,
		.limits = { limits_of(s, SIDE_CLIENT), limits_of(s, SIDE_SERVER) },
		.clock = clock_name(),
		.reason = reason,
		.pin = { s->test.pin, s->test.peer_pin },
		.mem = { s->test.mem, s->test.peer_mem },
	};
	uint32_t n;

	/* between two points: it disturbs none, and no session waits for it to begin */
	if (!s->overhead_known)
		overhead_measure(&s->overhead, &s->plan, s->side);
	s->overhead_known = true;
	in.overhead = s->overhead;
	in.status = judge(po, rc, reason, sizeof(reason));
	in.result[s->side] = po->have_own ? &po->own : NULL;
	in.result[kind_other_side(s->side)] = po->have_peer ? &po->peer : NULL;
	n = row_build(rows, &in);
	output_point(&s->out, point, &po->detail);
	for (uint32_t i = 0; i < n; i++)
		output_row(&s->out, &rows[i]);
	s->all_ok &= in.status == RESULT_OK;
}

/*
 * One point: 0 to go on with the next, 1 when the run ends here in good order, negative on error.
 */
static int do_point(struct session *s, const struct point *point, const json_t *first)
{
	const struct point_in in = {
		.ctl = s->ctl,
		.dev = &s->dev,
		.plan = &s->plan,
		.point = point,
		.side = s->side,
		.stall_timeout_ms = s->plan.stall_timeout_ms,
		.origin = &s->origin,
		.affinity = &s->affinity,
	};
	struct point_out po;
	int rc = point_run(&in, first, &po);

	report_point(s, point, &po, rc);
	result_detail_free(&po.detail);
	if (rc)
		return rc;
	return po.interrupted || !s->all_ok;
}

static int points_client(struct session *s)
{
	int rc = 0;

	for (uint32_t i = 0; i < s->plan.n_points && !rc; i++)
		rc = do_point(s, &s->plan.points[i], NULL);
	return rc < 0 ? rc : ctl_send(s->ctl, proto_plain("bye"), s->plan.stall_timeout_ms);
}

/* The client begins each point with its endpoint, or leaves with bye. */
static int points_server(struct session *s)
{
	for (uint32_t i = 0;; i++) {
		json_t *msg = NULL;
		const char *type;
		const struct point *point = &s->plan.points[i];
		int rc = ctl_recv(s->ctl, NULL, &msg,
				  i < s->plan.n_points ? point_silence_ms(&s->plan, point) :
							 s->plan.stall_timeout_ms);

		if (rc)
			return rc;
		type = json_string_value(json_object_get(msg, "type"));
		if (!strcmp(type, "bye")) {
			json_decref(msg);
			/* in good order only after the last point, or one that was not ok */
			if (i == s->plan.n_points || !s->all_ok)
				return 0;
			return err_set(-EBADMSG, "%s left after %u of %u points", s->ctl->peer, i,
				       s->plan.n_points);
		}
		if (strcmp(type, "endpoint") || i == s->plan.n_points)
			rc = err_set(-EBADMSG, "%s sent '%.32s' where a point begins", s->ctl->peer,
				     type);
		else
			rc = do_point(s, point, msg);
		json_decref(msg);
		if (rc < 0)
			return rc;
	}
}

/* Before anything has started, what is invalid is the plan; -EPERM: the peer says so. */
static int exit_status(const struct session *s, int rc)
{
	if (!rc)
		return s->all_ok ? EXIT_MEASURED : EXIT_FAILED;
	return !s->started && (rc == -EINVAL || rc == -EPERM) ? EXIT_REFUSED : EXIT_FAILED;
}

static int finish(struct session *s, int rc)
{
	char error[ERR_TEXT_MAX];
	int status = exit_status(s, rc), out_rc;

	snprintf(error, sizeof(error), "%s", err_text());
	if (rc) {
		/* what the peer itself said need not be told to it */
		if (status == EXIT_REFUSED && rc != -EPERM)
			ctl_refuse(s->ctl, error);
		else if (rc != -EPERM && rc != -ECONNABORTED && rc != -ECONNRESET)
			ctl_abort(s->ctl, error);
		log_error("%s", error);
	}
	out_rc = output_close(&s->out, rc ? error : NULL);
	if (out_rc) {
		log_error("%s", err_text());
		status = status ? status : EXIT_FAILED;
	}
	affinity_close(&s->affinity);
	dev_close(&s->dev);
	return status;
}

int session_client(const struct cfg *cfg)
{
	struct ctl ctl = CTL_CLOSED;
	struct session s = {
		.local = cfg, .test = *cfg, .ctl = &ctl, .side = SIDE_CLIENT, .all_ok = true
	};
	struct proto_hello hello;
	int rc, status;

	s.origin = clock_anchor();
	rc = output_open(&s.out, cfg);
	if (!rc)
		rc = ctl_connect(&ctl, cfg->host, cfg->tcp_port, cfg->connect_timeout_ms,
				 signals_fd());
	if (!rc)
		rc = exchange_hello(&s, &hello);
	if (!rc)
		rc = agree_client(&s);
	if (!rc) {
		start_output(&s);
		rc = points_client(&s);
	}
	status = finish(&s, rc);
	ctl_close(&ctl);
	return status;
}

int session_server(const struct cfg *cfg, struct ctl *ctl, const struct session_proven *proven)
{
	struct session s = {
		.local = cfg, .test = *cfg, .ctl = ctl, .side = SIDE_SERVER, .all_ok = true
	};
	struct proto_hello hello;
	json_t *plan = NULL;
	int rc, status;

	s.origin = clock_anchor();
	rc = exchange_hello(&s, &hello);
	if (!rc)
		rc = ctl_recv(ctl, "plan", &plan, cfg->connect_timeout_ms);
	if (rc) {
		if (rc != -ECONNABORTED && rc != -ECONNRESET)
			ctl_abort(ctl, err_text());
		return SESSION_NO_CLIENT;
	}
	proven->call(proven->arg);
	rc = output_open(&s.out, cfg);
	if (!rc)
		rc = agree_server(&s, plan);
	if (!rc) {
		start_output(&s);
		rc = points_server(&s);
	}
	status = finish(&s, rc);
	json_decref(plan); /* the options have their strings from it */
	return status;
}
