/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The commands; see cm_handlers.h. */
#include "config.h"
#include "cm/cm_handlers.h"

#include <errno.h>
#include <string.h>

#include "base/hca.h"
#include "cm/cm_addr.h"
#include "cm/cm_channel.h"
#include "cm/cm_conn.h"
#include "cm/cm_group.h"
#include "cm/cm_query.h"
#include "cm/cm_receive.h"
#include "cm/cm_resolve.h"
#include "cm/cm_table.h"

int cm_handlers_reply(const struct cm_request *r, uint64_t to, const void *from, size_t size)
{
	memcpy((void *)(uintptr_t)to, from, r->out < size ? r->out : size);
	return 0;
}

/* Copies an address of a command, which need not fill it. */
static struct sockaddr_storage address(const void *from, size_t size)
{
	struct sockaddr_storage addr = { .ss_family = AF_UNSPEC };

	memcpy(&addr, from, size < sizeof(addr) ? size : sizeof(addr));
	return addr;
}

static bool wrong_size(const struct sockaddr_storage *addr, size_t size)
{
	return !size || (cm_addr_size(addr) && size != cm_addr_size(addr));
}

static int create_id(struct cm_request *r)
{
	const struct rdma_ucm_create_id *c = &r->c.create_id;
	uint8_t type = c->ps == RDMA_PS_TCP ? IBV_QPT_RC :
		       c->ps == RDMA_PS_IB  ? c->qp_type :
					      IBV_QPT_UD;
	struct rdma_ucm_create_id_resp resp;
	struct cm_id *id;

	if (c->ps != RDMA_PS_TCP && c->ps != RDMA_PS_UDP && c->ps != RDMA_PS_IPOIB &&
	    c->ps != RDMA_PS_IB)
		return -EINVAL;
	id = cm_id_create(r->ch, c->ps, type);
	if (!id)
		return -ENOMEM;
	id->uid = c->uid;
	resp.id = id->handle;
	return cm_handlers_reply(r, c->response, &resp, sizeof(resp));
}

static int destroy_id(struct cm_request *r)
{
	struct rdma_ucm_destroy_id_resp resp = { .events_reported = cm_id_destroy(r->id) };

	return cm_handlers_reply(r, r->c.destroy_id.response, &resp, sizeof(resp));
}

static int bind_ip(struct cm_request *r)
{
	struct sockaddr_storage addr = address(&r->c.bind_ip.addr, sizeof(r->c.bind_ip.addr));

	return cm_addr_size(&addr) ? cm_resolve_bind(r->id, &addr) : -EINVAL;
}

static int bind_any(struct cm_request *r)
{
	struct sockaddr_storage addr = address(&r->c.bind.addr, r->c.bind.addr_size);

	return wrong_size(&addr, r->c.bind.addr_size) ? -EINVAL : cm_resolve_bind(r->id, &addr);
}

static int resolve_ip(struct cm_request *r)
{
	const struct rdma_ucm_resolve_ip *c = &r->c.resolve_ip;
	struct sockaddr_storage src = address(&c->src_addr, sizeof(c->src_addr));
	struct sockaddr_storage dst = address(&c->dst_addr, sizeof(c->dst_addr));

	return cm_addr_size(&dst) ? cm_resolve_addr(r->id, &src, &dst) : -EINVAL;
}

static int resolve_addr(struct cm_request *r)
{
	const struct rdma_ucm_resolve_addr *c = &r->c.resolve_addr;
	struct sockaddr_storage src = address(&c->src_addr, c->src_size);
	struct sockaddr_storage dst = address(&c->dst_addr, c->dst_size);

	if (wrong_size(&dst, c->dst_size) || (c->src_size && wrong_size(&src, c->src_size)))
		return -EINVAL;
	return cm_resolve_addr(r->id, &src, &dst);
}

static int resolve_route(struct cm_request *r)
{
	return cm_resolve_route(r->id);
}

static int query_route(struct cm_request *r)
{
	struct rdma_ucm_query_route_resp resp = { .num_paths = 0 };

	cm_query_route(r->id, &resp);
	return cm_handlers_reply(r, r->c.query.response, &resp, sizeof(resp));
}

static int query(struct cm_request *r)
{
	struct rdma_ucm_query_addr_resp resp = { .node_guid = 0 };
	struct cm_query_paths paths = { .num_paths = 0 };

	switch (r->c.query.option) {
	case RDMA_USER_CM_QUERY_ADDR:
		cm_query_addr(r->id, &resp);
		return cm_handlers_reply(r, r->c.query.response, &resp, sizeof(resp));
	case RDMA_USER_CM_QUERY_GID:
		cm_query_gid(r->id, &resp);
		return cm_handlers_reply(r, r->c.query.response, &resp, sizeof(resp));
	case RDMA_USER_CM_QUERY_PATH:
		cm_query_path(r->id, &paths);
		return cm_handlers_reply(r, r->c.query.response, &paths, sizeof(paths));
	default:
		return -ENOSYS;
	}
}

static int connect_id(struct cm_request *r)
{
	return cm_conn_connect(r->id, &r->c.connect);
}

static int listen_id(struct cm_request *r)
{
	return cm_conn_listen(r->id, (int)r->c.listen.backlog);
}

static int accept_id(struct cm_request *r)
{
	return cm_conn_accept(r->id, &r->c.accept);
}

static int reject_id(struct cm_request *r)
{
	return cm_conn_reject(r->id, &r->c.reject);
}

static int disconnect_id(struct cm_request *r)
{
	return cm_conn_disconnect(r->id);
}

static int init_qp_attr(struct cm_request *r)
{
	const struct rdma_ucm_init_qp_attr *c = &r->c.init_qp_attr;
	struct ib_uverbs_qp_attr resp = { .qp_attr_mask = 0 };
	int rc;

	if (c->qp_state > IBV_QPS_ERR)
		return -EINVAL;
	rc = cm_query_qp_attr(r->id, c->qp_state, &resp);
	return rc ? rc : cm_handlers_reply(r, c->response, &resp, sizeof(resp));
}

static int set_option(struct cm_request *r)
{
	return cm_resolve_option(r->id, &r->c.set_option);
}

static int notify(struct cm_request *r)
{
	return cm_conn_notify(r->id, r->c.notify.event);
}

static int join(struct cm_request *r, const struct rdma_ucm_join_mcast *c)
{
	struct rdma_ucm_create_id_resp resp;
	int rc = cm_group_join(r->id, c, &resp.id);

	return rc ? rc : cm_handlers_reply(r, c->response, &resp, sizeof(resp));
}

static int join_mcast(struct cm_request *r)
{
	return join(r, &r->c.join_mcast);
}

static int join_ip_mcast(struct cm_request *r)
{
	const struct rdma_ucm_join_ip_mcast *c = &r->c.join_ip_mcast;
	struct sockaddr_storage addr = address(&c->addr, sizeof(c->addr));
	struct rdma_ucm_join_mcast full = {
		.response = c->response, .uid = c->uid, .addr_size = cm_addr_size(&addr),
	};

	memcpy(&full.addr, &addr, sizeof(addr));
	return join(r, &full);
}

static int leave_mcast(struct cm_request *r)
{
	struct rdma_ucm_destroy_id_resp resp = { .events_reported = 0 };
	int rc = cm_group_leave(r->ch, r->c.destroy_id.id, &resp.events_reported);

	return rc ? rc : cm_handlers_reply(r, r->c.destroy_id.response, &resp, sizeof(resp));
}

/* With a listener go its connections that the program does not have yet. */
static int move(struct cm_id *id, struct cm_channel *to)
{
	int rc = cm_channel_move(id, to);

	for (uint32_t i = 0; i < hca.cm.n_ids && !rc && id->state == CM_LISTEN; i++)
		if (hca.cm.ids[i] && hca.cm.ids[i]->listener == id)
			rc = cm_channel_move(hca.cm.ids[i], to);
	return rc;
}

/* The command is written to the new channel. */
static int migrate_id(struct cm_request *r)
{
	const struct rdma_ucm_migrate_id *c = &r->c.migrate_id;
	struct cm_channel *from = cm_table_at((int)c->fd);
	struct rdma_ucm_migrate_resp resp;
	struct cm_id *id;
	int rc;

	if (!from)
		return -EINVAL;
	id = cm_id_find(from, c->id, &rc);
	if (!id)
		return rc;
	resp.events_reported = id->events_reported;
	if (from != r->ch)
		rc = move(id, r->ch);
	cm_channel_arm(from);
	return rc ? rc : cm_handlers_reply(r, c->response, &resp, sizeof(resp));
}

struct cm_handler {
	int (*run)(struct cm_request *r);
	size_t size;    /* of the command */
	size_t id;      /* where the command has the number of its identifier; 0: none */
	bool receives;  /* depends on what the peer has sent */
};

#define FOR_ID(f, type, receives) \
	{ f, sizeof(struct rdma_ucm_##type), offsetof(struct rdma_ucm_##type, id) + 1, receives }

/* GET_EVENT is apart: it waits. GET_OPTION is not implemented, as in the kernel. */
static const struct cm_handler handlers[] = {
	[RDMA_USER_CM_CMD_CREATE_ID] = { create_id, sizeof(struct rdma_ucm_create_id), 0, false },
	[RDMA_USER_CM_CMD_DESTROY_ID] = FOR_ID(destroy_id, destroy_id, false),
	[RDMA_USER_CM_CMD_BIND_IP] = FOR_ID(bind_ip, bind_ip, false),
	[RDMA_USER_CM_CMD_RESOLVE_IP] = FOR_ID(resolve_ip, resolve_ip, false),
	[RDMA_USER_CM_CMD_RESOLVE_ROUTE] = FOR_ID(resolve_route, resolve_route, false),
	[RDMA_USER_CM_CMD_QUERY_ROUTE] = FOR_ID(query_route, query, false),
	[RDMA_USER_CM_CMD_CONNECT] = FOR_ID(connect_id, connect, false),
	[RDMA_USER_CM_CMD_LISTEN] = FOR_ID(listen_id, listen, false),
	[RDMA_USER_CM_CMD_ACCEPT] = FOR_ID(accept_id, accept, true),
	[RDMA_USER_CM_CMD_REJECT] = FOR_ID(reject_id, reject, true),
	[RDMA_USER_CM_CMD_DISCONNECT] = FOR_ID(disconnect_id, disconnect, true),
	[RDMA_USER_CM_CMD_INIT_QP_ATTR] = FOR_ID(init_qp_attr, init_qp_attr, false),
	[RDMA_USER_CM_CMD_SET_OPTION] = FOR_ID(set_option, set_option, false),
	[RDMA_USER_CM_CMD_NOTIFY] = FOR_ID(notify, notify, true),
	[RDMA_USER_CM_CMD_JOIN_IP_MCAST] = FOR_ID(join_ip_mcast, join_ip_mcast, false),
	[RDMA_USER_CM_CMD_LEAVE_MCAST] = {
		leave_mcast, sizeof(struct rdma_ucm_destroy_id), 0, false,
	},
	[RDMA_USER_CM_CMD_MIGRATE_ID] = {
		migrate_id, sizeof(struct rdma_ucm_migrate_id), 0, false,
	},
	[RDMA_USER_CM_CMD_QUERY] = FOR_ID(query, query, false),
	[RDMA_USER_CM_CMD_BIND] = FOR_ID(bind_any, bind, false),
	[RDMA_USER_CM_CMD_RESOLVE_ADDR] = FOR_ID(resolve_addr, resolve_addr, false),
	[RDMA_USER_CM_CMD_JOIN_MCAST] = FOR_ID(join_mcast, join_mcast, false),
};

int cm_handlers_run(struct cm_request *r, const struct cm_handler *h)
{
	uint32_t number;
	int rc;

	if (h->id) {
		memcpy(&number, (const uint8_t *)&r->c + h->id - 1, sizeof(number));
		r->id = cm_id_find(r->ch, number, &rc);
		if (!r->id)
			return rc;
		if (h->receives)
			cm_receive_ready(r->id);
	}
	return h->run(r);
}

int cm_handlers_parse(struct cm_request *r, const void *buf, size_t len,
		      const struct cm_handler **h)
{
	struct rdma_ucm_cmd_hdr hdr;
	size_t size;

	*h = NULL;
	if (len < sizeof(hdr))
		return -EINVAL;
	memcpy(&hdr, buf, sizeof(hdr));
	if (hdr.in + sizeof(hdr) > len || hdr.cmd >= sizeof(handlers) / sizeof(handlers[0]))
		return -EINVAL;
	if (hdr.cmd != RDMA_USER_CM_CMD_GET_EVENT) {
		*h = &handlers[hdr.cmd];
		if (!(*h)->run)
			return -ENOSYS;
	}
	size = *h ? (*h)->size : sizeof(r->c.get_event);
	memset(&r->c, 0, sizeof(r->c));
	memcpy(&r->c, (const uint8_t *)buf + sizeof(hdr), hdr.in < size ? hdr.in : size);
	r->out = hdr.out;
	return 0;
}
