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

#include "util/clock.h"
#include "util/err.h"
#include "util/minmax.h"
#include "util/text.h"

#define HEAD_BYTES 4u
#define IN_FIRST_BYTES 4096u
#define LAST_SEND_MS 500u
#define LINGER_MS 500u
#define PERFTEST_VERSION 16u /* bytes that it sends first, with the closing zero: MAX_VERSION */

struct ctl_step {
	const char *doing;   /* " while waiting for limits", "" */
	uint32_t timeout_ms; /* for the error message */
	uint64_t deadline_ns;
	int signals_fd;
};

static uint64_t deadline_in(uint32_t timeout_ms)
{
	return clock_ns() + (uint64_t)timeout_ms * 1000000u;
}

/* 0 when fd has one of events, -ETIMEDOUT, -EINTR for signals_fd. Sets no error message. */
static int wait_fd(int fd, short events, const struct ctl_step *step)
{
	struct pollfd p[2] = {
		{ .fd = fd, .events = events },
		{ .fd = step->signals_fd, .events = POLLIN },
	};

	for (;;) {
		const uint64_t now_ns = clock_ns();
		uint64_t left_ms = 0;
		int n;

		/* rounded up: with 0 the last millisecond would be a busy loop */
		if (step->deadline_ns > now_ns)
			left_ms = (step->deadline_ns - now_ns + 999999u) / 1000000u;
		n = poll(p, 2, left_ms > 60000u ? 60000 : (int)left_ms);
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

static int gone(const struct ctl *ctl, const char *how, const char *doing)
{
	return err_set(-ECONNRESET, "the peer %s is gone (%s%s)", ctl->peer, how, doing);
}

static int broken(const struct ctl *ctl, const char *what, const char *doing)
{
	return err_set(-EBADMSG, "the peer %s sent %s%s", ctl->peer, what, doing);
}

/*
 * Both sides of perftest send the version of their package as their first bytes, "6.06" or "6.29"
 * and zeros: exchange_versions() in src/perftest_communication.c, MAX_VERSION in
 * src/perftest_parameters.h. As the length of a frame that is more than a frame may have.
 */
static bool is_perftest(const struct ctl *ctl)
{
	uint32_t digits = 0, dots = 0;

	for (uint32_t i = 0; i < HEAD_BYTES; i++) {
		digits += ctl->in[i] >= '0' && ctl->in[i] <= '9';
		dots += ctl->in[i] == '.';
	}
	return !ctl->n_in && ctl->in[0] != '.' && dots == 1 && digits + dots == HEAD_BYTES;
}

/* What is there of the rest of its version is only looked at: nothing more is read from it. */
static int refuse_perftest(const struct ctl *ctl)
{
	char text[PERFTEST_VERSION] = "", clean[PERFTEST_VERSION];
	ssize_t more;

	memcpy(text, ctl->in, HEAD_BYTES);
	more = recv(ctl->fd, text + HEAD_BYTES, sizeof(text) - 1 - HEAD_BYTES,
		    MSG_DONTWAIT | MSG_PEEK);
	text[HEAD_BYTES + (more > 0 ? (size_t)more : 0)] = '\0';
	return err_set(-EPROTOTYPE, "the peer %s is perftest %s, not verbench: both sides must be the same program",
		       ctl->peer, text_clean(text, clean, sizeof(clean)));
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

/* Parses a whole frame. abort and refuse become errors with the peer's reason. */
static int parse(struct ctl *ctl, json_t **msg, const char *doing)
{
	const char *type;
	json_t *obj;

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
		const bool refused = !strcmp(type, "refuse");
		const int code = refused ? -EPERM : abort_code(obj);
		char reason[CTL_TEXT_MAX];

		text_clean(said ? said : "no reason given", reason, sizeof(reason));
		json_decref(obj);
		return err_set(code, "the peer %s %s: %s", ctl->peer,
			       refused ? "refuses" : "reports", reason);
	}
	*msg = obj;
	return 1;
}

/* The length of the frame with its head, as far as it is known; negative when it is not allowed. */
static int frame_need(const struct ctl *ctl, size_t *need, const char *doing)
{
	const uint32_t most = ctl->n_in < CTL_FRAMES_SMALL ? CTL_FRAME_SMALL : CTL_FRAME_MAX;
	char what[64];

	*need = HEAD_BYTES;
	if (ctl->in_len < HEAD_BYTES)
		return 0;
	if (is_perftest(ctl))
		return refuse_perftest(ctl);
	*need += head_length(ctl);
	if (*need > HEAD_BYTES && *need - HEAD_BYTES <= most)
		return 0;
	snprintf(what, sizeof(what), "a frame of %u bytes (1 to %u are allowed)",
		 head_length(ctl), most);
	return broken(ctl, what, doing);
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
		if (ctl->in_len > HEAD_BYTES && ctl->in_len == need)
			return parse(ctl, msg, doing);
		rc = grow(ctl, need);
		if (rc)
			return rc;
		if (need > ctl->in_cap)
			need = ctl->in_cap;
		n = recv(ctl->fd, ctl->in + ctl->in_len, need - ctl->in_len, MSG_DONTWAIT);
		if (n > 0)
			ctl->in_len += (size_t)n;
		else if (n == 0)
			return gone(ctl, ctl->in_len ? "closed in the middle of a message"
						     : "connection closed", doing);
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			return 0;
		else if (errno != EINTR)
			return gone(ctl, strerror(errno), doing);
	}
}

int ctl_try_recv(struct ctl *ctl, json_t **msg)
{
	return take(ctl, msg, "");
}

/* The next object, heartbeats included. */
static int recv_any(struct ctl *ctl, json_t **msg, const struct ctl_step *step)
{
	for (;;) {
		int rc = take(ctl, msg, step->doing);

		if (rc)
			return rc < 0 ? rc : 0;
		rc = wait_fd(ctl->fd, POLLIN, step);
		if (rc == -ETIMEDOUT)
			return err_set(rc, "no answer from the peer %s within %u ms%s", ctl->peer,
				       step->timeout_ms, step->doing);
		if (rc == -EINTR)
			return err_set(rc, "interrupted%s from the peer %s", step->doing,
				       ctl->peer);
		if (rc)
			return err_set(rc, "cannot poll the connection to %s: %s", ctl->peer,
				       strerror(-rc));
	}
}

int ctl_recv(struct ctl *ctl, const char *type, json_t **msg, uint32_t timeout_ms)
{
	return ctl_recv_from_living(ctl, type, msg, timeout_ms, timeout_ms);
}

int ctl_recv_from_living(struct ctl *ctl, const char *type, json_t **msg, uint32_t silence_ms,
			 uint32_t most_ms)
{
	const uint64_t end_ns = deadline_in(most_ms);
	char doing[96];
	struct ctl_step step = {
		.doing = doing,
		.timeout_ms = silence_ms,
		.deadline_ns = deadline_in(silence_ms),
		.signals_fd = ctl->signals_fd,
	};

	snprintf(doing, sizeof(doing), " while waiting for %s", type ? type : "a message");
	for (;;) {
		const char *got;
		char what[96], clean[64];
		json_t *obj;
		int rc;

		rc = recv_any(ctl, &obj, &step);
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
			return err_set(-ETIMEDOUT, "only heartbeats from the peer %s%s",
				       ctl->peer, doing);
		step.deadline_ns = min_u64(end_ns, deadline_in(silence_ms));
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

static int send_bytes(struct ctl *ctl, const uint8_t *bytes, size_t len, uint32_t timeout_ms)
{
	const struct ctl_step step = { .deadline_ns = deadline_in(timeout_ms), .signals_fd = -1 };
	size_t sent = 0;

	while (sent < len) {
		ssize_t n = send(ctl->fd, bytes + sent, len - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
		int rc = 0;

		if (n >= 0) {
			sent += (size_t)n;
			continue;
		}
		if (errno == EAGAIN || errno == EWOULDBLOCK)
			rc = wait_fd(ctl->fd, POLLOUT, &step);
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
		len = json_dumpb(msg, (char *)frame + HEAD_BYTES, len, JSON_COMPACT);
		rc = send_bytes(ctl, frame, HEAD_BYTES + len, timeout_ms);
	} else {
		rc = err_set(len > CTL_FRAME_MAX ? -EMSGSIZE : -ENOMEM,
			     "cannot send a message of %zu bytes (at most %u) to the peer %s", len,
			     CTL_FRAME_MAX, ctl->peer);
	}
	free(frame);
	json_decref(msg);
	return rc;
}

/* close(2) with unread data sends a reset, and the peer may lose the abort: read to the end. */
static void linger(struct ctl *ctl)
{
	const struct ctl_step step = {
		.deadline_ns = deadline_in(LINGER_MS),
		.signals_fd = -1,
	};
	char sink[4096];
	ssize_t n;

	shutdown(ctl->fd, SHUT_WR);
	while (clock_ns() < step.deadline_ns) {
		n = recv(ctl->fd, sink, sizeof(sink), MSG_DONTWAIT);
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			return;
		if (n < 0 && wait_fd(ctl->fd, POLLIN, &step))
			return;
	}
}

/* The last message. True when it was sent. err_text() stays as it was. */
static bool send_last(struct ctl *ctl, json_t *msg)
{
	char kept[ERR_TEXT_MAX];
	int rc;

	snprintf(kept, sizeof(kept), "%s", err_text());
	rc = ctl_send(ctl, msg, LAST_SEND_MS);
	(void)err_set(0, "%s", kept);
	return !rc;
}

void ctl_abort(struct ctl *ctl, int rc, const char *reason)
{
	char clean[CTL_TEXT_MAX];

	if (ctl->fd >= 0 &&
	    send_last(ctl, json_pack("{s:s, s:s, s:b}", "type", "abort", "reason",
				     text_clean(reason, clean, sizeof(clean)), "interrupted",
				     rc == -EINTR)))
		linger(ctl);
}

bool ctl_refuse(struct ctl *ctl, const char *reason)
{
	char clean[CTL_TEXT_MAX];

	return ctl->fd >= 0 &&
	       send_last(ctl, json_pack("{s:s, s:s}", "type", "refuse", "reason",
					text_clean(reason, clean, sizeof(clean))));
}

void ctl_close(struct ctl *ctl)
{
	const struct ctl closed = CTL_CLOSED;

	if (ctl->fd > 0)
		close(ctl->fd);
	free(ctl->in);
	*ctl = closed;
}
