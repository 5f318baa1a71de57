/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the client's messages of setup: what the measurements ask of the server; see
 * setup_session.h. Called by session_client.c.
 */
#include "config.h"
#include "session/setup_session.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "host/affinity_bind.h"
#include "control/proto.h"
#include "setup/measure.h"
#include "util/clock.h"
#include "util/err.h"

#define QP_MS 20u /* more than a QP takes on any device: added to a deadline for each */

struct asker {
	struct agree *agree;
	uint32_t qps;              /* the most at once */
	bool interrupted;
};

static uint32_t deadline_ms(const struct asker *k, uint32_t qps)
{
	return k->agree->plan.stall_timeout_ms + qps * QP_MS;
}

/* Sends msg and waits for the answer of that type. */
static int ask(struct asker *k, json_t *msg, const char *type, json_t **answer, uint32_t qps)
{
	int rc = ctl_send(k->agree->ctl, msg, deadline_ms(k, qps));

	if (!rc)
		rc = ctl_recv(k->agree->ctl, type, answer, deadline_ms(k, qps));
	k->interrupted |= rc == -EINTR;
	return rc;
}

static int ask_connect(void *arg, const struct ep_addr *own, struct ep_addr *peer)
{
	json_t *answer = NULL;
	int rc = ask(arg, proto_endpoint(own), "endpoint", &answer, own->n_qps);

	if (!rc)
		rc = proto_read_endpoint(peer, answer, own->n_qps);
	json_decref(answer);
	return rc;
}

static int ask_disconnect(void *arg)
{
	struct asker *k = arg;
	json_t *answer = NULL;
	int rc = ask(k, proto_plain("disconnect"), "disconnected", &answer, k->qps);

	json_decref(answer);
	return rc;
}

static int ask_listen(void *arg, struct ep_addr *peer)
{
	json_t *answer = NULL;
	int rc = ask(arg, proto_plain("listen"), "endpoint", &answer, 0);

	if (!rc)
		rc = proto_read_endpoint(peer, answer, 0);
	json_decref(answer);
	return rc;
}

static int ask_unlisten(void *arg)
{
	struct asker *k = arg;
	json_t *answer = NULL;
	int rc = ask(k, proto_plain("unlisten"), "unlistened", &answer, k->qps);

	json_decref(answer);
	return rc;
}

static int ask_invalidate(void *arg, uint32_t rkey)
{
	json_t *answer = NULL;
	int rc = ask(arg, json_pack("{s:s,s:I}", "type", "invalidate", "rkey", (json_int_t)rkey),
		     "invalidated", &answer, 0);

	json_decref(answer);
	return rc;
}

/* The server sends nothing that was not asked for, except why it ends. */
static int alive(void *arg)
{
	struct asker *k = arg;
	struct ctl *ctl = k->agree->ctl;
	struct pollfd stop = { .fd = ctl->signals_fd, .events = POLLIN };
	json_t *msg = NULL;
	int rc;

	if (poll(&stop, 1, 0) > 0) {
		k->interrupted = true;
		return err_set(-EINTR, "interrupted by the user of the client");
	}
	rc = ctl_try_recv(ctl, &msg);
	json_decref(msg);
	if (rc > 0)
		return err_set(-EBADMSG, "the peer %s sent a message that was not asked for", ctl->peer);
	return rc ? rc : ctl_send(ctl, proto_plain("alive"), deadline_ms(k, 0));
}

int setup_client(struct points *points, const struct session_setup *setup)
{
	struct agree *a = points->agree;
	struct asker asker = { .agree = a, .qps = setup->wish->qps };
	const struct setup_peer peer = {
		.connect = ask_connect,
		.disconnect = ask_disconnect,
		.listen = ask_listen,
		.unlisten = ask_unlisten,
		.invalidate = ask_invalidate,
		.alive = alive,
		.arg = &asker,
	};
	struct setup_run run = {
		.wish = setup->wish,
		.dev = &a->own->dev,
		.plan = &a->plan,
		.peer_limits = agree_limits(a, SIDE_SERVER),
		.peer = &peer,
		.sink = setup->sink,
		.origin = points->origin,
		.checked_ns = clock_ns(),
	};
	const struct setup_start start = {
		.plan = &a->plan,
		.self = &a->own->dev.limits,
		.peer = run.peer_limits,
		.affinity_note = a->own->affinity.note,
	};
	struct affinity_saved saved;
	int rc = affinity_bind(&saved, &a->own->affinity, 0);

	if (rc)
		return rc;
	setup->sink->start(setup->sink->arg, &start);
	rc = setup_measure(&run);
	affinity_restore(&saved);
	points->not_ok = run.not_ok;
	points->interrupted = asker.interrupted;
	return rc;
}
