/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The sockets of the connection manager and the messages that they carry. A port is a name in the
 * abstract socket space (unix(7)) with the user, the fabric, the node, the port space, the port and
 * the address: only one process can have it, and the kernel frees it. A connection is a socket of
 * its own, which the kernel closes when a process is killed. A connection to a process of another
 * user is closed at once. Does not block.
 */
#ifndef CM_SOCKET_H
#define CM_SOCKET_H

#include "cm/cm.h"

enum cm_msg_type {
	CM_MSG_REQ = 1, /* a request: of a connection, or, with a UD QP, of its number (SIDR) */
	CM_MSG_REP,
	CM_MSG_RTU,
	CM_MSG_REJ,
	CM_MSG_DREQ,
	CM_MSG_DREP,
};

/* One for all types; what a type does not use is zero. */
struct cm_msg {
	uint32_t type;
	uint32_t reason; /* REJ: enum ib_cm_rej_reason, or enum ib_cm_sidr_status */
	struct cm_side side;
	uint32_t qkey;
	uint8_t qp_type, tos, private_data_len;
	uint8_t private_data[RDMA_MAX_PRIVATE_DATA];
	struct sockaddr_storage src, dst; /* of a request: the addresses of both sides */
	struct profile_of from;           /* and the device */
};

/*
 * Takes the port of the source address; port 0: a free one, which it stores there. A descriptor or
 * -errno. As in cma_check_port() of the kernel, -EADDRINUSE: another socket has the port and the
 * address; -EADDRNOTAVAIL: the same, and one of them has any address.
 */
int cm_socket_bind(struct cm_id *id);
/* Whether cm_socket_bind() returned one of these two. */
bool cm_socket_is_taken(int rc);
/* A port that the identifier does not have alone: for the active side, which nobody looks for. */
uint16_t cm_socket_port(void);
int cm_socket_listen(int fd, int backlog);
/* The next connection of a listener: a descriptor or -errno. */
int cm_socket_accept(int fd);
/*
 * To the listener of the destination. A descriptor or -errno; -ECONNREFUSED: there is none;
 * -EAGAIN: its queue is full.
 */
int cm_socket_connect(const struct cm_id *id);
/* An error is not reported: the end of the connection follows. */
void cm_socket_send(int fd, const struct cm_msg *msg);
/* 1: a message; 0: the end of the connection; -EAGAIN: neither. */
int cm_socket_receive(int fd, struct cm_msg *msg);

#endif
