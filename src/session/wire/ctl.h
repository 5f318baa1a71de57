/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room wire: the control connection, its messages, and what a session asks (session_host.h). It
 * does not know the order of the messages.
 *
 * This header: the control connection: TCP, JSON objects in frames, a deadline on every step.
 * Frame: 4 bytes of length, big-endian, then that many bytes of one JSON object: at most
 * CTL_FRAME_SMALL until the peer is admitted, then CTL_FRAME_MAX (ctl_read.c has further limits).
 * Every object has a string field "type". It knows only the messages "abort", "refuse" and
 * "heartbeat". Main thread only.
 */
#ifndef CTL_H
#define CTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <jansson.h>

#define CTL_FRAME_MAX (4u << 20)
#define CTL_FRAME_SMALL (64u << 10) /* anyone can send these */
#define CTL_TEXT_MAX 512 /* longer reasons are cut */

struct ctl_tls;
struct ctl_tls_link;
struct key_place;

struct ctl {
	int fd;              /* non-blocking; -1 closed */
	int signals_fd;      /* readable: the user asks to stop; -1: none, or no longer watched */
	/* Why signals_fd is readable; returns NULL if the user asked. NULL: always the user. */
	const char *(*stop_reason)(void *arg);
	void *stop_arg;
	bool orphan;         /* set by stop_reason: nobody asked, the server's process is gone */
	/* Called often while this side waits, or creates and destroys QPs. NULL: not called. */
	void (*alive)(void *arg);
	void *alive_arg;
	char peer[128];      /* "10.0.0.2 port 18515", for messages */
	uint8_t local_gid[16]; /* own address of the connection; IPv4 mapped as ::ffff:a.b.c.d */
	uint8_t peer_gid[16];  /* the peer's address */
	struct ctl_tls_link *tls; /* the key was proved; all data goes through it; NULL: plain */
	uint8_t *in;         /* bytes of the frame being received */
	size_t in_len, in_cap;
	uint32_t n_in;       /* complete frames received */
	struct memory_budget *budget; /* of large messages; borrowed; NULL: not counted */
	bool admitted;       /* the peer may send large frames: this side asked for them */
};

/*
 * Reads the keys (wire/key.h) into an object of libssl, for any number of connections: the one key
 * of a client, or all of a server. With an error message of key_read(), -ENOTSUP or -ENOMEM.
 */
int ctl_tls_open(struct ctl_tls **tls, const struct key_place *place)
	__attribute__((warn_unused_result));

/* Overwrites the keys: a connection whose key is proved needs none, and no other can be proved. */
void ctl_tls_forget(struct ctl_tls *tls);

/* The name of the key with this identity, KEY_ID_BYTES; NULL: there is no such key. Borrowed. */
const char *ctl_tls_name(const struct ctl_tls *tls, const uint8_t *id);

/* On a server: the identity of the key that the peer has proved. Borrowed. */
const uint8_t *ctl_tls_peer(const struct ctl_tls_link *link);

/* Accepts NULL. */
void ctl_tls_close(struct ctl_tls *tls);

/*
 * Proves the key to the peer, and verifies that the peer has it, for a server one of its keys:
 * before the first message. All messages then go through TLS 1.3 with an external PSK and (EC)DHE
 * (RFC 8446, 2.2), no certificates, no tickets, no early data. server: this side is the server.
 * -EACCES: the peer has another key, or none; -EPROTOTYPE: it is perftest; -ETIMEDOUT, -ECONNRESET,
 * -EINTR; with an error message. A peer that cannot prove the key gets only a TLS alert.
 */
int ctl_prove(struct ctl *ctl, const struct ctl_tls *tls, bool server, uint32_t timeout_ms)
	__attribute__((warn_unused_result));

/*
 * Sends one object; steals the reference to msg, also on error. NULL msg is -ENOMEM. signals_fd
 * does not interrupt it: results are still sent after a stop. -ECONNABORTED as in ctl_recv() when
 * the peer sent an abort before it closed; after -ETIMEDOUT nothing more can be sent. The two sides
 * must not send frames larger than the socket buffers at the same time: they would deadlock.
 */
int ctl_send(struct ctl *ctl, json_t *msg, uint32_t timeout_ms) __attribute__((warn_unused_result));

/*
 * Waits for one object that is not a heartbeat; the caller must json_decref *msg. msg NULL: only
 * its type matters. type: the expected type, NULL: any. Errors, each with a message that names the
 * step ("while waiting for ..."): -ETIMEDOUT; -ECONNRESET the peer is gone; -ECONNABORTED and
 * -EPERM the peer sent abort or refuse, with its reason; -EINTR signals_fd, or the peer's abort
 * says that its user interrupted it; -EBADMSG no frame, no JSON, too long, or another type;
 * -EPROTOTYPE the peer is perftest.
 */
int ctl_recv(struct ctl *ctl, const char *type, json_t **msg, uint32_t timeout_ms)
	__attribute__((warn_unused_result));

/*
 * The same from a busy peer: each heartbeat extends the deadline by silence_ms, up to most_ms in
 * all.
 */
int ctl_recv_from_living(struct ctl *ctl, const char *type, json_t **msg, uint32_t silence_ms,
			 uint32_t most_ms) __attribute__((warn_unused_result));

/*
 * For callers that poll ctl->fd themselves: reads what has arrived, never blocks. 1 and *msg when a
 * whole object was there (heartbeats included), 0 when not yet, negative as ctl_recv().
 */
int ctl_try_recv(struct ctl *ctl, json_t **msg) __attribute__((warn_unused_result));

/*
 * Ends a session that failed with rc: sends abort with the error of this thread, closes the sending
 * half and gives the peer half a second to read it. -EINTR: the user ended it, and the peer also
 * gets -EINTR. Errors are ignored. The error of this thread stays.
 */
void ctl_abort(struct ctl *ctl, int rc);

/*
 * Sends refuse with the error of this thread, which stays: the plan cannot be run, but nothing has
 * failed. The connection stays open for another plan. False when it could not be sent.
 */
bool ctl_refuse(struct ctl *ctl) __attribute__((warn_unused_result));

/* Calls alive: this side is busy, or waits with a deadline. */
void ctl_alive(const struct ctl *ctl);

/* Why signals_fd is readable; otherwise if the user asked. */
const char *ctl_stop_reason(const struct ctl *ctl, const char *otherwise);

/* The kernel's estimate of the connection's round trip (TCP_INFO, tcp(7)); 0 unknown. */
uint64_t ctl_rtt_ns(const struct ctl *ctl);

/* Accepts a zeroed or closed ctl (fd 0 is never a connection: use CTL_CLOSED to initialise). */
void ctl_close(struct ctl *ctl);

#define CTL_CLOSED { .fd = -1, .signals_fd = -1 }

/*
 * The peers of a session: one, or the receivers of a multicast group. Each has a control
 * connection; all get the same messages.
 */
struct peers {
	struct ctl *const *ctl; /* n of them, at least one; borrowed */
	uint32_t n;
};

/* Sends to each in turn, as ctl_send(): steals msg. Stops at the first error. */
int peers_send(const struct peers *p, json_t *msg, uint32_t timeout_ms)
	__attribute__((warn_unused_result));

/* Receives from each a message without fields other than its type, as ctl_recv(). */
int peers_recv_plain(const struct peers *p, const char *type, uint32_t timeout_ms)
	__attribute__((warn_unused_result));

/*
 * The session failed with rc: informs the peers that do not know it, by ctl_abort(). A single peer
 * that sent abort itself, or is gone, knows it.
 */
void peers_abort(const struct peers *p, int rc);

/* The largest round trip time of all, as ctl_rtt_ns(). */
uint64_t peers_rtt_ns(const struct peers *p);

/* From now on no step is interrupted by the user's stop. */
void peers_forget_signals(const struct peers *p);

#endif
