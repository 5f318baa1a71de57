/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the intervals of a running point: when they are cut, and the messages that the sides tell
 * each other about them. The client cuts first and tells the server, which cuts when it is told,
 * and answers. So interval n of one side is interval n of the other, but for the way of a message.
 * Called by monitor.c, monitor_messages.c and point_result.c. Must not count: that is
 * worker/intervals.h.
 */
#include "config.h"

#include "point/monitor.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "control/proto.h"
#include "util/clock.h"
#include "util/err.h"

/* A cut shortly before the end would leave an interval of nothing but the end. */
#define END_PART 10 /* of an interval */

int monitor_intervals_open(struct monitor *m, uint64_t now_ns)
{
	struct monitor_intervals *iv = &m->intervals;

	iv->due_ns = UINT64_MAX;
	if (!iv->every_ns)
		return 0;
	if (m->side == SIDE_CLIENT)
		iv->due_ns = now_ns + iv->every_ns;
	return intervals_open(&iv->of, m->workers);
}

void monitor_intervals_close(struct monitor *m)
{
	intervals_close(&m->intervals.of);
}

/* To the rows of each peer; without that of a peer which has not told. */
static void tell(struct monitor *m, uint64_t number, const struct result *own, bool rest)
{
	const struct monitor_intervals *iv = &m->intervals;

	for (uint32_t i = 0; i < m->to->n; i++) {
		struct monitor_peer *peer = &m->peers[i];
		const bool has = rest ? peer->has_rest : peer->has_cut;

		if (iv->tell)
			iv->tell(iv->arg, &(struct monitor_interval){
				.number = number,
				.peer = i,
				.own = own,
				.theirs = !has ? NULL : rest ? &peer->rest : &peer->cut,
			});
		if (!rest)
			peer->has_cut = false;
	}
}

/* Each thread has posted its last message: the server may not be in its loop any more. */
static bool all_sent(const struct monitor *m)
{
	for (uint32_t i = 0; i < m->workers->n; i++)
		if (!m->threads[i].sent_reported)
			return false;
	return true;
}

static int cut(struct monitor *m)
{
	struct monitor_intervals *iv = &m->intervals;

	intervals_cut(&iv->of, &iv->own);
	return peers_send(m->to, proto_interval(&(struct proto_interval){
				  .number = iv->n++, .result = iv->own }),
			  m->plan->stall_timeout_ms);
}

int monitor_intervals_step(struct monitor *m, uint64_t now_ns, uint64_t finish_ns)
{
	struct monitor_intervals *iv = &m->intervals;

	if (now_ns < iv->due_ns)
		return 0;
	if (finish_ns != UINT64_MAX && now_ns + iv->every_ns / END_PART >= finish_ns) {
		iv->due_ns = UINT64_MAX;
		return 0;
	}
	/* on the grid of the first one; what a peer has not answered becomes longer */
	iv->due_ns += (now_ns - iv->due_ns) / iv->every_ns * iv->every_ns + iv->every_ns;
	if (iv->open || all_sent(m) || workers_over(m->workers))
		return 0;
	iv->open = true;
	return cut(m);
}

static int malformed(const struct ctl *from)
{
	return err_set(-EBADMSG, "the peer %s sent an interval at the wrong time", from->peer);
}

/* The client: tells the interval when all have answered. */
static void take_answer(struct monitor *m)
{
	struct monitor_intervals *iv = &m->intervals;

	for (uint32_t i = 0; i < m->to->n; i++)
		if (!m->peers[i].has_cut)
			return;
	iv->open = false;
	tell(m, iv->n - 1, &iv->own, false);
}

int monitor_intervals_take(struct monitor *m, uint32_t i, const json_t *msg)
{
	struct monitor_intervals *iv = &m->intervals;
	const struct ctl *from = m->to->ctl[i];
	struct monitor_peer *peer = &m->peers[i];
	const bool answers = m->side == SIDE_CLIENT;
	struct proto_interval in;
	int rc = proto_read_interval(&in, msg);

	if (rc)
		return rc;
	if (!iv->every_ns || peer->has_rest)
		return malformed(from);
	if (in.rest) {
		if (in.number != iv->n)
			return malformed(from);
		peer->rest = in.result;
		peer->has_rest = true;
		return 0;
	}
	if (answers ? !iv->open || peer->has_cut || in.number + 1 != iv->n :
		      iv->ended || in.number != iv->n)
		return malformed(from);
	peer->cut = in.result;
	peer->has_cut = true;
	if (answers) {
		take_answer(m);
		return 0;
	}
	rc = cut(m);
	tell(m, in.number, &iv->own, false);
	return rc;
}

void monitor_intervals_end(struct monitor *m, struct result *all)
{
	struct monitor_intervals *iv = &m->intervals;

	/* they are not open if there was no memory */
	if (!iv->every_ns || !iv->of.workers)
		return;
	iv->ended = true;
	intervals_rest(&iv->of, all, &iv->rest);
}

int monitor_intervals_send(struct monitor *m)
{
	struct monitor_intervals *iv = &m->intervals;

	if (!iv->every_ns)
		return 0;
	return peers_send(m->to, proto_interval(&(struct proto_interval){
				  .number = iv->n, .rest = true, .result = iv->rest }),
			  m->plan->stall_timeout_ms);
}

void monitor_intervals_tell(struct monitor *m)
{
	struct monitor_intervals *iv = &m->intervals;

	if (!iv->every_ns || !m->peers)
		return;
	/* a peer is gone, or did not answer the last cut before the point ended */
	if (iv->open)
		tell(m, iv->n - 1, &iv->own, false);
	iv->open = false;
	if (iv->ended)
		tell(m, iv->n, &iv->rest, true);
}
