/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The multicast group of a point: both sides join it, then the sender sends probes until each
 * receiver reports one, instead of a fixed wait, because switches may take long to learn of a new
 * member. Not in the timed region.
 */
#include "config.h"

#include "point/point.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "endpoint/ep_extras.h"
#include "loop/calls.h"
#include "util/clock.h"
#include "util/err.h"
#include "wire/proto.h"

#define MS_NS MONITOR_MS_NS
#define FIRST_WAIT_MS 1
#define MOST_WAIT_MS 50
#define STEP "the group was settling"

/* Joins by rdma_cm if the plan says so. */
static int join(struct point_state *s, struct ep_mcast_port *port)
{
	const struct point_in *in = s->in;
	const struct cm_wait wait = {
		.deadline_ns = clock_ns() + in->plan->stall_timeout_ms * MS_NS,
		.fds = { in->peers->ctl[0]->signals_fd, -1 },
	};
	int rc;

	if (in->plan->path.mcast_join != MCAST_JOIN_CM)
		return ep_mcast_port_of(port, in->plan, in->dev);
	rc = cm_mcast_join(&s->group, in->plan, in->dev, in->side, &wait);
	*port = (struct ep_mcast_port){ .mgid = s->group.mgid, .mlid = s->group.mlid };
	return rc;
}

int point_group_sender(struct point_state *s)
{
	struct ep_mcast_port port;
	int rc = join(s, &port);

	return rc ? rc : ep_mcast_address(&s->threads->peer, &port);
}

int point_group_receiver(struct point_state *s)
{
	struct ep_mcast_port port;
	int rc = join(s, &port);

	/* other programs may also send to the group */
	group_filter(&s->workers.runs->worker, s->threads->peer.qps[0].qpn);
	return rc ? rc : ep_mcast_attach(&s->threads->ep, &port);
}

/* ---- settling */

/* Sends one probe, and takes the reports within ms. *left: receivers without a probe. */
static int probe(struct point_state *s, struct pollfd *fds, uint32_t *left, int ms)
{
	const struct peers *peers = s->in->peers;
	int rc = group_send(&s->workers.runs->worker, s->probes++);
	json_t *msg;

	if (!rc && poll(fds, peers->n + 1, ms) < 0 && errno != EINTR)
		rc = err_set(-errno, "cannot wait while " STEP ": %s", strerror(errno));
	if (!rc && fds[peers->n].revents)
		rc = err_set(-EINTR, "%s while " STEP, ctl_stop_reason(peers->ctl[0], "interrupted"));
	for (uint32_t i = 0; i < peers->n && !rc; i++) {
		if (fds[i].fd < 0 || !fds[i].revents)
			continue;
		rc = point_came(peers->ctl[i], "settled", STEP, &msg);
		if (rc > 0) {
			json_decref(msg);
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

/*
 * The sender gives up after the stall timeout, this side later, so that the sender's reason is
 * reported.
 */
int point_settle_receiver(struct point_state *s)
{
	const uint32_t timeout_ms = 2 * s->in->plan->stall_timeout_ms;
	const uint64_t end_ns = clock_ns() + timeout_ms * MS_NS;
	struct ctl *ctl = s->in->peers->ctl[0];
	json_t *msg;
	int rc = 0;

	while (!s->probes && !rc) {
		if (clock_ns() > end_ns)
			return err_set(-ETIMEDOUT, "no message of the group %s came within %u ms",
				       s->in->plan->path.mcast, timeout_ms);
		rc = group_take(&s->workers.runs->worker, &s->probes);
		if (!rc && !s->probes)
			rc = point_wait(ctl, 1, STEP);
		if (!rc)
			rc = point_came(ctl, NULL, STEP, &msg);
	}
	return rc ? rc : ctl_send(ctl, proto_plain("settled"), s->in->plan->stall_timeout_ms);
}

/* A probe of the sender can be lost, but a late one must not reach the measured loop. */
int point_settle_drain(struct point_state *s, uint32_t sent)
{
	struct worker *w = &s->workers.runs->worker;
	uint64_t last_ns = clock_ns();
	int rc = 0;

	/*
	 * no other sender can extend it: each receive is posted again once, and the time is bounded
	 */
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
