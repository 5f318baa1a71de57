/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The messages of setup: the client's requests of the measurements, and the server's answers. Every
 * wait has a deadline, and the whole has one that the client cannot extend.
 */
#include "config.h"
#include "agree/agree.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "place/affinity.h"
#include "wire/proto.h"
#include "objects/answer.h"
#include "objects/measure.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"

#define QP_MS 20u /* more than a QP takes on any device: added to a deadline for each QP */
#define MOST_SECONDS 3600u

/* The messages of a request and of its answer: docs/dev/protocol.md, "Setup". */
static const struct {
	const char *request, *answer;
} messages[] = {
	[SETUP_CONNECT] = { "endpoint", "endpoint" },
	[SETUP_DISCONNECT] = { "disconnect", "disconnected" },
	[SETUP_LISTEN] = { "listen", "endpoint" },
	[SETUP_UNLISTEN] = { "unlisten", "unlistened" },
	[SETUP_INVALIDATE] = { "invalidate", "invalidated" },
};

/* ---- the client */

struct asker {
	struct task *t;
	struct ctl *ctl;
	uint32_t timeout_ms;       /* for the largest number of QPs at once */
};

static int ask_server(void *arg, enum setup_ask ask, struct setup_request *request)
{
	const uint32_t n = ask == SETUP_CONNECT ? request->own->n_qps : 0;
	struct asker *k = arg;
	json_t *answer = NULL;
	json_t *msg = ask == SETUP_CONNECT ? proto_endpoint(request->own) :
					     proto_plain(messages[ask].request);
	int rc;

	if (ask == SETUP_INVALIDATE)
		json_object_set_new(msg, "rkey", json_integer(request->rkey));
	rc = ctl_send(k->ctl, msg, k->timeout_ms);
	if (!rc)
		rc = ctl_recv(k->ctl, messages[ask].answer, &answer, k->timeout_ms);
	k->t->interrupted |= rc == -EINTR;
	if (!rc && (ask == SETUP_CONNECT || ask == SETUP_LISTEN))
		rc = proto_read_endpoint(&request->peer, answer, n, 0);
	json_decref(answer);
	return rc;
}

/* The server sends only answers, and the reason why it ends. */
static int alive(void *arg)
{
	struct asker *k = arg;
	struct ctl *ctl = k->ctl;
	struct pollfd stop = { .fd = ctl->signals_fd, .events = POLLIN };
	json_t *msg = NULL;
	int rc;

	if (poll(&stop, 1, 0) > 0) {
		k->t->interrupted = true;
		return err_set(-EINTR, "interrupted by the user of the client");
	}
	rc = ctl_try_recv(ctl, &msg);
	json_decref(msg);
	if (rc > 0)
		return err_set(-EBADMSG, "the peer %s sent a message that was not asked for", ctl->peer);
	return rc ? rc : ctl_send(ctl, proto_plain("alive"), k->timeout_ms);
}

static void take_row(void *arg, const struct setup_row *row)
{
	const struct asker *k = arg;

	event_tell(k->t->setup->events, &(struct event){ EVENT_ROW, .record = row });
}

int setup_client(struct task *t)
{
	struct agree *a = t->agree;
	const struct session_setup *setup = t->setup;
	struct asker asker = {
		.t = t,
		.ctl = a->ctl,
		.timeout_ms = a->plan.stall_timeout_ms + setup->options->qps * QP_MS,
	};
	const struct setup_peer peer = { .ask = ask_server, .alive = alive, .arg = &asker };
	struct setup_run run = {
		.options = setup->options,
		.dev = &a->own->dev,
		.plan = &a->plan,
		.peer_limits = agree_limits(a, SIDE_SERVER),
		.peer = &peer,
		.row = take_row,
		.row_arg = &asker,
		.origin = t->origin,
		.checked_ns = clock_ns(),
	};
	const struct event_plan start = {
		.plan = &a->plan,
		.self = &a->own->dev.limits,
		.peer = run.peer_limits,
		.affinity_note = a->own->affinity.note,
	};
	struct affinity_saved saved;
	int rc;

	t->started = true;
	rc = affinity_bind(&saved, &a->own->affinity, 0);
	if (rc)
		return rc;
	event_tell(setup->events, &(struct event){ EVENT_PLAN, .plan = &start });
	rc = measure_run(&run);
	affinity_restore(&saved);
	t->not_ok = run.not_ok;
	return rc;
}

/* ---- the server */

struct server {
	struct agree *agree;
	struct answer answer;
};

static int take_connect(struct server *s, const json_t *msg)
{
	const size_t n = json_array_size(json_object_get(msg, "qps"));
	struct ep_addr peer;
	int rc = answer_room(&s->answer, n);

	if (!rc)
		rc = proto_read_endpoint(&peer, msg, (uint32_t)n, 0);
	if (rc)
		return rc;
	rc = answer_connect(&s->answer, &peer);
	ep_addr_free(&peer);
	return rc;
}

static int take_invalidate(struct server *s, const json_t *msg)
{
	const json_t *rkey = json_object_get(msg, "rkey");
	const json_int_t value = json_integer_value(rkey);

	if (!json_is_integer(rkey) || value < 0 || value > UINT32_MAX)
		return err_set(-EBADMSG, "the peer's invalidate: field \"rkey\" is missing or out of range");
	return answer_invalidate(&s->answer, (uint32_t)value);
}

/* A server without rdma_cm answers without an address: the client measures everything else. */
static int take_listen(struct server *s, struct ep_addr *addr)
{
	if (s->answer.listening)
		return err_set(-EBADMSG, "the peer %s sent 'listen' twice", s->agree->ctl->peer);
	addr->n_qps = 0;
	if (answer_listen(&s->answer, addr))
		log_note("setup: %s", err_text());
	return 0;
}

static int take(struct server *s, const json_t *msg, const char *type)
{
	struct ep_addr addr = s->answer.qps.ep.addr;
	uint32_t ask = 0;
	int rc = 0;

	if (!strcmp(type, "alive"))
		return 0;
	while (ask < FIELD_COUNT(messages) && strcmp(type, messages[ask].request) != 0)
		ask++;
	switch (ask) {
	case SETUP_CONNECT:
		rc = take_connect(s, msg);
		addr = s->answer.qps.ep.addr;
		break;
	case SETUP_LISTEN:
		rc = take_listen(s, &addr);
		break;
	case SETUP_DISCONNECT:
		rc = answer_disconnect(&s->answer);
		break;
	case SETUP_INVALIDATE:
		rc = take_invalidate(s, msg);
		break;
	case SETUP_UNLISTEN:
		answer_unlisten(&s->answer);
		break;
	default:
		rc = agree_unexpected(s->agree, msg, "in a plan of setup");
	}
	if (rc)
		return rc;
	return ctl_send(s->agree->ctl,
			ask == SETUP_CONNECT || ask == SETUP_LISTEN ?
				proto_endpoint(&addr) : proto_plain(messages[ask].answer),
			s->agree->plan.stall_timeout_ms);
}

/* The next message; connections by rdma_cm are served meanwhile. */
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

	while (s->answer.listening && !rc) {
		rc = cm_next(&s->answer.cm.local.cm, &event, &wait);
		if (rc > 0)
			answer_event(&s->answer, &event);
		/* also when others send requests continuously */
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
		type = proto_type(msg);
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

int setup_server(struct task *t, json_t **next)
{
	struct server s = { .agree = t->agree };
	int rc;

	t->started = true;
	rc = answer_open(&s.answer, &t->agree->own->dev, &t->agree->plan);
	if (!rc)
		rc = serve(&s, next);
	answer_close(&s.answer);
	return rc;
}
