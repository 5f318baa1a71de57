/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Owns when a probe and the bulk traffic beside it begin and end; see pairs.h. */
#include "config.h"
#include "run/pairs.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/err.h"
#include "util/signals.h"

/* Ends the loops of the other one; those of the probe only if they have not ended. Was it so? */
static bool end_other(struct pair *p)
{
	struct pairs *all = p->all;
	bool needed;

	pthread_mutex_lock(&all->lock);
	needed = !all->over;
	all->over |= !pair_is_bulk(p);
	pthread_mutex_unlock(&all->lock);
	/* it is full only if it is readable */
	if (needed)
		(void)!write(all->pairs[!p->i].end_fd, &(uint64_t){ 1 }, sizeof(uint64_t));
	return needed;
}

void pairs_beside_loops(struct pair *p, const struct event *event)
{
	if (event->kind == EVENT_OPENED && pair_is_bulk(p))
		gate_leave(&p->all->gate, p->i, GATE_DONE, "");
	if (event->kind == EVENT_LOOPS && !event->begin && !pair_is_bulk(p))
		end_other(p);
}

/*
 * The probe, which may have a warm-up, meets the bulk traffic at the common start, and waits for
 * its first completions before its own loops.
 */
int pairs_beside_meet(struct pair *p, enum session_meeting where, uint64_t until_ns,
		      uint64_t *ticks)
{
	int rc;

	if (pair_is_bulk(p) && where == MEETING_GO)
		return 0;
	rc = gate_meet(&p->all->gate, p->i, until_ns, p->stop_fd, ticks);
	if (rc || where != MEETING_READY)
		return rc;
	p->origin = p->origin ? p->origin : *ticks;
	*ticks = p->origin;
	return 0;
}

void pairs_beside_close(struct pair *p)
{
	if (p->end_fd > 0)
		close(p->end_fd);
	if (p->stop_fd > 0)
		close(p->stop_fd);
}

/* The user's stop is the probe's, whose end ends the bulk traffic. */
int pairs_beside_open(struct pair *p)
{
	struct epoll_event readable = { .events = EPOLLIN };

	if (!p->all->list->bulk || p->stop_fd > 0)
		return 0;
	p->end_fd = p->end_fd > 0 ? p->end_fd : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	p->stop_fd = p->end_fd < 0 ? -1 : epoll_create1(EPOLL_CLOEXEC);
	if (p->stop_fd < 0 || epoll_ctl(p->stop_fd, EPOLL_CTL_ADD, p->end_fd, &readable) ||
	    (!pair_is_bulk(p) && epoll_ctl(p->stop_fd, EPOLL_CTL_ADD, signals_fd(), &readable)))
		return err_set(-errno, "cannot watch two sessions: %s", strerror(errno));
	return 0;
}

void pairs_beside_reset(struct pairs *all)
{
	uint64_t n;

	all->over = all->alone = false;
	for (uint32_t i = 0; i < all->n && all->list->bulk; i++) {
		all->pairs[i].origin = 0;
		(void)!read(all->pairs[i].end_fd, &n, sizeof(n));
	}
}

void pairs_beside_leave(struct pair *p)
{
	const bool first = end_other(p);

	/* the other one has the cause */
	if (p->rc == -EINTR && !signals_asked())
		p->held = true;
	if (p->rc || !first || !pair_is_bulk(p))
		return;
	p->end = SESSION_FAILED;
	pairs_note(p, err_set(-ECANCELED, "it ended before the probe: --max-point-time of the server's owner, or a user's stop"));
}

/* The probe's server has waited for the next plan meanwhile, if the bulk traffic has ended soon. */
static void run_alone(struct pairs *all)
{
	struct pair *p = &all->pairs[BACKGROUND_PROBE];
	struct session_host host;
	int rc = 0;

	all->alone = true;
	host = pairs_host(p);
	if (clock_ns() - p->left_ns > pair_wait_ns(p))
		pairs_close_one(p);
	if (!p->session)
		rc = session_open(&p->session, &p->cfg, &host);
	p->end = SESSION_FAILED;
	pairs_note(p, rc ? rc : session_run(p->session, &p->cfg, &host, &p->end));
}

/* The session of the bulk traffic was stopped, and takes no other plan. */
void pairs_beside_end(struct pairs *all)
{
	const bool bulk_ok = all->pairs[BACKGROUND_BULK].end == SESSION_MEASURED;

	pairs_close_one(&all->pairs[BACKGROUND_BULK]);
	if (bulk_ok && all->pairs[BACKGROUND_PROBE].end == SESSION_MEASURED)
		run_alone(all);
}
