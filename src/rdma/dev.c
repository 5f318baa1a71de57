/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Finds and opens a device and one of its ports, and reads async events of the device. Called by
 * the session and the list command. No device is known by its id.
 */
#include "config.h"

#include "rdma/dev.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "util/err.h"
#include "plan/gid.h"
#include "util/log.h"
#include "rdma/port.h"

/* The best port so far; rank 0: none. failed, error: the first error of a device left out. */
struct pick {
	struct dev dev;
	uint32_t port, rank;
	bool device_seen, port_seen;
	int failed;
	char error[ERR_TEXT_MAX];
};

static int code_of_errno(void)
{
	return errno ? -errno : -EIO;
}

int dev_list(struct ibv_device ***list, int *n)
{
	int rc;

	*n = 0;
	errno = 0;
	*list = ibv_get_device_list(n);
	if (*list && *n)
		return 0;
	rc = code_of_errno();
	if (*list)
		ibv_free_device_list(*list);
	else if (rc != -ENOSYS)
		return err_set(rc, "cannot list RDMA devices: %s", strerror(-rc));
	*list = NULL;
	*n = 0;
	return 0;
}

void dev_close(struct dev *dev)
{
	if (dev->ctx && ibv_close_device(dev->ctx))
		log_note("close %s: %s", dev->limits.device, strerror(errno));
	memset(dev, 0, sizeof(*dev));
}

int dev_open_device(struct dev *dev, struct ibv_device *device)
{
	int rc;

	memset(dev, 0, sizeof(*dev));
	errno = 0;
	dev->ctx = ibv_open_device(device);
	if (!dev->ctx) {
		rc = code_of_errno();
		return err_set(rc, "cannot open device %s: %s", ibv_get_device_name(device),
			       strerror(-rc));
	}
	rc = -ibv_query_device(dev->ctx, &dev->attr);
	if (rc) {
		dev_close(dev);
		return err_set(rc, "cannot query device %s: %s", ibv_get_device_name(device),
			       strerror(-rc));
	}
	return 0;
}

static bool is_active(const struct dev *dev)
{
	return dev->port_attr.state == IBV_PORT_ACTIVE ||
	       dev->port_attr.state == IBV_PORT_ACTIVE_DEFER;
}

static uint32_t rank(const struct dev *dev, const struct dev_wish *wish)
{
	const struct limits *l = &dev->limits;
	struct gid_pair pair;
	uint32_t n = 1;

	if (!is_active(dev))
		return 0;
	if (!wish->peer || !gid_choose(&pair, l, wish->peer))
		n += 4;
	err_clear();
	for (uint32_t i = 0; wish->local_gid && i < l->n_gids; i++)
		if (!memcmp(l->gids[i].raw, wish->local_gid, sizeof(l->gids[i].raw)))
			return n + 2;
	return n;
}

static int consider(struct pick *pick, struct ibv_device *device, const struct dev_wish *wish)
{
	bool better = false;
	struct dev dev;
	int rc = dev_open_device(&dev, device);

	if (rc)
		return rc;
	for (uint32_t port = 1; port <= dev.attr.phys_port_cnt; port++) {
		uint32_t n;

		if (wish->port != CFG_AUTO && wish->port != port)
			continue;
		pick->port_seen = true;
		rc = port_ask(&dev, port, wish);
		if (rc)
			break;
		n = rank(&dev, wish);
		if (n > pick->rank) {
			pick->rank = n;
			pick->port = port;
			better = true;
		}
	}
	if (!better) {
		dev_close(&dev);
		return rc;
	}
	dev_close(&pick->dev);
	pick->dev = dev;
	return 0;
}

/* "mlx5_0/1 PORT_DOWN, mlx5_1/1 PORT_ACTIVE": every port of every device that can be queried. */
static void port_states(char *text, size_t size, struct ibv_device **list, int n)
{
	size_t used = 0;

	text[0] = '\0';
	for (int i = 0; i < n; i++) {
		struct ibv_context *ctx = ibv_open_device(list[i]);
		struct ibv_device_attr attr = { 0 };
		struct ibv_port_attr port;

		if (!ctx)
			continue;
		if (ibv_query_device(ctx, &attr))
			attr.phys_port_cnt = 0;
		for (uint32_t p = 1; p <= attr.phys_port_cnt && used < size; p++) {
			if (ibv_query_port(ctx, (uint8_t)p, &port))
				continue;
			used += (size_t)snprintf(text + used, size - used, "%s%s/%u %s",
						 used ? ", " : "", ibv_get_device_name(list[i]), p,
						 ibv_port_state_str(port.state));
		}
		if (ibv_close_device(ctx))
			log_note("close %s: %s", ibv_get_device_name(list[i]), strerror(errno));
	}
}

static int refuse(const struct pick *pick, const struct dev_wish *wish, struct ibv_device **list,
		  int n)
{
	const char *name = wish->device ? wish->device : "any device";
	char text[256];
	size_t used = 0;

	if (!pick->device_seen) {
		text[0] = '\0';
		for (int i = 0; i < n && used < sizeof(text); i++)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
						 i ? ", " : "", ibv_get_device_name(list[i]));
		return err_set(-EINVAL, "no RDMA device is called %s; there are: %s", name, text);
	}
	if (pick->failed)
		return err_set(pick->failed, "%s", pick->error);
	if (!pick->port_seen)
		return err_set(-EINVAL, "port %u does not exist on %s", wish->port, name);
	port_states(text, sizeof(text), list, n);
	if (wish->port != CFG_AUTO)
		return err_set(-ENETDOWN, "port %u of %s is not active; ports: %s", wish->port,
			       name, text);
	return err_set(-ENETDOWN, "no active port of %s; ports: %s", name, text);
}

static int choose(struct pick *pick, const struct dev_wish *wish, struct ibv_device **list, int n)
{
	for (int i = 0; i < n; i++) {
		int rc;

		if (wish->device && strcmp(wish->device, ibv_get_device_name(list[i])))
			continue;
		pick->device_seen = true;
		rc = consider(pick, list[i], wish);
		if (rc && !pick->failed) {
			pick->failed = rc;
			snprintf(pick->error, sizeof(pick->error), "%s", err_text());
		}
	}
	if (!pick->rank)
		return refuse(pick, wish, list, n);
	/* dev has the attributes of the port that was queried last. */
	return port_ask(&pick->dev, pick->port, wish);
}

int dev_open(struct dev *dev, const struct dev_wish *wish)
{
	struct pick pick = { 0 };
	struct ibv_device **list;
	int n, rc;

	memset(dev, 0, sizeof(*dev));
	rc = dev_list(&list, &n);
	if (rc)
		return rc;
	if (!n)
		return err_set(
			-ENODEV,
			"no RDMA device found; is the driver loaded? without an HCA: rdma link add rxe0 type rxe netdev NETDEV (Soft-RoCE)");
	rc = choose(&pick, wish, list, n);
	ibv_free_device_list(list);
	if (!rc)
		rc = dev_probe(&pick.dev, wish);
	if (rc) {
		dev_close(&pick.dev);
		return rc;
	}
	*dev = pick.dev;
	err_clear();
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
		return true;
	case IBV_EVENT_PORT_ERR:
		return event->element.port_num == (int)dev->limits.port;
	default:
		return false;
	}
}

int dev_async(struct dev *dev, enum ibv_event_type *event)
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
		if (ibv_get_async_event(dev->ctx, &got))
			return err_set(code_of_errno(), "cannot read async event of %s: %s",
				       dev->limits.device, strerror(-code_of_errno()));
		if (!found && is_serious(dev, &got)) {
			*event = got.event_type;
			found = 1;
		}
		ibv_ack_async_event(&got);
	}
}
