/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder cm: the connection manager. librdmacm is the real one; this folder takes the place of its
 * device, /dev/infiniband/rdma_cm, with the ABI of rdma/rdma_user_cm.h: commands are written to a
 * channel, and the command GET_EVENT returns events. Processes exchange the messages of the CM over
 * sockets. States, events, values and errors are those of the kernel: drivers/infiniband/core/
 * ucma.c (commands), cma.c (identifiers), cm.c (messages, attributes of QPs).
 *
 * There is no thread. The descriptor of a channel is an epoll descriptor (epoll(7)) of the sockets
 * of its identifiers and of a timer; GET_EVENT receives the messages. So the program can poll it.
 *
 * This header has the objects, and what all files of the folder need. hca.cm.lock is held in all
 * functions of the folder except those of cm_command.h and cm_table.h.
 */
#ifndef CM_H
#define CM_H

#include <netinet/in.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_user_cm.h>
#include <stdbool.h>
#include <stdint.h>

#include "config/profile.h"

/* enum rdma_cm_event_type of rdma/rdma_cma.h, which needs librdmacm */
enum cm_event_type {
	CM_EVENT_ADDR_RESOLVED,
	CM_EVENT_ADDR_ERROR,
	CM_EVENT_ROUTE_RESOLVED,
	CM_EVENT_ROUTE_ERROR,
	CM_EVENT_CONNECT_REQUEST,
	CM_EVENT_CONNECT_RESPONSE,
	CM_EVENT_CONNECT_ERROR,
	CM_EVENT_UNREACHABLE,
	CM_EVENT_REJECTED,
	CM_EVENT_ESTABLISHED,
	CM_EVENT_DISCONNECTED,
	CM_EVENT_DEVICE_REMOVAL,
	CM_EVENT_MULTICAST_JOIN,
	CM_EVENT_MULTICAST_ERROR,
	CM_EVENT_ADDR_CHANGE,
	CM_EVENT_TIMEWAIT_EXIT,
};

/* enum rdma_cm_state of include/rdma/rdma_cm.h of the kernel, without the states that are short. */
enum cm_state {
	CM_IDLE,
	CM_ADDR_BOUND,
	CM_ADDR_RESOLVED,
	CM_ROUTE_RESOLVED,
	CM_CONNECT,
	CM_DISCONNECT,
	CM_LISTEN,
};

/* enum ib_cm_state of include/rdma/ib_cm.h: how far the connection is. */
enum cm_link {
	CM_LINK_NONE,
	CM_LINK_CONNECTING, /* the queue of the listener is full: tries again */
	CM_LINK_ACCEPTED,   /* passive: the request has not come yet */
	CM_LINK_REQ_SENT,
	CM_LINK_REQ_RCVD,
	CM_LINK_REP_SENT,
	CM_LINK_REP_RCVD,
	CM_LINK_ESTABLISHED,
	CM_LINK_DREQ_SENT,
	CM_LINK_DREQ_RCVD,
	CM_LINK_TIMEWAIT,
	CM_LINK_DONE,
};

/* What an identifier waits for. All that wait for the same thing wait equally long. */
enum cm_wait { CM_WAIT_RETRY, CM_WAIT_ANSWER, CM_WAIT_TIMEWAIT, CM_WAITS, CM_WAIT_NONE = CM_WAITS };

struct cm_event {
	struct cm_event *next;
	struct cm_id *id;
	struct cm_id *request;  /* connect request: the new identifier */
	struct cm_group *group; /* event of a multicast group */
	struct rdma_ucm_event_resp resp;
};

struct cm_channel {
	int fd; /* epoll; the program has it */
	int timer_fd;
	uint64_t armed_ns; /* of the timer; 0: an event is in the queue; UINT64_MAX: not armed */
	uint32_t n_ids;
	struct cm_event *first, *last;
	struct {
		struct cm_id *first, *last; /* by deadline */
	} waiting[CM_WAITS];
};

/* A multicast group that an identifier has joined. */
struct cm_group {
	struct cm_id *id;
	uint32_t handle;
	uint64_t uid;
	uint32_t events_reported;
	union ibv_gid mgid;
};

/* One side of a connection, as its message describes it. */
struct cm_side {
	uint32_t qpn, psn;
	uint8_t responder_resources, initiator_depth, flow_control, retry_count, rnr_retry_count;
	uint8_t srq;
	struct rdma_ucm_ece ece;
};

struct cm_id {
	uint32_t handle, serial; /* the serial number tells a new object at an old handle */
	struct cm_channel *ch;
	uint64_t uid; /* 0: the program does not have it yet */
	uint16_t ps;
	uint8_t qp_type;
	enum cm_state state;
	enum cm_link link;
	struct sockaddr_storage src, dst;
	bool has_dev, has_dst, has_route;
	struct profile_of at, to; /* the own device, and that of the peer */
	/* options */
	uint8_t tos, ack_timeout;
	bool ack_timeout_set, reuse, afonly;
	int name_fd; /* has the port; listens. -1: none */
	int fd;      /* the connection; -1: none */
	bool quiet;  /* what comes on the connection wakes nobody */
	bool started; /* listens, or has sent or received a request */
	int32_t backlog; /* listener: connect requests that it takes */
	struct cm_id *listener; /* passive: until the program has the connect request */
	bool requested; /* passive: the connect request is in the queue of the listener, or was */
	uint32_t events_reported, events_queued;
	uint32_t qkey;
	struct cm_side own, peer;
	struct cm_msg *request; /* while connecting */
	/* waiting */
	enum cm_wait wait;
	uint64_t deadline_ns, give_up_ns;
	struct cm_id *wait_next, *wait_prev;
};

struct cm_id *cm_id_create(struct cm_channel *ch, uint16_t ps, uint8_t qp_type);
/* Returns the number of events that the program got. Sends nothing: the peer sees the end. */
uint32_t cm_id_destroy(struct cm_id *id);
/* The identifier of that channel; NULL, *rc: -ENOENT, or -EINVAL if it belongs to another one. */
struct cm_id *cm_id_find(struct cm_channel *ch, uint32_t handle, int *rc);
/* Binds the socket fd to the identifier: its messages wake the channel. 0 or -errno. */
int cm_id_watch(struct cm_id *id, int fd, bool wake);
/*
 * Only the end of the connection can come, and no event of it: it must not wake the channel.
 * cm_id_watch() ends it.
 */
void cm_id_quiet(struct cm_id *id);
/* Closes *fd, a socket of the identifier. */
void cm_id_close(struct cm_id *id, int *fd);

static inline bool cm_id_is_ud(const struct cm_id *id)
{
	return id->qp_type == IBV_QPT_UD;
}

#endif
