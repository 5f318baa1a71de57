/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The passive side of the connections: listens, finds the QP of each request, accepts or rejects
 * it. Called by cm_links_life.c, which waits for the events.
 */
#include "config.h"

#include "cm/cm_links_own.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/err.h"
#include "util/log.h"

int cm_links_listen(struct cm_links *l)
{
	const bool datagram = kind_is_datagram(l->plan->work.kind.tp);
	char address[CM_ADDRESS_TEXT], doing[CM_ADDRESS_TEXT + 32];
	int rc;

	snprintf(doing, sizeof(doing), "listening on %s by rdma_cm",
		 cm_address_text((struct sockaddr *)&l->own, address, sizeof(address)));
	errno = 0;
	if (rdma_create_id(l->cm.channel, &l->listener, NULL,
			   datagram ? RDMA_PS_UDP : RDMA_PS_TCP)) {
		l->listener = NULL;
		return cm_call_failed("rdma_create_id", doing);
	}
	if (rdma_bind_addr(l->listener, (struct sockaddr *)&l->own))
		return cm_call_failed("rdma_bind_addr", doing);
	rc = cm_links_check_device(l, l->listener);
	if (rc)
		return rc;
	if (rdma_listen(l->listener, (int)l->n))
		return cm_call_failed("rdma_listen", doing);
	return 0;
}

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
	if (((uint64_t)ntohl(r.token_high) << 32 | ntohl(r.token_low)) != l->token)
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

/* A stranger's request is no error of this run: the stranger gets the reason. */
static void reject(struct rdma_cm_id *id, const char *reason)
{
	const size_t len = strlen(reason);

	log_note("rdma_cm: a connection request is rejected: %s", reason);
	if (rdma_reject(id, reason, (uint8_t)(len < CM_LINKS_REASON ? len : CM_LINKS_REASON)))
		log_note("rdma_cm: rdma_reject failed: %s", strerror(errno));
	if (rdma_destroy_id(id))
		log_note("rdma_cm: cannot destroy an id: %s", strerror(errno));
}

static bool kernel_moves(const struct cm_links *l)
{
	return l->dev->limits.transport_type == LIMITS_IWARP;
}

static int take_request(struct cm_links *l, const struct cm_event *event)
{
	const bool datagram = kind_is_datagram(l->plan->work.kind.tp);
	struct rdma_conn_param param;
	char doing[CM_LINKS_DOING];
	const char *reason;
	struct cm_link *link = find_link(l, event, &reason);
	int rc;

	if (!link) {
		reject(event->id, reason);
		return 0;
	}
	link->id = event->id;
	link->id->context = link;
	rc = cm_links_check_device(l, link->id);
	if (!rc && !datagram && !kernel_moves(l))
		rc = cm_links_move(l, link);
	if (rc)
		return rc;
	param = cm_links_param(l, link);
	errno = 0;
	if (rdma_accept(link->id, &param))
		return cm_call_failed("rdma_accept", cm_links_doing(l, link, doing));
	link->state = CM_LINK_ANSWER;
	/* a datagram service is answered, not connected */
	if (datagram)
		cm_links_is_up(l, link);
	return 0;
}

int cm_links_server_event(struct cm_links *l, const struct cm_event *event)
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
