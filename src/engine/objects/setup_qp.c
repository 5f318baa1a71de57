/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Measures connections; see measure.h. QPs from create to RTS and their end, connected with QPs of
 * the server over the control connection; and connections by rdma_cm, from rdma_create_id() to
 * ESTABLISHED and their end: a step that an event ends is timed from its call to the return of the
 * event. One after the other is a round of one.
 */
#include "config.h"
#include "objects/measure.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>

#include "cm/cm_address.h"
#include "objects/qps.h"
#include "objects/rounds.h"
#include "util/err.h"

#define SLICE_NS 50000000u

/* What both kinds have in common; the caller adds the steps. */
static struct rounds rounds_of(struct setup_run *run, const struct measure *m, void *arg)
{
	struct rounds r = {
		.run = run,
		.row = rounds_row(m->name),
		.n = m->flags & MEASURE_MANY ? run->options->qps : 1,
		.many = m->flags & MEASURE_MANY,
		.arg = arg,
	};

	r.row.send_depth = run->plan->work.depth;
	r.row.recv_depth = run->plan->work.recv_depth;
	return r;
}

/* ---- QPs */

enum { CREATE, INIT, EXCHANGE, RTR, RTS, WHOLE, DESTROY, DISCONNECT };

static const struct step qp_steps[] = {
	[CREATE] = { .operation = "ibv_create_qp" },
	[INIT] = { .operation = "ibv_modify_qp to INIT" },
	[EXCHANGE] = { .operation = "exchange with the server", .kind = STEP_ONCE },
	[RTR] = { .operation = "ibv_modify_qp to RTR" },
	[RTS] = { .operation = "ibv_modify_qp to RTS" },
	[WHOLE] = { .operation = "create to RTS", .kind = STEP_WHOLE },
	[DESTROY] = { .operation = "ibv_destroy_qp" },
	[DISCONNECT] = { .operation = "disconnect from the server", .kind = STEP_ONCE, .silent = true },
};

struct connecting {
	struct qps qps;
	struct setup_request request; /* its peer: while the server has its QPs */
};

static int exchange(struct rounds *r, struct connecting *c)
{
	c->qps.ep.addr.n_qps = r->n;
	c->request.own = &c->qps.ep.addr;
	return rounds_ask(r, SETUP_CONNECT, &c->request);
}

static int disconnect(struct rounds *r, struct connecting *c)
{
	const bool connected = c->request.peer.qps;

	ep_addr_free(&c->request.peer);
	return connected ? rounds_ask(r, SETUP_DISCONNECT, NULL) : 0;
}

static int call_qp(struct rounds *r, uint32_t step, uint32_t i)
{
	struct connecting *c = r->arg;

	switch (step) {
	case CREATE:
		return -qps_create(&c->qps, i);
	case INIT:
		return -qps_move(&c->qps, i, IBV_QPS_INIT, NULL);
	case EXCHANGE:
		return exchange(r, c);
	case RTR:
		return -qps_move(&c->qps, i, IBV_QPS_RTR, &c->request.peer);
	case RTS:
		return -qps_move(&c->qps, i, IBV_QPS_RTS, &c->request.peer);
	case DESTROY:
		return -qps_destroy(&c->qps, i);
	default:
		return disconnect(r, c);
	}
}

int setup_qp(struct setup_run *run, const struct measure *m)
{
	struct connecting c = { .request = { .own = NULL } };
	struct rounds r = rounds_of(run, m, &c);
	int rc;

	r.steps = qp_steps;
	r.n_steps = sizeof(qp_steps) / sizeof(qp_steps[0]);
	r.call = call_qp;
	if (series_room(run, r.n)) {
		rounds_without(&r, SETUP_UNSUPPORTED, NULL);
		return 0;
	}
	rc = qps_open(&c.qps, run->dev, run->plan, SIDE_CLIENT, r.n);
	if (!rc)
		rc = rounds_run(&r);
	/* of a round that failed */
	disconnect(&r, &c);
	ep_close(&c.qps.ep);
	return rc ? rc : r.rc;
}

/* ---- connections by rdma_cm */

enum { CM_ID, CM_ADDRESS, CM_ROUTE, CM_QP, CM_CONNECT, CM_WHOLE, CM_END, CM_DESTROY, CM_STEPS };

static const struct step cm_steps[] = {
	[CM_ID] = { .operation = "rdma_create_id" },
	[CM_ADDRESS] = { .operation = "rdma_resolve_addr to its event", .kind = STEP_EVENTS },
	[CM_ROUTE] = { .operation = "rdma_resolve_route to its event", .kind = STEP_EVENTS },
	[CM_QP] = { .operation = "rdma_create_qp" },
	[CM_CONNECT] = { .operation = "rdma_connect to ESTABLISHED", .kind = STEP_EVENTS },
	[CM_WHOLE] = { .operation = "rdma_create_id to ESTABLISHED", .kind = STEP_WHOLE },
	[CM_END] = { .operation = "rdma_disconnect to its event", .kind = STEP_EVENTS },
	[CM_DESTROY] = { .operation = "rdma_destroy_qp, rdma_destroy_id" },
};

static const enum rdma_cm_event_type event_of[CM_STEPS] = {
	[CM_ADDRESS] = RDMA_CM_EVENT_ADDR_RESOLVED,
	[CM_ROUTE] = RDMA_CM_EVENT_ROUTE_RESOLVED,
	[CM_CONNECT] = RDMA_CM_EVENT_ESTABLISHED,
	[CM_END] = RDMA_CM_EVENT_DISCONNECTED,
};

struct connections {
	struct qps_cm qps;
	struct sockaddr_storage to;
	uint64_t token;             /* big-endian */
	bool listening;             /* the server is */
	struct rdma_cm_id **ids;    /* of the connections; the context of each is its place here */
	int timeout_ms;
};

static int destroy_id(struct rdma_cm_id **id)
{
	int rc;

	rdma_destroy_qp(*id);
	rc = rdma_destroy_id(*id);
	if (!rc)
		*id = NULL;
	return rc;
}

/* 0, or -1 and errno. */
static int call_cm(struct rounds *r, uint32_t step, uint32_t i)
{
	struct connections *d = r->arg;
	struct rdma_conn_param param = qps_cm_param(&d->qps);
	struct rdma_cm_id **id = &d->ids[i];

	switch (step) {
	case CM_ID:
		return rdma_create_id(d->qps.local.cm.channel, id, id, RDMA_PS_TCP);
	case CM_ADDRESS:
		return rdma_resolve_addr(*id, (struct sockaddr *)&d->qps.local.own,
					 (struct sockaddr *)&d->to, d->timeout_ms);
	case CM_ROUTE:
		return rdma_resolve_route(*id, d->timeout_ms);
	case CM_QP:
		return qps_cm_create(&d->qps, *id);
	case CM_CONNECT:
		param.private_data = &d->token;
		param.private_data_len = sizeof(d->token);
		return rdma_connect(*id, &param);
	case CM_END:
		return rdma_disconnect(*id);
	default:
		return destroy_id(id);
	}
}

/* Waits for one event of connections, and tells the server meanwhile that this side lives. */
static int next_event(struct rounds *r, struct cm_event *event, const char *doing)
{
	struct connections *d = r->arg;
	const uint64_t until_ns = clock_ns() + (uint64_t)d->timeout_ms * 1000000u;

	for (;;) {
		const struct cm_wait wait = { .deadline_ns = clock_ns() + SLICE_NS,
					      .fds = { -1, -1 } };
		const int rc = cm_next(&d->qps.local.cm, event, &wait);

		r->rc = series_alive(r->run);
		if (r->rc)
			return r->rc;
		/* some time after the end of a connection: no step waits for it */
		if (rc != -ETIMEDOUT && !(rc > 0 && event->type == RDMA_CM_EVENT_TIMEWAIT_EXIT))
			return rc;
		if (rc == -ETIMEDOUT && clock_ns() > until_ns)
			return err_set(-ETIME, "%s: no event within %d ms", doing, d->timeout_ms);
	}
}

/* The connection whose step an event ends, or what came instead. */
static uint32_t await(struct rounds *r, uint32_t step)
{
	struct connections *d = r->arg;
	struct cm_event event;
	int rc = next_event(r, &event, cm_steps[step].operation);

	if (rc > 0 && (event.status || event.type != event_of[step]))
		rc = cm_refuse_event(&event, cm_steps[step].operation);
	if (rc > 0 && step == CM_ADDRESS && qps_cm_take(&d->qps, event.id))
		rc = -ENODEV;
	if (rc > 0)
		return (uint32_t)((struct rdma_cm_id **)event.id->context - d->ids);
	if (!r->rc)
		r->status = SETUP_FAILED;
	return 0;
}

static int ask_server(struct rounds *r, struct connections *d)
{
	struct setup_request request = { .own = NULL };
	const struct ep_addr *peer = &request.peer;

	if (rounds_ask(r, SETUP_LISTEN, &request))
		return r->rc;
	ep_addr_free(&request.peer);
	d->listening = true;
	d->token = htobe64(peer->cm_token);
	if (!peer->cm_address[0])
		return err_set(-EOPNOTSUPP, "the server cannot listen by rdma_cm; its log says why");
	return cm_address_peer(&d->to, peer->cm_address, peer->cm_port, &d->qps.local.own);
}

static int open_cm(struct rounds *r, struct connections *d)
{
	int rc;

	d->ids = calloc(r->n, sizeof(*d->ids));
	if (!d->ids)
		return err_set(-ENOMEM, "no memory for %u connections", r->n);
	rc = qps_cm_open(&d->qps, r->run->dev, r->run->plan, SIDE_CLIENT);
	return rc ? rc : ask_server(r, d);
}

int setup_cm(struct setup_run *run, const struct measure *m)
{
	struct connections d = { .timeout_ms = (int)run->plan->stall_timeout_ms };
	struct rounds r = rounds_of(run, m, &d);

	r.steps = cm_steps;
	r.n_steps = CM_STEPS;
	r.call = call_cm;
	r.await = await;
	/* without rdma_cm on a side, or an IP address, there is nothing to measure */
	if (series_room(run, r.n) || open_cm(&r, &d))
		rounds_without(&r, r.rc ? SETUP_INCOMPLETE : SETUP_UNSUPPORTED, NULL);
	else
		r.rc = rounds_run(&r);
	/* of a round that failed */
	for (uint32_t i = 0; d.ids && i < r.n; i++)
		cm_destroy_id(d.ids[i]);
	free(d.ids);
	qps_cm_close(&d.qps);
	if (d.listening)
		(void)rounds_ask(&r, SETUP_UNLISTEN, NULL);
	return r.rc;
}
