/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What the program asks of a connection; see cm_conn.h. The other half, what the peer sends, is in
 * cm_receive.c.
 */
#include "config.h"
#include "cm/cm_conn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hca.h"
#include "cm/cm_addr.h"
#include "cm/cm_channel.h"
#include "cm/cm_query.h"
#include "cm/cm_receive.h"
#include "cm/cm_resolve.h"
#include "cm/cm_socket.h"
#include "way/way.h"

enum { MAX_BACKLOG = 1024, MAX_RETRY = 7 }; /* max_backlog of ucma.c; 3 bits */

static uint8_t at_most_7(uint8_t n)
{
	return n < MAX_RETRY ? n : MAX_RETRY;
}

int cm_conn_listen(struct cm_id *id, int backlog)
{
	struct sockaddr_storage any = { .ss_family = AF_INET };
	int rc = id->state == CM_IDLE ? cm_resolve_bind(id, &any) : 0;

	if (!rc)
		rc = cm_addr_check(&id->src);
	if (!rc && id->state != CM_ADDR_BOUND)
		rc = -EINVAL;
	/* with REUSEADDR another identifier may have the port until now */
	if (!rc && id->name_fd < 0)
		rc = id->name_fd = cm_socket_bind(id);
	if (rc < 0)
		return rc;
	id->backlog = backlog > 0 && backlog < MAX_BACKLOG ? backlog : MAX_BACKLOG;
	rc = cm_socket_listen(id->name_fd, id->backlog);
	if (!rc)
		rc = cm_id_watch(id, id->name_fd, true);
	if (rc)
		return rc;
	id->state = CM_LISTEN;
	id->started = true;
	return 0;
}

/* Private data that the messages of the kernel have room for. */
static int put_private(struct cm_msg *m, const uint8_t *data, uint8_t len, uint8_t limit)
{
	if (len > limit)
		return -EINVAL;
	memcpy(m->private_data, data, len);
	m->private_data_len = len;
	return 0;
}

/* Nobody listens, or the address has no such device. */
static void refused(struct cm_id *id)
{
	if (cm_id_is_ud(id))
		cm_channel_event(id, CM_EVENT_UNREACHABLE, CM_SIDR_UNSUPPORTED);
	else
		cm_receive_rejected(id, CM_REJ_INVALID_SERVICE_ID, NULL);
	id->link = CM_LINK_DONE;
}

/* 0, also if it must be tried again; or -errno. */
static int try_connect(struct cm_id *id)
{
	const bool cut = way_is_cut(id->at.dev, id->to, clock_now());
	int fd = cut ? -EAGAIN : cm_socket_connect(id), rc;

	if (fd == -EAGAIN) {
		id->link = CM_LINK_CONNECTING;
		cm_channel_wait(id, CM_WAIT_RETRY);
		return 0;
	}
	if (fd < 0 && fd != -ECONNREFUSED)
		return fd;
	if (fd < 0) {
		refused(id);
		return 0;
	}
	id->fd = fd;
	rc = cm_id_watch(id, fd, true);
	if (rc) {
		cm_id_close(id, &id->fd);
		return rc;
	}
	cm_socket_send(fd, id->request);
	id->link = CM_LINK_REQ_SENT;
	cm_channel_wait(id, CM_WAIT_ANSWER);
	return 0;
}

static int make_request(struct cm_id *id, const struct rdma_ucm_connect *cmd)
{
	const struct rdma_ucm_conn_param *p = &cmd->conn_param;
	struct cm_msg *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	free(id->request);
	id->request = m;
	id->own.qpn = p->qp_num;
	id->own.responder_resources = p->responder_resources;
	id->own.initiator_depth = p->initiator_depth;
	id->own.flow_control = p->flow_control;
	id->own.retry_count = at_most_7(p->retry_count);
	id->own.rnr_retry_count = at_most_7(p->rnr_retry_count);
	id->own.srq = p->srq;
	id->own.ece = cmd->ece;
	m->type = CM_MSG_REQ;
	m->side = id->own;
	m->qp_type = id->qp_type;
	m->tos = id->tos;
	m->from = id->at;
	m->src = id->src;
	m->dst = id->dst;
	return put_private(m, p->private_data, p->private_data_len,
			   cm_id_is_ud(id) ? CM_PRIVATE_SIDR_REQ : CM_PRIVATE_REQ);
}

int cm_conn_connect(struct cm_id *id, const struct rdma_ucm_connect *cmd)
{
	int rc;

	if (id->state != CM_ROUTE_RESOLVED || !cmd->conn_param.valid)
		return -EINVAL;
	rc = make_request(id, cmd);
	if (rc)
		return rc;
	id->give_up_ns = clock_now() + hca_settings()->cm_timeout_ns;
	rc = try_connect(id);
	if (rc)
		return rc;
	id->state = CM_CONNECT;
	id->started = true;
	return 0;
}

void cm_conn_expired(struct cm_id *id)
{
	if (id->link != CM_LINK_CONNECTING) {
		cm_receive_expired(id);
		return;
	}
	if (clock_now() < id->give_up_ns && !try_connect(id))
		return;
	cm_channel_event(id, CM_EVENT_UNREACHABLE, -ETIMEDOUT);
	id->link = CM_LINK_DONE;
}

static int send_reply(struct cm_id *id, const struct rdma_ucm_accept *cmd)
{
	const struct rdma_ucm_conn_param *p = &cmd->conn_param;
	struct cm_msg m = { .type = CM_MSG_REP };
	int rc = put_private(&m, p->private_data, p->private_data_len, CM_PRIVATE_REP);

	if (rc)
		return rc;
	id->own.qpn = p->qp_num;
	id->own.responder_resources = p->responder_resources;
	id->own.initiator_depth = p->initiator_depth;
	m.side = id->own;
	/* these are for the QP of the peer; the own ones came with the request */
	m.side.flow_control = p->flow_control;
	m.side.rnr_retry_count = at_most_7(p->rnr_retry_count);
	m.side.srq = p->srq;
	m.side.ece = cmd->ece;
	rc = cm_query_is_iwarp(id) ? cm_query_connect_qp(id) : 0;
	if (!rc)
		rc = cm_id_watch(id, id->fd, true);
	if (rc)
		return rc;
	cm_socket_send(id->fd, &m);
	id->link = CM_LINK_REP_SENT;
	cm_channel_wait(id, CM_WAIT_ANSWER);
	return 0;
}

/* cma_send_sidr_rep(): after it, this side has no connection. */
static int send_sidr_reply(struct cm_id *id, const struct rdma_ucm_conn_param *p)
{
	struct cm_msg m = { .type = CM_MSG_REP };
	int rc = put_private(&m, p->private_data, p->private_data_len, CM_PRIVATE_SIDR_REP);

	if (rc || (p->qkey && id->qkey && id->qkey != p->qkey))
		return -EINVAL;
	if (p->qkey)
		id->qkey = p->qkey;
	m.side.qpn = id->own.qpn = p->qp_num;
	m.qkey = cm_query_qkey(id);
	cm_socket_send(id->fd, &m);
	cm_id_close(id, &id->fd);
	id->link = CM_LINK_DONE;
	return 0;
}

/* rdma_accept(): the reply of the passive side; without parameters, the active side is ready. */
int cm_conn_accept(struct cm_id *id, const struct rdma_ucm_accept *cmd)
{
	struct cm_msg m = { .type = CM_MSG_RTU };
	bool passive = cmd->conn_param.valid;
	int rc;

	if (id->state != CM_CONNECT ||
	    id->link != (passive ? CM_LINK_REQ_RCVD : CM_LINK_REP_RCVD))
		return -EINVAL;
	if (!passive) {
		cm_socket_send(id->fd, &m);
		id->link = CM_LINK_ESTABLISHED;
		return 0;
	}
	rc = cm_id_is_ud(id) ? send_sidr_reply(id, &cmd->conn_param) : send_reply(id, cmd);
	if (!rc)
		id->uid = cmd->uid;
	return rc;
}

int cm_conn_reject(struct cm_id *id, const struct rdma_ucm_reject *cmd)
{
	uint32_t reason = cmd->reason ? cmd->reason : CM_REJ_CONSUMER_DEFINED;
	struct cm_msg m = { .type = CM_MSG_REJ };

	if (reason != CM_REJ_CONSUMER_DEFINED && reason != CM_REJ_VENDOR_OPTION)
		return -EINVAL;
	m.reason = cm_id_is_ud(id) ? CM_SIDR_REJECT : reason;
	if (put_private(&m, cmd->private_data, cmd->private_data_len,
			cm_id_is_ud(id) ? CM_PRIVATE_SIDR_REP : CM_PRIVATE_REJ))
		return -EINVAL;
	if (id->link < CM_LINK_REQ_SENT || id->link > CM_LINK_REP_RCVD)
		return -EINVAL;
	cm_socket_send(id->fd, &m);
	cm_channel_wait_end(id);
	cm_id_close(id, &id->fd);
	id->link = CM_LINK_DONE;
	return 0;
}

/* rdma_disconnect(): begins the end of the connection, or answers; else it does nothing. */
int cm_conn_disconnect(struct cm_id *id)
{
	struct cm_msg m = { .type = CM_MSG_DREQ };

	if (!id->started)
		return -EINVAL;
	if (id->link == CM_LINK_ESTABLISHED) {
		cm_socket_send(id->fd, &m);
		id->link = CM_LINK_DREQ_SENT;
		cm_channel_wait(id, CM_WAIT_ANSWER);
	} else if (id->link == CM_LINK_DREQ_RCVD) {
		m.type = CM_MSG_DREP;
		cm_socket_send(id->fd, &m);
		cm_receive_timewait(id);
	}
	return 0;
}

/* ib_cm_notify() */
int cm_conn_notify(struct cm_id *id, uint32_t event)
{
	if (!id->started || (event != IBV_EVENT_COMM_EST && event != IBV_EVENT_PATH_MIG))
		return -EINVAL;
	if (event == IBV_EVENT_PATH_MIG)
		return -EINVAL; /* there is no alternate path */
	if (id->link == CM_LINK_ESTABLISHED)
		return -EISCONN;
	if (id->link != CM_LINK_REP_SENT)
		return -EINVAL;
	cm_receive_established(id);
	return 0;
}
