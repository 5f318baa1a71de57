/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The messages of a running point: sent, stop, done and interval. No number of the peer is trusted.
 *
 * Intervals: the client cuts first and informs the server, which cuts then and answers. So interval
 * n of one side is interval n of the other, except for the latency of a message.
 * worker/intervals.h counts.
 */
#include "config.h"

#include "point/monitor.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "wire/proto.h"
#include "file/json_build.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/text.h"

#define MS_NS MONITOR_MS_NS
#define MESSAGES_PER_STEP 16
#define BEFORE_DONE 3
#define END_PART 10 /* of an interval: a cut so shortly before the end would leave only the end */

/* ---- intervals */

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

/* Reports to the rows of each peer; without the result of a peer that has not sent it. */
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
	/* aligned to the first cut; an interval that a peer has not answered becomes longer */
	iv->due_ns += (now_ns - iv->due_ns) / iv->every_ns * iv->every_ns + iv->every_ns;
	if (iv->open || monitor_all_sent(m) || workers_over(m->workers))
		return 0;
	iv->open = true;
	return cut(m);
}

static int malformed(const struct ctl *from)
{
	return err_set(-EBADMSG, "the peer %s sent an interval at the wrong time", from->peer);
}

/* The client: reports the interval when all have answered. */
static void take_answer(struct monitor *m)
{
	struct monitor_intervals *iv = &m->intervals;

	for (uint32_t i = 0; i < m->to->n; i++)
		if (!m->peers[i].has_cut)
			return;
	iv->open = false;
	tell(m, iv->n - 1, &iv->own, false);
}

static int take_interval(struct monitor *m, uint32_t i, const json_t *msg)
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

/* ---- other messages */

static json_t *make_sent(const struct monitor *m, uint32_t thread, uint64_t sent)
{
	json_t *msg = json_pack("{s:s,s:I,s:I}", "type", "sent", "thread", (json_int_t)thread,
				"sent", (json_int_t)sent);
	json_t *per_qp = json_array();

	for (uint32_t qp = 0; qp < m->plan->work.qps; qp++)
		json_build_add(&per_qp, json_integer((json_int_t)worker_sent(
						&m->workers->runs[thread], qp)));
	json_build_set(&msg, "per_qp", per_qp);
	return msg;
}

int monitor_send_sent(struct monitor *m)
{
	int rc = 0;

	for (uint32_t i = 0; m->initiates && i < m->workers->n && !rc; i++) {
		const uint64_t sent = worker_sent_in_all(&m->workers->runs[i]);

		if (sent == UINT64_MAX || m->threads[i].sent_reported)
			continue;
		m->threads[i].sent_reported = true;
		rc = peers_send(m->to, make_sent(m, i, sent), m->plan->stall_timeout_ms);
	}
	return rc;
}

/*
 * The thread that a message names, the first if it names none; plan->work.threads: no such thread.
 */
static uint32_t thread_of(const struct monitor *m, const json_t *msg)
{
	const json_int_t i = json_integer_value(json_object_get(msg, "thread"));

	return i >= 0 && i < m->plan->work.threads ? (uint32_t)i : m->plan->work.threads;
}

static int take_sent(struct monitor *m, const struct ctl *from, const json_t *msg)
{
	const json_t *total = json_object_get(msg, "sent"),
		     *per_qp = json_object_get(msg, "per_qp");
	const uint32_t i = thread_of(m, msg), qps = m->plan->work.qps;

	if (i == m->plan->work.threads || m->threads[i].peer_finished || !m->peer_initiates ||
	    !json_is_integer(total) || json_integer_value(total) < 0 ||
	    json_array_size(per_qp) != qps)
		return err_set(-EBADMSG, "the peer %s sent a malformed 'sent' message",
			       from->peer);
	for (uint32_t qp = 0; qp < qps; qp++) {
		json_int_t n = json_integer_value(json_array_get(per_qp, qp));

		m->peer_sent[i * qps + qp] = n > 0 ? (uint64_t)n : 0;
	}
	m->threads[i].peer_finished = true;
	m->peer_finished++;
	if (i < m->workers->n)
		worker_peer_finished(&m->workers->runs[i], (uint64_t)json_integer_value(total));
	return 0;
}

bool monitor_peer_over(const struct monitor *m)
{
	return !m->peer_initiates || m->peer_finished == m->plan->work.threads;
}

static void interrupt(struct monitor *m, const char *reason)
{
	if (m->interrupted)
		return;
	m->interrupted = true;
	text_clean(reason, m->interruption, sizeof(m->interruption));
	m->intervals.due_ns = UINT64_MAX;
	if (m->initiates)
		workers_stop(m->workers, STATE_FINISH);
}

static json_t *make_stop(const char *reason)
{
	return json_pack("{s:s,s:s}", "type", "stop", "reason", reason);
}

void monitor_note_stop(struct monitor *m, const json_t *msg)
{
	const char *reason = json_string_value(json_object_get(msg, "reason"));

	interrupt(m, reason ? reason : "interrupted by the peer");
}

/* The other receivers of a group do not know it yet: their rows are also incomplete. */
static int take_stop(struct monitor *m, const struct ctl *from, const json_t *msg)
{
	const bool first = !m->interrupted;
	int rc = 0;

	monitor_note_stop(m, msg);
	for (uint32_t i = 0; first && i < m->to->n && !rc; i++)
		if (m->to->ctl[i] != from)
			rc = ctl_send(m->to->ctl[i], make_stop(m->interruption),
				      m->plan->stall_timeout_ms);
	return rc;
}

int monitor_user_stop(struct monitor *m)
{
	char user[64];
	const char *reason;

	peers_forget_signals(m->to); /* the following steps continue: results are exchanged */
	snprintf(user, sizeof(user), "interrupted on the %s", kind_side_names[m->side]);
	reason = ctl_stop_reason(m->to->ctl[0], user);
	/* as if this process were killed, too: not even a point without an end is complete */
	if (m->to->ctl[0]->orphan)
		return err_set(-EOWNERDEAD, "%s", reason);
	interrupt(m, reason);
	return peers_send(m->to, make_stop(reason), m->plan->stall_timeout_ms);
}

/* A client that has finished sends its result while this side still receives its last messages. */
static int keep_done(struct monitor *m, uint32_t i, json_t *msg)
{
	if (m->peers[i].done || !monitor_peer_over(m))
		return err_set(-EBADMSG, "the peer %s sent 'done' at the wrong time",
			       m->to->ctl[i]->peer);
	m->peers[i].done = json_incref(msg);
	return 0;
}

/* A message of peer i. */
static int take_message(struct monitor *m, uint32_t i, json_t *msg)
{
	const char *type = json_string_value(json_object_get(msg, "type"));
	const struct ctl *from = m->to->ctl[i];
	char clean[33];

	if (!strcmp(type, "heartbeat"))
		return 0;
	if (!strcmp(type, "sent"))
		return take_sent(m, from, msg);
	if (!strcmp(type, "stop"))
		return take_stop(m, from, msg);
	if (!strcmp(type, "interval"))
		return take_interval(m, i, msg);
	if (!strcmp(type, "done"))
		return keep_done(m, i, msg);
	if (!strcmp(type, "warm") && m->warm_up && m->side == SIDE_CLIENT && !m->peers[i].warm) {
		m->peers[i].warm = true;
		m->warm++;
		return 0;
	}
	text_clean(type, clean, sizeof(clean));
	return err_set(-EBADMSG, "the peer %s sent '%s' while a point was running", from->peer,
		       clean);
}

int monitor_receive(struct monitor *m, uint32_t i)
{
	struct ctl *from = m->to->ctl[i];
	json_t *msg = NULL;
	int rc = 0;

	/* only a few: a peer that never stops sending must not delay the deadlines */
	for (int k = 0; k < MESSAGES_PER_STEP && (rc = ctl_try_recv(from, &msg)) > 0; k++) {
		m->peers[i].received_ns = clock_ns();
		rc = take_message(m, i, msg);
		json_decref(msg);
		if (rc)
			return rc;
	}
	return rc < 0 ? rc : 0;
}

/*
 * Messages allowed before done: at most a stop, an answer to the last cut, and the last interval.
 */
static bool comes_before_done(struct monitor *m, uint32_t i, const json_t *msg, int *rc)
{
	const char *type = json_string_value(json_object_get(msg, "type"));

	*rc = 0;
	if (!strcmp(type, "stop"))
		monitor_note_stop(m, msg);
	else if (!strcmp(type, "interval"))
		*rc = take_interval(m, i, msg);
	else
		return false;
	return true;
}

int monitor_receive_done(struct monitor *m, uint32_t i)
{
	struct ctl *from = m->to->ctl[i];
	uint32_t silence_ms = m->silence_ms;
	json_t *msg = NULL;
	int rc;

	if (m->peers[i].done)
		return 0;
	/* a receiver over UC and UD continues for quiet_ns after the sender has finished */
	if (m->workers->n)
		silence_ms += (uint32_t)(m->workers->runs->worker.fixed.quiet_ns / MS_NS);
	rc = ctl_recv(from, NULL, &msg, silence_ms);
	for (int k = BEFORE_DONE; k && !rc && comes_before_done(m, i, msg, &rc); k--) {
		json_decref(msg);
		msg = NULL;
		if (!rc)
			rc = ctl_recv(from, k > 1 ? NULL : "done", &msg, silence_ms);
	}
	if (!rc)
		rc = take_message(m, i, msg);
	json_decref(msg);
	return rc || m->peers[i].done ?
		       rc :
		       err_set(-EBADMSG, "the peer %s did not send 'done' after the point",
			       from->peer);
}
