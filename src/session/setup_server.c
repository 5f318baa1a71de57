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

#include "session/proto.h"
#include "setup/answer.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/text.h"

#define MOST_SECONDS 3600u

struct server {
	struct agree *agree;
	struct answer answer;
};

static int send_answer(struct server *s, json_t *msg)
{
	return ctl_send(s->agree->ctl, msg, s->agree->plan.stall_timeout_ms);
}

static int take_connect(struct server *s, const json_t *msg)
{
	const size_t n = json_array_size(json_object_get(msg, "qps"));
	struct ep_addr peer;
	int rc;

	if (n > s->answer.conn.max)
		return err_set(-EBADMSG, "the peer asks for %zu QPs; allowed: 1..%u", n,
			       s->answer.conn.max);
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
	text_clean(type, clean, sizeof(clean));
	return err_set(-EBADMSG, "the peer %s sent '%s' in a plan of setup", s->agree->ctl->peer,
		       clean);
}

static int serve(struct server *s, json_t **next)
{
	const uint64_t until_ns = clock_ns() + MOST_SECONDS * UINT64_C(1000000000);
	int rc = 0;

	while (!rc) {
		json_t *msg = NULL;
		const char *type;

		rc = ctl_recv(s->agree->ctl, NULL, &msg, s->agree->plan.stall_timeout_ms);
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
	answer_close(&s.answer);
	return rc;
}
