/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Channels; see cm_channel.h. */
#include "config.h"
#include "cm/cm_channel.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hca.h"

#define RETRY_NS UINT64_C(5000000)
/*
 * The kernel leaves the time-wait state after the life of a packet in both directions:
 * cm_ack_timeout() with CMA_IBOE_PACKET_LIFETIME is 2^17 * 4.096 us (cm.c, cma.c of Linux 6.1).
 */
#define TIMEWAIT_NS UINT64_C(536870912)

int cm_channel_open(struct cm_channel **to)
{
	struct cm_channel *ch = calloc(1, sizeof(*ch));
	struct epoll_event in = { .events = EPOLLIN };
	int rc;

	if (!ch)
		return -ENOMEM;
	ch->armed_ns = UINT64_MAX;
	ch->fd = epoll_create1(EPOLL_CLOEXEC);
	ch->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (ch->fd >= 0 && ch->timer_fd >= 0 &&
	    !epoll_ctl(ch->fd, EPOLL_CTL_ADD, ch->timer_fd, &in)) {
		*to = ch;
		return 0;
	}
	rc = -errno;
	if (ch->fd >= 0)
		close(ch->fd);
	if (ch->timer_fd >= 0)
		close(ch->timer_fd);
	free(ch);
	return rc;
}

void cm_channel_close(struct cm_channel *ch)
{
	close(ch->timer_fd);
	free(ch);
}

static void push(struct cm_channel *ch, struct cm_event *e)
{
	if (ch->last)
		ch->last->next = e;
	else
		ch->first = e;
	ch->last = e;
	e->id->events_queued++;
}

static struct cm_event *add(struct cm_id *id, enum cm_event_type type, int status)
{
	struct cm_event *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->id = id;
	e->resp.uid = id->uid;
	e->resp.id = id->handle;
	e->resp.event = type;
	e->resp.status = (uint32_t)status;
	push(id->ch, e);
	return e;
}

struct rdma_ucm_event_resp *cm_channel_event(struct cm_id *id, enum cm_event_type type, int status)
{
	struct cm_event *e = id->uid ? add(id, type, status) : NULL;

	return e ? &e->resp : NULL;
}

struct rdma_ucm_event_resp *cm_channel_group_event(struct cm_group *group, int status)
{
	struct cm_event *e = add(group->id, CM_EVENT_MULTICAST_JOIN, status);

	if (!e)
		return NULL;
	e->group = group;
	e->resp.uid = group->uid;
	e->resp.id = group->handle;
	return &e->resp;
}

struct rdma_ucm_event_resp *cm_channel_request(struct cm_id *id)
{
	struct cm_event *e = add(id->listener, CM_EVENT_CONNECT_REQUEST, 0);

	if (!e)
		return NULL;
	e->request = id;
	e->resp.id = id->handle;
	return &e->resp;
}

struct cm_event *cm_channel_next(struct cm_channel *ch)
{
	struct cm_event *e = ch->first;

	if (!e)
		return NULL;
	ch->first = e->next;
	if (!e->next)
		ch->last = NULL;
	e->id->events_queued--;
	return e;
}

struct cm_id *cm_channel_drop(struct cm_id *id, const struct cm_group *group)
{
	struct cm_channel *ch = id->ch;
	struct cm_event *e = ch->first, *next;
	struct cm_id *requests = NULL;

	if (!id->events_queued)
		return NULL;
	ch->first = ch->last = NULL;
	for (; e; e = next) {
		next = e->next;
		e->next = NULL;
		e->id->events_queued--;
		if (e->id != id || (group && e->group != group)) {
			push(ch, e);
			continue;
		}
		if (e->request) {
			e->request->wait_next = requests;
			requests = e->request;
		}
		free(e);
	}
	return requests;
}

/* The events of an identifier go to the end of the queue of the other channel, in their order. */
static void move_events(struct cm_id *id, struct cm_channel *to)
{
	struct cm_channel *from = id->ch;
	struct cm_event *e = from->first, *next;

	from->first = from->last = NULL;
	for (; e; e = next) {
		next = e->next;
		e->next = NULL;
		e->id->events_queued--;
		push(e->id == id ? to : from, e);
	}
}

static void insert(struct cm_id *id)
{
	struct cm_channel *ch = id->ch;
	struct cm_id *after = ch->waiting[id->wait].last;

	while (after && after->deadline_ns > id->deadline_ns)
		after = after->wait_prev;
	id->wait_prev = after;
	id->wait_next = after ? after->wait_next : ch->waiting[id->wait].first;
	if (id->wait_next)
		id->wait_next->wait_prev = id;
	else
		ch->waiting[id->wait].last = id;
	if (after)
		after->wait_next = id;
	else
		ch->waiting[id->wait].first = id;
}

static void take_out(struct cm_id *id)
{
	struct cm_channel *ch = id->ch;

	if (id->wait_next)
		id->wait_next->wait_prev = id->wait_prev;
	else
		ch->waiting[id->wait].last = id->wait_prev;
	if (id->wait_prev)
		id->wait_prev->wait_next = id->wait_next;
	else
		ch->waiting[id->wait].first = id->wait_next;
	id->wait_next = id->wait_prev = NULL;
}

void cm_channel_wait(struct cm_id *id, enum cm_wait wait)
{
	uint64_t ns = wait == CM_WAIT_RETRY  ? RETRY_NS :
		      wait == CM_WAIT_ANSWER ? hca_settings()->cm_timeout_ns :
					       TIMEWAIT_NS;

	cm_channel_wait_end(id);
	id->wait = wait;
	id->deadline_ns = clock_now() + ns;
	insert(id);
}

void cm_channel_wait_end(struct cm_id *id)
{
	if (id->wait == CM_WAIT_NONE)
		return;
	take_out(id);
	id->wait = CM_WAIT_NONE;
}

struct cm_id *cm_channel_expired(struct cm_channel *ch)
{
	uint64_t now = clock_now();

	for (int i = 0; i < CM_WAITS; i++) {
		struct cm_id *id = ch->waiting[i].first;

		if (!id || id->deadline_ns > now)
			continue;
		cm_channel_wait_end(id);
		return id;
	}
	return NULL;
}

int cm_channel_move(struct cm_id *id, struct cm_channel *to)
{
	int *fds[] = { &id->fd, &id->name_fd };
	struct cm_channel *from = id->ch;
	bool waits = id->wait != CM_WAIT_NONE;

	move_events(id, to);
	if (waits)
		take_out(id);
	for (int i = 0; i < 2; i++)
		if (*fds[i] >= 0)
			epoll_ctl(from->fd, EPOLL_CTL_DEL, *fds[i], NULL);
	from->n_ids--;
	to->n_ids++;
	id->ch = to;
	if (waits)
		insert(id);
	if (id->fd >= 0 && !id->quiet)
		return cm_id_watch(id, id->fd, true);
	return id->state == CM_LISTEN ? cm_id_watch(id, id->name_fd, id->backlog > 0) : 0;
}

void cm_channel_arm(struct cm_channel *ch)
{
	uint64_t at = ch->first ? 0 : UINT64_MAX, t;
	struct itimerspec set = { .it_value = { 0 } };

	for (int i = 0; i < CM_WAITS && at; i++)
		if (ch->waiting[i].first && ch->waiting[i].first->deadline_ns < at)
			at = ch->waiting[i].first->deadline_ns;
	if (at == ch->armed_ns)
		return;
	ch->armed_ns = at;
	if (at != UINT64_MAX) {
		t = at ? at : 1; /* a time in the past: the timer expires at once */
		set.it_value.tv_sec = (time_t)(t / 1000000000);
		set.it_value.tv_nsec = (long)(t % 1000000000);
	}
	/* this also ends that the timer is readable */
	timerfd_settime(ch->timer_fd, TFD_TIMER_ABSTIME, &set, NULL);
}
