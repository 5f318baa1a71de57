/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder control: the control connection, its messages, and where results go (sink.h). It does not
 * know the order of the messages.
 *
 * This header: the control connection: TCP, JSON objects in frames, a deadline on every step.
 * Frame: 4 bytes of length, big-endian, then that many bytes of one JSON object: at most
 * CTL_FRAME_SMALL until ctl_admit(), then CTL_FRAME_MAX (ctl_budget.h has the rest). Every object
 * has a string field "type". It knows only the messages "abort", "refuse" and "heartbeat". Main
 * thread only.
 */
#ifndef CTL_H
#define CTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <jansson.h>

#define CTL_FRAME_MAX (4u << 20)
#define CTL_FRAME_SMALL (64u << 10) /* anybody can send these */
#define CTL_TEXT_MAX 512 /* longer reasons are cut */

struct ctl_tls;
struct ctl_tls_link;

struct ctl {
	int fd;              /* non-blocking; -1 closed */
	int signals_fd;      /* readable: the user asks to stop; -1: none, or no longer asked */
	/* Why signals_fd is readable; returns NULL: the user asks. NULL: always the user. */
	const char *(*stop_reason)(void *arg);
	void *stop_arg;
	/* Called while this side waits, or makes and destroys QPs: often. NULL: not. */
	void (*alive)(void *arg);
	void *alive_arg;
	char peer[128];      /* "10.0.0.2 port 18515", for messages */
	uint8_t local_gid[16]; /* own address of the connection; IPv4 mapped as ::ffff:a.b.c.d */
	uint8_t peer_gid[16];  /* that of the peer */
	struct ctl_tls_link *tls; /* the key was proved, and all goes through it; NULL: plain */
	uint8_t *in;         /* bytes of the frame being received */
	size_t in_len, in_cap;
	uint32_t n_in;       /* whole frames received */
	bool admitted;       /* the peer may send large frames */
};

/*
 * Connects to host (name or address, IPv4 or IPv6, every address tried), again and again until
 * timeout_ms have passed, so that either side may be started first. On failure the error message
 * has the error of each address and a hint: -ETIMEDOUT, -ECONNREFUSED, -EHOSTUNREACH, ...
 */
int ctl_connect(struct ctl *ctl, const char *host, uint32_t port, uint32_t timeout_ms,
		int signals_fd) __attribute__((warn_unused_result));

/* Where to connect to, and who is told that the server is not there yet. */
struct ctl_dial {
	const char *host;
	uint32_t port;
	uint32_t timeout_ms;
	int signals_fd;
	const char *from;      /* address of this host to connect from; NULL: any */
	const char *start;     /* what starts the server there, for the error message */
	bool open;             /* that server serves other hosts, without --allow */
	/* Once, when no address has a server yet, and the connection is tried again; or NULL. */
	void (*waiting)(const void *arg, const struct ctl_dial *dial);
	const void *arg;
};

/* The same, and tells that it waits. */
int ctl_dial(struct ctl *ctl, const struct ctl_dial *dial) __attribute__((warn_unused_result));

/*
 * Listening socket on the address at of this host; NULL: on all, dual stack where there is IPv6.
 * Port 0: any. -EADDRINUSE, -EINVAL (at is no address), ... with an error message.
 */
int ctl_listen(int *fd, const char *at, uint32_t port) __attribute__((warn_unused_result));

/* Is this error of listening that of a host without IPv6 or without an address of it? */
bool ctl_no_ipv6(int rc);

/*
 * Accepts a connection, non-blocking; peer_gid: its address as in struct ctl. The descriptor, or
 * -errno without an error message.
 */
int ctl_take(int listener, uint8_t peer_gid[16]) __attribute__((warn_unused_result));

/* The port of a listening socket, 0 unknown; text: its address, "all addresses". */
uint32_t ctl_listens_at(int listener, char *text, size_t size);

/* Takes over a connected socket, which must be non-blocking; closes it on error. */
int ctl_accept(struct ctl *ctl, int fd, int signals_fd) __attribute__((warn_unused_result));

/*
 * Proves the key (ctl_tls.h) to the peer, and has it prove its own: before the first message. All
 * messages then go through TLS. server: this side is the server. -EACCES: the peer has another
 * key, or none; -EPROTOTYPE: it is perftest; -ETIMEDOUT, -ECONNRESET, -EINTR; with an error
 * message. A peer that proves nothing is told no more than a TLS alert.
 */
int ctl_prove(struct ctl *ctl, const struct ctl_tls *tls, bool server, uint32_t timeout_ms)
	__attribute__((warn_unused_result));

/* From now on the peer may send large messages: it was admitted, or this side asks for them. */
void ctl_admit(struct ctl *ctl);

/*
 * Sends one object; steals the reference to msg, also on error. NULL msg is -ENOMEM. signals_fd
 * does not interrupt it: results are still sent after a stop. -ECONNABORTED as in ctl_recv() when
 * the peer sent an abort before it closed; after -ETIMEDOUT nothing more can be sent. The two
 * sides must not send frames larger than the sockets' buffers at the same time: both would wait.
 */
int ctl_send(struct ctl *ctl, json_t *msg, uint32_t timeout_ms) __attribute__((warn_unused_result));

/*
 * Waits for one object that is not a heartbeat; *msg is the caller's to json_decref. type: what it
 * must be, NULL any. Errors, each with a message that names the step ("while waiting for ..."):
 * -ETIMEDOUT; -ECONNRESET the peer is gone; -ECONNABORTED and -EPERM the peer sent abort or refuse,
 * with its reason; -EINTR signals_fd, or the peer's abort says that its user ended it; -EBADMSG no
 * frame, no JSON, too long, or another type; -EPROTOTYPE the peer is perftest.
 */
int ctl_recv(struct ctl *ctl, const char *type, json_t **msg, uint32_t timeout_ms)
	__attribute__((warn_unused_result));

/*
 * The same from a peer that is busy: each heartbeat gives it silence_ms more, up to most_ms in all.
 */
int ctl_recv_from_living(struct ctl *ctl, const char *type, json_t **msg, uint32_t silence_ms,
			 uint32_t most_ms) __attribute__((warn_unused_result));

/*
 * For callers that poll ctl->fd themselves: reads what has arrived, never blocks. 1 and *msg when a
 * whole object was there (heartbeats included), 0 when not yet, negative as ctl_recv().
 */
int ctl_try_recv(struct ctl *ctl, json_t **msg) __attribute__((warn_unused_result));

/*
 * The last message of a session that failed with rc: sends abort with the reason, closes the
 * sending half and gives the peer half a second to read it. -EINTR: the user ended it, and the peer
 * gets -EINTR, too. Errors are ignored. err_text() stays as it was, and may be the reason; the
 * message has err_cause(), and it is that of the error the peer gets.
 */
void ctl_abort(struct ctl *ctl, int rc, const char *reason);

/*
 * Sends refuse with the reason: the plan cannot be run, and nothing has failed. The connection
 * stays open for another plan. False when it could not be sent. err_text(), err_cause(): as above.
 */
bool ctl_refuse(struct ctl *ctl, const char *reason) __attribute__((warn_unused_result));

/* This side does something, or waits with a deadline: calls alive. */
void ctl_alive(const struct ctl *ctl);

/* Why signals_fd is readable, or otherwise. */
const char *ctl_stop_reason(const struct ctl *ctl, const char *otherwise);

/* The kernel's estimate of the connection's round trip (TCP_INFO, tcp(7)); 0 unknown. */
uint64_t ctl_rtt_ns(const struct ctl *ctl);

/* Accepts a zeroed or closed ctl (fd 0 is never a connection: use CTL_CLOSED to initialise). */
void ctl_close(struct ctl *ctl);

#define CTL_CLOSED { .fd = -1, .signals_fd = -1 }

#endif
