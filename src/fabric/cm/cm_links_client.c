/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The active side of the connections: address, route, request, answer. cm_links_life.c
 * waits for the events.
 */
#include "config.h"

#include "cm/cm_links.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "cm/cm_address.h"
#include "util/err.h"
#include "verbs/verbs_error.h"

/*
 * Requests under way: enough to hide the peer's time, few enough for the management queues of the
 * devices, whose losses cost a time-out of seconds.
 */
#define WINDOW 32u

#define PORTS_MAX 8u /* of this host: so many times another one is taken */

/* ---- start */

static int set_options(const struct cm_links *l, const struct cm_link *link)
{
	struct rdma_cm_id *const id = link->id;
	uint8_t tos = (uint8_t)l->plan->path.tclass, timeout = (uint8_t)l->plan->path.qp_timeout;

	errno = 0;
	if (l->local.dev->limits.ethernet &&
	    rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &tos, sizeof(tos)))
		return cm_links_failed(l, link, "rdma_set_option(TOS)");
	if (kind_is_datagram(l->plan->work.kind.tp) ||
	    l->local.dev->limits.transport_type == LIMITS_IWARP)
		return 0;
	/* for the peer's estimate in the request only: this side sets the timeout itself */
	if (rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &timeout,
			    sizeof(timeout)) &&
	    errno != ENOSYS)
		return cm_links_failed(l, link, "rdma_set_option(ACK_TIMEOUT)");
	return 0;
}

static int start(struct cm_links *l, struct cm_link *link, const struct cm_wait *wait)
{
	const bool datagram = kind_is_datagram(l->plan->work.kind.tp);
	int rc;

	errno = 0;
	if (rdma_create_id(l->local.cm.channel, &link->id, link,
			   datagram ? RDMA_PS_UDP : RDMA_PS_TCP)) {
		link->id = NULL;
		return cm_links_failed(l, link, "rdma_create_id");
	}
	rc = set_options(l, link);
	if (rc)
		return rc;
	link->state = CM_LINK_ADDRESS;
	errno = 0;
	return rdma_resolve_addr(link->id, (struct sockaddr *)&l->local.own,
				 (struct sockaddr *)&l->to, cm_left_ms(wait)) ?
		       cm_links_failed(l, link, "rdma_resolve_addr") : 0;
}

/* The server has sent the same address for all threads. */
static int find_server(struct cm_links *l)
{
	const struct ep_addr *peer = l->pairs[0].peer;

	l->local.token = peer->cm_token;
	return cm_address_peer(&l->to, peer->cm_address, peer->cm_port,
			       &l->local.own);
}

int cm_links_ask(struct cm_links *l, const struct cm_wait *wait)
{
	int rc = l->started ? 0 : find_server(l);

	while (!rc && l->started < l->n && l->started - l->up < WINDOW)
		rc = start(l, &l->links[l->started++], wait);
	return rc;
}

/* ---- events */

static int resolve_route(struct cm_links *l, struct cm_link *link, const struct cm_wait *wait)
{
	const int rc = cm_local_check(&l->local, link->id);

	if (rc)
		return rc;
	link->state = CM_LINK_ROUTE;
	errno = 0;
	return rdma_resolve_route(link->id, cm_left_ms(wait)) ?
		       cm_links_failed(l, link, "rdma_resolve_route") : 0;
}

/*
 * Over iWARP the kernel binds a socket of TCP to the port that rdma_cm has chosen from its own
 * numbers (siw_connect()): a connection of TCP may have it. A new id has another port.
 */
static int take_other_port(struct cm_links *l, struct cm_link *link, const struct cm_wait *wait)
{
	if (errno != EADDRINUSE || link->ports++ == PORTS_MAX)
		return cm_links_failed(l, link, "rdma_connect");
	rdma_destroy_id(link->id);
	link->id = NULL;
	return start(l, link, wait);
}

static int request(struct cm_links *l, struct cm_link *link, const struct cm_wait *wait)
{
	const struct cm_links_request request = {
		.magic = htonl(CM_LINKS_MAGIC),
		.thread = htonl(link->index / l->plan->work.qps),
		.qp = htonl(cm_links_qp(l, link)),
		.token_high = htonl((uint32_t)(l->local.token >> 32)),
		.token_low = htonl((uint32_t)l->local.token),
	};
	struct rdma_conn_param param = cm_links_param(l, link);

	param.private_data = &request;
	param.private_data_len = sizeof(request);
	link->state = CM_LINK_ANSWER;
	errno = 0;
	return rdma_connect(link->id, &param) ? take_other_port(l, link, wait) : 0;
}

/* RC over IB and RoCE: this side moves its QP, then tells the peer. */
static int answered(struct cm_links *l, struct cm_link *link)
{
	const int rc = cm_links_move(l, link);

	if (rc)
		return rc;
	errno = 0;
	if (rdma_establish(link->id))
		return cm_links_failed(l, link, "rdma_establish");
	cm_links_is_up(l, link);
	return 0;
}

/* UD: what rdma_cm has found replaces what the peer's message says. One AH per thread. */
static int looked_up(struct cm_links *l, struct cm_link *link, const struct rdma_ud_param *ud)
{
	struct cm_pair *pair = &l->pairs[link->index / l->plan->work.qps];
	const struct limits *own = &l->local.dev->limits;
	struct ibv_ah_attr path = ud->ah_attr;
	const uint32_t gid = plan_gid_index(l->plan, l->side);

	if (path.is_global && path.grh.sgid_index != gid)
		return err_option(-ENODEV, "-R (--cm)",
				  ": rdma_cm takes GID index %u of %s, the plan has %u; --gid-index %u takes that one, too",
				  path.grh.sgid_index, own->device, gid, path.grh.sgid_index);
	pair->peer->qps[cm_links_qp(l, link)].qpn = ud->qp_num;
	pair->peer->qkey = ud->qkey;
	cm_links_is_up(l, link);
	errno = 0;
	if (!pair->ep->ah)
		pair->ep->ah = ibv_create_ah(pair->ep->domain.pd, &path);
	return pair->ep->ah ? 0 : verbs_failed(err_code(), "cannot create AH on %s from the address that rdma_cm has found",
					       own->device);
}

static int established(struct cm_links *l, struct cm_link *link, const struct cm_event *event)
{
	if (kind_is_datagram(l->plan->work.kind.tp))
		return looked_up(l, link, &event->param.ud);
	cm_links_is_up(l, link);
	return 0;
}

int cm_links_client_event(struct cm_links *l, const struct cm_event *event,
			  const struct cm_wait *wait)
{
	struct cm_link *link = event->id->context;
	char doing[CM_LINKS_DOING];

	if (!event->status && link->state == CM_LINK_ADDRESS &&
	    event->type == RDMA_CM_EVENT_ADDR_RESOLVED)
		return resolve_route(l, link, wait);
	if (!event->status && link->state == CM_LINK_ROUTE &&
	    event->type == RDMA_CM_EVENT_ROUTE_RESOLVED)
		return request(l, link, wait);
	if (!event->status && link->state == CM_LINK_ANSWER &&
	    event->type == RDMA_CM_EVENT_CONNECT_RESPONSE)
		return answered(l, link);
	if (!event->status && link->state == CM_LINK_ANSWER &&
	    event->type == RDMA_CM_EVENT_ESTABLISHED)
		return established(l, link, event);
	return cm_refuse_event(event, cm_links_doing(l, link, doing));
}
