/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the server's messages of setup; see setup_session.h. Called by session_server.c. Every wait
 * has a deadline, and the whole has one that the client cannot extend.
 */
#include "config.h"
#include "session/setup_session.h"

#include <errno.h>
#include <string.h>

#include "control/proto.h"
#include "setup/answer.h"
#include "setup/answer_cm.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"
#include "util/text.h"

#define MOST_SECONDS 3600u

struct server {
	struct agree *agree;
	struct answer answer;
	struct answer_cm by_cm;    /* between listen and unlisten */
	bool listening;
};

static int send_answer(struct server *s, json_t *msg)
{
	return ctl_send(s->agree->ctl, msg, s->agree->plan.stall_timeout_ms);
}

static int take_connect(struct server *s, const json_t *msg)
{
	const size_t n = json_array_size(json_object_get(msg, "qps"));
	struct ep_addr peer;
	int rc = answer_room(&s->answer, n);

	if (!rc)
		rc = proto_read_endpoint(&peer, msg, (uint32_t)n);
	if (rc)
		return rc;
	rc = answer_connect(&s->answer, &peer);
	ep_addr_free(&peer);
	return rc ? rc : send_answer(s, proto_endpoint(&s->answer.conn.addr));
}

static int take_disconnect(struct server *s)
{
	int rc = answer_disconnect(&s->answer);

	return rc ? rc : send_answer(s, proto_plain("disconnected"));
}

static int take_invalidate(struct server *s, const json_t *msg)
{
	const json_t *rkey = json_object_get(msg, "rkey");
	const json_int_t value = json_integer_value(rkey);
	int rc;

	if (!json_is_integer(rkey) || value < 0 || value > UINT32_MAX)
		return err_set(-EBADMSG, "the peer's invalidate: field \"rkey\" is missing or out of range");
	rc = answer_invalidate(&s->answer, (uint32_t)value);
	return rc ? rc : send_answer(s, proto_plain("invalidated"));
}

/* A server without rdma_cm answers without an address: the client measures everything else. */
static int take_listen(struct server *s)
{
	struct ep_addr addr = s->answer.conn.addr;

	if (s->listening)
		return err_set(-EBADMSG, "the peer %s sent 'listen' twice", s->agree->ctl->peer);
	addr.n_qps = 0;
	if (answer_cm_open(&s->by_cm, &s->answer, &addr)) {
		log_note("setup: %s", err_text());
		answer_cm_close(&s->by_cm);
		addr.cm_address[0] = '\0';
		addr.cm_port = 0;
		addr.cm_token = 0;
	} else {
		s->listening = true;
	}
	return send_answer(s, proto_endpoint(&addr));
}

static int take_unlisten(struct server *s)
{
	answer_cm_close(&s->by_cm);
	s->listening = false;
	return send_answer(s, proto_plain("unlistened"));
}

static int take(struct server *s, const json_t *msg, const char *type)
{
	char clean[33];

	if (!strcmp(type, "alive"))
		return 0;
	if (!strcmp(type, "endpoint"))
		return take_connect(s, msg);
	if (!strcmp(type, "disconnect"))
		return take_disconnect(s);
	if (!strcmp(type, "invalidate"))
		return take_invalidate(s, msg);
	if (!strcmp(type, "listen"))
		return take_listen(s);
	if (!strcmp(type, "unlisten"))
		return take_unlisten(s);
	text_clean(type, clean, sizeof(clean));
	return err_set(-EBADMSG, "the peer %s sent '%s' in a plan of setup", s->agree->ctl->peer,
		       clean);
}

/* The next message, while connections by rdma_cm are served. */
static int receive(struct server *s, json_t **msg)
{
	struct ctl *ctl = s->agree->ctl;
	const uint32_t timeout_ms = s->agree->plan.stall_timeout_ms;
	const struct cm_wait wait = {
		.deadline_ns = clock_ns() + (uint64_t)timeout_ms * 1000000u,
		.fds = { ctl->fd, ctl->signals_fd },
	};
	struct cm_event event;
	int rc = 0;

	while (s->listening && !rc) {
		rc = cm_next(&s->by_cm.objects.cm, &event, &wait);
		if (rc > 0)
			answer_cm_event(&s->by_cm, &event);
		/* also when strangers send one request after the other */
		if (rc == -ETIMEDOUT || (rc > 0 && clock_ns() > wait.deadline_ns))
			return err_set(-ETIMEDOUT, "no answer from the peer %s within %u ms", ctl->peer,
				       timeout_ms);
		if (rc < 0)
			return rc;
		/* 0: a message, or the user's stop, which ctl_recv() sees */
		rc = !rc;
	}
	return ctl_recv(ctl, NULL, msg, timeout_ms);
}

static int serve(struct server *s, json_t **next)
{
	const uint64_t until_ns = clock_ns() + MOST_SECONDS * UINT64_C(1000000000);
	int rc = 0;

	while (!rc) {
		json_t *msg = NULL;
		const char *type;

		rc = receive(s, &msg);
		if (rc)
			return rc;
		type = json_string_value(json_object_get(msg, "type"));
		if (!strcmp(type, "bye") || agree_asks(type)) {
			*next = msg;
			return 0;
		}
		if (clock_ns() > until_ns)
			rc = err_set(-ETIMEDOUT, "the plan of setup takes more than %u seconds",
				     MOST_SECONDS);
		else
			rc = take(s, msg, type);
		json_decref(msg);
	}
	return rc;
}

int setup_server(struct agree *a, json_t **next)
{
	struct server s = { .agree = a };
	int rc = answer_open(&s.answer, &a->own->dev, &a->plan);

	if (!rc)
		rc = serve(&s, next);
	answer_cm_close(&s.by_cm);
	answer_close(&s.answer);
	return rc;
}
