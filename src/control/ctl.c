/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the frames of the control connection. Called by the files of session and by serve; ctl_tcp.c
 * makes the connections. Must not know what a message means, except "abort", "refuse" and
 * "heartbeat". Must not trust a length or a text that the peer sent. Reads nothing beyond the end of
 * the current frame, so poll(2) on ctl->fd tells whether there is more.
 */
#include "config.h"
#include "control/ctl.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "control/ctl_budget.h"
#include "control/ctl_first.h"
#include "control/ctl_tls.h"
#include "control/ctl_wait.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/minmax.h"
#include "util/text.h"

#define HEAD_BYTES 4u
#define READ_FACTOR 16
#define READ_LEAST 4096
#define IN_FIRST_BYTES 4096u
#define LAST_SEND_MS 500u

static int gone(const struct ctl *ctl, const char *how, const char *doing)
{
	return err_set(-ECONNRESET, "the peer %s is gone (%s%s)", ctl->peer, how, doing);
}

static int broken(const struct ctl *ctl, const char *what, const char *doing)
{
	return err_set(-EBADMSG, "the peer %s sent %s%s", ctl->peer, what, doing);
}

/* The length in the frame's head. */
static uint32_t head_length(const struct ctl *ctl)
{
	return (uint32_t)ctl->in[0] << 24 | (uint32_t)ctl->in[1] << 16 |
	       (uint32_t)ctl->in[2] << 8 | (uint32_t)ctl->in[3];
}

/* Room for more bytes of the frame: twice what has arrived. The head is not trusted. */
static int grow(struct ctl *ctl, size_t need)
{
	size_t cap = ctl->in_cap ? 2 * ctl->in_cap : IN_FIRST_BYTES;
	uint8_t *in;

	if (ctl->in_len < ctl->in_cap)
		return 0;
	if (cap > need && need > ctl->in_cap)
		cap = need;
	in = realloc(ctl->in, cap);
	if (!in)
		return err_set(-ENOMEM, "no memory for a message of %zu bytes", need);
	ctl->in = in;
	ctl->in_cap = cap;
	return 0;
}

/* The end that its user wished is no failure of the peer. */
static int abort_code(const json_t *msg)
{
	return json_is_true(json_object_get(msg, "interrupted")) ? -EINTR : -ECONNABORTED;
}

/*
 * Is there memory to read a text of this length? The reader of libjansson 2.14 writes beyond its
 * buffer when it cannot make it larger. A value takes up to READ_FACTOR times its text.
 */
static bool has_memory(size_t len)
{
	void *volatile probe = malloc(READ_FACTOR * len + READ_LEAST);
	const bool has = probe;

	free(probe);
	return has;
}

/* Parses a whole frame. abort and refuse become errors with the peer's reason. */
static int parse(struct ctl *ctl, json_t **msg, const char *doing)
{
	const char *type;
	json_t *obj;

	if (!ctl_budget_fits(ctl->in + HEAD_BYTES, ctl->in_len - HEAD_BYTES, ctl->admitted)) {
		ctl->in_len = 0;
		return broken(ctl, "a message with too many values or levels", doing);
	}
	if (!has_memory(ctl->in_len - HEAD_BYTES)) {
		ctl->in_len = 0;
		return err_set(-ENOMEM, "no memory for a message of the peer %s", ctl->peer);
	}
	obj = json_loadb((const char *)ctl->in + HEAD_BYTES, ctl->in_len - HEAD_BYTES,
			 JSON_REJECT_DUPLICATES, NULL);
	ctl->in_len = 0;
	ctl->n_in++;
	type = json_string_value(json_object_get(obj, "type"));
	if (!type) {
		json_decref(obj);
		return broken(ctl, "a frame that is no JSON object with a type", doing);
	}
	if (!strcmp(type, "abort") || !strcmp(type, "refuse")) {
		const char *said = json_string_value(json_object_get(obj, "reason"));
		const char *named = json_string_value(json_object_get(obj, "cause"));
		const bool refused = !strcmp(type, "refuse");
		const int code = refused ? -EPERM : abort_code(obj);
		char reason[CTL_TEXT_MAX], cause[ERR_CAUSE_MAX];

		text_clean(said ? said : "no reason given", reason, sizeof(reason));
		text_clean(named ? named : "", cause, sizeof(cause));
		json_decref(obj);
		return err_set_cause(code, cause, "the peer %s %s: %s", ctl->peer,
				     refused ? "refuses" : "reports", reason);
	}
	*msg = obj;
	return 1;
}

/* The length of the frame with its head, as far as it is known; negative when it is not allowed. */
static int frame_need(const struct ctl *ctl, size_t *need, const char *doing)
{
	const uint32_t most = ctl->admitted ? CTL_FRAME_MAX : CTL_FRAME_SMALL;
	char what[64];
	int rc;

	*need = HEAD_BYTES;
	if (ctl->in_len < HEAD_BYTES)
		return 0;
	if (!ctl->n_in && !ctl->tls) {
		rc = ctl_first_check(ctl->fd, ctl->peer, ctl->in);
		if (rc)
			return rc;
	}
	*need += head_length(ctl);
	if (*need > HEAD_BYTES && *need - HEAD_BYTES <= most)
		return 0;
	snprintf(what, sizeof(what), "a frame of %u bytes (1 to %u are allowed)",
		 head_length(ctl), most);
	return broken(ctl, what, doing);
}

/* As recv(2); without blocking. */
static ssize_t receive(struct ctl *ctl, void *bytes, size_t len)
{
	return ctl->tls ? ctl_tls_recv(ctl->tls, bytes, len) :
			  recv(ctl->fd, bytes, len, MSG_DONTWAIT);
}

/* As ctl_try_recv(). */
static int take(struct ctl *ctl, json_t **msg, const char *doing)
{
	for (;;) {
		size_t need;
		ssize_t n;
		int rc;

		rc = frame_need(ctl, &need, doing);
		if (rc)
			return rc;
		if (ctl->in_len > HEAD_BYTES && ctl->in_len == need) {
			/* poll(2) would not tell of them */
			if (ctl->tls && ctl_tls_pending(ctl->tls))
				return broken(ctl, "two messages in one record", doing);
			return parse(ctl, msg, doing);
		}
		rc = grow(ctl, need);
		if (rc)
			return rc;
		if (need > ctl->in_cap)
			need = ctl->in_cap;
		n = receive(ctl, ctl->in + ctl->in_len, need - ctl->in_len);
		if (n > 0)
			ctl->in_len += (size_t)n;
		else if (n == 0)
			return gone(ctl, ctl->in_len ? "closed in the middle of a message"
						     : "connection closed", doing);
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			return 0;
		else if (errno == EBADMSG && ctl->tls)
			return broken(ctl, ctl_tls_what(ctl->tls), doing);
		else if (errno != EINTR)
			return gone(ctl, strerror(errno), doing);
	}
}

const char *ctl_stop_reason(const struct ctl *ctl, const char *otherwise)
{
	const char *reason = ctl->stop_reason ? ctl->stop_reason(ctl->stop_arg) : NULL;

	return reason ? reason : otherwise;
}

void ctl_alive(const struct ctl *ctl)
{
	if (ctl->alive)
		ctl->alive(ctl->alive_arg);
}

int ctl_try_recv(struct ctl *ctl, json_t **msg)
{
	ctl_alive(ctl);
	return take(ctl, msg, "");
}

/* The next object, heartbeats included. */
static int recv_any(struct ctl *ctl, json_t **msg, const struct ctl_step *step)
{
	for (;;) {
		int rc = take(ctl, msg, step->doing);

		if (rc)
			return rc < 0 ? rc : 0;
		rc = ctl_wait(ctl->fd, POLLIN, step);
		if (rc == -ETIMEDOUT)
			return err_set(rc, "no answer from the peer %s within %u ms%s", ctl->peer,
				       step->timeout_ms, step->doing);
		if (rc == -EINTR)
			return err_set(rc, "%s%s from the peer %s",
				       ctl_stop_reason(ctl, "interrupted"), step->doing, ctl->peer);
		if (rc)
			return err_set(rc, "cannot poll the connection to %s: %s", ctl->peer,
				       strerror(-rc));
	}
}

int ctl_recv(struct ctl *ctl, const char *type, json_t **msg, uint32_t timeout_ms)
{
	return ctl_recv_from_living(ctl, type, msg, timeout_ms, timeout_ms);
}

static int only_heartbeats(const struct ctl *ctl, const char *doing)
{
	return err_set(-ETIMEDOUT, "only heartbeats from the peer %s%s", ctl->peer, doing);
}

int ctl_recv_from_living(struct ctl *ctl, const char *type, json_t **msg, uint32_t silence_ms,
			 uint32_t most_ms)
{
	const uint64_t end_ns = ctl_deadline(most_ms);
	char doing[96];
	struct ctl_step step = {
		.doing = doing,
		.timeout_ms = silence_ms,
		.deadline_ns = ctl_deadline(silence_ms),
		.signals_fd = ctl->signals_fd,
		.alive = ctl->alive,
		.alive_arg = ctl->alive_arg,
	};

	snprintf(doing, sizeof(doing), " while waiting for %s", type ? type : "a message");
	for (;;) {
		const char *got;
		char what[96], clean[64];
		json_t *obj;
		int rc;

		rc = recv_any(ctl, &obj, &step);
		/* it lives, and this is not the end of a silence */
		if (rc == -ETIMEDOUT && step.deadline_ns == end_ns && silence_ms != most_ms)
			return only_heartbeats(ctl, doing);
		if (rc)
			return rc;
		got = json_string_value(json_object_get(obj, "type"));
		if (strcmp(got, "heartbeat") && (!type || !strcmp(got, type))) {
			*msg = obj;
			return 0;
		}
		rc = strcmp(got, "heartbeat");
		text_clean(got, clean, sizeof(clean));
		json_decref(obj);
		if (rc) {
			snprintf(what, sizeof(what), "\"%s\"", clean);
			return broken(ctl, what, doing);
		}
		/* with a flood of heartbeats recv_any() never waits: check the deadline here too */
		if (clock_ns() > step.deadline_ns)
			return only_heartbeats(ctl, doing);
		step.deadline_ns = min_u64(end_ns, ctl_deadline(silence_ms));
	}
}

/* A send failed because the peer closed. An abort that it sent before explains more than EPIPE. */
static int send_failed(struct ctl *ctl, int err)
{
	json_t *msg;
	int rc;

	if (err == EPIPE || err == ECONNRESET)
		while ((rc = take(ctl, &msg, " while sending")) != 0) {
			if (rc < 0)
				return rc;
			json_decref(msg);
		}
	return gone(ctl, strerror(err), " while sending");
}

/* As send(2); without blocking. */
static ssize_t transmit(struct ctl *ctl, const void *bytes, size_t len)
{
	return ctl->tls ? ctl_tls_send(ctl->tls, bytes, len) :
			  send(ctl->fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static int send_bytes(struct ctl *ctl, const uint8_t *bytes, size_t len, uint32_t timeout_ms)
{
	const struct ctl_step step = { .deadline_ns = ctl_deadline(timeout_ms), .signals_fd = -1 };
	size_t sent = 0;

	while (sent < len) {
		ssize_t n = transmit(ctl, bytes + sent, len - sent);
		int rc = 0;

		if (n >= 0) {
			sent += (size_t)n;
			continue;
		}
		if (errno == EAGAIN || errno == EWOULDBLOCK)
			rc = ctl_wait(ctl->fd, POLLOUT, &step);
		else if (errno != EINTR)
			return send_failed(ctl, errno);
		if (rc) {
			/* after half a frame the peer cannot read anything more */
			shutdown(ctl->fd, SHUT_WR);
			return err_set(rc, "the peer %s takes no more data: %s after %zu of %zu bytes",
				       ctl->peer, strerror(-rc), sent, len);
		}
	}
	return 0;
}

int ctl_send(struct ctl *ctl, json_t *msg, uint32_t timeout_ms)
{
	uint8_t *frame = NULL;
	size_t len;
	int rc;

	if (!msg)
		return err_set(-ENOMEM, "no memory for a message to the peer %s", ctl->peer);
	len = json_dumpb(msg, NULL, 0, JSON_COMPACT);
	if (len && len <= CTL_FRAME_MAX)
		frame = malloc(HEAD_BYTES + len);
	if (frame) {
		const uint32_t head = htonl((uint32_t)len);

		memcpy(frame, &head, HEAD_BYTES);
		if (json_dumpb(msg, (char *)frame + HEAD_BYTES, len, JSON_COMPACT) == len)
			rc = send_bytes(ctl, frame, HEAD_BYTES + len, timeout_ms);
		else
			rc = err_set(-ENOMEM, "no memory for a message to the peer %s", ctl->peer);
	} else {
		rc = err_set(len > CTL_FRAME_MAX ? -EMSGSIZE : -ENOMEM,
			     "cannot send a message of %zu bytes (at most %u) to the peer %s", len,
			     CTL_FRAME_MAX, ctl->peer);
	}
	free(frame);
	json_decref(msg);
	return rc;
}

/* The last message, with the cause of the error. True when it was sent. The error stays. */
static bool send_last(struct ctl *ctl, json_t *msg)
{
	const struct err err = err_keep();
	int rc;

	if (err.cause[0])
		json_object_set_new(msg, "cause", json_string(err.cause));
	rc = ctl_send(ctl, msg, LAST_SEND_MS);
	err_restore(&err);
	return !rc;
}

void ctl_abort(struct ctl *ctl, int rc, const char *reason)
{
	char clean[CTL_TEXT_MAX];

	if (ctl->fd >= 0 &&
	    send_last(ctl, json_pack("{s:s, s:s, s:b}", "type", "abort", "reason",
				     text_clean(reason, clean, sizeof(clean)), "interrupted",
				     rc == -EINTR)))
		ctl_linger(ctl->fd);
}

bool ctl_refuse(struct ctl *ctl, const char *reason)
{
	char clean[CTL_TEXT_MAX];

	return ctl->fd >= 0 &&
	       send_last(ctl, json_pack("{s:s, s:s}", "type", "refuse", "reason",
					text_clean(reason, clean, sizeof(clean))));
}

void ctl_admit(struct ctl *ctl)
{
	ctl->admitted = true;
}

int ctl_prove(struct ctl *ctl, const struct ctl_tls *tls, bool server, uint32_t timeout_ms)
{
	const struct ctl_tls_new conn = {
		.fd = ctl->fd, .signals_fd = ctl->signals_fd, .peer = ctl->peer, .server = server,
		.timeout_ms = timeout_ms,
	};

	return ctl_tls_prove(&ctl->tls, tls, &conn);
}

void ctl_close(struct ctl *ctl)
{
	const struct ctl closed = CTL_CLOSED;

	ctl_tls_end(ctl->tls);
	if (ctl->fd > 0)
		close(ctl->fd);
	free(ctl->in);
	*ctl = closed;
}
