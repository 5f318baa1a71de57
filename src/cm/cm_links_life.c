/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The life of the connections of one side, and what both sides do; see cm_links.h. Ids end after
 * the QPs and before the channel.
 */
#include "config.h"

#include "cm/cm_links_own.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "cm/cm_address.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"

#define MS_NS 1000000ull
#define TOKEN_MASK 0xffffffffffffull
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

int cm_links_check_device(const struct cm_links *l, const struct rdma_cm_id *id)
{
	const struct limits *own = &l->dev->limits;
	const char *device = id->verbs ? ibv_get_device_name(id->verbs->device) : "no device";
	char address[CM_ADDRESS_TEXT];

	if (id->verbs && !strcmp(device, own->device) && id->port_num == own->port)
		return 0;
	return err_set(
		-ENODEV,
		"-R (--cm): rdma_cm finds %s port %u for address %s, the plan has %s port %u: several RDMA devices share this address",
		device, id->port_num,
		cm_address_text((const struct sockaddr *)&l->own, address, sizeof(address)),
		own->device, own->port);
}

/*
 * Each side answers as many reads as the other has in flight. A side may have none, but some
 * devices want at least one.
 */
struct rdma_conn_param cm_links_param(const struct cm_links *l, const struct cm_link *link)
{
	const struct limits *own = &l->dev->limits;
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
	char doing[CM_LINKS_DOING];
	int mask;

	memset(attr, 0, sizeof(*attr));
	attr->qp_state = state;
	errno = 0;
	return rdma_init_qp_attr(link->id, attr, &mask) ?
		       cm_call_failed("rdma_init_qp_attr", cm_links_doing(l, link, doing)) : 0;
}

/* The address leads to a GID, and the IP interface to a P_Key: both must be those of the plan. */
static int check_path(const struct cm_links *l, const struct ibv_qp_attr *init,
		      const struct ibv_qp_attr *rtr)
{
	const struct limits *own = &l->dev->limits;
	const uint32_t gid = plan_gid_index(l->plan, l->side);

	if (init->pkey_index != own->pkey_index)
		return err_set(-ENODEV, "-R (--cm): rdma_cm takes entry %u of the P_Key table of %s, the plan has %u",
			       init->pkey_index, own->device, own->pkey_index);
	if (rtr->ah_attr.is_global && rtr->ah_attr.grh.sgid_index != gid)
		return err_set(-ENODEV, "-R (--cm): rdma_cm takes GID index %u of %s, the plan has %u; --gid-index %u takes that one, too",
			       rtr->ah_attr.grh.sgid_index, own->device, gid,
			       rtr->ah_attr.grh.sgid_index);
	if (!own->ethernet && ep_mtu(l->plan->path.mtu_bytes) > rtr->path_mtu)
		return err_set(-ENODEV, "-R (--cm): the subnet's path has an MTU of %u bytes; --mtu %u",
			       128u << rtr->path_mtu, 128u << rtr->path_mtu);
	return 0;
}

int cm_links_move(struct cm_links *l, struct cm_link *link)
{
	const struct ep_attr_in in = { .plan = l->plan, .local = &l->dev->limits };
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
	to = ep_attr_rtr_cm(&in, &rtr);
	rc = ep_modify(ep, cm_links_qp(l, link), EP_WHOLE, &to);
	if (rc)
		return rc;
	to = ep_attr_rts_cm(&in, &rts);
	return ep_modify(ep, cm_links_qp(l, link), EP_WHOLE, &to);
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
			return err_set(-EINVAL, "-R (--cm): the %s has %u queue pairs per thread and its peer %u; allowed: as many on both sides",
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

	*l = (struct cm_links){ .plan = plan, .dev = dev, .side = side };
	rc = check_counts(plan);
	if (!rc)
		rc = allocate(l);
	if (!rc)
		rc = cm_address_own(&l->own, dev, plan_gid_index(plan, side));
	if (!rc)
		rc = cm_open(&l->cm);
	if (rc || side == SIDE_CLIENT)
		return rc;
	if (getrandom(&l->token, sizeof(l->token), 0) != (ssize_t)sizeof(l->token))
		return err_set(err_code(), "cannot get random bytes: %s", strerror(errno));
	l->token &= TOKEN_MASK;
	return cm_links_listen(l);
}

void cm_links_publish(const struct cm_links *l, struct ep_addr *own)
{
	cm_address_plain(&l->own, own->cm_address, sizeof(own->cm_address));
	own->cm_port = ntohs(rdma_get_src_port(l->listener));
	own->cm_token = l->token;
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
		rc = cm_next(&l->cm, &event, wait);
		if (rc == -ETIMEDOUT)
			return timed_out(l);
		if (rc <= 0)
			return rc;
		rc = l->side == SIDE_CLIENT ? cm_links_client_event(l, &event, wait) :
					      cm_links_server_event(l, &event);
		if (rc)
			return rc;
	}
}

int cm_links_check(struct cm_links *l)
{
	struct cm_event event;
	int rc = l->cm.channel ? cm_try(&l->cm, &event) : 0;

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

	while (waiting && cm_next(&l->cm, &event, &wait) > 0) {
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

	if (!l->cm.channel || kind_is_datagram(l->plan->work.kind.tp))
		return;
	for (uint32_t i = 0; i < l->n; i++)
		if (l->links[i].state == CM_LINK_UP && !rdma_disconnect(l->links[i].id))
			waiting++;
	await_disconnected(l, waiting);
}

static void destroy(struct rdma_cm_id *id)
{
	if (id && rdma_destroy_id(id))
		log_note("cannot destroy an id of rdma_cm: %s", strerror(errno));
}

void cm_links_close(struct cm_links *l)
{
	for (uint32_t i = 0; l->links && i < l->n; i++)
		destroy(l->links[i].id);
	destroy(l->listener);
	cm_close(&l->cm);
	free(l->links);
	free(l->pairs);
	*l = (struct cm_links){ 0 };
}
