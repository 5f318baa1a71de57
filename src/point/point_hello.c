/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the steps of --ah first between the endpoints and the workers: the client repeats a hello on
 * each QP until the server has said that it has heard them all; UD may lose some. Called by
 * point_threads.c. Not in the timed region.
 */
#include "config.h"

#include "point/point_state.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "control/proto.h"
#include "util/clock.h"
#include "util/err.h"

#define MS_NS 1000000ull
#define FIRST_WAIT_MS 50 /* most answers come sooner: the hellos are sent once */
#define MOST_WAIT_MS 400
#define LATE_MS 20u      /* a hello that was sent twice can be under way for so long */

/* 1 when the message of that type has come, 0 not yet. */
static int came(struct ctl *ctl, const char *type)
{
	const char *got;
	json_t *msg = NULL;
	int rc = ctl_try_recv(ctl, &msg);

	if (rc <= 0)
		return rc;
	got = json_string_value(json_object_get(msg, "type"));
	rc = got && type && !strcmp(got, type);
	if (!rc && (!got || strcmp(got, "heartbeat")))
		rc = err_set(-EBADMSG, "the peer %s sent another message while it was to %s",
			     ctl->peer, type ? "wait for the first messages" : "send them");
	json_decref(msg);
	return rc;
}

/* Until the peer sends something, the user stops, or ms have passed. */
static int wait_ms(struct ctl *ctl, int ms)
{
	struct pollfd fds[2] = { { .fd = ctl->fd, .events = POLLIN },
				 { .fd = ctl->signals_fd, .events = POLLIN } };

	if (poll(fds, 2, ms) < 0 && errno != EINTR)
		return err_set(-errno, "cannot wait for the first messages: %s", strerror(errno));
	return fds[1].revents ? err_set(-EINTR, "interrupted during the first messages") : 0;
}

static int send_round(struct point_state *s)
{
	int rc = 0;

	for (uint32_t i = 0; i < s->in->plan->work.threads && !rc; i++)
		rc = ep_hello_send(&s->threads[i].ep, s->in->plan, &s->threads[i].peer);
	return rc;
}

int point_hello_send(struct point_state *s)
{
	const uint32_t timeout_ms = s->in->plan->stall_timeout_ms;
	const uint64_t end_ns = clock_ns() + timeout_ms * MS_NS;
	struct ctl *const ctl = s->in->peers->ctl[0];
	int rc = 0, heard = 0, ms = FIRST_WAIT_MS;
	uint32_t rounds = 0;
	json_t *msg;

	while (!heard && !rc) {
		if (clock_ns() > end_ns)
			return err_set(-ETIMEDOUT, "the peer %s got no first message of some QP within %u ms",
				       ctl->peer, timeout_ms);
		rc = send_round(s);
		rounds++;
		if (!rc)
			rc = wait_ms(ctl, ms);
		if (!rc)
			heard = came(ctl, "heard");
		rc = rc ? rc : heard < 0 ? heard : 0;
		ms = 2 * ms > MOST_WAIT_MS ? MOST_WAIT_MS : 2 * ms;
	}
	if (rc)
		return rc;
	msg = proto_plain("greeted");
	json_object_set_new(msg, "rounds", json_integer(rounds));
	return ctl_send(ctl, msg, timeout_ms);
}

/* All threads' first messages: the server polls, for as long as the client may repeat them. */
static int hear(struct point_state *s, struct ep_hello *hellos)
{
	const uint32_t timeout_ms = 2 * s->in->plan->stall_timeout_ms;
	const uint64_t end_ns = clock_ns() + timeout_ms * MS_NS;
	struct ctl *const ctl = s->in->peers->ctl[0];
	uint32_t left = 1;
	int rc = 0;

	while (left && !rc) {
		left = 0;
		for (uint32_t i = 0; i < s->in->plan->work.threads && !rc; i++) {
			rc = ep_hello_take(&hellos[i], &s->threads[i].ep, &s->threads[i].peer);
			left += hellos[i].left;
		}
		if (!rc && left && clock_ns() > end_ns)
			rc = err_set(-ETIMEDOUT, "no first message of %u of the client's QPs came within %u ms",
				     left, timeout_ms);
		if (!rc && left)
			rc = wait_ms(ctl, 1);
		if (!rc && left)
			rc = came(ctl, NULL);
	}
	return rc;
}

/* A hello that was sent again must not come into the loop: it finds no receive yet. */
static int await_greeted(struct point_state *s)
{
	struct ctl *const ctl = s->in->peers->ctl[0];
	const uint64_t rtt_ms = ctl_rtt_ns(ctl) / MS_NS;
	json_t *msg = NULL;
	int rc = ctl_recv(ctl, "greeted", &msg, 2 * s->in->plan->stall_timeout_ms);
	const json_int_t rounds = json_integer_value(json_object_get(msg, "rounds"));

	json_decref(msg);
	if (!rc && rounds < 1)
		rc = err_set(-EBADMSG, "the peer's 'greeted': field \"rounds\" is missing or not a count");
	if (!rc && rounds > 1)
		rc = wait_ms(ctl, (int)(4 * rtt_ms > LATE_MS ? 4 * rtt_ms : LATE_MS));
	return rc;
}

int point_hello_receive(struct point_state *s)
{
	const uint32_t threads = s->in->plan->work.threads;
	struct ep_hello *hellos = calloc(threads, sizeof(*hellos));
	int rc = 0;

	if (!hellos)
		return err_set(-ENOMEM, "no memory for the first messages of %u threads", threads);
	for (uint32_t i = 0; i < threads && !rc; i++)
		rc = ep_hello_open(&hellos[i], &s->threads[i].ep, s->in->plan,
				   &s->threads[i].peer);
	if (!rc)
		rc = point_send_endpoints(s);
	if (!rc)
		rc = hear(s, hellos);
	for (uint32_t i = 0; i < threads; i++)
		free(hellos[i].heard);
	free(hellos);
	if (!rc)
		rc = ctl_send(s->in->peers->ctl[0], proto_plain("heard"),
			      s->in->plan->stall_timeout_ms);
	return rc ? rc : await_greeted(s);
}
