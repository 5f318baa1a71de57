/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The messages of the control connection, with a deadline on every step. ctl_read.c reads the
 * frames.
 */
#include "config.h"
#include "wire/ctl.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire/ctl_inside.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/minmax.h"
#include "util/text.h"

#define LINGER_MS 500u
#define ALIVE_MS 1000u
#define LAST_SEND_MS 500u

/* ---- waits */

uint64_t ctl_deadline(uint32_t timeout_ms)
{
	return clock_ns() + (uint64_t)timeout_ms * 1000000u;
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

int ctl_wait(const struct ctl *ctl, short events, uint64_t deadline_ns)
{
	struct pollfd p[2] = {
		{ .fd = ctl->fd, .events = events },
		{ .fd = ctl->signals_fd, .events = POLLIN },
	};

	for (;;) {
		const uint64_t now_ns = clock_ns();
		uint64_t left_ms = 0;
		int n;

		/* rounded up: with 0 the last millisecond would be a busy loop */
		if (deadline_ns > now_ns)
			left_ms = (deadline_ns - now_ns + 999999u) / 1000000u;
		ctl_alive(ctl);
		n = poll(p, 2, (int)min_u64(left_ms, ALIVE_MS));
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0 && p[1].revents)
			return -EINTR;
		if (n > 0 && p[0].revents)
			return 0;
		if (!left_ms)
			return -ETIMEDOUT;
	}
}

void ctl_linger(int fd)
{
	const struct ctl only = { .fd = fd, .signals_fd = -1 };
	const uint64_t until_ns = ctl_deadline(LINGER_MS);
	char sink[4096];
	ssize_t n;

	shutdown(fd, SHUT_WR);
	while (clock_ns() < until_ns) {
		n = recv(fd, sink, sizeof(sink), MSG_DONTWAIT);
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			return;
		if (n < 0 && ctl_wait(&only, POLLIN, until_ns))
			return;
	}
}

/* ---- receiving */

int ctl_try_recv(struct ctl *ctl, json_t **msg)
{
	ctl_alive(ctl);
	return ctl_read(ctl, msg, "");
}

int ctl_recv(struct ctl *ctl, const char *type, json_t **msg, uint32_t timeout_ms)
{
	return ctl_recv_from_living(ctl, type, msg, timeout_ms, timeout_ms);
}

/* The wait for a message failed with rc. silence_ms: the time without any; 0: heartbeats came. */
static int not_received(const struct ctl *ctl, int rc, const char *doing, uint32_t silence_ms)
{
	if (rc == -ETIMEDOUT && silence_ms)
		return err_set(rc, "no answer from the peer %s within %u ms%s", ctl->peer,
			       silence_ms, doing);
	if (rc == -ETIMEDOUT)
		return err_set(rc, "only heartbeats from the peer %s%s", ctl->peer, doing);
	if (rc == -EINTR)
		return err_set(rc, "%s%s from the peer %s", ctl_stop_reason(ctl, "interrupted"),
			       doing, ctl->peer);
	return err_set(rc, "cannot poll the connection to %s: %s", ctl->peer, strerror(-rc));
}

/* Takes over obj: an object that is not the expected one. */
static int unexpected(const struct ctl *ctl, json_t *obj, const char *doing)
{
	char clean[64], what[96];

	text_clean(json_string_value(json_object_get(obj, "type")), clean, sizeof(clean));
	json_decref(obj);
	snprintf(what, sizeof(what), "\"%s\"", clean);
	return ctl_broken(ctl, what, doing);
}

int ctl_recv_from_living(struct ctl *ctl, const char *type, json_t **msg, uint32_t silence_ms,
			 uint32_t most_ms)
{
	const uint64_t end_ns = ctl_deadline(most_ms);
	uint64_t until_ns = ctl_deadline(silence_ms);
	char doing[96];

	snprintf(doing, sizeof(doing), " while waiting for %s", type ? type : "a message");
	for (;;) {
		json_t *obj = NULL;
		const char *got;
		int rc = ctl_read(ctl, &obj, doing);

		if (rc < 0)
			return rc;
		if (!rc) {
			rc = ctl_wait(ctl, POLLIN, until_ns);
			/* a peer that sends heartbeats is not silent */
			if (rc)
				return not_received(ctl, rc, doing,
						    until_ns == end_ns && silence_ms != most_ms ?
							    0 : silence_ms);
			continue;
		}
		got = json_string_value(json_object_get(obj, "type"));
		if (strcmp(got, "heartbeat")) {
			if (type && strcmp(got, type))
				return unexpected(ctl, obj, doing);
			if (msg)
				*msg = obj;
			else
				json_decref(obj);
			return 0;
		}
		json_decref(obj);
		/* in a flood of heartbeats nothing waits: check the deadline here too */
		if (clock_ns() > until_ns)
			return not_received(ctl, -ETIMEDOUT, doing, 0);
		until_ns = min_u64(end_ns, ctl_deadline(silence_ms));
	}
}

/* ---- sending */

/* A send failed because the peer closed. An abort that it sent earlier explains more than EPIPE. */
static int send_failed(struct ctl *ctl, int err)
{
	json_t *msg;
	int rc;

	if (err == EPIPE || err == ECONNRESET)
		while ((rc = ctl_read(ctl, &msg, " while sending")) != 0) {
			if (rc < 0)
				return rc;
			json_decref(msg);
		}
	return ctl_gone(ctl, strerror(err), " while sending");
}

/* As send(2); without blocking. */
static ssize_t transmit(struct ctl *ctl, const void *bytes, size_t len)
{
	return ctl->tls ? ctl_tls_send(ctl->tls, bytes, len) :
			  send(ctl->fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static int send_bytes(struct ctl *ctl, const uint8_t *bytes, size_t len, uint32_t timeout_ms)
{
	const struct ctl only = { .fd = ctl->fd, .signals_fd = -1 };
	const uint64_t until_ns = ctl_deadline(timeout_ms);
	size_t sent = 0;

	while (sent < len) {
		ssize_t n = transmit(ctl, bytes + sent, len - sent);
		int rc = 0;

		if (n >= 0) {
			sent += (size_t)n;
			continue;
		}
		if (errno == EAGAIN || errno == EWOULDBLOCK)
			rc = ctl_wait(&only, POLLOUT, until_ns);
		else if (errno != EINTR)
			return send_failed(ctl, errno);
		if (rc) {
			/* after half a frame the peer cannot read anything else */
			shutdown(ctl->fd, SHUT_WR);
			return err_set(rc, "the peer %s takes no more data: %s after %zu of %zu bytes",
				       ctl->peer, strerror(-rc), sent, len);
		}
	}
	return 0;
}

int ctl_send(struct ctl *ctl, json_t *msg, uint32_t timeout_ms)
{
	const size_t len = json_dumpb(msg, NULL, 0, JSON_COMPACT);
	uint8_t *frame = len && len <= CTL_FRAME_MAX ? malloc(HEAD_BYTES + len) : NULL;
	const uint32_t head = htonl((uint32_t)len);
	int rc;

	if (msg && !frame) {
		rc = err_set(len > CTL_FRAME_MAX ? -EMSGSIZE : -ENOMEM,
			     "cannot send a message of %zu bytes (at most %u) to the peer %s", len,
			     CTL_FRAME_MAX, ctl->peer);
	} else if (!msg ||
		   json_dumpb(msg, (char *)frame + HEAD_BYTES, len, JSON_COMPACT) != len) {
		rc = err_set(-ENOMEM, "no memory for a message to the peer %s", ctl->peer);
	} else {
		memcpy(frame, &head, HEAD_BYTES);
		rc = send_bytes(ctl, frame, HEAD_BYTES + len, timeout_ms);
	}
	free(frame);
	json_decref(msg);
	return rc;
}

/* ---- the end */

static void add_part(json_t *msg, const char *name, const char *text)
{
	char clean[ERR_TEXT_MAX];

	if (text[0])
		json_object_set_new(msg, name, json_string(text_clean(text, clean, sizeof(clean))));
}

/* Adds the fields of the error. Returns msg, which may be NULL. */
static json_t *add_error(json_t *msg, const struct err *err)
{
	char text[ERR_TEXT_MAX];

	add_part(msg, "reason", err_tell(err, text));
	snprintf(text, sizeof(text), "%.*s", (int)err->bare, err->text);
	add_part(msg, "about", text);
	add_part(msg, "text", err->text + err->bare);
	add_part(msg, "see", err->see);
	add_part(msg, "advice", err->advice);
	add_part(msg, "cause", err->cause);
	add_part(msg, "side", err->side);
	add_part(msg, "option", err->option);
	return msg;
}

/* Sends the error of this thread as the last message. True when it was sent. The error stays. */
static bool send_error(struct ctl *ctl, json_t *msg)
{
	const struct err err = err_keep();
	bool sent;

	if (ctl->fd < 0) {
		json_decref(msg);
		return false;
	}
	sent = !ctl_send(ctl, add_error(msg, &err), LAST_SEND_MS);
	err_restore(&err);
	return sent;
}

void ctl_abort(struct ctl *ctl, int rc)
{
	if (send_error(ctl, json_pack("{s:s, s:b}", "type", "abort", "interrupted", rc == -EINTR)))
		ctl_linger(ctl->fd);
}

bool ctl_refuse(struct ctl *ctl)
{
	return send_error(ctl, json_pack("{s:s}", "type", "refuse"));
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

/* ---- all peers of a session */

int peers_send(const struct peers *p, json_t *msg, uint32_t timeout_ms)
{
	int rc = 0;

	for (uint32_t i = 0; i < p->n && !rc; i++)
		rc = ctl_send(p->ctl[i], json_incref(msg), timeout_ms);
	json_decref(msg);
	return rc;
}

int peers_recv_plain(const struct peers *p, const char *type, uint32_t timeout_ms)
{
	int rc = 0;

	for (uint32_t i = 0; i < p->n && !rc; i++)
		rc = ctl_recv(p->ctl[i], type, NULL, timeout_ms);
	return rc;
}

void peers_abort(const struct peers *p, int rc)
{
	/* gone, or another program, which knows no frames */
	if (p->n == 1 && (rc == -ECONNABORTED || rc == -ECONNRESET || rc == -EPROTOTYPE))
		return;
	for (uint32_t i = 0; i < p->n; i++)
		ctl_abort(p->ctl[i], rc);
}

uint64_t peers_rtt_ns(const struct peers *p)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < p->n; i++)
		most = max_u64(most, ctl_rtt_ns(p->ctl[i]));
	return most;
}

void peers_forget_signals(const struct peers *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		p->ctl[i]->signals_fd = -1;
}
