/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* The controlling thread while a point runs; see monitor.h. */
#include "config.h"

#include "session/monitor.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/err.h"
#include "session/proto.h"
#include "rdma/verbs_error.h"

#define MS_NS 1000000ull
#define CAUSE_NS (500 * MS_NS) /* to hear of the peer when the loop has failed */
#define MESSAGES_PER_STEP 16
#define HEARTBEAT_MAX_NS (500 * MS_NS)

/* Deadlines of one point, CLOCK_MONOTONIC_RAW ns. */
struct deadlines {
	uint64_t heard_ns; /* the peer was last heard of */
	uint64_t beat_ns; /* next heartbeat */
	uint64_t interval_ns; /* between two: the peer misses several before it gives up */
	uint64_t finish_ns; /* end of the duration; UINT64_MAX none */
};

/* What is known of one thread here, and of the one of the peer that it works with. */
struct monitor_thread {
	uint64_t moved_ns; /* its loop last made progress */
	uint64_t progress;
	bool told; /* the peer was told that it has finished */
	bool peer_told; /* the peer has told the same of its own */
};

/* Once for each thread that posts. */
static int tell_sent(struct monitor *w)
{
	int rc = 0;

	for (uint32_t i = 0; w->initiates && i < w->workers->n && !rc; i++) {
		const struct worker_run *run = &w->workers->runs[i];
		uint64_t sent = worker_sent_in_all(run);
		json_t *msg, *per_qp;

		if (sent == UINT64_MAX || w->threads[i].told)
			continue;
		w->threads[i].told = true;
		msg = json_pack("{s:s,s:I,s:I}", "type", "sent", "thread", (json_int_t)i, "sent",
				(json_int_t)sent);
		per_qp = json_array();
		for (uint32_t qp = 0; qp < w->plan->work.qps; qp++)
			json_array_append_new(per_qp,
					      json_integer((json_int_t)worker_sent(run, qp)));
		json_object_set_new(msg, "per_qp", per_qp);
		rc = ctl_send(w->ctl, msg, w->stall_timeout_ms);
	}
	return rc;
}

/* The thread that a message is about, the first without a number; plan->threads: there is none. */
static uint32_t thread_of(const struct monitor *w, const json_t *msg)
{
	const json_int_t i = json_integer_value(json_object_get(msg, "thread"));

	return i >= 0 && i < w->plan->work.threads ? (uint32_t)i : w->plan->work.threads;
}

static int take_sent(struct monitor *w, const json_t *msg)
{
	const json_t *total = json_object_get(msg, "sent"),
		     *per_qp = json_object_get(msg, "per_qp");
	const uint32_t i = thread_of(w, msg), qps = w->plan->work.qps;

	if (i == w->plan->work.threads || w->threads[i].peer_told || !w->peer_initiates ||
	    !json_is_integer(total) || json_integer_value(total) < 0 ||
	    json_array_size(per_qp) != qps)
		return err_set(-EBADMSG, "%s sent a malformed 'sent' message", w->ctl->peer);
	for (uint32_t qp = 0; qp < qps; qp++) {
		json_int_t n = json_integer_value(json_array_get(per_qp, qp));

		w->peer_sent[i * qps + qp] = n > 0 ? (uint64_t)n : 0;
	}
	w->threads[i].peer_told = true;
	w->peer_told++;
	if (i < w->workers->n)
		worker_peer_finished(&w->workers->runs[i], (uint64_t)json_integer_value(total));
	return 0;
}

static bool peer_over(const struct monitor *w)
{
	return !w->peer_initiates || w->peer_told == w->plan->work.threads;
}

static void interrupt(struct monitor *w, const char *why)
{
	if (w->interrupted)
		return;
	w->interrupted = true;
	ctl_clean(w->interruption, sizeof(w->interruption), why);
	if (w->initiates)
		workers_stop(w->workers, STATE_FINISH);
}

static void take_stop(struct monitor *w, const json_t *msg)
{
	const char *reason = json_string_value(json_object_get(msg, "reason"));

	interrupt(w, reason ? reason : "interrupted by the peer");
}

/* The user asked here: what both sides post ends, and both say that their rows are incomplete. */
static int user_stop(struct monitor *w)
{
	char why[64];

	w->ctl->signals_fd = -1; /* heard; from here on the steps go on to the report */
	snprintf(why, sizeof(why), "interrupted on the %s", kind_side_names[w->side]);
	interrupt(w, why);
	return ctl_send(w->ctl, json_pack("{s:s,s:s}", "type", "stop", "reason", why),
			w->stall_timeout_ms);
}

/* A client that has finished tells its result, while what it sent is still being taken in here. */
static int keep_done(struct monitor *w, json_t *msg)
{
	if (w->peer_done || !peer_over(w))
		return err_set(-EBADMSG, "%s sent 'done' at the wrong time", w->ctl->peer);
	w->peer_done = json_incref(msg);
	return 0;
}

static int take_message(struct monitor *w, json_t *msg)
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

static int take_messages(struct monitor *w, struct deadlines *d)
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

static int stalled(const struct monitor *w, uint32_t thread)
{
	const struct worker_run *run = &w->workers->runs[thread];
	uint64_t posted = 0, done = 0, received = 0;
	char which[48] = "";

	/* its counters are the loop's own until it has ended */
	workers_stop(w->workers, STATE_LEAVE);
	workers_join(w->workers);
	for (uint32_t i = 0; i < w->plan->work.qps; i++) {
		posted += worker_posted(run, i);
		done += worker_sent(run, i);
		received += worker_received(run, i);
	}
	if (w->workers->n > 1)
		snprintf(which, sizeof(which), " in thread %u of %u", thread + 1, w->workers->n);
	return err_set(-ETIMEDOUT,
		       "stalled on the %s%s: no completion for %u ms with %" PRIu64
		       " requests posted, %" PRIu64 " done, %" PRIu64 " messages received",
		       kind_side_names[w->side], which, w->stall_timeout_ms, posted, done,
		       received);
}

/*
 * Every thread that has not ended must move, whatever the others do. Only a receiver over UC and UD
 * may wait in vain; its end is told by the sender.
 */
static int check_progress(struct monitor *w, uint64_t now)
{
	if (!w->initiates && w->plan->work.kind.tp != TP_RC)
		return 0;
	for (uint32_t i = 0; i < w->workers->n; i++) {
		struct worker_run *run = &w->workers->runs[i];
		struct monitor_thread *d = &w->threads[i];
		uint64_t progress;

		if (atomic_load(&run->ended))
			continue;
		progress = worker_progress(run);
		if (progress != d->progress) {
			d->progress = progress;
			d->moved_ns = now;
		}
		if (now - d->moved_ns > w->stall_timeout_ms * MS_NS)
			return stalled(w, i);
	}
	return 0;
}

static int check_deadlines(struct monitor *w, struct deadlines *d)
{
	const uint64_t now = clock_ns(), stall_ns = w->stall_timeout_ms * MS_NS;
	enum ibv_event_type event;
	int rc;

	/* after its result the peer sends no heartbeats: it waits for ours */
	if (!w->peer_done && now - d->heard_ns > stall_ns)
		return err_set(-ETIMEDOUT, "the peer %s has said nothing for %u ms", w->ctl->peer,
			       w->stall_timeout_ms);
	rc = check_progress(w, now);
	if (rc)
		return rc;
	if (now >= d->finish_ns) {
		d->finish_ns = UINT64_MAX;
		workers_stop(w->workers, STATE_FINISH);
	}
	rc = dev_async(w->dev, &event);
	if (rc > 0)
		return err_set(-EIO, "event of device %s on the %s: %s", w->dev->limits.device,
			       kind_side_names[w->side], verbs_error_event(event));
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

/* The connection, the user's stop, and a word of every worker. */
static int monitor_step(struct monitor *w, struct deadlines *d)
{
	struct pollfd *fds = w->fds;
	const uint32_t n = w->workers->n;
	bool noted = false;
	uint64_t word;
	int rc = 0;

	fds[0].fd = w->ctl->fd;
	fds[1].fd = w->ctl->signals_fd;
	if (poll(fds, 2 + n, wait_ms(d)) < 0 && errno != EINTR)
		return err_set(-errno, "wait for the point to end: %s", strerror(errno));
	for (uint32_t i = 0; i < n; i++)
		noted |= fds[2 + i].revents && read(fds[2 + i].fd, &word, sizeof(word)) > 0;
	if (noted)
		rc = tell_sent(w);
	if (!rc && fds[0].revents)
		rc = take_messages(w, d);
	if (!rc && fds[1].revents)
		rc = user_stop(w);
	return rc ? rc : check_deadlines(w, d);
}

/*
 * A peer that dies takes its QPs along, and requests may be seen to fail before the connection is
 * seen to end: what the peer says, or its end, is then the cause.
 */
static int await_cause(struct monitor *w, struct deadlines *d)
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

static int prepare(struct monitor *w, uint64_t now)
{
	const uint32_t threads = w->plan->work.threads;

	w->threads = calloc(threads, sizeof(*w->threads));
	w->peer_sent = calloc(plan_total_qps(w->plan), sizeof(*w->peer_sent));
	w->fds = calloc(2 + (size_t)w->workers->n, sizeof(*w->fds));
	if (!w->threads || !w->peer_sent || !w->fds)
		return err_set(-ENOMEM, "allocate counts of %u QPs", plan_total_qps(w->plan));
	for (uint32_t i = 0; i < threads; i++)
		w->threads[i].moved_ns = now;
	for (uint32_t i = 0; i < 2 + w->workers->n; i++)
		w->fds[i] = (struct pollfd){
			.fd = i < 2 ? -1 : w->workers->runs[i - 2].worker.fixed.note_fd,
			.events = POLLIN,
		};
	return 0;
}

/* Until all loops have ended and the peer's too, or something breaks off. */
static int monitor_loops(struct monitor *w, struct deadlines *d)
{
	int rc = 0;

	while (!rc) {
		/* a loop that failed ends the point, whatever the others and the peer still do */
		if (workers_failed(w->workers)) {
			workers_stop(w->workers, STATE_LEAVE);
			return await_cause(w, d);
		}
		if (workers_over(w->workers) && peer_over(w))
			return 0;
		rc = monitor_step(w, d);
	}
	return rc;
}

int monitor_point(struct monitor *w)
{
	const uint64_t now = clock_ns();
	struct deadlines d = { .heard_ns = now, .finish_ns = UINT64_MAX };
	int rc = prepare(w, now), loop_rc;

	d.interval_ns = w->stall_timeout_ms * MS_NS / 4;
	if (d.interval_ns > HEARTBEAT_MAX_NS)
		d.interval_ns = HEARTBEAT_MAX_NS;
	d.beat_ns = now + d.interval_ns;
	if (w->point->duration_ns && w->initiates)
		d.finish_ns = now + w->point->duration_ns;
	if (!rc)
		rc = monitor_loops(w, &d);
	if (rc)
		workers_stop(w->workers, STATE_LEAVE);
	loop_rc = workers_join(w->workers);
	if (!rc && !loop_rc)
		rc = tell_sent(w);
	return rc ? rc : loop_rc;
}

int monitor_take_done(struct monitor *w)
{
	uint32_t silence_ms = w->silence_ms;
	json_t *msg = NULL;
	int rc;

	if (w->peer_done)
		return 0;
	/* a receiver over UC and UD goes on for quiet_ns after the sender has finished */
	if (w->workers->n)
		silence_ms += (uint32_t)(w->workers->runs->worker.fixed.quiet_ns / MS_NS);
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

void monitor_close(struct monitor *w)
{
	free(w->peer_sent);
	free(w->threads);
	free(w->fds);
	json_decref(w->peer_done);
	memset(w, 0, sizeof(*w));
}
