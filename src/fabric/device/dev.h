/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/*
 * Room device: verbs objects and their life: devices, ports, domains, memory regions. It measures
 * nothing.
 *
 * This header: finds and opens devices and ports, and finds out what they can do (struct limits).
 * It owns the verbs context.
 */
#ifndef DEV_H
#define DEV_H

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decide/plan.h"
#include "device/dev_names.h"
#include "limits/budget.h"
#include "options/choices.h"

struct dev {
	struct ibv_context *ctx;
	struct ibv_device_attr attr;
	struct ibv_port_attr port_attr;
	struct limits limits;
	unsigned int unlocks; /* enum locks that were granted; limits.unlocked: known to be out */
	/* Set by the caller: what is made on the device is counted; or NULL. */
	struct memory_budget *budget;
	struct ibv_cq *siw_below; /* dev_siw_open(); NULL: on other devices */
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
struct dev_request {
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
int dev_open(struct dev *dev, const struct dev_request *request)
	__attribute__((warn_unused_result));

/*
 * Is there a device and a port that dev_open() would open? Makes no objects. Errors as of
 * dev_open().
 */
int dev_check(const struct dev_request *request) __attribute__((warn_unused_result));

/*
 * Refills the limits that depend on the test (max_inline_bytes, max_send_wr, unlocked, post_wr,
 * ...) for another test on an open device. What the test does not use stays unknown (0, false).
 * Errors of verbs, with an error message: not even the smallest QP can be created. dev_open() calls
 * it.
 */
int dev_probe(struct dev *dev, const struct cfg *test, enum side side)
	__attribute__((warn_unused_result));
/* Tries out memory of GPU n, UINT32_MAX: the nearest; fills gpu and gpu_missing of dev->limits. */
void dev_probe_gpu(struct dev *dev, uint32_t n);

/*
 * An object that works around a defect of siw (dev.c), before all other objects. NULL on another
 * device (driver: that of struct limits), and after a failure, which is only noted: most tests run
 * without. Closed by dev_close().
 */
struct ibv_cq *dev_siw_open(struct ibv_context *ctx, const char *driver);

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

/*
 * libibverbs lists no device: sets the error message, with the cause and the remedy, and returns
 * -ENODEV. root: before /sys and /dev, "" but for tests.
 */
int dev_none_found(const char *root);

/*
 * ibv_open_device() failed with rc, a negative errno: sets the error message and returns rc. root:
 * as above. file: of the device in /dev/infiniband; the emulated HCA calls its own softhca0, ...
 */
int dev_none_open(const char *root, int rc, const char *device, const char *file);

/*
 * The domains of one thread: its protection domain, and, if the device supports them, a thread
 * domain and a parent domain of both. For objects in a thread domain a provider leaves out locks
 * that only several threads need (ibv_alloc_td(3), ibv_alloc_parent_domain(3),
 * ibv_create_cq_ex(3)). The caller promises that one thread at a time uses the objects.
 */

struct domain {
	struct ibv_pd *pd;      /* memory regions and address handles */
	struct ibv_td *td;      /* NULL: none */
	struct ibv_pd *parent;  /* of pd and td; NULL: none */
	unsigned int without;   /* enum locks bits: the locks that are left out so far */
};

/* The CQ to create. */
struct domain_cq {
	uint64_t entries;
	struct ibv_comp_channel *channel; /* NULL: none */
	bool extended; /* for ibv_start_poll(): byte_len, imm_data and vendor_err can be read */
	uint64_t wc_flags; /* extended: IBV_WC_EX_* to be read besides these */
	uint32_t vector; /* below the context's num_comp_vectors */
};

/*
 * wanted: enum locks bits to try; those that the device refuses are missing from d->without.
 * -errno, without an error message, if the protection domain cannot be created.
 */
int domain_open(struct domain *d, struct ibv_context *ctx, unsigned int wanted)
	__attribute__((warn_unused_result));

/*
 * Creates a CQ: without locks if LOCKS_OFF_CQ is in d->without and the device agrees, else with
 * locks, and the bit is cleared. NULL and errno if neither can be created.
 */
struct ibv_cq *domain_create_cq(struct domain *d, const struct domain_cq *want);

/*
 * Creates a QP: in the parent domain if there is one and the device agrees, else outside, and
 * LOCKS_OFF_QP is cleared. ops: IBV_QP_EX_WITH_* of the requests that ibv_wr_* posts; 0: a QP for
 * ibv_post_send() only. attr->cap: the capabilities that the QP got. NULL and errno as above.
 */
struct ibv_qp *domain_create_qp(struct domain *d, struct ibv_qp_init_attr *attr, uint64_t ops);

/* All objects in it are destroyed before. Accepts a zeroed domain. */
void domain_close(struct domain *d);

/* One port of an opened device: attributes, GIDs, rate, netdev, driver into struct limits. */

#define PORT_NETDEV_MAX 16 /* IF_NAMESIZE */

/*
 * Fills dev->port_attr and dev->limits in any state of the port; except for what dev_probe() fills,
 * and with no caps of an owner. request: its GIDs come first in the table; NULL none. dev->ctx and
 * dev->attr are set.
 */
int port_ask(struct dev *dev, uint32_t port, const struct dev_request *request)
	__attribute__((warn_unused_result));

/*
 * Fills the GIDs and the netdev of dev->limits, whose port is set: first those that
 * the request (NULL: none) names, last those of other network namespaces. Errors of verbs, with an
 * error message.
 */
int port_gids_ask(struct dev *dev, const struct dev_request *request)
	__attribute__((warn_unused_result));

/*
 * Why a port is not active: in INIT one of InfiniBand waits for a subnet manager (NO_SM), and one
 * of iWARP for an address of its netdev (NO_GID); else the link is down (PORT_DOWN).
 */
enum remedy port_inactive_cause(const struct ibv_port_attr *attr);

#define PORT_LANES_MAX 16

/* The rate of a port and its name: InfiniBand's speeds up to XDR, Ethernet, LAG. */
struct port_rate {
	uint64_t link_mbit_s;      /* of one link; 0: unknown */
	uint64_t mbit_s;           /* of all links of a LAG, else as link_mbit_s; 0: unknown */
	char lanes[PORT_LANES_MAX]; /* "4X NDR"; "": unknown */
};

/*
 * XDR has no code in the field of 8 bits: the kernel puts NDR there (ib_uverbs_query_port() of
 * drivers/infiniband/core/uverbs_std_types_device.c). Newer versions of rdma-core have another one.
 */
static inline uint32_t port_speed_code(const struct ibv_port_attr *attr)
{
#ifdef HAVE_STRUCT_IBV_PORT_ATTR_ACTIVE_SPEED_EX
	if (attr->active_speed_ex)
		return attr->active_speed_ex;
#endif
	return attr->active_speed;
}

/*
 * The rate of a link of Ethernet: link_mbit_s is what verbs tell, netdev_mbit_s the speed of its
 * netdev; 0: unknown. bond: that speed is of all links of the netdev.
 */
uint64_t port_rate_ethernet(uint64_t link_mbit_s, uint64_t netdev_mbit_s, bool bond);

/* dev->port_attr is of dev->limits.port, and dev->limits.netdev is set. */
void port_rate_ask(struct port_rate *rate, const struct dev *dev);

/* The netdev that a GID of dev->limits.port belongs to, "" if none or unknown. Returns name. */
const char *port_netdev(const struct dev *dev, uint32_t gid_index, char name[PORT_NETDEV_MAX]);

/*
 * The P_Key at an index of the table of dev->limits.port; 0, which is no valid one (IBA vol. 1,
 * 10.9.2): there is none, or it is unknown.
 */
uint32_t port_pkey(const struct dev *dev, uint32_t index);

/* First line of a file below the device's sysfs directory, "" if there is none. Returns text. */
const char *port_sysfs(const struct ibv_device *device, const char *file, char *text, size_t size);

/*
 * A port of the device other than the one in use that is ACTIVE, on the same kind of link: wanted,
 * or the first with CFG_AUTO. 0: there is none.
 */
uint32_t port_alternate(const struct dev *dev, uint32_t wanted);

#endif
