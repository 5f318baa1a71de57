/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the calls of librdmacm that every user of rdma_cm needs; see cm.h. No event stays
 * unacknowledged: cm_try() copies it and gives it back.
 */
#include "config.h"

#include "cm/cm.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cm/cm_event.h"
#include "remedy/remedy.h"
#include "util/clock.h"
#include "util/err.h"

#define MS_NS 1000000ull

int cm_call_failed(const char *call, const char *doing)
{
	const int rc = err_code();

	return err_set(rc, "%s: %s failed: %s", doing, call, strerror(-rc));
}

int cm_open(struct cm *cm)
{
	int rc;

	errno = 0;
	cm->channel = rdma_create_event_channel();
	if (!cm->channel) {
		rc = errno ? -errno : -ENODEV;
		return err_set_cause(rc, remedy_name(REMEDY_NO_RDMA_CM),
				     "rdma_cm is not available: %s: %s", strerror(-rc),
				     remedy_text(REMEDY_NO_RDMA_CM));
	}
	if (fcntl(cm->channel->fd, F_SETFL, fcntl(cm->channel->fd, F_GETFL) | O_NONBLOCK) < 0) {
		rc = cm_call_failed("fcntl", "the event channel of rdma_cm");
		cm_close(cm);
		return rc;
	}
	return 0;
}

bool cm_is_there(void)
{
	struct cm cm = { NULL };
	const bool there = !cm_open(&cm);

	cm_close(&cm);
	if (!there)
		err_clear();
	return there;
}

void cm_close(struct cm *cm)
{
	if (cm->channel)
		rdma_destroy_event_channel(cm->channel);
	cm->channel = NULL;
}

int cm_left_ms(const struct cm_wait *wait)
{
	const uint64_t now = clock_ns();

	return now >= wait->deadline_ns ? 0 :
					  (int)((wait->deadline_ns - now + MS_NS - 1) / MS_NS);
}

/* conn and ud begin with the same two fields, the private data. */
static void copy_event(struct cm_event *to, const struct rdma_cm_event *from)
{
	const void *data = from->param.conn.private_data;
	const uint8_t len = from->param.conn.private_data_len;
	const bool multicast = from->event == RDMA_CM_EVENT_MULTICAST_JOIN ||
			       from->event == RDMA_CM_EVENT_MULTICAST_ERROR;

	memset(to, 0, sizeof(*to));
	to->type = from->event;
	to->status = from->status;
	to->id = from->id;
	to->listener = from->event == RDMA_CM_EVENT_CONNECT_REQUEST ? from->listen_id : NULL;
	memcpy(&to->param, &from->param,
	       sizeof(to->param) < sizeof(from->param) ? sizeof(to->param) : sizeof(from->param));
	to->param.conn.private_data = to->private_data;
	to->param.conn.private_data_len = 0;
	if (multicast) {
		to->context = data;
	} else if (data && len) {
		memcpy(to->private_data, data, len);
		to->private_len = len;
		to->param.conn.private_data_len = len;
	}
}

int cm_try(struct cm *cm, struct cm_event *event)
{
	struct rdma_cm_event *got;

	errno = 0;
	if (rdma_get_cm_event(cm->channel, &got)) {
		if (errno == EAGAIN || errno == EINTR)
			return 0;
		return cm_call_failed("rdma_get_cm_event", "waiting for an event of rdma_cm");
	}
	copy_event(event, got);
	errno = 0;
	if (rdma_ack_cm_event(got))
		return cm_call_failed("rdma_ack_cm_event", "an event of rdma_cm");
	return 1;
}

int cm_next(struct cm *cm, struct cm_event *event, const struct cm_wait *wait)
{
	for (;;) {
		struct pollfd fds[] = {
			{ .fd = cm->channel->fd, .events = POLLIN },
			{ .fd = wait->fds[0], .events = POLLIN },
			{ .fd = wait->fds[1], .events = POLLIN },
		};
		int rc = cm_try(cm, event);

		if (rc)
			return rc;
		if (poll(fds, 3, cm_left_ms(wait)) < 0 && errno != EINTR)
			return cm_call_failed("poll", "waiting for an event of rdma_cm");
		if (fds[0].revents)
			continue;
		if (fds[1].revents || fds[2].revents)
			return 0;
		if (clock_ns() >= wait->deadline_ns)
			return -ETIMEDOUT;
	}
}

int cm_refuse_event(const struct cm_event *event, const char *doing)
{
	char text[CM_EVENT_TEXT];
	int rc = -EPROTO;

	if (event->type == RDMA_CM_EVENT_REJECTED)
		rc = -ECONNREFUSED;
	else if (event->type == RDMA_CM_EVENT_DEVICE_REMOVAL)
		rc = -ENODEV;
	else if (event->type == RDMA_CM_EVENT_UNREACHABLE)
		rc = -EHOSTUNREACH;
	else if (event->status < 0 && event->status > -4096)
		rc = event->status;
	cm_event_text(event, text, sizeof(text));
	if (event->type == RDMA_CM_EVENT_ADDR_ERROR)
		return err_set_cause(rc, remedy_name(REMEDY_NEIGHBOUR), "%s: %s: %s", doing, text,
				     remedy_text(REMEDY_NEIGHBOUR));
	/* only InfiniBand asks anybody for a route: the subnet administrator */
	if (event->type == RDMA_CM_EVENT_ROUTE_ERROR)
		return err_set_cause(rc, remedy_name(REMEDY_NO_SM), "%s: %s; on InfiniBand: %s",
				     doing, text, remedy_text(REMEDY_NO_SM));
	return err_set(rc, "%s: %s", doing, text);
}

int cm_expect(struct cm *cm, struct cm_event *event, enum rdma_cm_event_type type,
	      const struct cm_wait *wait, const char *doing)
{
	int rc = cm_next(cm, event, wait);

	if (rc == -ETIMEDOUT)
		return err_set(rc, "%s: rdma_cm gives no event: %s", doing, strerror(-rc));
	if (!rc)
		return err_set(-EINTR, "%s: interrupted", doing);
	if (rc < 0)
		return rc;
	return event->type == type && !event->status ? 0 : cm_refuse_event(event, doing);
}

/* Neither sockaddr is changed: librdmacm takes them without const. */
static struct sockaddr *unconst(const struct sockaddr *address)
{
	return (struct sockaddr *)(uintptr_t)address;
}

int cm_resolve(struct cm *cm, struct rdma_cm_id *id, const struct sockaddr *source,
	       const struct sockaddr *to, const struct cm_wait *wait)
{
	char address[CM_ADDRESS_TEXT], doing[CM_ADDRESS_TEXT + 32];
	struct cm_event event;
	int rc;

	cm_address_text(to, address, sizeof(address));
	snprintf(doing, sizeof(doing), "resolving %s", address);
	errno = 0;
	if (rdma_resolve_addr(id, unconst(source), unconst(to), cm_left_ms(wait)))
		return cm_call_failed("rdma_resolve_addr", doing);
	rc = cm_expect(cm, &event, RDMA_CM_EVENT_ADDR_RESOLVED, wait, doing);
	if (rc)
		return rc;
	snprintf(doing, sizeof(doing), "the route to %s", address);
	errno = 0;
	if (rdma_resolve_route(id, cm_left_ms(wait)))
		return cm_call_failed("rdma_resolve_route", doing);
	return cm_expect(cm, &event, RDMA_CM_EVENT_ROUTE_RESOLVED, wait, doing);
}
