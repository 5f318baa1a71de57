/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Devices and ports: finding, opening, asking what they can do. Owns the verbs context;
 * everything a device says about itself passes through struct limits.
 */
#ifndef DEV_H
#define DEV_H

#include <stdint.h>
#include <infiniband/verbs.h>

#include "plan/plan.h"

struct dev {
	struct ibv_context *ctx;
	struct ibv_device_attr attr;
	struct ibv_port_attr port_attr;
	struct limits limits;
};

/* What dev_open is asked for; NULL and CFG_AUTO mean any. */
struct dev_wish {
	const char *device;
	uint32_t port;
	uint32_t gid_index;
	enum transport transport;   /* inline is probed with a QP of this type */
	uint32_t inline_wanted;     /* largest inline size worth probing */
	bool probe_locks;           /* which locks the device leaves out: limits.unlocked */
	uint64_t send_ops;          /* of api_send_ops(): whether it has them, limits.post_wr */
	bool poll_extended;         /* whether it has such CQs: limits.poll_extended */
	const uint8_t *local_gid;   /* control connection's own address as a GID, NULL unknown */
	const struct limits *peer;  /* the server's when the client opens, else NULL: ports that
				     * cannot reach it (gid_choose) come last */
};

/*
 * Opens a device: the one named, else the first active port that can reach the peer (one that owns
 * local_gid first). Fills dev->limits; the caps max_total_bytes and max_seconds are none. Errors:
 * -EINVAL (no device or port as wished), -ENODEV (none at all), -ENETDOWN (port not active), or
 * verbs' own, each with a sentence.
 */
int dev_open(struct dev *dev, const struct dev_wish *wish) __attribute__((warn_unused_result));

/*
 * Refills the limits that depend on the test (max_inline_bytes, unlocked, post_wr, poll_extended)
 * for another wish on an open device. Of the wish, it reads what those need: transport,
 * inline_wanted, probe_locks, send_ops, poll_extended. Errors of verbs, with an error message: not
 * even the smallest QP can be created. dev_open() calls it.
 */
int dev_probe(struct dev *dev, const struct dev_wish *wish) __attribute__((warn_unused_result));

/* Accepts a zeroed dev. */
void dev_close(struct dev *dev);

/*
 * Drains the async event queue without blocking. 1 and the first serious one in *event
 * (IBV_EVENT_CQ_ERR is 0, so the value alone could not tell), 0 when there was none, -errno.
 */
int dev_async(struct dev *dev, enum ibv_event_type *event) __attribute__((warn_unused_result));

/* For list: opens a device and asks it, without choosing a port (port_ask does the rest). */
int dev_open_device(struct dev *dev, struct ibv_device *device) __attribute__((warn_unused_result));

/*
 * ibv_get_device_list with a sentence; a kernel without RDMA is no device: *n is 0. *list is the
 * caller's to ibv_free_device_list, NULL when *n is 0.
 */
int dev_list(struct ibv_device ***list, int *n) __attribute__((warn_unused_result));

#endif
