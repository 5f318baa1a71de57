/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The step between the endpoints and the loops in which each side proves that it receives at the
 * address it sent (endpoint/ep_extras.h). Not in the timed region.
 */
#include "config.h"

#include "point/point.h"

#include <errno.h>
#include <string.h>

#include "wire/proto.h"
#include "file/json_build.h"
#include "limits/gid_text.h"
#include "util/clock.h"
#include "util/err.h"

#define MS_NS MONITOR_MS_NS
#define STEP "addresses were proved"
#define FIRST_PAUSE_MS 100 /* most answers come sooner */
#define MOST_PAUSE_MS 400
#define MOST_ANSWERS 100 /* of the server: most clients need one */

struct proving {
	struct point_state *s;
	struct ep *ep;            /* of the first thread */
	const struct ep_addr *peer;
	struct ctl *ctl;
	bool heard;               /* the peer's datagram came from the address that the peer sent */
	bool believed;            /* the peer has received the number of this side */
	uint64_t next_ns;         /* client: when the next datagram is sent */
	uint64_t pause_ms;
	uint32_t answers;
};

/* All threads of a side have the same address, the proved one. */
static int check_others(const struct proving *p)
{
	const struct plan *plan = p->s->in->plan;

	for (uint32_t i = 1; i < plan->work.threads; i++) {
		const struct ep_addr *other = &p->s->threads[i].peer;

		if (other->lid != p->peer->lid ||
		    memcmp(other->gid, p->peer->gid, sizeof(other->gid)) != 0)
			return err_set(-EBADMSG, "the peer's endpoints 0 and %u have different addresses", i);
	}
	return 0;
}

static int send_datagram(struct proving *p)
{
	const struct point_in *in = p->s->in;

	return proof_send(&p->s->proof, p->ep, in->plan, p->peer, in->side);
}

/* A datagram with this number has arrived: the server answers each. */
static int answer(struct proving *p, uint32_t number)
{
	json_t *msg;
	int rc = 0;

	if (!p->heard) {
		p->heard = true;
		msg = proto_plain("proof");
		json_build_set(&msg, "number", json_integer(number));
		rc = ctl_send(p->ctl, msg, p->s->in->plan->stall_timeout_ms);
	}
	if (!rc && p->s->in->side == SIDE_SERVER && p->answers++ < MOST_ANSWERS)
		rc = send_datagram(p);
	return rc;
}

/* Only a few: a peer that never stops sending must not delay the deadline. */
static int hear(struct proving *p)
{
	uint32_t number = 0;
	int rc = 0;

	for (int i = 0; i < PROOF_RECEIVES && !rc; i++) {
		rc = proof_take(&p->s->proof, p->ep, p->peer, &number);
		if (rc <= 0)
			return rc;
		rc = answer(p, number);
	}
	return rc;
}

/* Messages of the peer on the control connection: the number, and then only a failure. */
static int believe(struct proving *p)
{
	json_t *msg = NULL;
	json_int_t number;
	int rc;

	rc = point_came(p->ctl, p->believed ? NULL : "proof", STEP, &msg);
	if (rc <= 0)
		return rc;
	number = json_is_integer(json_object_get(msg, "number")) ?
			 json_integer_value(json_object_get(msg, "number")) : -1;
	json_decref(msg);
	if (number != p->s->proof.number)
		return err_set(-EACCES, "the peer %s does not know what was sent to the address that it has named: nothing more is sent there",
			       p->ctl->peer);
	p->believed = true;
	return 0;
}

static int repeat(struct proving *p)
{
	const uint64_t now_ns = clock_ns();

	if (p->s->in->side == SIDE_SERVER || now_ns < p->next_ns)
		return 0;
	p->next_ns = now_ns + p->pause_ms * MS_NS;
	p->pause_ms = 2 * p->pause_ms > MOST_PAUSE_MS ? MOST_PAUSE_MS : 2 * p->pause_ms;
	return send_datagram(p);
}

static int give_up(const struct proving *p, uint32_t timeout_ms)
{
	char gid[GID_TEXT_MAX];

	gid_text(p->peer->gid, gid, sizeof(gid));
	if (p->heard)
		return err_set(-ETIMEDOUT, "the peer %s received nothing at its address (GID %s, LID %u) within %u ms",
			       p->ctl->peer, gid, p->peer->lid, timeout_ms);
	return err_set(-ETIMEDOUT, "nothing arrived from the address of the peer %s (GID %s, LID %u) within %u ms: nothing is sent there over %s",
		       p->ctl->peer, gid, p->peer->lid, timeout_ms,
		       kind_transport_names[p->s->in->plan->work.kind.tp]);
}

/* The client gives up first, so that its reason is reported. */
static int prove(struct proving *p)
{
	const struct point_in *in = p->s->in;
	const uint32_t timeout_ms = point_setup_ms(in->plan, in->point) *
				    (in->side == SIDE_SERVER ? 2 : 1);
	const uint64_t end_ns = clock_ns() + timeout_ms * MS_NS;
	int rc = check_others(p);

	while (!rc && !(p->heard && p->believed)) {
		rc = repeat(p);
		if (!rc)
			rc = hear(p);
		if (!rc)
			rc = believe(p);
		if (rc || (p->heard && p->believed))
			break;
		if (clock_ns() > end_ns)
			return give_up(p, timeout_ms);
		rc = point_wait(p->ctl, 1, STEP);
	}
	return rc;
}

int point_prove(struct point_state *s)
{
	struct proving p = {
		.s = s, .ep = &s->threads[0].ep, .peer = &s->threads[0].peer,
		.ctl = s->in->peers->ctl[0], .pause_ms = FIRST_PAUSE_MS,
	};
	int rc;

	if (!proof_is_due(s->in->plan))
		return 0;
	rc = prove(&p);
	proof_close(&s->proof);
	return rc;
}
