/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the messages sent, stop and done of a running point. Called by monitor.c, and by
 * point_result.c for done. Must not trust a number of the peer.
 */
#include "config.h"

#include "point/monitor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "control/proto.h"
#include "json/json_build.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/text.h"

#define MS_NS 1000000ull
#define MESSAGES_PER_STEP 16
#define BEFORE_DONE 3

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

/* The thread that a message names, the first without a number; plan->work.threads: no thread. */
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

static void note_stop(struct monitor *m, const json_t *msg)
{
	const char *reason = json_string_value(json_object_get(msg, "reason"));

	interrupt(m, reason ? reason : "interrupted by the peer");
}

/* The other receivers of a group do not know it yet: their rows are incomplete, too. */
static int take_stop(struct monitor *m, const struct ctl *from, const json_t *msg)
{
	const bool first = !m->interrupted;
	int rc = 0;

	note_stop(m, msg);
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

	peers_forget_signals(m->to); /* the steps that follow go on: results are exchanged */
	snprintf(user, sizeof(user), "interrupted on the %s", kind_side_names[m->side]);
	reason = ctl_stop_reason(m->to->ctl[0], user);
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

/* Of peer i. */
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
		return monitor_intervals_take(m, i, msg);
	if (!strcmp(type, "done"))
		return keep_done(m, i, msg);
	text_clean(type, clean, sizeof(clean));
	return err_set(-EBADMSG, "the peer %s sent '%s' while a point was running", from->peer,
		       clean);
}

int monitor_receive(struct monitor *m, uint32_t i)
{
	struct ctl *from = m->to->ctl[i];
	json_t *msg = NULL;
	int rc = 0;

	/* not all that arrive: a peer that never stops sending must not delay the deadlines */
	for (int k = 0; k < MESSAGES_PER_STEP && (rc = ctl_try_recv(from, &msg)) > 0; k++) {
		m->peers[i].received_ns = clock_ns();
		rc = take_message(m, i, msg);
		json_decref(msg);
		if (rc)
			return rc;
	}
	return rc < 0 ? rc : 0;
}

/* What may come before done: at most a stop, an answer to the last cut, and the last interval. */
static bool comes_before_done(struct monitor *m, uint32_t i, const json_t *msg, int *rc)
{
	const char *type = json_string_value(json_object_get(msg, "type"));

	*rc = 0;
	if (!strcmp(type, "stop"))
		note_stop(m, msg);
	else if (!strcmp(type, "interval"))
		*rc = monitor_intervals_take(m, i, msg);
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
	/* a receiver over UC and UD goes on for quiet_ns after the sender has finished */
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
