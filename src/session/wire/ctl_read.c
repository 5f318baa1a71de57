/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * What a peer sends: the frames of the control connection, and their limits. Trusts no length or
 * text of the peer. Reads nothing beyond the end of the current frame, so poll(2) on ctl->fd tells
 * whether there is more.
 */
#include "config.h"
#include "wire/ctl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "wire/ctl_inside.h"
#include "limits/budget.h"
#include "util/err.h"
#include "util/text.h"

#define READ_FACTOR 16
#define READ_LEAST 4096
#define VALUE_BYTES 100u     /* of libjansson, about: with the key */
#define CONTAINER_BYTES 300u
#define IN_FIRST_BYTES 4096u
#define PERFTEST_VERSION 16u /* bytes that it sends first, with the trailing zero: MAX_VERSION */
/* ContentType of RFC 8446, 5.1 */
#define TLS_ALERT 21u
#define TLS_HANDSHAKE 22u

/* ---- the first bytes: is the peer another program, or does only one side have a key? */

/*
 * Both sides of perftest send the version of their package as their first bytes, "6.06" or "6.29"
 * and zeros: exchange_versions() in src/perftest_communication.c, MAX_VERSION in
 * src/perftest_parameters.h. Read as the length of a frame they exceed the maximum.
 */
static bool is_perftest(const uint8_t bytes[CTL_FIRST_BYTES])
{
	uint32_t digits = 0, dots = 0;

	for (uint32_t i = 0; i < CTL_FIRST_BYTES; i++) {
		digits += bytes[i] >= '0' && bytes[i] <= '9';
		dots += bytes[i] == '.';
	}
	return bytes[0] != '.' && dots == 1 && digits + dots == CTL_FIRST_BYTES;
}

/* Another program that greets, or that knows HTTP. Read as a length it exceeds the maximum. */
static bool is_text(const uint8_t bytes[CTL_FIRST_BYTES])
{
	uint32_t n = 0;

	while (n < CTL_FIRST_BYTES && bytes[n] >= ' ' && bytes[n] <= '~')
		n++;
	return n == CTL_FIRST_BYTES;
}

/* The rest of its version is only peeked at: nothing more is read. */
static int refuse_perftest(const struct ctl *ctl, const uint8_t bytes[CTL_FIRST_BYTES])
{
	char text[PERFTEST_VERSION] = "", clean[PERFTEST_VERSION];
	ssize_t more;

	memcpy(text, bytes, CTL_FIRST_BYTES);
	more = recv(ctl->fd, text + CTL_FIRST_BYTES, sizeof(text) - 1 - CTL_FIRST_BYTES,
		    MSG_DONTWAIT | MSG_PEEK);
	text[CTL_FIRST_BYTES + (more > 0 ? (size_t)more : 0)] = '\0';
	return err_set(-EPROTOTYPE, "the peer %s is perftest %s, not verbench: both sides must be the same program",
		       ctl->peer, text_clean(text, clean, sizeof(clean)));
}

bool ctl_first_is_tls(const uint8_t bytes[CTL_FIRST_BYTES])
{
	return (bytes[0] == TLS_ALERT || bytes[0] == TLS_HANDSHAKE) && bytes[1] == 3;
}

int ctl_first_plain(const struct ctl *ctl, const uint8_t bytes[CTL_FIRST_BYTES], bool server)
{
	if (is_perftest(bytes))
		return refuse_perftest(ctl, bytes);
	if (server)
		return err_set(-EACCES, "the peer %s uses no key: a client needs --key FILE with a copy of this server's key file",
			       ctl->peer);
	return err_set(-EACCES, "the server %s has no key: start it with --key FILE, or leave out --key here",
		       ctl->peer);
}

/* The same for a side without a key. 0: they may be the length of a frame. */
static int check_first(const struct ctl *ctl, const uint8_t bytes[CTL_FIRST_BYTES])
{
	if (is_perftest(bytes))
		return refuse_perftest(ctl, bytes);
	if (is_text(bytes))
		return err_set(-EBADMSG, "the peer %s is another program, not verbench: what it sends begins with \"%.4s\"",
			       ctl->peer, (const char *)bytes);
	if (!ctl_first_is_tls(bytes))
		return 0;
	/* a server answers with an alert, a client begins with a handshake */
	if (bytes[0] == TLS_ALERT)
		return err_set(-EACCES, "the server %s requires a key: use --key FILE with a copy of its key file",
			       ctl->peer);
	return err_set(-EACCES, "the client %s uses a key, but this server has none: start the server with --key FILE",
		       ctl->peer);
}

/*
 * ---- the cost of decoding: jansson takes some 100 bytes for a value, 300 for an object, and one
 * level of recursion for each level: "[{},{},..." of 64 KiB would take megabytes
 */

struct budget {
	uint32_t depth, containers, values;
};

/*
 * A peer that is not admitted sends hello and a plan: an object of objects with a value per option.
 * The largest message of an admitted peer is 16384 queue pairs, each an object.
 */
static const struct budget unknown = { 8, 64, 1024 }, admitted = { 32, 1u << 16, 1u << 19 };

/* The end of the string that begins at text[i]. */
static size_t skip_string(const uint8_t *text, size_t len, size_t i)
{
	for (i++; i < len && text[i] != '"'; i++)
		if (text[i] == '\\')
			i++;
	return i;
}

/* What a text takes that is parsed; it need not be JSON. */
static struct budget cost_of(const uint8_t *text, size_t len)
{
	struct budget cost = { .values = 1 };
	uint32_t depth = 0;

	for (size_t i = 0; i < len; i++) {
		switch (text[i]) {
		case '"':
			i = skip_string(text, len, i);
			break;
		case '{':
		case '[':
			depth++;
			cost.containers++;
			break;
		case '}':
		case ']':
			depth -= depth > 0;
			break;
		case ',':
			cost.values++;
			break;
		default:
			break;
		}
		if (depth > cost.depth)
			cost.depth = depth;
	}
	return cost;
}

static bool is_within(const struct budget *cost, const struct budget *most)
{
	return cost->depth <= most->depth && cost->containers <= most->containers &&
	       cost->values <= most->values;
}

/*
 * What an admitted peer makes this side allocate is memory of the session, from what anyone may
 * send on. Counted only while it is parsed: no other message is then there.
 */
static int count_memory(const struct ctl *ctl, const struct budget *cost, size_t len)
{
	const uint64_t mark = budget_mark(ctl->budget);
	int rc;

	if (is_within(cost, &unknown) && len <= CTL_FRAME_SMALL)
		return 0;
	rc = budget_take(ctl->budget, (uint64_t)cost->values * VALUE_BYTES +
				      (uint64_t)cost->containers * CONTAINER_BYTES + 2 * len,
			 "a message of the client");
	budget_back(ctl->budget, mark);
	return rc;
}

/*
 * Is there memory to parse a text of this length? The parser of libjansson 2.14 writes beyond its
 * buffer when it cannot enlarge it. A value takes up to READ_FACTOR times its text.
 */
static bool has_memory(size_t len)
{
	void *volatile probe = malloc(READ_FACTOR * len + READ_LEAST);
	const bool has = probe;

	free(probe);
	return has;
}

/* ---- the error of the peer: abort and refuse */

static void read_part(const json_t *msg, const char *name, char *text, size_t size)
{
	const char *value = json_string_value(json_object_get(msg, name));

	text_clean(value ? value : "", text, size);
}

/* Sets the error of this thread. Text of the peer is cut and made printable. */
static void read_error(const json_t *msg, const char *peer, const char *verb)
{
	char about[ERR_TEXT_MAX / 2 - ERR_OPTION_MAX] = "", text[ERR_TEXT_MAX];
	struct err err = { .said = 0 };

	read_part(msg, "text", text, sizeof(text));
	if (text[0]) {
		read_part(msg, "about", about, sizeof(about));
		read_part(msg, "see", err.see, sizeof(err.see));
		read_part(msg, "advice", err.advice, sizeof(err.advice));
		read_part(msg, "option", err.option, sizeof(err.option));
	} else {
		/* a peer that sends only the whole text */
		read_part(msg, "reason", text, sizeof(text));
	}
	read_part(msg, "cause", err.cause, sizeof(err.cause));
	read_part(msg, "side", err.side, sizeof(err.side));
	snprintf(err.text, sizeof(err.text), "the peer %.200s %s: ", peer, verb);
	err.said = strlen(err.text);
	snprintf(err.text + err.said, sizeof(err.text) - err.said, "%s", about);
	err.bare = strlen(err.text);
	snprintf(err.text + err.bare, sizeof(err.text) - err.bare, "%s",
		 text[0] ? text : "no reason given");
	/* what the text does not begin with, or what is cut, is not replaced */
	if (memcmp(err.text + err.bare, err.option, strlen(err.option)))
		err.option[0] = '\0';
	err_restore(&err);
}

/* ---- frames */

int ctl_gone(const struct ctl *ctl, const char *how, const char *doing)
{
	return err_set(-ECONNRESET, "the peer %s is gone (%s%s)", ctl->peer, how, doing);
}

int ctl_broken(const struct ctl *ctl, const char *what, const char *doing)
{
	return err_set(-EBADMSG, "the peer %s sent %s%s", ctl->peer, what, doing);
}

/* The length in the frame's head. */
static uint32_t head_length(const struct ctl *ctl)
{
	return (uint32_t)ctl->in[0] << 24 | (uint32_t)ctl->in[1] << 16 |
	       (uint32_t)ctl->in[2] << 8 | (uint32_t)ctl->in[3];
}

/* Room for more bytes of the frame: up to twice what has arrived. The head is not trusted. */
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

/* Parses a whole frame. abort and refuse become errors of this thread. */
static int parse(struct ctl *ctl, json_t **msg, const char *doing)
{
	const char *text = (const char *)ctl->in + HEAD_BYTES, *type;
	const size_t len = ctl->in_len - HEAD_BYTES;
	const struct budget cost = cost_of(ctl->in + HEAD_BYTES, len);
	json_t *obj;
	int rc = 1;

	ctl->in_len = 0;
	if (!is_within(&cost, ctl->admitted ? &admitted : &unknown))
		return ctl_broken(ctl, "a message with too many values or levels", doing);
	if (count_memory(ctl, &cost, len))
		return -ENOMEM;
	if (!has_memory(len))
		return err_set(-ENOMEM, "no memory for a message of the peer %s", ctl->peer);
	obj = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	ctl->n_in++;
	type = json_string_value(json_object_get(obj, "type"));
	if (!type) {
		rc = ctl_broken(ctl, "a frame that is no JSON object with a type", doing);
	} else if (!strcmp(type, "refuse")) {
		read_error(obj, ctl->peer, "refuses");
		rc = -EPERM;
	} else if (!strcmp(type, "abort")) {
		read_error(obj, ctl->peer, "reports");
		/* an abort that the peer's user asked for is an interrupt, not a failure */
		rc = json_is_true(json_object_get(obj, "interrupted")) ? -EINTR : -ECONNABORTED;
	}
	if (rc > 0)
		*msg = obj;
	else
		json_decref(obj);
	return rc;
}

/* The length of the frame with its head, as far as known; negative when it is not allowed. */
static int frame_need(const struct ctl *ctl, size_t *need, const char *doing)
{
	const uint32_t most = ctl->admitted ? CTL_FRAME_MAX : CTL_FRAME_SMALL;
	char what[64];
	int rc;

	*need = HEAD_BYTES;
	if (ctl->in_len < HEAD_BYTES)
		return 0;
	if (!ctl->n_in && !ctl->tls) {
		rc = check_first(ctl, ctl->in);
		if (rc)
			return rc;
	}
	*need += head_length(ctl);
	if (*need > HEAD_BYTES && *need - HEAD_BYTES <= most)
		return 0;
	snprintf(what, sizeof(what), "a frame of %u bytes (1 to %u are allowed)",
		 head_length(ctl), most);
	return ctl_broken(ctl, what, doing);
}

/* As recv(2); without blocking. */
static ssize_t receive(struct ctl *ctl, void *bytes, size_t len)
{
	return ctl->tls ? ctl_tls_recv(ctl->tls, bytes, len) :
			  recv(ctl->fd, bytes, len, MSG_DONTWAIT);
}

int ctl_read(struct ctl *ctl, json_t **msg, const char *doing)
{
	for (;;) {
		size_t need;
		ssize_t n;
		int rc;

		rc = frame_need(ctl, &need, doing);
		if (rc)
			return rc;
		if (ctl->in_len > HEAD_BYTES && ctl->in_len == need) {
			/* poll(2) would not report them */
			if (ctl->tls && ctl_tls_pending(ctl->tls))
				return ctl_broken(ctl, "two messages in one record", doing);
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
			return ctl_gone(ctl, ctl->in_len ? "closed in the middle of a message"
						     : "connection closed", doing);
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			return 0;
		else if (errno == EBADMSG && ctl->tls)
			return ctl_broken(ctl, ctl_tls_what(ctl->tls), doing);
		else if (errno != EINTR)
			return ctl_gone(ctl, strerror(errno), doing);
	}
}
