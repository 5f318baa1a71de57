/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Channels as descriptors of the program, and the commands that it writes; see cm_command.h. */
#include "config.h"
#include "cm/cm_command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/fabric.h"
#include "cm/cm_addr.h"
#include "cm/cm_channel.h"
#include "cm/cm_conn.h"
#include "cm/cm_group.h"
#include "cm/cm_query.h"
#include "cm/cm_receive.h"
#include "cm/cm_resolve.h"

enum { READY = 16 }; /* descriptors of one call of epoll_wait() */

union command {
	struct rdma_ucm_create_id create_id;
	struct rdma_ucm_destroy_id destroy_id;
	struct rdma_ucm_bind_ip bind_ip;
	struct rdma_ucm_bind bind;
	struct rdma_ucm_resolve_ip resolve_ip;
	struct rdma_ucm_resolve_addr resolve_addr;
	struct rdma_ucm_resolve_route resolve_route;
	struct rdma_ucm_query query;
	struct rdma_ucm_connect connect;
	struct rdma_ucm_listen listen;
	struct rdma_ucm_accept accept;
	struct rdma_ucm_reject reject;
	struct rdma_ucm_disconnect disconnect;
	struct rdma_ucm_init_qp_attr init_qp_attr;
	struct rdma_ucm_get_event get_event;
	struct rdma_ucm_set_option set_option;
	struct rdma_ucm_notify notify;
	struct rdma_ucm_join_ip_mcast join_ip_mcast;
	struct rdma_ucm_join_mcast join_mcast;
	struct rdma_ucm_migrate_id migrate_id;
};

/* A command; out: bytes that the program has for the response. */
struct request {
	struct cm_channel *ch;
	struct cm_id *id; /* of commands for one */
	union command c;
	uint16_t out;
};

static struct cm_channel *channel_at(int fd)
{
	return cm_command_owns(fd) ? atomic_load(&hca.cm.channels[fd]) : NULL;
}

static int reply(const struct request *r, uint64_t to, const void *from, size_t size)
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

static int create_id(struct request *r)
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
	return reply(r, c->response, &resp, sizeof(resp));
}

static int destroy_id(struct request *r)
{
	struct rdma_ucm_destroy_id_resp resp = { .events_reported = cm_id_destroy(r->id) };

	return reply(r, r->c.destroy_id.response, &resp, sizeof(resp));
}

static int bind_ip(struct request *r)
{
	struct sockaddr_storage addr = address(&r->c.bind_ip.addr, sizeof(r->c.bind_ip.addr));

	return cm_addr_size(&addr) ? cm_resolve_bind(r->id, &addr) : -EINVAL;
}

static int bind_any(struct request *r)
{
	struct sockaddr_storage addr = address(&r->c.bind.addr, r->c.bind.addr_size);

	return wrong_size(&addr, r->c.bind.addr_size) ? -EINVAL : cm_resolve_bind(r->id, &addr);
}

static int resolve_ip(struct request *r)
{
	const struct rdma_ucm_resolve_ip *c = &r->c.resolve_ip;
	struct sockaddr_storage src = address(&c->src_addr, sizeof(c->src_addr));
	struct sockaddr_storage dst = address(&c->dst_addr, sizeof(c->dst_addr));

	return cm_addr_size(&dst) ? cm_resolve_addr(r->id, &src, &dst) : -EINVAL;
}

static int resolve_addr(struct request *r)
{
	const struct rdma_ucm_resolve_addr *c = &r->c.resolve_addr;
	struct sockaddr_storage src = address(&c->src_addr, c->src_size);
	struct sockaddr_storage dst = address(&c->dst_addr, c->dst_size);

	if (wrong_size(&dst, c->dst_size) || (c->src_size && wrong_size(&src, c->src_size)))
		return -EINVAL;
	return cm_resolve_addr(r->id, &src, &dst);
}

static int resolve_route(struct request *r)
{
	return cm_resolve_route(r->id);
}

static int query_route(struct request *r)
{
	struct rdma_ucm_query_route_resp resp = { .num_paths = 0 };

	cm_query_route(r->id, &resp);
	return reply(r, r->c.query.response, &resp, sizeof(resp));
}

static int query(struct request *r)
{
	struct rdma_ucm_query_addr_resp resp = { .node_guid = 0 };
	struct cm_query_paths paths = { .num_paths = 0 };

	switch (r->c.query.option) {
	case RDMA_USER_CM_QUERY_ADDR:
		cm_query_addr(r->id, &resp);
		return reply(r, r->c.query.response, &resp, sizeof(resp));
	case RDMA_USER_CM_QUERY_GID:
		cm_query_gid(r->id, &resp);
		return reply(r, r->c.query.response, &resp, sizeof(resp));
	case RDMA_USER_CM_QUERY_PATH:
		cm_query_path(r->id, &paths);
		return reply(r, r->c.query.response, &paths, sizeof(paths));
	default:
		return -ENOSYS;
	}
}

static int connect_id(struct request *r)
{
	return cm_conn_connect(r->id, &r->c.connect);
}

static int listen_id(struct request *r)
{
	return cm_conn_listen(r->id, (int)r->c.listen.backlog);
}

static int accept_id(struct request *r)
{
	return cm_conn_accept(r->id, &r->c.accept);
}

static int reject_id(struct request *r)
{
	return cm_conn_reject(r->id, &r->c.reject);
}

static int disconnect_id(struct request *r)
{
	return cm_conn_disconnect(r->id);
}

static int init_qp_attr(struct request *r)
{
	const struct rdma_ucm_init_qp_attr *c = &r->c.init_qp_attr;
	struct ib_uverbs_qp_attr resp = { .qp_attr_mask = 0 };
	int rc;

	if (c->qp_state > IBV_QPS_ERR)
		return -EINVAL;
	rc = cm_query_qp_attr(r->id, c->qp_state, &resp);
	return rc ? rc : reply(r, c->response, &resp, sizeof(resp));
}

static int set_option(struct request *r)
{
	return cm_resolve_option(r->id, &r->c.set_option);
}

static int notify(struct request *r)
{
	return cm_conn_notify(r->id, r->c.notify.event);
}

static int join(struct request *r, const struct rdma_ucm_join_mcast *c)
{
	struct rdma_ucm_create_id_resp resp;
	int rc = cm_group_join(r->id, c, &resp.id);

	return rc ? rc : reply(r, c->response, &resp, sizeof(resp));
}

static int join_mcast(struct request *r)
{
	return join(r, &r->c.join_mcast);
}

static int join_ip_mcast(struct request *r)
{
	const struct rdma_ucm_join_ip_mcast *c = &r->c.join_ip_mcast;
	struct sockaddr_storage addr = address(&c->addr, sizeof(c->addr));
	struct rdma_ucm_join_mcast full = {
		.response = c->response, .uid = c->uid, .addr_size = cm_addr_size(&addr),
	};

	memcpy(&full.addr, &addr, sizeof(addr));
	return join(r, &full);
}

static int leave_mcast(struct request *r)
{
	struct rdma_ucm_destroy_id_resp resp = { .events_reported = 0 };
	int rc = cm_group_leave(r->ch, r->c.destroy_id.id, &resp.events_reported);

	return rc ? rc : reply(r, r->c.destroy_id.response, &resp, sizeof(resp));
}

/* The command is written to the new channel. */
static int migrate_id(struct request *r)
{
	const struct rdma_ucm_migrate_id *c = &r->c.migrate_id;
	struct cm_channel *from = channel_at((int)c->fd);
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
		rc = cm_channel_move(id, r->ch);
	cm_channel_arm(from);
	return rc ? rc : reply(r, c->response, &resp, sizeof(resp));
}

struct handler {
	int (*run)(struct request *r);
	size_t size;    /* of the command */
	size_t id;      /* where the command has the number of its identifier; 0: none */
	bool receives;  /* depends on what the peer has sent */
};

#define FOR_ID(f, type, receives) \
	{ f, sizeof(struct rdma_ucm_##type), offsetof(struct rdma_ucm_##type, id) + 1, receives }

/* GET_EVENT is apart: it waits. GET_OPTION is not implemented, as in the kernel. */
static const struct handler handlers[] = {
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

static int run(struct request *r, const struct handler *h)
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

/* The program has the event: its objects count it, as the program will acknowledge it. */
static void report(struct request *r, struct cm_event *e)
{
	e->id->events_reported++;
	if (e->group)
		e->group->events_reported++;
	if (e->request) {
		e->request->listener = NULL;
		cm_receive_more(e->id);
	}
	reply(r, r->c.get_event.response, &e->resp, sizeof(e->resp));
	free(e);
}

/* The identifier of an event of epoll; NULL: destroyed meanwhile, or in another channel. */
static struct cm_id *ready_id(const struct cm_channel *ch, uint64_t data)
{
	uint32_t handle = (uint32_t)data;
	struct cm_id *id = handle < hca.cm.n_ids ? hca.cm.ids[handle] : NULL;

	return id && id->ch == ch && id->serial == data >> 32 ? id : NULL;
}

static void take_ready(struct cm_channel *ch, const struct epoll_event *ready, int n)
{
	struct cm_id *id;

	for (int i = 0; i < n; i++) {
		id = ready_id(ch, ready[i].data.u64);
		if (id)
			cm_receive_ready(id);
	}
	while ((id = cm_channel_expired(ch)))
		cm_conn_expired(id);
	cm_channel_arm(ch);
}

/* Waits without the lock, as epoll_wait(2) is a cancellation point. */
static int get_event(struct request *r, int fd)
{
	struct epoll_event ready[READY];
	struct cm_event *e;
	int n, wait_ms;

	for (;;) {
		pthread_mutex_lock(&hca.cm.lock);
		if (channel_at(fd) != r->ch) {
			pthread_mutex_unlock(&hca.cm.lock);
			return -EBADF;
		}
		e = cm_channel_next(r->ch);
		if (e)
			report(r, e);
		cm_channel_arm(r->ch);
		pthread_mutex_unlock(&hca.cm.lock);
		if (e)
			return 0;
		wait_ms = fcntl(fd, F_GETFL) & O_NONBLOCK ? 0 : -1;
		n = epoll_wait(fd, ready, READY, wait_ms);
		if (n <= 0)
			return n ? -errno : -EAGAIN;
		pthread_mutex_lock(&hca.cm.lock);
		if (channel_at(fd) == r->ch)
			take_ready(r->ch, ready, n);
		pthread_mutex_unlock(&hca.cm.lock);
	}
}

/* Fills r from the bytes of the program; returns what runs the command, or NULL for GET_EVENT. */
static int parse(struct request *r, const void *buf, size_t len, const struct handler **h)
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

ssize_t cm_command_run(int fd, const void *buf, size_t len)
{
	const struct handler *h;
	struct request r;
	int rc = parse(&r, buf, len, &h);

	if (rc)
		return rc;
	pthread_mutex_lock(&hca.cm.lock);
	r.ch = channel_at(fd);
	if (r.ch && h) {
		rc = run(&r, h);
		cm_channel_arm(r.ch);
	}
	pthread_mutex_unlock(&hca.cm.lock);
	if (!r.ch)
		return -EBADF;
	if (!h)
		rc = get_event(&r, fd);
	return rc ? rc : (ssize_t)len;
}

/* In the child of a fork(): the sockets are those of the parent. */
static void forget(void)
{
	for (uint32_t i = 0; i < hca.cm.n_ids; i++) {
		struct cm_id *id = hca.cm.ids[i];

		if (id && id->fd >= 0)
			close(id->fd);
		if (id && id->name_fd >= 0)
			close(id->name_fd);
	}
	for (int fd = 0; hca.cm.channels && fd < CM_DESCRIPTORS; fd++)
		if (hca.cm.channels[fd])
			close(atomic_load(&hca.cm.channels[fd])->timer_fd);
}

static int start(void)
{
	_Atomic(struct cm_channel *) *channels;

	if (hca.cm.channels)
		return 0;
	channels = calloc(CM_DESCRIPTORS, sizeof(*channels));
	if (!channels)
		return -ENOMEM;
	hca.cm.forget = forget;
	atomic_store_explicit(&hca.cm.channels, channels, memory_order_release);
	return 0;
}

int cm_command_open(void)
{
	struct cm_channel *ch;
	int rc;

	fabric_watch_fork();
	pthread_mutex_lock(&hca.cm.lock);
	rc = start();
	if (!rc)
		rc = cm_channel_open(&ch);
	if (!rc && ch->fd >= CM_DESCRIPTORS) {
		close(ch->fd);
		cm_channel_close(ch);
		rc = -EMFILE;
	}
	if (!rc) {
		rc = ch->fd;
		atomic_store(&hca.cm.channels[rc], ch);
	}
	pthread_mutex_unlock(&hca.cm.lock);
	return rc;
}

void cm_command_close(int fd)
{
	struct cm_channel *ch;

	pthread_mutex_lock(&hca.cm.lock);
	ch = channel_at(fd);
	if (ch) {
		atomic_store(&hca.cm.channels[fd], NULL);
		for (uint32_t i = 0; ch->n_ids && i < hca.cm.n_ids; i++)
			if (hca.cm.ids[i] && hca.cm.ids[i]->ch == ch)
				cm_id_destroy(hca.cm.ids[i]);
		cm_channel_close(ch);
	}
	pthread_mutex_unlock(&hca.cm.lock);
}
