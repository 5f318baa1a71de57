/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The controlling thread while a point runs; see watch.h. */
#include "config.h"

#include "watch.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "err.h"
#include "proto.h"
#include "why.h"

#define MS_NS 1000000ull
#define CAUSE_NS (500 * MS_NS) /* to hear of the peer when the loop has failed */
#define MESSAGES_PER_STEP 16
#define HEARTBEAT_MAX_NS (500 * MS_NS)

/* Deadlines of one point, CLOCK_MONOTONIC_RAW ns. */
struct deadlines {
	uint64_t heard_ns; /* the peer was last heard of */
	uint64_t moved_ns; /* the loop last made progress */
	uint64_t progress;
	uint64_t beat_ns; /* next heartbeat */
	uint64_t interval_ns; /* between two: the peer misses several before it gives up */
	uint64_t finish_ns; /* end of the duration; UINT64_MAX none */
	bool told; /* the peer was told that this side has finished */
};

static bool loop_over(const struct watch *w)
{
	return !w->run || atomic_load(&w->run->ended);
}

static int tell_sent(struct watch *w, struct deadlines *d)
{
	const struct lane *l = &w->run->lane;
	uint64_t sent = atomic_load(&l->sent);
	json_t *msg, *per_qp;

	if (sent == UINT64_MAX || d->told || !w->initiates)
		return 0;
	d->told = true;
	msg = json_pack("{s:s,s:I}", "type", "sent", "sent", (json_int_t)sent);
	per_qp = json_array();
	for (uint32_t i = 0; i < l->n_flows; i++)
		json_array_append_new(per_qp, json_integer((json_int_t)l->flows[i].done));
	json_object_set_new(msg, "per_qp", per_qp);
	return ctl_send(w->ctl, msg, w->stall_timeout_ms);
}

static int take_sent(struct watch *w, const json_t *msg)
{
	const json_t *total = json_object_get(msg, "sent"),
		     *per_qp = json_object_get(msg, "per_qp");

	if (w->peer_told || !w->peer_initiates || !json_is_integer(total) ||
	    json_integer_value(total) < 0 || json_array_size(per_qp) != w->plan->qps)
		return err_set(-EBADMSG, "%s sent a malformed 'sent' message", w->ctl->peer);
	w->peer_sent = calloc(w->plan->qps, sizeof(*w->peer_sent));
	if (!w->peer_sent)
		return err_set(-ENOMEM, "allocate counts of %u QPs", w->plan->qps);
	for (uint32_t i = 0; i < w->plan->qps; i++) {
		json_int_t n = json_integer_value(json_array_get(per_qp, i));

		w->peer_sent[i] = n > 0 ? (uint64_t)n : 0;
	}
	w->peer_told = true;
	w->peer_sent_total = (uint64_t)json_integer_value(total);
	if (w->run)
		lane_peer_finished(w->run, w->peer_sent_total);
	return 0;
}

static void interrupt(struct watch *w, const char *why)
{
	if (w->interrupted)
		return;
	w->interrupted = true;
	ctl_clean(w->interruption, sizeof(w->interruption), why);
	if (w->run && w->initiates)
		lane_stop(w->run, FLOW_FINISH);
}

static void take_stop(struct watch *w, const json_t *msg)
{
	const char *reason = json_string_value(json_object_get(msg, "reason"));

	interrupt(w, reason ? reason : "interrupted by the peer");
}

/* The user asked here: what both sides post ends, and both say that their rows are incomplete. */
static int user_stop(struct watch *w)
{
	char why[64];

	w->ctl->stop_fd = -1; /* heard; from here on the steps go on to the report */
	snprintf(why, sizeof(why), "interrupted on the %s", kind_side_names[w->side]);
	interrupt(w, why);
	return ctl_send(w->ctl, json_pack("{s:s,s:s}", "type", "stop", "reason", why),
			w->stall_timeout_ms);
}

/* A client that has finished tells its result, while what it sent is still being taken in here. */
static int keep_done(struct watch *w, json_t *msg)
{
	if (w->peer_done || (w->peer_initiates && !w->peer_told))
		return err_set(-EBADMSG, "%s sent 'done' at the wrong time", w->ctl->peer);
	w->peer_done = json_incref(msg);
	return 0;
}

static int take_message(struct watch *w, json_t *msg)
{
	const char *type = json_string_value(json_object_get(msg, "type"));

	if (!strcmp(type, "heartbeat"))
		return 0;
	if (!strcmp(type, "sent"))
		return take_sent(w, msg);
	if (!strcmp(type, "stop")) {
		take_stop(w, msg);
		return 0;
	}
	if (!strcmp(type, "done"))
		return keep_done(w, msg);
	return err_set(-EBADMSG, "%s sent '%.32s' while a point was running", w->ctl->peer, type);
}

static int take_messages(struct watch *w, struct deadlines *d)
{
	json_t *msg = NULL;
	int rc = 0;

	/*
	 * not all that may come: a peer that talks without end must not keep the deadlines waiting
	 */
	for (int i = 0; i < MESSAGES_PER_STEP && (rc = ctl_try_recv(w->ctl, &msg)) > 0; i++) {
		d->heard_ns = clock_ns();
		rc = take_message(w, msg);
		json_decref(msg);
		if (rc)
			return rc;
	}
	return rc < 0 ? rc : 0;
}

/*
 * A receiver over UC and UD may wait in vain; its end is told by the sender. All others must move.
 */
static bool must_move(const struct watch *w)
{
	return !loop_over(w) && (w->initiates || w->plan->kind.tp == TP_RC);
}

static int stalled(const struct watch *w)
{
	const struct lane *l = &w->run->lane;
	uint64_t posted = 0, done = 0, received = 0;

	/* its counters are the loop's own until it has ended */
	lane_stop(w->run, FLOW_LEAVE);
	lane_join(w->run);
	for (uint32_t i = 0; i < l->n_flows; i++) {
		posted += l->flows[i].posted;
		done += l->flows[i].done;
		received += flow_recvd(&l->flows[i]);
	}
	return err_set(-ETIMEDOUT,
		       "stalled on the %s: no completion for %u ms with %" PRIu64
		       " requests posted, %" PRIu64 " done, %" PRIu64 " messages received",
		       kind_side_names[w->side], w->stall_timeout_ms, posted, done, received);
}

static int check_deadlines(struct watch *w, struct deadlines *d)
{
	const uint64_t now = clock_ns(), stall_ns = w->stall_timeout_ms * MS_NS;
	enum ibv_event_type event;
	int rc;

	/* after its result the peer sends no heartbeats: it waits for ours */
	if (!w->peer_done && now - d->heard_ns > stall_ns)
		return err_set(-ETIMEDOUT, "the peer %s has said nothing for %u ms", w->ctl->peer,
			       w->stall_timeout_ms);
	if (must_move(w)) {
		uint64_t progress =
			atomic_load_explicit(&w->run->lane.progress, memory_order_relaxed);

		if (progress != d->progress) {
			d->progress = progress;
			d->moved_ns = now;
		}
		if (now - d->moved_ns > stall_ns)
			return stalled(w);
	}
	if (now >= d->finish_ns && w->run) {
		d->finish_ns = UINT64_MAX;
		lane_stop(w->run, FLOW_FINISH);
	}
	rc = dev_async(w->dev, &event);
	if (rc > 0)
		return err_set(-EIO, "event of device %s on the %s: %s", w->dev->limits.device,
			       kind_side_names[w->side], why_event(event));
	if (rc < 0 || now < d->beat_ns)
		return rc;
	d->beat_ns = now + d->interval_ns;
	return ctl_send(w->ctl, proto_plain("heartbeat"), w->stall_timeout_ms);
}

static int wait_ms(const struct deadlines *d)
{
	uint64_t now = clock_ns(), next = d->beat_ns < d->finish_ns ? d->beat_ns : d->finish_ns;

	return next <= now ? 0 : (int)((next - now + MS_NS - 1) / MS_NS);
}

static int watch_step(struct watch *w, struct deadlines *d)
{
	struct pollfd fds[3] = { { .fd = w->ctl->fd, .events = POLLIN },
				 { .fd = w->run ? w->run->lane.note_fd : -1, .events = POLLIN },
				 { .fd = w->ctl->stop_fd, .events = POLLIN } };
	uint64_t word;
	int rc = 0;

	if (poll(fds, 3, wait_ms(d)) < 0 && errno != EINTR)
		return err_set(-errno, "wait for the point to end: %s", strerror(errno));
	if (fds[1].revents && read(fds[1].fd, &word, sizeof(word)) > 0)
		rc = tell_sent(w, d);
	if (!rc && fds[0].revents)
		rc = take_messages(w, d);
	if (!rc && fds[2].revents)
		rc = user_stop(w);
	return rc ? rc : check_deadlines(w, d);
}

/*
 * A peer that dies takes its QPs along, and requests may be seen to fail before the connection is
 * seen to end: what the peer says, or its end, is then the cause.
 */
static int await_cause(struct watch *w, struct deadlines *d)
{
	const uint64_t end_ns = clock_ns() + CAUSE_NS;
	struct pollfd p = { .fd = w->ctl->fd, .events = POLLIN };
	uint64_t now_ns;

	while ((now_ns = clock_ns()) < end_ns) {
		int rc = 0;

		if (poll(&p, 1, (int)((end_ns - now_ns + MS_NS - 1) / MS_NS)) > 0)
			rc = take_messages(w, d);
		if (rc == -ECONNRESET || rc == -ECONNABORTED)
			return rc;
		if (rc)
			break;
	}
	return 0;
}

int watch_point(struct watch *w)
{
	const uint64_t now = clock_ns();
	struct deadlines d = { .heard_ns = now, .moved_ns = now, .finish_ns = UINT64_MAX };
	int rc = 0, loop_rc = 0;

	d.interval_ns = w->stall_timeout_ms * MS_NS / 4;
	if (d.interval_ns > HEARTBEAT_MAX_NS)
		d.interval_ns = HEARTBEAT_MAX_NS;
	d.beat_ns = now + d.interval_ns;

	if (w->point->duration_ns && w->initiates)
		d.finish_ns = now + w->point->duration_ns;
	while (!rc && (!loop_over(w) || (w->peer_initiates && !w->peer_told))) {
		rc = watch_step(w, &d);
		/* a loop that failed ends the point, whatever the peer still does */
		if (!rc && w->run && loop_over(w) && w->run->rc) {
			rc = await_cause(w, &d);
			break;
		}
	}
	if (w->run) {
		if (rc)
			lane_stop(w->run, FLOW_LEAVE);
		loop_rc = lane_join(w->run);
		if (!rc && !loop_rc)
			rc = tell_sent(w, &d);
	}
	return rc ? rc : loop_rc;
}

int watch_take_done(struct watch *w)
{
	uint32_t silence_ms = w->silence_ms;
	json_t *msg = NULL;
	int rc;

	if (w->peer_done)
		return 0;
	/* a receiver over UC and UD goes on for quiet_ns after the sender has finished */
	if (w->run)
		silence_ms += (uint32_t)(w->run->lane.quiet_ns / MS_NS);
	rc = ctl_recv(w->ctl, NULL, &msg, silence_ms);
	if (!rc && !strcmp(json_string_value(json_object_get(msg, "type")), "stop")) {
		take_stop(w, msg);
		json_decref(msg);
		msg = NULL;
		rc = ctl_recv(w->ctl, "done", &msg, silence_ms);
	}
	if (!rc)
		rc = take_message(w, msg);
	json_decref(msg);
	return rc || w->peer_done ?
		       rc :
		       err_set(-EBADMSG, "%s did not send 'done' after the point", w->ctl->peer);
}
