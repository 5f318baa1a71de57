/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Folder rdma: verbs objects and their life: devices, ports, domains, memory regions. It measures
 * nothing.
 *
 * This header: finds and opens devices and ports, and finds out what they can do (struct limits).
 * It owns the verbs context.
 */
#ifndef DEV_H
#define DEV_H

#include <stdbool.h>
#include <stdatomic.h>
#include <stdint.h>
#include <infiniband/verbs.h>

#include "plan/plan.h"
#include "limits/budget.h"

struct dev {
	struct ibv_context *ctx;
	struct ibv_device_attr attr;
	struct ibv_port_attr port_attr;
	struct limits limits;
	unsigned int unlocks; /* enum locks that were granted; limits.unlocked: known to be out */
	/* Set by the caller: what is made on the device is counted; or NULL. */
	struct memory_budget *budget;
	struct ibv_cq *siw_below; /* dev_siw.h; NULL: on other devices */
};

/*
 * Events of an SRQ and of its QPs, counted by dev_async(). An SRQ has it as its srq_context.
 * Written by the thread that calls dev_async(), read by the loop.
 */
struct dev_srq_events {
	_Atomic uint64_t limit;    /* IBV_EVENT_SRQ_LIMIT_REACHED */
	_Atomic uint64_t last_wqe; /* IBV_EVENT_QP_LAST_WQE_REACHED of its QPs */
};

/* Events of QPs, counted by dev_async(). A QP has it as its qp_context, or none. */
struct dev_qp_events {
	_Atomic uint64_t drained;  /* IBV_EVENT_SQ_DRAINED */
	_Atomic uint64_t migrated; /* IBV_EVENT_PATH_MIG */
};

/* What dev_open() looks for, and what dev_probe() has to find out. */
struct dev_wish {
	const struct cfg *cfg;      /* this side's device, port and GID index; the client's test */
	enum side side;             /* this one */
	const uint8_t *local_gid;   /* of the control connection's local address, NULL unknown */
	const struct limits *peer;  /* the server's if the client opens, else NULL: ports that
				     * cannot reach it (gid_choose) come last */
};

/*
 * Opens a device: the one named, else the first active port that can reach the peer (iWARP last;
 * then by how well the GIDs fit; then one that owns local_gid). Fills dev->limits; those of the
 * owner (max_total_bytes, ...) are none. Errors:
 * -EINVAL (no such device or port), -ENODEV (no device at all), -ENETDOWN (port not active), or
 * those of verbs, each with an error message.
 */
int dev_open(struct dev *dev, const struct dev_wish *wish) __attribute__((warn_unused_result));

/*
 * Is there a device and a port that dev_open() would open? Makes no objects. Errors as of
 * dev_open().
 */
int dev_check(const struct dev_wish *wish) __attribute__((warn_unused_result));

/*
 * Refills the limits that depend on the test (max_inline_bytes, max_send_wr, unlocked, post_wr,
 * ...) for another test on an open device. What the test does not use stays unknown (0, false).
 * Errors of verbs, with an error message: not even the smallest QP can be created. dev_open() calls
 * it.
 */
int dev_probe(struct dev *dev, const struct cfg *test, enum side side)
	__attribute__((warn_unused_result));

/* Accepts a zeroed dev. */
void dev_close(struct dev *dev);

/*
 * Drains the async event queue without blocking. 1: *event is the first serious one
 * (IBV_EVENT_CQ_ERR is 0, so 1 is needed to tell). 0: there was none. -errno. Events of SRQs are
 * counted in their struct dev_srq_events, migrations of QPs in their struct dev_qp_events.
 */
int dev_async(const struct dev *dev, enum ibv_event_type *event)
	__attribute__((warn_unused_result));

/* For the list command: opens and queries a device without a choice of port; see port_ask(). */
int dev_open_device(struct dev *dev, struct ibv_device *device) __attribute__((warn_unused_result));

#define DEV_GUID_TEXT_MAX 20

/* "0276:6200:0000:0001", as ibv_devinfo prints it. Returns text. */
const char *dev_guid_text(struct ibv_device *device, char text[DEV_GUID_TEXT_MAX]);

/*
 * Is it the device of --device? name: its name, or its node GUID as above or as
 * 0x0276620000000001.
 */
bool dev_is_called(struct ibv_device *device, const char *name);

/* None of the n is: -EINVAL with an error message that names them. */
int dev_refuse_name(const char *name, struct ibv_device **list, int n);

/*
 * ibv_get_device_list() with an error message. On a kernel without RDMA *n is 0. The caller frees
 * *list with ibv_free_device_list(); it is NULL if *n is 0.
 */
int dev_list(struct ibv_device ***list, int *n) __attribute__((warn_unused_result));

#endif
