/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * librdmacm in memory: it gives the events that a test has pushed, and keeps what it was asked for.
 * And a side of two threads of two QPs that connects by it. One file of a test program includes it.
 */
#ifndef CM_MEMORY_H
#define CM_MEMORY_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "cm/cm_links.h"
#include "util/clock.h"
#include "util/err.h"

#define MAX 64
#define MS 1000000ull
#define HOUR_NS (3600000 * MS)

/* ---- librdmacm and verbs in memory */

static struct {
	struct rdma_event_channel channel;
	struct rdma_cm_event events[MAX];
	uint32_t first, n, acked, ids, requests, accepted, established, ahs, disconnects;
	char rejected[128];
	struct rdma_conn_param param;         /* of the last connect or accept */
	struct cm_links_request request;      /* of the last connect */
	struct ibv_qp_attr rtr, rts;          /* of the last transitions */
	struct rdma_cm_id *last;              /* the last id that asked for something */
	uint32_t sgid_index;
	uint8_t port;
} fake;

static struct ibv_device device = { .name = "dev0", .transport_type = IBV_TRANSPORT_IB };
static struct ibv_context context = { .device = &device };

struct rdma_event_channel *rdma_create_event_channel(void)
{
	fake.channel.fd = eventfd(0, EFD_NONBLOCK | EFD_SEMAPHORE);
	return &fake.channel;
}

void rdma_destroy_event_channel(struct rdma_event_channel *channel)
{
	assert_int_equal(fake.ids, 0); /* ids before the channel */
	close(channel->fd);
}

int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *arg,
		   enum rdma_port_space ps)
{
	*id = calloc(1, sizeof(**id));
	**id = (struct rdma_cm_id){ .channel = channel, .context = arg, .ps = ps,
				    .verbs = &context, .port_num = fake.port };
	fake.ids++;
	return 0;
}

int rdma_destroy_id(struct rdma_cm_id *id)
{
	fake.ids--;
	free(id);
	return 0;
}

static inline void push(struct rdma_cm_id *id, struct rdma_cm_event event)
{
	uint64_t one = 1;

	assert_true(fake.n < MAX);
	event.id = id;
	fake.events[fake.n++] = event;
	assert_int_equal(write(fake.channel.fd, &one, sizeof(one)), sizeof(one));
}

static inline void push_type(struct rdma_cm_id *id, enum rdma_cm_event_type type, int status)
{
	push(id, (struct rdma_cm_event){ .event = type, .status = status });
}

int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
	uint64_t one;

	if (read(channel->fd, &one, sizeof(one)) < 0) {
		errno = EAGAIN;
		return -1;
	}
	*event = &fake.events[fake.first++];
	return 0;
}

int rdma_ack_cm_event(struct rdma_cm_event *event)
{
	fake.acked++;
	/* what the caller still reads is not there any more */
	memset(event, 0xa5, sizeof(*event));
	return 0;
}

int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *addr)
{
	(void)addr;
	id->verbs = &context;
	return 0;
}

int rdma_listen(struct rdma_cm_id *id, int backlog)
{
	(void)id;
	return backlog > 0 ? 0 : -1;
}

__be16 rdma_get_src_port(struct rdma_cm_id *id)
{
	(void)id;
	return htons(4711);
}

int rdma_set_option(struct rdma_cm_id *id, int level, int name, void *value, size_t len)
{
	(void)id;
	(void)level;
	(void)name;
	(void)value;
	return len == 1 ? 0 : -1;
}

int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *from, struct sockaddr *to, int ms)
{
	(void)from;
	(void)to;
	fake.last = id;
	return ms > 0 ? 0 : -1;
}

int rdma_resolve_route(struct rdma_cm_id *id, int ms)
{
	fake.last = id;
	return ms > 0 ? 0 : -1;
}

int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	fake.last = id;
	fake.param = *param;
	assert_int_equal(param->private_data_len, sizeof(fake.request));
	memcpy(&fake.request, param->private_data, sizeof(fake.request));
	fake.requests++;
	return 0;
}

int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	(void)id;
	fake.param = *param;
	fake.accepted++;
	return 0;
}

int rdma_reject(struct rdma_cm_id *id, const void *data, uint8_t len)
{
	(void)id;
	assert_true(len < sizeof(fake.rejected));
	memcpy(fake.rejected, data, len);
	fake.rejected[len] = '\0';
	return 0;
}

int rdma_establish(struct rdma_cm_id *id)
{
	(void)id;
	fake.established++;
	return 0;
}

int rdma_disconnect(struct rdma_cm_id *id)
{
	fake.disconnects++;
	push_type(id, RDMA_CM_EVENT_DISCONNECTED, 0);
	return 0;
}

/* As the kernel: an RNR timer of 0, and counts of its own. */
int rdma_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *attr, int *mask)
{
	(void)id;
	attr->dest_qp_num = 77;
	attr->rq_psn = 55;
	attr->sq_psn = 66;
	attr->ah_attr.is_global = 1;
	attr->ah_attr.grh.sgid_index = (uint8_t)fake.sgid_index;
	attr->path_mtu = IBV_MTU_4096;
	attr->retry_cnt = 1;
	*mask = 0;
	return 0;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	(void)qp;
	(void)mask;
	*(attr->qp_state == IBV_QPS_RTR ? &fake.rtr : &fake.rts) = *attr;
	return 0;
}

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	static struct ibv_ah ah;

	(void)pd;
	(void)attr;
	fake.ahs++;
	return &ah;
}

const char *ibv_get_device_name(struct ibv_device *dev)
{
	return dev->name;
}

/* ---- a side with two threads of two QPs */

#define THREADS 2u
#define QPS 2u

struct side_of {
	struct plan plan;
	struct dev dev;
	struct cm_links links;
	struct ep eps[THREADS];
	struct ep_addr peers[THREADS];
	struct ibv_qp qps[THREADS * QPS];
	struct ibv_qp *list[THREADS * QPS];
	struct ep_qp_id ids[THREADS * QPS];
	struct cm_wait wait;
};

static struct side_of *side;

static inline void open_side(enum side which, enum transport tp)
{
	const struct plan_gid gid = { .index = 3, .type = GID_ROCE_V2,
				      .raw = { [10] = 0xff, 0xff, 10, 0, 0, 1 } };

	memset(&fake, 0, sizeof(fake));
	fake.sgid_index = 3;
	fake.port = 1;
	side = calloc(1, sizeof(*side));
	side->plan.work = (struct plan_work){ .kind = { .tp = tp, .op = OP_SEND }, .qps = QPS,
					      .threads = THREADS };
	side->plan.path = (struct plan_path){ .connect = CONNECT_RDMA_CM, .client_gid = 3,
					      .server_gid = 3, .mtu_bytes = 1024,
					      .min_rnr_timer = 12, .qp_timeout = 14, .retry = 6,
					      .rnr_retry = 5 };
	side->dev.limits = (struct limits){ .port = 1, .ethernet = true, .n_gids = 1,
					    .max_rd_atomic = 16, .max_init_rd_atomic = 16,
					    .gids = { gid } };
	strcpy(side->dev.limits.device, "dev0");
	side->dev.ctx = &context;
	side->wait = (struct cm_wait){ .deadline_ns = clock_ns() + HOUR_NS, .fds = { -1, -1 } };
	assert_int_equal(cm_links_open(&side->links, &side->plan, &side->dev, which), 0);
	for (uint32_t i = 0; i < THREADS * QPS; i++) {
		side->qps[i].qp_num = 100 + i;
		side->list[i] = &side->qps[i];
	}
	for (uint32_t i = 0; i < THREADS; i++) {
		side->eps[i] = (struct ep){ .dev = &side->dev, .qps = &side->list[i * QPS],
					    .n_qps = QPS };
		side->peers[i] = (struct ep_addr){ .n_qps = QPS, .qps = &side->ids[i * QPS],
						   .cm_port = 4711, .cm_token = 0xabcdef0123ull };
		strcpy(side->peers[i].cm_address, "10.0.0.2");
		side->links.pairs[i] = (struct cm_pair){ &side->eps[i], &side->peers[i] };
	}
}

static inline void close_side(void)
{
	cm_links_close(&side->links);
	assert_int_equal(fake.acked, fake.first); /* each event once, at most */
	free(side);
}

static inline int go_on(void)
{
	return cm_links_connect(&side->links, &side->wait);
}

/* Takes all events that were pushed, up to the first wait for another one. */
static inline void go_on_to_wait(void)
{
	int fd = eventfd(1, 0);

	side->wait.fds[1] = fd;
	assert_int_equal(go_on(), 0);
	side->wait.fds[1] = -1;
	close(fd);
}

/* Starts the requests; nothing answers. */
static inline void start(void)
{
	go_on_to_wait();
	assert_int_equal(side->links.started, THREADS * QPS);
}

/* Takes all events that were pushed; then the time is over. */
static inline void go_on_to_end(void)
{
	go_on_to_wait();
	side->wait.deadline_ns = clock_ns() + MS;
	assert_int_equal(go_on(), -ETIMEDOUT);
}

static inline void push_all(enum rdma_cm_event_type type)
{
	for (uint32_t i = 0; i < side->links.n; i++)
		push_type(side->links.links[i].id, type, 0);
}

#endif
