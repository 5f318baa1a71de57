/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * The deadlines of a running point: heartbeats, duration, progress, device events. While a loop
 * runs it reads only its progress and worker_seen().
 */
#include "config.h"

#include "point/monitor.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/err.h"
#include "util/minmax.h"
#include "wire/proto.h"
#include "verbs/verbs_error.h"

#define MS_NS MONITOR_MS_NS
#define CAUSE_NS (500 * MS_NS) /* wait this long for the peer's reason after a loop has failed */
#define CAUSE_SILENT_NS (2000 * MS_NS) /* the same for a peer that sends nothing at all */
#define FDS_OTHER 2u /* signals and device, after the connections */
#define MIGRATE_AGAIN_NS (5 * MS_NS)
#define HEARTBEAT_MAX_NS (500 * MS_NS)
#define TELL_NS (1000 * MS_NS)
#define BYTES_PER_MS 100000u /* 100 MB/s, as in point.c */
#define SLOWER 10u           /* the peer's direction may be slower by this factor */

/* Deadlines of one point, CLOCK_MONOTONIC_RAW ns. */
struct deadlines {
	uint64_t beat_ns; /* next heartbeat */
	uint64_t interval_ns; /* between two; several must be lost before the peer gives up */
	uint64_t finish_ns; /* end of the duration; UINT64_MAX: none */
	bool over; /* that time is over */
	uint64_t begin_ns; /* of the loops */
	uint64_t tell_ns; /* when progress is reported; UINT64_MAX: never */
	uint64_t migrate_ns; /* when the path migrates; UINT64_MAX: never, or already done */
};

static int stalled(const struct monitor *m, uint32_t thread)
{
	const struct worker_run *run = &m->workers->runs[thread];
	uint64_t posted = 0, done = 0, received = 0;
	char which[48] = "";

	/* while it runs, only the loop may read its counters */
	workers_stop(m->workers, STATE_LEAVE);
	workers_join(m->workers);
	for (uint32_t i = 0; i < m->plan->work.qps; i++) {
		posted += worker_posted(run, i);
		done += worker_sent(run, i);
		received += worker_received(run, i);
	}
	if (m->workers->n > 1)
		snprintf(which, sizeof(which), " in thread %u of %u", thread + 1, m->workers->n);
	return err_set(-ETIMEDOUT,
		       "stalled on the %s%s: no completion for %u ms with %" PRIu64 " requests posted, %" PRIu64 " done, %" PRIu64 " messages received",
		       kind_side_names[m->side], which, m->plan->stall_timeout_ms, posted, done,
		       received);
}

/*
 * Every running thread must make progress, whatever the others do. Only a receiver over UC and UD
 * may wait for lost messages; the sender tells it when to end.
 */
static int check_progress(struct monitor *m, uint64_t now)
{
	/* where no message is due, none is late */
	const uint64_t longest_ns = m->plan->stall_timeout_ms * MS_NS +
				    (m->warm_up ? 0 : plan_longest_gap_ns(m->plan));

	if (!m->initiates && kind_is_lossy(m->plan->work.kind.tp))
		return 0;
	for (uint32_t i = 0; i < m->workers->n; i++) {
		struct worker_run *run = &m->workers->runs[i];
		struct monitor_thread *d = &m->threads[i];
		uint64_t progress;

		if (atomic_load(&run->ended))
			continue;
		progress = worker_progress(run);
		if (progress != d->progress) {
			d->progress = progress;
			d->moved_ns = now;
		}
		if (now - d->moved_ns > longest_ns)
			return stalled(m, i);
	}
	return 0;
}

/* A serious event ends the point; the limit event of an SRQ is for the loop that refills it. */
static int check_device(struct monitor *m)
{
	enum ibv_event_type event;
	int rc = dev_async(m->dev, &event);

	if (rc > 0)
		return err_set(-EIO, "event of device %s on the %s: %s", m->dev->limits.device,
			       kind_side_names[m->side], verbs_error_event(event));
	workers_wake_low(m->workers);
	return rc ? rc : disturb_step(m->disturb, clock_ns());
}

/* Asks again until every QP is armed. */
static int check_migration(struct monitor *m, struct deadlines *d, uint64_t now)
{
	int rc;

	if (now < d->migrate_ns)
		return 0;
	rc = m->migrate(m->arg);
	d->migrate_ns = rc ? UINT64_MAX : now + MIGRATE_AGAIN_NS;
	return rc < 0 ? rc : 0;
}

/* The loops of both sides have ended. */
static int check_migrated(const struct monitor *m, const struct deadlines *d)
{
	if (d->migrate_ns == UINT64_MAX || m->interrupted)
		return 0;
	return err_set(-ETIMEDOUT,
		       "--migrate-after %u: the paths did not migrate: the size was done before, or a QP was not armed, which takes messages in both directions",
		       m->plan->path.migrate_after);
}

/* For display: it need not be exact, and costs the loops a few cache lines. */
static void tell_progress(const struct monitor *m, struct deadlines *d, uint64_t now)
{
	const struct plan *plan = m->plan;
	struct event_progress p = {
		.point = m->point,
		.of_points = plan->n_points,
		.ns = now - d->begin_ns,
		.of_messages = m->point->messages * plan_total_qps(plan),
		.latency = kind_test_is_lat(plan->work.test),
		.bidir = plan->work.bidir,
	};

	if (now < d->tell_ns)
		return;
	d->tell_ns += TELL_NS;
	for (uint32_t i = 0; i < m->workers->n; i++)
		p.messages += worker_seen(&m->workers->runs[i]);
	event_tell(&m->host->events, &(struct event){ EVENT_PROGRESS, .progress = &p });
}

/* A window by time opens with the first completion. */
static void tell_opened(struct monitor *m)
{
	if (m->opened || m->warm_up)
		return;
	for (uint32_t i = 0; i < m->workers->n; i++)
		if (!worker_tx_opened(&m->workers->runs[i]))
			return;
	m->opened = true;
	event_tell(&m->host->events, &(struct event){ .kind = EVENT_OPENED });
}

/* ---- the planned end */

/* Time for the messages posted before the end to arrive. */
static uint64_t drain_ns(const struct monitor *m)
{
	const struct plan_work *work = &m->plan->work;
	const uint64_t messages = (uint64_t)max_u32(work->depth, work->recv_depth) *
				  plan_total_qps(m->plan);
	const uint64_t quiet_ns = m->workers->n ? m->workers->runs->worker.fixed.quiet_ns : 0;

	return quiet_ns + m->plan->stall_timeout_ms * MS_NS +
	       messages * plan_longest_bytes(m->plan, m->point) / BYTES_PER_MS * MS_NS;
}

bool monitor_all_sent(const struct monitor *m)
{
	for (uint32_t i = 0; i < m->workers->n; i++)
		if (!m->threads[i].sent_reported)
			return false;
	return true;
}

/* This side posts: the peer may need longer for the rest, but not forever. */
static uint64_t after_sending(struct monitor *m, uint64_t now)
{
	struct monitor_end *end = &m->end;
	const uint64_t since_ns = end->stop_ns ? end->stop_ns : end->begin_ns;

	if (!end->sent_ns && (monitor_all_sent(m) || workers_over(m->workers)))
		end->sent_ns = now;
	if (!end->sent_ns)
		return UINT64_MAX;
	return end->sent_ns + SLOWER * (end->sent_ns - min_u64(since_ns, end->sent_ns)) +
	       drain_ns(m);
}

/* The peer posts, for the duration in the plan. A number of messages may take any time. */
static uint64_t after_receiving(const struct monitor *m)
{
	if (m->end.stop_ns)
		return m->end.stop_ns + drain_ns(m);
	if (!m->point->duration_ns || m->point->forever)
		return UINT64_MAX;
	/* its loops may begin later by the time it may be silent */
	return m->end.begin_ns + m->point->duration_ns + m->silence_ms * MS_NS + drain_ns(m);
}

/*
 * No message of the peer extends the deadline: one that only sends heartbeats must not keep this
 * side waiting forever.
 */
int monitor_end_check(struct monitor *m, uint64_t now, bool duration_over)
{
	uint64_t until_ns;

	if (!m->end.begin_ns)
		m->end.begin_ns = now;
	if (!m->end.stop_ns && (m->interrupted || duration_over))
		m->end.stop_ns = now;
	until_ns = m->initiates ? after_sending(m, now) : after_receiving(m);
	if (now < until_ns)
		return 0;
	return err_set(-ETIMEDOUT, "the peer %s sends heartbeats and does not end the point: %.3g s after %s",
		       m->to->ctl[0]->peer,
		       (double)(now - (m->initiates ? m->end.sent_ns :
				       m->end.stop_ns ? m->end.stop_ns : m->end.begin_ns)) / 1e9,
		       m->initiates    ? "the last message of this side" :
		       m->end.stop_ns ? "it was stopped" : "it began");
}

/* ---- deadlines */

/* looked_ns: what had come until then is taken, however late this side is now. */
static int check_deadlines(struct monitor *m, struct deadlines *d, uint64_t looked_ns)
{
	const uint64_t now = clock_ns(), stall_ns = m->plan->stall_timeout_ms * MS_NS;
	int rc;

	/* after its result a peer sends no heartbeats: it waits for our result */
	for (uint32_t i = 0; i < m->to->n; i++)
		if (!m->peers[i].done && looked_ns > m->peers[i].received_ns + stall_ns)
			return err_set(-ETIMEDOUT, "no message from the peer %s for %u ms",
				       m->to->ctl[i]->peer, m->plan->stall_timeout_ms);
	rc = check_progress(m, now);
	if (rc)
		return rc;
	slices_step(&m->slices, now, clock_ticks());
	rc = monitor_intervals_step(m, now, d->finish_ns);
	if (rc)
		return rc;
	if (now >= d->finish_ns) {
		d->finish_ns = UINT64_MAX;
		d->over = true;
		m->intervals.due_ns = UINT64_MAX;
		workers_stop(m->workers, STATE_FINISH);
	}
	rc = monitor_end_check(m, now, d->over);
	if (rc)
		return rc;
	tell_opened(m);
	tell_progress(m, d, now);
	rc = check_migration(m, d, now);
	if (!rc)
		rc = check_device(m);
	if (!rc)
		rc = cm_links_check(m->cm);
	if (rc < 0 || now < d->beat_ns)
		return rc;
	d->beat_ns = now + d->interval_ns;
	return peers_send(m->to, proto_plain("heartbeat"), m->plan->stall_timeout_ms);
}

static int wait_ms(const struct monitor *m, const struct deadlines *d)
{
	const uint64_t now = clock_ns();
	uint64_t next = min_u64(d->beat_ns, d->finish_ns);

	next = min_u64(next, disturb_due_ns(m->disturb));
	next = min_u64(next, d->tell_ns);
	next = min_u64(next, m->intervals.due_ns);
	next = min_u64(next, m->slices.due_ns);
	next = min_u64(next, d->migrate_ns);
	return next <= now ? 0 : (int)((next - now + MS_NS - 1) / MS_NS);
}

/* Indices in fds: a connection for each peer, signals, the device, the workers. */
static struct pollfd *stop_fd(const struct monitor *m)
{
	return m->fds + m->to->n;
}

static int receive_all(struct monitor *m)
{
	int rc = 0;

	for (uint32_t i = 0; i < m->to->n && !rc; i++)
		if (m->fds[i].revents)
			rc = monitor_receive(m, i);
	return rc;
}

/* Waits for the connections, the user's stop, an event of the device, or a note of a worker. */
static int monitor_step(struct monitor *m, struct deadlines *d)
{
	struct pollfd *const stop = stop_fd(m), *const notes = stop + FDS_OTHER;
	const uint64_t looked_ns = clock_ns();
	const uint32_t n = m->workers->n;
	bool noted = false;
	uint64_t note;
	int rc = 0;

	stop->fd = m->to->ctl[0]->signals_fd;
	if (poll(m->fds, m->to->n + FDS_OTHER + n, wait_ms(m, d)) < 0 && errno != EINTR)
		return err_set(-errno, "cannot wait for the point to end: %s", strerror(errno));
	for (uint32_t i = 0; i < n; i++)
		noted |= notes[i].revents && read(notes[i].fd, &note, sizeof(note)) > 0;
	if (noted)
		rc = monitor_send_sent(m);
	if (!rc)
		rc = receive_all(m);
	if (!rc && stop->revents)
		rc = monitor_user_stop(m);
	return rc ? rc : check_deadlines(m, d, looked_ns);
}

/* Has each peer sent something, at least a heartbeat? */
static bool all_alive(const struct monitor *m, uint64_t since_ns)
{
	for (uint32_t i = 0; i < m->to->n; i++)
		if (m->peers[i].received_ns <= since_ns)
			return false;
	return true;
}

/*
 * When the peer dies its QPs are destroyed, and requests can fail before the connection ends. Then
 * the cause is the abort of the peer or the end of the connection, not the failed request. The
 * kernel of a busy machine may need more than a second between the two.
 */
static int await_cause(struct monitor *m)
{
	const uint64_t begin_ns = clock_ns();
	uint64_t end_ns = begin_ns + CAUSE_SILENT_NS, now_ns;

	while ((now_ns = clock_ns()) < end_ns) {
		int rc = 0;

		if (poll(m->fds, m->to->n, (int)((end_ns - now_ns + MS_NS - 1) / MS_NS)) > 0)
			rc = receive_all(m);
		if (rc == -ECONNRESET || rc == -ECONNABORTED || rc == -EINTR)
			return rc;
		if (rc)
			break;
		if (all_alive(m, begin_ns))
			end_ns = begin_ns + CAUSE_NS;
	}
	return 0;
}

static int prepare(struct monitor *m, uint64_t now)
{
	const uint32_t threads = m->plan->work.threads;

	m->threads = calloc(threads, sizeof(*m->threads));
	m->peer_sent = calloc(plan_total_qps(m->plan), sizeof(*m->peer_sent));
	m->fds = calloc(m->to->n + FDS_OTHER + (size_t)m->workers->n, sizeof(*m->fds));
	m->peers = calloc(m->to->n, sizeof(*m->peers));
	if (!m->threads || !m->peer_sent || !m->fds || !m->peers)
		return err_set(-ENOMEM, "cannot allocate counts of %u QPs",
			       plan_total_qps(m->plan));
	for (uint32_t i = 0; i < m->to->n; i++) {
		m->peers[i].received_ns = now;
		m->fds[i] = (struct pollfd){ .fd = m->to->ctl[i]->fd, .events = POLLIN };
	}
	for (uint32_t i = 0; i < threads; i++)
		m->threads[i].moved_ns = now;
	for (uint32_t i = 0; i < FDS_OTHER; i++)
		stop_fd(m)[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
	for (uint32_t i = 0; i < m->workers->n; i++)
		stop_fd(m)[FDS_OTHER + i] = (struct pollfd){
			.fd = m->workers->runs[i].worker.fixed.note_fd,
			.events = POLLIN,
		};
	stop_fd(m)[1].fd = m->dev->ctx->async_fd;
	slices_open(&m->slices, m->workers, now);
	return monitor_intervals_open(m, now);
}

/* After a warm-up the client asks for the point, when that of the server has ended, too. */
static bool may_go_on(const struct monitor *m)
{
	return !m->warm_up || m->side == SIDE_SERVER || m->warm == m->to->n;
}

/* Until all loops of both sides have ended, or an error. */
static int monitor_loops(struct monitor *m, struct deadlines *d)
{
	int rc = 0;

	while (!rc) {
		/* a failed loop ends the point, whatever the other loops and the peer do */
		if (workers_failed(m->workers)) {
			workers_stop(m->workers, STATE_LEAVE);
			return await_cause(m);
		}
		if (workers_over(m->workers) && monitor_peer_over(m) && may_go_on(m))
			return check_migrated(m, d);
		rc = monitor_step(m, d);
	}
	return rc;
}

int monitor_point(struct monitor *m)
{
	const uint64_t now = clock_ns();
	struct deadlines d = { .finish_ns = UINT64_MAX, .migrate_ns = UINT64_MAX,
			       .begin_ns = now, .tell_ns = UINT64_MAX };
	int rc = prepare(m, now), loop_rc;

	d.interval_ns = m->plan->stall_timeout_ms * MS_NS / 4;
	if (d.interval_ns > HEARTBEAT_MAX_NS)
		d.interval_ns = HEARTBEAT_MAX_NS;
	d.beat_ns = now + d.interval_ns;
	if (m->point->duration_ns && m->initiates)
		d.finish_ns = now + m->point->duration_ns;
	if (m->migrate && m->plan->path.migrate_after != UINT32_MAX)
		d.migrate_ns = now + m->plan->path.migrate_after * MS_NS;
	if (m->side == SIDE_CLIENT && m->host->progress)
		d.tell_ns = now + TELL_NS;
	if (m->interrupted && m->initiates)
		workers_stop(m->workers, STATE_FINISH);
	if (!rc)
		rc = monitor_loops(m, &d);
	if (rc)
		workers_stop(m->workers, STATE_LEAVE);
	loop_rc = workers_join(m->workers);
	if (!rc && !loop_rc)
		rc = check_device(m); /* the last events of an SRQ are counted */
	if (!rc && !loop_rc)
		rc = monitor_send_sent(m);
	return rc ? rc : loop_rc;
}

void monitor_close(struct monitor *m)
{
	intervals_close(&m->intervals.of);
	free(m->peer_sent);
	free(m->threads);
	free(m->fds);
	for (uint32_t i = 0; m->peers && i < m->to->n; i++)
		json_decref(m->peers[i].done);
	free(m->peers);
	memset(m, 0, sizeof(*m));
}
