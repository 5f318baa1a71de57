/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Lists and opens devices, and reads async events of a device. Called by dev_open.c, the session
 * and the list command.
 */
#include "config.h"

#include "rdma/dev.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "rdma/dev_none.h"
#include "rdma/dev_siw.h"
#include "util/err.h"
#include "util/log.h"

int dev_list(struct ibv_device ***list, int *n)
{
	int rc;

	*n = 0;
	errno = 0;
	*list = ibv_get_device_list(n);
	if (*list && *n)
		return 0;
	rc = err_code();
	if (*list)
		ibv_free_device_list(*list);
	else if (rc != -ENOSYS)
		return err_set(rc, "cannot list RDMA devices: %s", strerror(-rc));
	*list = NULL;
	*n = 0;
	return 0;
}

const char *dev_guid_text(struct ibv_device *device, char text[DEV_GUID_TEXT_MAX])
{
	const uint64_t guid = be64toh(ibv_get_device_guid(device));

	snprintf(text, DEV_GUID_TEXT_MAX, "%04x:%04x:%04x:%04x", (unsigned int)(guid >> 48),
		 (unsigned int)(guid >> 32 & 0xffff), (unsigned int)(guid >> 16 & 0xffff),
		 (unsigned int)(guid & 0xffff));
	return text;
}

bool dev_is_called(struct ibv_device *device, const char *name)
{
	char text[DEV_GUID_TEXT_MAX], *end;

	if (!strcmp(name, ibv_get_device_name(device)) ||
	    !strcasecmp(name, dev_guid_text(device, text)))
		return true;
	return !strncasecmp(name, "0x", 2) && strlen(name) == 18 &&
	       strtoull(name, &end, 16) == be64toh(ibv_get_device_guid(device)) && !*end;
}

void dev_close(struct dev *dev)
{
	dev_siw_close(dev->siw_below);
	if (dev->ctx && ibv_close_device(dev->ctx))
		log_note("close %s: %s", dev->limits.device, strerror(errno));
	memset(dev, 0, sizeof(*dev));
}

/*
 * An event can be gone when it is read, with the QP that it was about: reading must not wait for
 * the next one. ibv_get_async_event(3) shows how.
 */
static int unblock_events(const struct ibv_context *ctx)
{
	const int flags = fcntl(ctx->async_fd, F_GETFL);

	return flags < 0 || fcntl(ctx->async_fd, F_SETFL, flags | O_NONBLOCK) ? -errno : 0;
}

int dev_open_device(struct dev *dev, struct ibv_device *device)
{
	int rc;

	memset(dev, 0, sizeof(*dev));
	errno = 0;
	dev->ctx = ibv_open_device(device);
	if (!dev->ctx) {
		rc = err_code();
		return dev_none_open("", rc, ibv_get_device_name(device), device->dev_name);
	}
	rc = -ibv_query_device(dev->ctx, &dev->attr);
	if (rc) {
		dev_close(dev);
		return err_set(rc, "cannot query device %s: %s", ibv_get_device_name(device),
			       strerror(-rc));
	}
	rc = unblock_events(dev->ctx);
	if (rc) {
		dev_close(dev);
		return err_set(rc, "cannot read the async events of %s without waiting: %s",
			       ibv_get_device_name(device), strerror(-rc));
	}
	return 0;
}

static bool is_serious(const struct dev *dev, const struct ibv_async_event *event)
{
	switch (event->event_type) {
	case IBV_EVENT_CQ_ERR:
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_WQ_FATAL:
	case IBV_EVENT_DEVICE_FATAL:
	case IBV_EVENT_PATH_MIG_ERR:
		return true;
	case IBV_EVENT_PORT_ERR:
		/* with an alternate path the QPs leave the port */
		return event->element.port_num == (int)dev->limits.port && !dev->limits.alt_port;
	default:
		return false;
	}
}

/* Not serious: the loop refills the SRQ; the drain of a failed endpoint waits for the other. */
static void count_srq(const struct ibv_async_event *event)
{
	struct dev_srq_events *events = NULL;

	if (event->event_type == IBV_EVENT_SRQ_LIMIT_REACHED) {
		events = event->element.srq->srq_context;
		atomic_fetch_add(&events->limit, 1);
	} else if (event->event_type == IBV_EVENT_QP_LAST_WQE_REACHED && event->element.qp->srq) {
		events = event->element.qp->srq->srq_context;
		atomic_fetch_add(&events->last_wqe, 1);
	}
}

static void count_qp(const struct ibv_async_event *event)
{
	struct dev_qp_events *events;

	if (event->event_type != IBV_EVENT_SQ_DRAINED && event->event_type != IBV_EVENT_PATH_MIG)
		return;
	events = event->element.qp->qp_context;
	if (!events)
		return;
	atomic_fetch_add(event->event_type == IBV_EVENT_PATH_MIG ? &events->migrated :
								   &events->drained, 1);
}

int dev_async(const struct dev *dev, enum ibv_event_type *event)
{
	struct pollfd pfd = { .fd = dev->ctx->async_fd, .events = POLLIN };
	struct ibv_async_event got;
	int found = 0;

	for (;;) {
		int n = poll(&pfd, 1, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(-errno, "cannot poll async events of %s: %s",
				       dev->limits.device, strerror(errno));
		if (!n)
			return found;
		errno = 0;
		n = ibv_get_async_event(dev->ctx, &got);
		if (n && errno == EAGAIN)
			return found;
		if (n)
			return err_set(err_code(), "cannot read async event of %s: %s",
				       dev->limits.device, strerror(-err_code()));
		if (!found && is_serious(dev, &got)) {
			*event = got.event_type;
			found = 1;
		}
		count_srq(&got);
		count_qp(&got);
		ibv_ack_async_event(&got);
	}
}
