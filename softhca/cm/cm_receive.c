/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* What the peer sends; see cm_receive.h. */
#include "config.h"
#include "cm/cm_receive.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cm/cm_addr.h"
#include "cm/cm_channel.h"
#include "cm/cm_query.h"
#include "cm/cm_socket.h"

static void end_link(struct cm_id *id)
{
	cm_channel_wait_end(id);
	cm_id_close(id, &id->fd);
	id->link = CM_LINK_DONE;
}

static void put_private(struct rdma_ucm_conn_param *p, const uint8_t *data, uint8_t len)
{
	p->private_data_len = len;
	if (data)
		memcpy(p->private_data, data, len);
}

void cm_receive_rejected(struct cm_id *id, uint32_t reason, const uint8_t *private_data)
{
	struct rdma_ucm_event_resp *e = cm_channel_event(id, CM_EVENT_REJECTED, (int)reason);

	if (e)
		put_private(&e->param.conn, private_data, CM_PRIVATE_REJ);
}

void cm_receive_established(struct cm_id *id)
{
	cm_channel_wait_end(id);
	id->link = CM_LINK_ESTABLISHED;
	cm_channel_event(id, CM_EVENT_ESTABLISHED, 0);
}

void cm_receive_timewait(struct cm_id *id)
{
	cm_id_close(id, &id->fd);
	id->link = CM_LINK_TIMEWAIT;
	cm_channel_wait(id, CM_WAIT_TIMEWAIT);
}

static void disconnected(struct cm_id *id, int status)
{
	if (id->state != CM_CONNECT)
		return;
	id->state = CM_DISCONNECT;
	cm_channel_event(id, CM_EVENT_DISCONNECTED, status);
}

static void fill_conn(struct rdma_ucm_event_resp *e, const struct cm_side *own,
		      const struct cm_side *peer)
{
	struct rdma_ucm_conn_param *p = &e->param.conn;

	/* each side sees the values from its own side */
	p->responder_resources = own->responder_resources;
	p->initiator_depth = own->initiator_depth;
	p->flow_control = peer->flow_control;
	p->rnr_retry_count = peer->rnr_retry_count;
	p->srq = peer->srq;
	p->qp_num = peer->qpn;
	e->ece = peer->ece;
}

/* What the peer answers for is what this side may begin, and the other way round. */
static void take_depths(struct cm_id *id)
{
	id->own.initiator_depth = id->peer.responder_resources;
	id->own.responder_resources = id->peer.initiator_depth;
	id->own.rnr_retry_count = id->peer.rnr_retry_count;
}

/* The request of a new identifier: it gets its addresses, and the listener the event. */
static void got_request(struct cm_id *id, const struct cm_msg *m)
{
	struct rdma_ucm_event_resp *e;

	if (id->link != CM_LINK_ACCEPTED)
		return;
	id->src = m->dst;
	id->dst = m->src;
	id->tos = m->tos;
	id->peer = m->side;
	take_depths(id);
	id->own.retry_count = m->side.retry_count;
	id->to = m->from;
	id->has_dev = !cm_addr_own(&id->src, &id->at);
	id->has_dst = true;
	id->has_route = !cm_id_is_ud(id);
	if (m->qp_type != id->qp_type || !id->has_dev) {
		struct cm_msg no = { .type = CM_MSG_REJ, .reason = CM_REJ_INVALID_SERVICE_ID };

		if (cm_id_is_ud(id))
			no.reason = CM_SIDR_UNSUPPORTED;
		cm_socket_send(id->fd, &no);
		end_link(id);
		return;
	}
	id->link = CM_LINK_REQ_RCVD;
	e = cm_channel_request(id);
	if (!e) {
		end_link(id);
		return;
	}
	id->requested = true;
	cm_id_quiet(id);
	if (cm_id_is_ud(id)) {
		e->param.ud.private_data_len = CM_PRIVATE_SIDR_REQ;
		memcpy(e->param.ud.private_data, m->private_data, CM_PRIVATE_SIDR_REQ);
		return;
	}
	fill_conn(e, &id->own, &id->peer);
	e->param.conn.retry_count = m->side.retry_count;
	put_private(&e->param.conn, m->private_data, CM_PRIVATE_REQ);
}

/* cma_sidr_rep_handler() */
static void got_sidr_reply(struct cm_id *id, const struct cm_msg *m)
{
	enum cm_event_type type = CM_EVENT_ESTABLISHED;
	int status = 0;
	struct rdma_ucm_event_resp *e;
	union ibv_gid dgid;

	if (m->type == CM_MSG_REJ) {
		type = CM_EVENT_UNREACHABLE;
		status = (int)m->reason;
	} else if (id->qkey && m->qkey != id->qkey) {
		type = CM_EVENT_ADDR_ERROR;
		status = -EINVAL;
	}
	e = cm_channel_event(id, type, status);
	if (e) {
		e->param.ud.private_data_len = CM_PRIVATE_SIDR_REP;
		memcpy(e->param.ud.private_data, m->private_data, CM_PRIVATE_SIDR_REP);
	}
	if (e && !status) {
		id->qkey = m->qkey;
		e->param.ud.qp_num = m->side.qpn;
		e->param.ud.qkey = m->qkey;
		dgid = cm_query_dgid(id);
		cm_query_ah(id, &dgid, &e->param.ud.ah_attr);
	}
	end_link(id);
}

/*
 * iWARP: the driver makes the QP ready, and the program has nothing to answer (cma_iw_handler()).
 */
static enum cm_event_type reply_event(struct cm_id *id)
{
	struct cm_msg rtu = { .type = CM_MSG_RTU };

	if (!cm_query_is_iwarp(id))
		return CM_EVENT_CONNECT_RESPONSE;
	if (cm_query_connect_qp(id))
		return CM_EVENT_CONNECT_ERROR;
	cm_socket_send(id->fd, &rtu);
	id->link = CM_LINK_ESTABLISHED;
	return CM_EVENT_ESTABLISHED;
}

static void got_reply(struct cm_id *id, const struct cm_msg *m)
{
	struct rdma_ucm_event_resp *e;

	if (id->link != CM_LINK_REQ_SENT)
		return;
	if (cm_id_is_ud(id)) {
		got_sidr_reply(id, m);
		return;
	}
	cm_channel_wait_end(id);
	id->link = CM_LINK_REP_RCVD;
	id->peer = m->side;
	take_depths(id);
	e = cm_channel_event(id, reply_event(id), 0);
	if (!e)
		return;
	fill_conn(e, &id->own, &id->peer);
	put_private(&e->param.conn, m->private_data, CM_PRIVATE_REP);
}

static void got_reject(struct cm_id *id, const struct cm_msg *m)
{
	if (cm_id_is_ud(id)) {
		if (id->link == CM_LINK_REQ_SENT)
			got_sidr_reply(id, m);
		return;
	}
	if (id->link >= CM_LINK_REQ_SENT && id->link <= CM_LINK_REP_RCVD)
		cm_receive_rejected(id, m->reason, m->private_data);
	end_link(id);
}

/* Both sides may begin at the same time; then nobody answers. */
static void got_dreq(struct cm_id *id)
{
	/* the peer sends no request to end before it is ready: the RTU was not needed */
	if (id->link != CM_LINK_ESTABLISHED && id->link != CM_LINK_DREQ_SENT)
		return;
	cm_channel_wait_end(id);
	cm_id_quiet(id);
	id->link = CM_LINK_DREQ_RCVD;
	disconnected(id, 0);
}

static void got_message(struct cm_id *id, const struct cm_msg *m)
{
	switch (m->type) {
	case CM_MSG_REQ:
		got_request(id, m);
		break;
	case CM_MSG_REP:
		got_reply(id, m);
		break;
	case CM_MSG_RTU:
		if (id->link == CM_LINK_REP_SENT)
			cm_receive_established(id);
		break;
	case CM_MSG_REJ:
		got_reject(id, m);
		break;
	case CM_MSG_DREQ:
		got_dreq(id);
		break;
	case CM_MSG_DREP:
		if (id->link == CM_LINK_DREQ_SENT) {
			disconnected(id, 0);
			cm_receive_timewait(id);
		}
		break;
	}
}

/* The peer has closed the connection: it destroyed its identifier, or was killed. */
static void got_end(struct cm_id *id)
{
	struct cm_msg reject = { .type = CM_MSG_REJ, .reason = CM_REJ_CONSUMER_DEFINED };

	switch (id->link) {
	case CM_LINK_REQ_SENT:
	case CM_LINK_REQ_RCVD:
	case CM_LINK_REP_SENT:
	case CM_LINK_REP_RCVD:
		if (cm_id_is_ud(id))
			reject.reason = CM_SIDR_REJECT;
		got_reject(id, &reject);
		break;
	case CM_LINK_ESTABLISHED:
		got_dreq(id);
		break;
	case CM_LINK_DREQ_SENT:
		disconnected(id, 0);
		cm_receive_timewait(id);
		break;
	case CM_LINK_ACCEPTED:
		end_link(id);
		break;
	default:
		break;
	}
	cm_id_close(id, &id->fd);
}

static void take_connection(struct cm_id *listener)
{
	int fd = cm_socket_accept(listener->name_fd);
	struct cm_id *id;

	if (fd < 0)
		return;
	id = cm_id_create(listener->ch, listener->ps, listener->qp_type);
	if (!id || cm_id_watch(id, fd, true)) {
		close(fd);
		if (id)
			cm_id_destroy(id);
		return;
	}
	id->fd = fd;
	id->listener = listener;
	id->state = CM_CONNECT;
	id->link = CM_LINK_ACCEPTED;
	id->started = true;
	/* the others wait in the queue of the socket */
	if (!--listener->backlog)
		cm_id_watch(listener, listener->name_fd, false);
	cm_receive_ready(id);
}

void cm_receive_more(struct cm_id *listener)
{
	if (!listener->backlog++)
		cm_id_watch(listener, listener->name_fd, true);
}

void cm_receive_ready(struct cm_id *id)
{
	struct cm_msg m;
	int rc = 1;

	if (id->state == CM_LISTEN) {
		take_connection(id);
		return;
	}
	while (id->fd >= 0 && rc > 0) {
		rc = cm_socket_receive(id->fd, &m);
		if (rc > 0)
			got_message(id, &m);
		else if (!rc)
			got_end(id);
	}
	/* a connection that ended before its request came */
	if (id->link == CM_LINK_DONE && id->listener && !id->requested) {
		cm_receive_more(id->listener);
		cm_id_destroy(id);
	}
}

void cm_receive_expired(struct cm_id *id)
{
	switch (id->link) {
	case CM_LINK_REQ_SENT:
	case CM_LINK_REP_SENT:
		cm_channel_event(id, CM_EVENT_UNREACHABLE, -ETIMEDOUT);
		end_link(id);
		break;
	case CM_LINK_DREQ_SENT:
		disconnected(id, -ETIMEDOUT);
		cm_receive_timewait(id);
		break;
	case CM_LINK_TIMEWAIT:
		id->link = CM_LINK_DONE;
		/* iWARP has no such state (cma_iw_handler()) */
		if (!cm_query_is_iwarp(id))
			cm_channel_event(id, CM_EVENT_TIMEWAIT_EXIT, 0);
		break;
	default:
		break;
	}
}
