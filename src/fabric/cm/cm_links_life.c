/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The life of the connections of one side, what both sides do, and what the server does; see
 * cm_links.h. Ids end after the QPs and before the channel.
 */
#include "config.h"

#include "cm/cm_links.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cm/cm_address.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"

#define MS_NS 1000000ull
/*
 * A connection takes some ms of both sides and of the subnet's management queues; many are made at
 * once. Ending one takes less.
 */
#define CONNECT_MS_PER_QP 20u
#define DISCONNECT_MS 500u
#define DISCONNECT_MS_PER_QP 5u

/* ---- what both sides do */

struct ep *cm_links_ep(const struct cm_links *l, const struct cm_link *link)
{
	return l->pairs[link->index / l->plan->work.qps].ep;
}

uint32_t cm_links_qp(const struct cm_links *l, const struct cm_link *link)
{
	return link->index % l->plan->work.qps;
}

const char *cm_links_doing(const struct cm_links *l, const struct cm_link *link, char *text)
{
	char to[CM_ADDRESS_TEXT] = "the client";

	if (l->side == SIDE_CLIENT)
		cm_address_text((const struct sockaddr *)&l->to, to, sizeof(to));
	snprintf(text, CM_LINKS_DOING, "connecting QP %u of thread %u to %s", cm_links_qp(l, link),
		 link->index / l->plan->work.qps, to);
	return text;
}

int cm_links_failed(const struct cm_links *l, const struct cm_link *link, const char *call)
{
	char doing[CM_LINKS_DOING];
	const int err = errno;

	cm_links_doing(l, link, doing);
	errno = err;
	return cm_call_failed(call, doing);
}

/*
 * Each side answers as many reads as the other has in flight. A side may have none, but some
 * devices want at least one.
 */
struct rdma_conn_param cm_links_param(const struct cm_links *l, const struct cm_link *link)
{
	const struct limits *own = &l->local.dev->limits;
	const uint32_t wanted = l->plan->work.outstanding ? l->plan->work.outstanding : 1;
	const struct ep *ep = cm_links_ep(l, link);

	return (struct rdma_conn_param){
		.responder_resources =
			(uint8_t)(wanted < own->max_rd_atomic ? wanted : own->max_rd_atomic),
		.initiator_depth = (uint8_t)(wanted < own->max_init_rd_atomic ?
						     wanted : own->max_init_rd_atomic),
		.flow_control = 1,
		.srq = ep->srq != NULL,
		.retry_count = (uint8_t)l->plan->path.retry,
		.rnr_retry_count = (uint8_t)l->plan->path.rnr_retry,
		.qp_num = ep->qps[cm_links_qp(l, link)]->qp_num,
	};
}

void cm_links_is_up(struct cm_links *l, struct cm_link *link)
{
	link->state = CM_LINK_UP;
	l->up++;
}

static int ask_attr(const struct cm_links *l, const struct cm_link *link, enum ibv_qp_state state,
		    struct ibv_qp_attr *attr)
{
	int mask;

	memset(attr, 0, sizeof(*attr));
	attr->qp_state = state;
	errno = 0;
	return rdma_init_qp_attr(link->id, attr, &mask) ?
		       cm_links_failed(l, link, "rdma_init_qp_attr") : 0;
}

/* The address leads to a GID, and the IP interface to a P_Key: both must be those of the plan. */
static int check_path(const struct cm_links *l, const struct ibv_qp_attr *init,
		      const struct ibv_qp_attr *rtr)
{
	const struct limits *own = &l->local.dev->limits;
	const uint32_t gid = plan_gid_index(l->plan, l->side);

	if (init->pkey_index != own->pkey_index)
		return err_option(-ENODEV, "-R (--cm)",
				  ": rdma_cm takes entry %u of the P_Key table of %s, the plan has %u",
				  init->pkey_index, own->device, own->pkey_index);
	if (rtr->ah_attr.is_global && rtr->ah_attr.grh.sgid_index != gid)
		return err_option(-ENODEV, "-R (--cm)",
				  ": rdma_cm takes GID index %u of %s, the plan has %u; --gid-index %u takes that one, too",
				  rtr->ah_attr.grh.sgid_index, own->device, gid,
				  rtr->ah_attr.grh.sgid_index);
	if (!own->ethernet && ep_mtu(l->plan->path.mtu_bytes) > rtr->path_mtu)
		return err_option(-ENODEV, "-R (--cm)",
				  ": the subnet's path has an MTU of %u bytes; --mtu %u",
				  128u << rtr->path_mtu, 128u << rtr->path_mtu);
	return 0;
}

int cm_links_move(struct cm_links *l, struct cm_link *link)
{
	struct ep_attr_in in = { .plan = l->plan, .local = &l->local.dev->limits };
	struct ep *ep = cm_links_ep(l, link);
	struct ibv_qp_attr init, rtr, rts;
	struct ep_attr to;
	int rc = ask_attr(l, link, IBV_QPS_INIT, &init);

	if (!rc)
		rc = ask_attr(l, link, IBV_QPS_RTR, &rtr);
	if (!rc)
		rc = ask_attr(l, link, IBV_QPS_RTS, &rts);
	if (!rc)
		rc = check_path(l, &init, &rtr);
	if (rc)
		return rc;
	/* the plan's MTU and timers: rdma_cm has an RNR timer of 0, which is the longest, 655 ms */
	in.path = &rtr.ah_attr;
	in.peer_qp = (struct ep_qp_id){ .qpn = rtr.dest_qp_num, .psn = rtr.rq_psn };
	in.own.psn = rts.sq_psn;
	to = ep_attr_rtr(&in);
	rc = ep_modify(ep, cm_links_qp(l, link), EP_WHOLE, &to);
	if (rc)
		return rc;
	to = ep_attr_rts(&in);
	return ep_modify(ep, cm_links_qp(l, link), EP_WHOLE, &to);
}

/* ---- the server: finds the QP of each request, accepts or rejects it */

/* The link that a request is for; NULL: *reason says why it is for none. */
static struct cm_link *find_link(struct cm_links *l, const struct cm_event *event,
				 const char **reason)
{
	const struct plan_work *work = &l->plan->work;
	struct cm_links_request r;
	struct cm_link *link;
	uint32_t thread, qp;

	*reason = "verbench: this is not a request of verbench";
	memcpy(&r, event->private_data, sizeof(r));
	if (event->private_len < sizeof(r) || ntohl(r.magic) != CM_LINKS_MAGIC)
		return NULL;
	*reason = "verbench: unknown token: the request is of another run";
	if (((uint64_t)ntohl(r.token_high) << 32 | ntohl(r.token_low)) != l->local.token)
		return NULL;
	*reason = "verbench: the plan has no such thread and QP";
	thread = ntohl(r.thread);
	qp = ntohl(r.qp);
	if (thread >= work->threads || qp >= work->qps)
		return NULL;
	*reason = "verbench: this QP is connected already";
	link = &l->links[thread * work->qps + qp];
	return link->state == CM_LINK_NONE ? link : NULL;
}

static bool kernel_moves(const struct cm_links *l)
{
	return l->local.dev->limits.transport_type == LIMITS_IWARP;
}

static int take_request(struct cm_links *l, const struct cm_event *event)
{
	const bool datagram = kind_is_datagram(l->plan->work.kind.tp);
	struct rdma_conn_param param;
	const char *reason;
	struct cm_link *link = find_link(l, event, &reason);
	int rc;

	if (!link) {
		/* a request of another run is no error of this run */
		cm_local_reject(event->id, reason);
		return 0;
	}
	link->id = event->id;
	link->id->context = link;
	rc = cm_local_check(&l->local, link->id);
	if (!rc && !datagram && !kernel_moves(l))
		rc = cm_links_move(l, link);
	if (rc)
		return rc;
	param = cm_links_param(l, link);
	errno = 0;
	if (rdma_accept(link->id, &param))
		return cm_links_failed(l, link, "rdma_accept");
	link->state = CM_LINK_ANSWER;
	/* a datagram service is answered, not connected */
	if (datagram)
		cm_links_is_up(l, link);
	return 0;
}

static int take_server_event(struct cm_links *l, const struct cm_event *event)
{
	struct cm_link *link = event->id->context;
	char doing[CM_LINKS_DOING];

	if (!event->status && event->type == RDMA_CM_EVENT_CONNECT_REQUEST)
		return take_request(l, event);
	if (!link)
		return cm_refuse_event(event, "listening by rdma_cm");
	if (!event->status && event->type == RDMA_CM_EVENT_ESTABLISHED &&
	    link->state == CM_LINK_ANSWER) {
		cm_links_is_up(l, link);
		return 0;
	}
	return cm_refuse_event(event, cm_links_doing(l, link, doing));
}

/* ---- life */

/*
 * Each QP of one side has its connection to a QP of the other: links are numbered by the QPs of the
 * plan, and a side with fewer QPs would be read beyond its end. plan_rules.c refuses such a plan,
 * but a server has it from its client.
 */
static int check_counts(const struct plan *plan)
{
	for (enum side side = SIDE_CLIENT; side <= SIDE_SERVER; side++)
		if (plan_side_qps(plan, side) != plan->work.qps)
			return err_refuse("-R (--cm)", "allowed: as many on both sides",
					  ": the %s has %u queue pairs per thread and its peer %u",
					  kind_side_names[side], plan_side_qps(plan, side),
					  plan->work.qps);
	return 0;
}

static int allocate(struct cm_links *l)
{
	l->n = plan_total_qps(l->plan);
	l->pairs = calloc(l->plan->work.threads, sizeof(*l->pairs));
	l->links = calloc(l->n, sizeof(*l->links));
	if (!l->pairs || !l->links)
		return err_set(-ENOMEM, "no memory for %u connections", l->n);
	for (uint32_t i = 0; i < l->n; i++)
		l->links[i].index = i;
	return 0;
}

int cm_links_open(struct cm_links *l, const struct plan *plan, const struct dev *dev,
		  enum side side)
{
	int rc;

	*l = (struct cm_links){ .plan = plan, .side = side,
				.local = { .dev = dev, .option = "-R (--cm): " } };
	rc = check_counts(plan);
	if (!rc)
		rc = allocate(l);
	if (!rc)
		rc = cm_local_open(&l->local, plan_gid_index(plan, side));
	if (rc || side == SIDE_CLIENT)
		return rc;
	return cm_local_listen(&l->local,
			       kind_is_datagram(plan->work.kind.tp) ? RDMA_PS_UDP : RDMA_PS_TCP,
			       (int)l->n);
}

uint32_t cm_links_allowance_ms(const struct plan *plan)
{
	return plan_total_qps(plan) * CONNECT_MS_PER_QP;
}

/* What the first QP that is not connected waits for. */
static int timed_out(const struct cm_links *l)
{
	static const char *const waits[] = {
		[CM_LINK_NONE] = "nothing has come from the peer",
		[CM_LINK_ADDRESS] = "the address is not resolved",
		[CM_LINK_ROUTE] = "the route is not resolved",
		[CM_LINK_ANSWER] = "the peer does not answer",
	};
	const struct cm_link *link = l->links;
	char doing[CM_LINKS_DOING];

	while (link->state >= CM_LINK_UP)
		link++;
	return err_set(-ETIMEDOUT, "time is over %s: %s; %u of %u queue pairs are connected by rdma_cm",
		       cm_links_doing(l, link, doing), waits[link->state], l->up, l->n);
}

int cm_links_connect(struct cm_links *l, const struct cm_wait *wait)
{
	for (;;) {
		struct cm_event event;
		int rc = l->side == SIDE_CLIENT ? cm_links_ask(l, wait) : 0;

		if (rc)
			return rc;
		if (l->up == l->n)
			return 1;
		rc = cm_next(&l->local.cm, &event, wait);
		if (rc == -ETIMEDOUT)
			return timed_out(l);
		if (rc <= 0)
			return rc;
		rc = l->side == SIDE_CLIENT ? cm_links_client_event(l, &event, wait) :
					      take_server_event(l, &event);
		if (rc)
			return rc;
	}
}

int cm_links_check(struct cm_links *l)
{
	struct cm_event event;
	int rc = l->local.cm.channel ? cm_try(&l->local.cm, &event) : 0;

	return rc > 0 ? cm_refuse_event(&event, "event of rdma_cm during the test") : rc;
}

/* TIMEWAIT_EXIT comes later and holds nobody: the QPs are not used again. */
static void await_disconnected(struct cm_links *l, uint32_t waiting)
{
	const struct cm_wait wait = {
		.deadline_ns = clock_ns() + (DISCONNECT_MS + (uint64_t)l->n *
					     DISCONNECT_MS_PER_QP) * MS_NS,
		.fds = { -1, -1 },
	};
	struct cm_event event;

	while (waiting && cm_next(&l->local.cm, &event, &wait) > 0) {
		struct cm_link *link = event.id->context;

		if (event.type == RDMA_CM_EVENT_CONNECT_REQUEST)
			rdma_destroy_id(event.id);
		if (event.type != RDMA_CM_EVENT_DISCONNECTED || link->state != CM_LINK_UP)
			continue;
		link->state = CM_LINK_DOWN;
		waiting--;
	}
	if (waiting)
		log_note("%u of %u connections of rdma_cm were not ended by both sides", waiting,
			 l->n);
}

void cm_links_disconnect(struct cm_links *l)
{
	uint32_t waiting = 0;

	if (!l->local.cm.channel || kind_is_datagram(l->plan->work.kind.tp))
		return;
	for (uint32_t i = 0; i < l->n; i++)
		if (l->links[i].state == CM_LINK_UP && !rdma_disconnect(l->links[i].id))
			waiting++;
	await_disconnected(l, waiting);
}

void cm_links_close(struct cm_links *l)
{
	for (uint32_t i = 0; l->links && i < l->n; i++)
		cm_destroy_id(l->links[i].id);
	cm_local_close(&l->local);
	free(l->links);
	free(l->pairs);
	*l = (struct cm_links){ 0 };
}
