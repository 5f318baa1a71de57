/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The objects of each thread of a point: endpoint, peer address, worker. Thread n of one side works
 * with thread n of the other.
 */
#include "config.h"

#include "point/point.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "place/affinity.h"
#include "endpoint/ep_extras.h"
#include "endpoint/verify.h"
#include "wire/proto.h"
#include "file/json_build.h"
#include "util/err.h"
#include "util/text.h"

#define MS_NS MONITOR_MS_NS
#define WARM_UP_NS (200 * MS_NS)

int point_threads_open(struct point_state *s)
{
	const uint32_t threads = s->in->plan->work.threads;
	const bool passive = !role_has_loop(point_role(s->in, s->in->side));

	s->warm = *s->in->point;
	s->warm.messages = s->in->point->warm_up;
	s->warm.duration_ns = WARM_UP_NS;
	s->warm.forever = false;
	s->threads = calloc(threads, sizeof(*s->threads));
	if (!s->threads)
		return err_set(-ENOMEM, "cannot allocate the state of %u threads", threads);
	return workers_open(&s->workers, passive ? 0 : threads);
}

void point_threads_close(struct point_state *s)
{
	workers_close(&s->workers);
	proof_close(&s->proof);
	cm_links_disconnect(&s->cm);
	point_making_begin(s, POINT_MAKING_DESTROYED);
	for (uint32_t i = 0; s->threads && i < s->in->plan->work.threads; i++) {
		ep_addr_free(&s->threads[i].peer);
		ep_mcast_detach(&s->threads[i].ep);
		if (s->failed)
			ep_srq_drain(&s->threads[i].ep);
		ep_mw_close(&s->threads[i].ep);
		ep_close(&s->threads[i].ep);
	}
	cm_links_close(&s->cm);
	cm_mcast_leave(&s->group);
	free(s->threads);
	s->threads = NULL;
}

/* One message for each thread, in their order. */
int point_send_endpoints(struct point_state *s)
{
	const struct plan *plan = s->in->plan;
	int rc = 0;

	for (uint32_t i = 0; i < plan->work.threads && !rc; i++)
		rc = peers_send(s->in->peers, proto_endpoint(&s->threads[i].ep.addr),
				plan->stall_timeout_ms);
	return rc;
}

/* first: the message if it was received before; else NULL. */
static int receive_endpoint(const struct point_state *s, struct ctl *ctl, struct ep_addr *addr,
			    const json_t *first)
{
	const struct plan *plan = s->in->plan;
	const enum side other = kind_other_side(s->in->side);
	json_t *msg = NULL;
	int rc = 0;

	if (!first)
		rc = ctl_recv_from_living(ctl, "endpoint", &msg,
					  point_silence_ms(plan, s->in->point),
					  point_setup_ms(plan, s->in->point));
	if (!rc)
		rc = proto_read_endpoint(addr, first ? first : msg,
					 plan_side_qps(plan, other), ep_rkeys(plan, other));
	json_decref(msg);
	return rc;
}

/* One message per thread. first: the first of them if it was received before; else NULL. */
static int receive_endpoints(struct point_state *s, const json_t *first)
{
	int rc = 0;

	for (uint32_t i = 0; i < s->in->plan->work.threads && !rc; i++) {
		rc = receive_endpoint(s, s->in->peers->ctl[0], &s->threads[i].peer, first);
		first = NULL;
	}
	return rc;
}

/* The receivers' own addresses are not used: the peer of the sender is the group. */
static int receive_group(struct point_state *s)
{
	int rc = 0;

	for (uint32_t i = 0; i < s->in->peers->n && !rc; i++) {
		struct ep_addr one = { 0 };

		rc = receive_endpoint(s, s->in->peers->ctl[i], &one, NULL);
		ep_addr_free(&one);
	}
	return rc ? rc : point_group_sender(s);
}

/* For a group, also the number of probes sent. */
static json_t *make_ready(const struct point_state *s)
{
	json_t *msg = proto_plain("ready");

	if (plan_is_mcast(s->in->plan))
		json_build_set(&msg, "probes", json_integer(s->probes));
	return msg;
}

static int receive_ready(struct point_state *s)
{
	json_t *msg = NULL;
	json_int_t probes;
	/* no heartbeats: it may wait for other sessions */
	int rc = ctl_recv(s->in->peers->ctl[0], "ready", &msg,
			  point_setup_ms(s->in->plan, s->in->point));

	probes = json_integer_value(json_object_get(msg, "probes"));
	json_decref(msg);
	if (rc || !plan_is_mcast(s->in->plan))
		return rc;
	if (probes < 1 || probes > UINT32_MAX)
		return err_set(-EBADMSG, "the peer's 'ready': field \"probes\" is missing or not 1..4294967295");
	return point_settle_drain(s, (uint32_t)probes);
}

/* Runs on the CPUs of thread i, as build_thread(): memory is on the node that touches it first. */
static int open_thread(struct point_state *s, uint32_t i)
{
	const struct point_in *in = s->in;
	struct ep *ep = &s->threads[i].ep;
	int rc;

	ep->first_qp = i * in->plan->work.qps;
	ep->comp_vector = in->vector == CFG_AUTO ? affinity_vector(in->affinity, i) : in->vector;
	ep->pace = &s->pace;
	rc = ep_open(ep, in->dev, in->plan, in->point, in->side);
	if (!rc && !i)
		rc = proof_open(&s->proof, ep, in->plan);
	if (!rc)
		rc = point_apm_address(s, i);
	if (!rc)
		rc = ep_mw_open(ep, in->plan, in->side);
	if (!rc)
		rc = affinity_bind_check(in->affinity, i, ep->mem.base,
					   ep->mem.layout.total_bytes);
	if (!rc && in->plan->work.verify)
		rc = verify_fill(ep, in->plan, in->side, i * in->plan->work.qps);
	return rc;
}

static bool receives_group(const struct point_in *in)
{
	return plan_is_mcast(in->plan) && in->side == SIDE_SERVER;
}

/* Receives are posted before the QPs can receive, and before the peer knows the QPs. */
static int build_thread(struct point_state *s, uint32_t i)
{
	const struct point_in *in = s->in;
	struct point_thread *t = &s->threads[i];
	int rc = ep_reach(&t->ep, in->plan, &t->peer, in->side);

	t->setup = (struct worker_setup){
		.ep = &t->ep,
		.plan = in->plan,
		.point = in->point->warm_up ? &s->warm : in->point,
		.side = in->side,
		.peer = &t->peer,
		.rtt_ns = peers_rtt_ns(in->peers),
		.origin = in->origin,
		.barrier = &s->workers.barrier,
		.affinity = in->affinity,
		.thread = i,
		.closed = in->point->warm_up,
		.kept = plan_kept(in->plan, in->point, in->side),
	};
	if (!rc && s->workers.n)
		rc = worker_open(&s->workers.runs[i], &t->setup);
	if (!rc && role_receives(point_role(in, in->side)))
		rc = ep_srq_arm(&t->ep, in->plan->work.srq_limit);
	if (!rc)
		rc = ep_connect(&t->ep, in->plan, &t->peer, in->side);
	if (!rc)
		rc = ep_pace(&t->ep, in->plan, in->side);
	if (!rc)
		rc = point_apm_load(s, i);
	if (!rc)
		rc = ep_mw_bind(&t->ep, in->plan);
	return rc || !receives_group(in) ? rc : point_group_receiver(s);
}

static int for_each_thread(struct point_state *s, int (*call)(struct point_state *s, uint32_t i))
{
	int rc = 0;

	for (uint32_t i = 0; i < s->in->plan->work.threads && !rc; i++) {
		struct affinity_saved saved;

		rc = affinity_bind(&saved, s->in->affinity, i);
		if (!rc)
			rc = call(s, i);
		affinity_restore(&saved);
	}
	return rc;
}

static void report_endpoints(const struct point_state *s)
{
	for (uint32_t i = 0; i < s->in->plan->work.threads; i++) {
		const struct event_endpoint ends = { &s->threads[i].ep.addr, &s->threads[i].peer };

		event_tell(&s->in->host->events, &(struct event){ EVENT_ENDPOINT,
								  .endpoint = &ends });
	}
}

/*
 * With concurrent sessions: waits for the others, but not so long that the server gives up, which
 * has waited since since_ns for the next message.
 */
static int meet(const struct point_state *s, enum session_meeting where, uint64_t since_ns,
		uint64_t *ticks)
{
	const struct session_host *host = s->in->host;
	const uint64_t wait_ns = point_setup_ms(s->in->plan, s->in->point) * MS_NS;

	*ticks = clock_ticks();
	return host->meet ? host->meet(host->arg, where, since_ns + wait_ns / 4 * 3, ticks) : 0;
}

static int open_threads(struct point_state *s)
{
	int rc;

	point_making_begin(s, POINT_MAKING_MADE);
	rc = for_each_thread(s, open_thread);
	return rc ? rc : point_cm_open(s);
}

static int build_threads(struct point_state *s)
{
	point_making_begin(s, POINT_MAKING_CONNECTED);
	return for_each_thread(s, build_thread);
}

/* Everything up to the loops. */
static int build_client(struct point_state *s, uint64_t *since_ns)
{
	bool ready;
	int rc = open_threads(s);

	if (!rc)
		rc = point_send_endpoints(s);
	point_making_peer(s);
	if (!rc)
		rc = plan_is_mcast(s->in->plan) ? receive_group(s) : receive_endpoints(s, NULL);
	*since_ns = clock_ns();
	if (!rc)
		rc = point_cm_connect(s, &ready);
	if (!rc)
		rc = build_threads(s);
	if (!rc && plan_is_mcast(s->in->plan))
		rc = point_settle_sender(s);
	if (!rc && s->in->plan->path.ah == AH_FIRST)
		rc = point_hello_send(s);
	return rc ? rc : point_prove(s);
}

/* From sending ready to running loops; since_ns: the server waits since then. */
static int go_client(struct point_state *s, uint64_t since_ns, json_t *ready)
{
	uint64_t ignored;
	int rc;

	point_evidence_begin(s);
	rc = meet(s, MEETING_READY, since_ns, &s->workers.about_to_start);

	if (rc)
		json_decref(ready);
	else
		rc = peers_send(s->in->peers, ready, s->in->plan->stall_timeout_ms);
	if (!rc)
		rc = peers_recv_plain(s->in->peers, "go",
				      point_silence_ms(s->in->plan, s->in->point));
	s->workers.told_to_start = clock_ticks();
	since_ns = clock_ns();
	if (!rc)
		rc = workers_create(&s->workers);
	if (!rc)
		rc = meet(s, MEETING_GO, since_ns, &ignored);
	return rc ? rc : workers_start(&s->workers);
}

static int start_client(struct point_state *s)
{
	uint64_t since_ns = 0;
	int rc = build_client(s, &since_ns);

	if (rc)
		return rc;
	report_endpoints(s);
	return go_client(s, since_ns, make_ready(s));
}

/* The server's loops run before the client's, because they wait for arrivals. */
static int go_server(struct point_state *s)
{
	int rc;

	point_evidence_begin(s);
	s->workers.about_to_start = clock_ticks();
	rc = workers_create(&s->workers);
	if (!rc)
		rc = workers_start(&s->workers);
	return rc ? rc : peers_send(s->in->peers, proto_plain("go"), s->in->plan->stall_timeout_ms);
}

/*
 * A client that connects by rdma_cm needs the server's address before it can connect; nothing is
 * sent on the QPs before go, so receives may be posted after it.
 */
static int start_server(struct point_state *s, const json_t *first)
{
	const bool by_cm = s->in->plan->path.connect == CONNECT_RDMA_CM;
	const bool learns = s->in->plan->path.ah == AH_FIRST;
	bool ready = false;
	int rc = receive_endpoints(s, first);

	if (!rc)
		rc = open_threads(s);
	if (!rc && by_cm)
		rc = point_send_endpoints(s);
	if (!rc && learns)
		rc = point_hello_receive(s);
	if (!rc)
		rc = point_cm_connect(s, &ready);
	if (!rc)
		rc = build_threads(s);
	if (!rc)
		report_endpoints(s);
	if (!rc && !by_cm && !learns)
		rc = point_send_endpoints(s);
	if (!rc && receives_group(s->in))
		rc = point_settle_receiver(s);
	if (!rc)
		rc = point_prove(s);
	if (!rc && !ready)
		rc = receive_ready(s);
	return rc ? rc : go_server(s);
}

/* The words of compare-and-swap: the ring counts on from what they were at its start. */
static void clear_words(const struct point_state *s)
{
	const uint64_t zero = 0;

	if (!kind_compares(s->in->plan->work.kind.op) || s->workers.n)
		return;
	for (uint32_t i = 0; i < s->in->plan->work.threads; i++) {
		struct mem *mem = &s->threads[i].ep.mem;

		for (uint32_t qp = 0; qp < s->in->plan->work.qps; qp++)
			for (uint32_t k = 0; k < mem->layout.tx.bufs; k++)
				mem_copy_in(mem, layout_tx_off(&mem->layout, qp, k), &zero,
					    sizeof(zero));
	}
}

/*
 * The warm-up of this server has ended. That of the client may be stopped still, by its user or by
 * that of another receiver of its group: then the point is stopped, too.
 */
static int await_ready(struct point_state *s)
{
	/* no heartbeats: it may wait for other sessions */
	const uint64_t end_ns = clock_ns() +
				MONITOR_MS_NS * point_setup_ms(s->in->plan, s->in->point);
	struct ctl *ctl = s->in->peers->ctl[0];
	bool ready = false;
	int rc = 0;

	while (!rc && !ready) {
		const uint64_t now = clock_ns();
		const uint32_t left_ms = now < end_ns ?
			(uint32_t)((end_ns - now) / MONITOR_MS_NS) : 0;
		json_t *msg = NULL;
		const char *type;
		char clean[33];

		/* when the time is over nothing else is taken */
		rc = ctl_recv(ctl, left_ms ? NULL : "ready", &msg, left_ms + 1);
		type = rc ? "" : json_string_value(json_object_get(msg, "type"));
		ready = !strcmp(type, "ready");
		if (!strcmp(type, "stop"))
			monitor_note_stop(&s->monitor, msg);
		text_clean(type, clean, sizeof(clean));
		if (!rc && !ready && strcmp(type, "stop"))
			rc = err_set(-EBADMSG, "the peer %s sent '%s' after its warm-up",
				     ctl->peer, clean);
		json_decref(msg);
	}
	return rc;
}

int point_threads_again(struct point_state *s)
{
	const struct plan *plan = s->in->plan;
	const uint64_t since_ns = clock_ns();
	int rc = workers_again(&s->workers);

	for (uint32_t i = 0; i < s->workers.n && !rc; i++) {
		s->threads[i].setup.point = s->in->point;
		s->threads[i].setup.closed = false;
		rc = worker_again(&s->workers.runs[i], &s->threads[i].setup);
	}
	clear_words(s);
	if (rc)
		return rc;
	if (s->in->side == SIDE_CLIENT)
		return go_client(s, since_ns, proto_plain("ready"));
	rc = peers_send(s->in->peers, proto_plain("warm"), plan->stall_timeout_ms);
	if (!rc)
		rc = await_ready(s);
	return rc ? rc : go_server(s);
}

int point_threads_start(struct point_state *s, const json_t *first)
{
	return s->in->side == SIDE_CLIENT ? start_client(s) : start_server(s, first);
}
