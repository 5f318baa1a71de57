/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the steps between the endpoints and the loops of a multicast group: the sender sends probes
 * until each receiver has said that it got one, instead of a fixed wait, as switches may need long
 * to learn of a new member. Called by point_threads.c. Not in the timed region.
 */
#include "config.h"

#include "point/point_state.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "loop/group.h"
#include "point/point.h"
#include "control/proto.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/text.h"

#define MS_NS 1000000ull
#define FIRST_WAIT_MS 1
#define MOST_WAIT_MS 50

/* What has come from a peer: 1 it said so, 0 not yet. */
static int take_settled(struct ctl *ctl, const char *type)
{
	json_t *msg = NULL;
	char got[33] = "";
	int rc = ctl_try_recv(ctl, &msg);

	if (rc <= 0)
		return rc;
	text_clean(json_string_value(json_object_get(msg, "type")), got, sizeof(got));
	json_decref(msg);
	if (!strcmp(got, "heartbeat"))
		return 0;
	return type && !strcmp(got, type) ? 1 :
	       err_set(-EBADMSG, "the peer %s sent '%s' while the group was settling", ctl->peer,
		       got);
}

/* Waits for a message of those whose entry in fds is not -1, or for the user's stop: the last. */
static int wait_for(const struct peers *peers, struct pollfd *fds, uint32_t n, int ms)
{
	if (poll(fds, n + 1, ms) < 0 && errno != EINTR)
		return err_set(-errno, "cannot wait for the group to settle: %s", strerror(errno));
	return fds[n].revents ? err_set(-EINTR, "%s while the group was settling",
					ctl_stop_reason(peers->ctl[0], "interrupted")) : 0;
}

/* One probe, and what the receivers say within ms. *left: those that have not got one. */
static int probe(struct point_state *s, struct pollfd *fds, uint32_t *left, int ms)
{
	const struct peers *peers = s->in->peers;
	int rc = group_send(&s->workers.runs->worker, s->probes++);

	if (!rc)
		rc = wait_for(peers, fds, peers->n, ms);
	for (uint32_t i = 0; i < peers->n && !rc; i++) {
		if (fds[i].fd < 0 || !fds[i].revents)
			continue;
		rc = take_settled(peers->ctl[i], "settled");
		if (rc > 0) {
			fds[i].fd = -1;
			--*left;
			rc = 0;
		}
	}
	return rc;
}

static int late(const struct point_state *s, const struct pollfd *fds)
{
	uint32_t i = 0;

	while (fds[i].fd < 0)
		i++;
	return err_set(-ETIMEDOUT, "receiver %s got no message of the group %s within %u ms: do the switches between forward it, and has its port joined?",
		       s->in->peers->ctl[i]->peer, s->in->plan->path.mcast,
		       s->in->plan->stall_timeout_ms);
}

static int probe_all(struct point_state *s, struct pollfd *fds)
{
	const uint64_t end_ns = clock_ns() + s->in->plan->stall_timeout_ms * MS_NS;
	uint32_t left = s->in->peers->n;
	int ms = FIRST_WAIT_MS, rc = 0;

	while (left && !rc) {
		rc = clock_ns() > end_ns ? late(s, fds) : probe(s, fds, &left, ms);
		ms = 2 * ms > MOST_WAIT_MS ? MOST_WAIT_MS : 2 * ms;
	}
	return rc;
}

int point_settle_sender(struct point_state *s)
{
	const struct peers *peers = s->in->peers;
	struct pollfd *fds = calloc(peers->n + 1, sizeof(*fds));
	int rc;

	if (!fds)
		return err_set(-ENOMEM, "no memory for %u receivers", peers->n);
	for (uint32_t i = 0; i <= peers->n; i++)
		fds[i] = (struct pollfd){
			.fd = i < peers->n ? peers->ctl[i]->fd : peers->ctl[0]->signals_fd,
			.events = POLLIN,
		};
	rc = probe_all(s, fds);
	free(fds);
	return rc;
}

/* The sender gives up after the stall timeout, this side later: the sender's reason names it. */
int point_settle_receiver(struct point_state *s)
{
	const uint32_t timeout_ms = 2 * s->in->plan->stall_timeout_ms;
	const uint64_t end_ns = clock_ns() + timeout_ms * MS_NS;
	struct ctl *ctl = s->in->peers->ctl[0];
	struct pollfd fds[2] = { { .fd = ctl->fd, .events = POLLIN },
				 { .fd = ctl->signals_fd, .events = POLLIN } };
	int rc = 0;

	while (!s->probes && !rc) {
		if (clock_ns() > end_ns)
			return err_set(-ETIMEDOUT, "no message of the group %s came within %u ms",
				       s->in->plan->path.mcast, timeout_ms);
		rc = group_take(&s->workers.runs->worker, &s->probes);
		if (!rc && !s->probes)
			rc = wait_for(s->in->peers, fds, 1, 1);
		if (!rc && fds[0].revents)
			rc = take_settled(ctl, NULL);
	}
	return rc ? rc : ctl_send(ctl, proto_plain("settled"), s->in->plan->stall_timeout_ms);
}

/* Of the sender's probes one can be lost, but a late one must not come into the measured loop. */
int point_settle_drain(struct point_state *s, uint32_t sent)
{
	struct worker *w = &s->workers.runs->worker;
	uint64_t last_ns = clock_ns();
	int rc = 0;

	/* no other sender can extend it: each receive is posted again once, and bounded in time */
	const uint64_t end_ns = last_ns + s->in->plan->stall_timeout_ms * MS_NS;

	while (s->probes < sent && !rc) {
		const uint32_t before = s->probes;

		rc = group_take(w, &s->probes);
		if (s->probes != before)
			last_ns = clock_ns();
		if (clock_ns() - last_ns > w->fixed.quiet_ns || clock_ns() > end_ns)
			break;
	}
	return rc;
}
