/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Owns the calls of librdmacm that every user of rdma_cm needs; see cm.h. No event stays
 * unacknowledged: cm_try() copies it and gives it back.
 */
#include "config.h"
#include "cm/cm.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "causes/remedy.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"
#include "util/text.h"

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
		return remedy_error(rc, REMEDY_NO_RDMA_CM, NULL, "rdma_cm is not available: %s",
				    strerror(-rc));
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

void cm_destroy_id(struct rdma_cm_id *id)
{
	if (!id)
		return;
	if (id->qp)
		rdma_destroy_qp(id);
	if (rdma_destroy_id(id))
		log_note("cannot destroy an id of rdma_cm: %s", strerror(errno));
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
		return remedy_error(rc, REMEDY_NEIGHBOUR, NULL, "%s: %s", doing, text);
	/* only InfiniBand asks anybody for a route: the subnet administrator */
	if (event->type == RDMA_CM_EVENT_ROUTE_ERROR)
		return remedy_error(rc, REMEDY_NO_SM, NULL, "%s: %s; on InfiniBand", doing, text);
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

/* ---- events in words */

/*
 * Owns the words for events of rdma_cm. A status has another meaning in almost every event: an
 * errno, a reason of the CM, or a status of SIDR (drivers/infiniband/core/cma.c: cma_ib_handler,
 * cma_iw_handler, cma_sidr_rep_handler).
 */

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define PEER_TEXT_MAX 160

static const char *const meanings[] = {
	[RDMA_CM_EVENT_ADDR_RESOLVED] = "the address is resolved",
	[RDMA_CM_EVENT_ADDR_ERROR] = "the address is not resolved",
	[RDMA_CM_EVENT_ROUTE_RESOLVED] = "the route is resolved",
	[RDMA_CM_EVENT_ROUTE_ERROR] = "there is no route",
	[RDMA_CM_EVENT_CONNECT_REQUEST] = "a peer asks for a connection",
	[RDMA_CM_EVENT_CONNECT_RESPONSE] = "the peer has accepted",
	[RDMA_CM_EVENT_CONNECT_ERROR] = "the connection could not be made",
	[RDMA_CM_EVENT_UNREACHABLE] = "the peer does not answer, or has no such service",
	[RDMA_CM_EVENT_REJECTED] = "the peer rejects the connection",
	[RDMA_CM_EVENT_ESTABLISHED] = "the connection is there",
	[RDMA_CM_EVENT_DISCONNECTED] = "the peer has disconnected",
	[RDMA_CM_EVENT_DEVICE_REMOVAL] = "the RDMA device is removed",
	[RDMA_CM_EVENT_MULTICAST_JOIN] = "the multicast group is joined",
	[RDMA_CM_EVENT_MULTICAST_ERROR] = "the multicast group is not joined, or was left",
	[RDMA_CM_EVENT_ADDR_CHANGE] = "the address has moved to another network device (bonding)",
	[RDMA_CM_EVENT_TIMEWAIT_EXIT] = "the queue pair of an ended connection may be used again",
};

static const char *const rejects[] = {
	[1] = "no QP is available", [2] = "no EEC is available", [3] = "no resources are available",
	[4] = "time-out", [5] = "the request is not supported",
	[6] = "invalid communication ID", [7] = "invalid communication instance",
	[8] = "invalid service ID: nobody listens on this port",
	[9] = "invalid transport service type", [10] = "stale connection",
	[11] = "the RDC does not exist", [12] = "the primary remote port GID is rejected",
	[13] = "the primary remote port LID is rejected", [14] = "invalid primary SL",
	[15] = "invalid primary traffic class", [16] = "invalid primary hop limit",
	[17] = "invalid primary packet rate", [18] = "the alternate remote port GID is rejected",
	[19] = "the alternate remote port LID is rejected", [20] = "invalid alternate SL",
	[21] = "invalid alternate traffic class", [22] = "invalid alternate hop limit",
	[23] = "invalid alternate packet rate", [24] = "port and CM redirection",
	[25] = "port redirection", [26] = "invalid path MTU",
	[27] = "insufficient responder resources", [28] = "the peer's program rejects it",
	[29] = "the RNR retry count is rejected", [30] = "duplicate local communication ID",
	[31] = "invalid class version", [32] = "invalid primary flow label",
	[33] = "invalid alternate flow label", [35] = "the vendor option is not supported",
};

static const char *const sidr[] = {
	"success", "the service ID is not supported", "the peer's service rejects it", "no QP is available",
	"redirection", "the version is not supported",
};

const char *cm_event_meaning(enum rdma_cm_event_type type)
{
	return (size_t)type < N(meanings) && meanings[type] ? meanings[type] :
							       "an event of a later librdmacm";
}

const char *cm_event_reject(int reason)
{
	return reason > 0 && (size_t)reason < N(rejects) && rejects[reason] ? rejects[reason] :
									    "reserved reason";
}

const char *cm_event_sidr(int status)
{
	return status >= 0 && (size_t)status < N(sidr) ? sidr[status] : "reserved status";
}

/* The peer's own words, if that is what the private data is; else "". */
static void peer_text(const struct cm_event *event, char text[PEER_TEXT_MAX])
{
	size_t len = strnlen((const char *)event->private_data, event->private_len);
	char raw[PEER_TEXT_MAX];

	text[0] = '\0';
	if (len >= sizeof(raw))
		len = sizeof(raw) - 1;
	for (size_t i = 0; i < len; i++)
		if (event->private_data[i] < ' ' || event->private_data[i] > '~')
			return;
	memcpy(raw, event->private_data, len);
	raw[len] = '\0';
	text_clean(raw, text, PEER_TEXT_MAX);
}

/* A negative status is an errno, also of a REJECTED over iWARP. */
static const char *status_text(const struct cm_event *event)
{
	if (event->status < 0)
		return strerror(-event->status);
	if (event->type == RDMA_CM_EVENT_REJECTED)
		return cm_event_reject(event->status);
	if (event->type == RDMA_CM_EVENT_UNREACHABLE)
		return cm_event_sidr(event->status);
	return NULL;
}

const char *cm_event_text(const struct cm_event *event, char *text, size_t size)
{
	const bool refusal = event->type == RDMA_CM_EVENT_REJECTED ||
			     event->type == RDMA_CM_EVENT_UNREACHABLE;
	const char *why = event->status ? status_text(event) : NULL;
	char said[PEER_TEXT_MAX] = "";

	if (refusal)
		peer_text(event, said);
	snprintf(text, size, "%s, status %d%s%s%s: %s%s%s", rdma_event_str(event->type),
		 event->status, why ? " (" : "", why ? why : "", why ? ")" : "",
		 cm_event_meaning(event->type), said[0] ? "; it says: " : "", said);
	return text;
}

const char *cm_address_text(const struct sockaddr *address, char *text, size_t size)
{
	const struct sockaddr_in6 *v6 = (const void *)address;
	const struct sockaddr_in *v4 = (const void *)address;
	char host[INET6_ADDRSTRLEN] = "?", scope[16] = "", port[16] = "";
	uint16_t number = 0;

	if (address->sa_family == AF_INET) {
		inet_ntop(AF_INET, &v4->sin_addr, host, sizeof(host));
		number = ntohs(v4->sin_port);
	} else if (address->sa_family == AF_INET6) {
		inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof(host));
		number = ntohs(v6->sin6_port);
		if (v6->sin6_scope_id)
			snprintf(scope, sizeof(scope), "%%%u", v6->sin6_scope_id);
	}
	if (number)
		snprintf(port, sizeof(port), " port %u", number);
	snprintf(text, size, "%s%s%s", host, scope, port);
	return text;
}
