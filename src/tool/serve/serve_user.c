/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Which user of this host has the other end of a connection: all of them come from one address. The
 * kernel says it of each socket, also to users without rights: sock_diag(7).
 */
#include "config.h"
#include "serve/serve_state.h"

#include <errno.h>
#include <string.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/log.h"
#include "wire/ctl_socket.h"

struct request {
	struct nlmsghdr head;
	struct inet_diag_req_v2 of;
};

struct reply {
	struct nlmsghdr head;
	struct inet_diag_msg is;
	char rest[512];
};

/* The end of the peer: its address and port are what is remote here. */
static bool name_end(struct inet_diag_sockid *id, int fd)
{
	union ctl_address own, peer;
	socklen_t len[2] = { sizeof(own), sizeof(peer) };
	uint8_t gid[2][16];

	memset(&own, 0, sizeof(own));
	memset(&peer, 0, sizeof(peer));
	if (getsockname(fd, &own.sa, &len[0]) || getpeername(fd, &peer.sa, &len[1]))
		return false;
	ctl_address_gid(gid[0], &peer);
	ctl_address_gid(gid[1], &own);
	/* of IPv4 the kernel takes mapped addresses, too */
	memcpy(id->idiag_src, gid[0], sizeof(gid[0]));
	memcpy(id->idiag_dst, gid[1], sizeof(gid[1]));
	id->idiag_sport = peer.sa.sa_family == AF_INET ? peer.in.sin_port : peer.in6.sin6_port;
	id->idiag_dport = own.sa.sa_family == AF_INET ? own.in.sin_port : own.in6.sin6_port;
	return true;
}

/*
 * The answer is there when the request was taken. 0: it is one; -ENOENT: it is none; another
 * -errno: it could not be asked.
 */
static int ask(struct reply *reply, const struct request *request)
{
	const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	const bool sent = fd >= 0 && send(fd, request, sizeof(*request), 0) > 0;
	const int rc = sent ? 0 : -errno;
	const ssize_t n = sent ? recv(fd, reply, sizeof(*reply), MSG_DONTWAIT) : -1;

	if (fd >= 0)
		close(fd);
	if (serve_is_short(-rc))
		log_error("cannot ask which user of this host a connection is of: %s",
			  strerror(-rc));
	if (rc)
		return rc;
	return n >= (ssize_t)offsetof(struct reply, rest) &&
	       reply->head.nlmsg_type == SOCK_DIAG_BY_FAMILY ? 0 : -ENOENT;
}

static struct request new_request(void)
{
	return (struct request){
		.head = { .nlmsg_len = sizeof(struct request), .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			  .nlmsg_flags = NLM_F_REQUEST },
		.of = { .sdiag_family = AF_INET6, .sdiag_protocol = IPPROTO_TCP,
			.idiag_states = UINT32_MAX,
			.id.idiag_cookie = { INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE } },
	};
}

bool serve_user_known(int listener)
{
	struct request request = new_request();
	struct inet_diag_sockid *const id = &request.of.id;
	union ctl_address own, none = { .in.sin_family = AF_INET };
	socklen_t len = sizeof(own);
	struct reply reply;
	uint8_t gid[16];
	int rc;

	memset(&own, 0, sizeof(own));
	if (getsockname(listener, &own.sa, &len))
		return false;
	ctl_address_gid(gid, &own);
	memcpy(id->idiag_src, gid, sizeof(gid));
	id->idiag_sport = own.sa.sa_family == AF_INET ? own.in.sin_port : own.in6.sin6_port;
	if (own.sa.sa_family == AF_INET) {
		ctl_address_gid(gid, &none);
		memcpy(id->idiag_dst, gid, sizeof(gid));
	}
	rc = ask(&reply, &request);
	/* asked again with each connection: it may have memory then */
	return rc ? serve_is_short(-rc) : reply.is.idiag_state == TCP_LISTEN;
}

void serve_user_host(uint8_t host[16], const struct ctl *ctl)
{
	struct request request = new_request();
	struct reply reply;

	/* one that is closed has no user any more */
	if (flood_own(host) && name_end(&request.of.id, ctl->fd) && !ask(&reply, &request) &&
	    reply.is.idiag_state == TCP_ESTABLISHED)
		flood_user(host, reply.is.idiag_uid);
}
