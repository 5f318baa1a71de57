/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* Lists and opens devices, reads their async events, and finds out why one is missing. */
#include "config.h"
#include "device/dev.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "util/err.h"
#include "util/log.h"
#include "verbs/verbs_error.h"

/* ---- siw */

/*
 * Works around a defect of Soft-iWARP (siw). Its kernel driver tells the library at which offset of
 * the device file a queue is to be mapped. The kernel (rdma_user_mmap_entry_insert_range() in
 * drivers/infiniband/core/ib_core_uverbs.c) gives the first free offset of the context, and the
 * library takes offset 0x90000 for "no offset" (SIW_INVAL_UOBJ_KEY in rdma/siw-abi.h, looked at by
 * siw_create_qp() and siw_create_cq() in providers/siw/siw.c of rdma-core). So the queue that
 * happens to lie there cannot be created, and errno is 0: 16 QPs with 512 receives each end at
 * QP 5. A CQ that begins at 0 and holds this offset, 1 MiB, is created before all other objects,
 * which lie above it then.
 */
#define SIW_BAD_OFFSET 0x90000u
#define SIW_CQE_BYTES 32u /* rdma/siw-abi.h: struct siw_cqe */

struct ibv_cq *dev_siw_open(struct ibv_context *ctx, const char *driver)
{
	struct ibv_cq *cq;

	if (!verbs_quirk(driver, QUIRK_SIW_OFFSET))
		return NULL;
	errno = 0;
	cq = ibv_create_cq(ctx, SIW_BAD_OFFSET / SIW_CQE_BYTES + 1, NULL, NULL, 0);
	if (!cq)
		log_note("%s: no CQ to keep queues off an offset at which libsiw cannot create them: %s",
			 ibv_get_device_name(ctx->device), strerror(errno));
	return cq;
}


/* ---- list, open, close */

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
		return verbs_failed(rc, "cannot list RDMA devices");
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

int dev_names(struct dev_names *names, const char *device)
{
	struct ibv_device **list;
	int n, rc = dev_list(&list, &n);

	*names = (struct dev_names){ .n = 0 };
	if (rc || !n)
		return rc;
	names->names = calloc((size_t)n, sizeof(*names->names));
	if (!names->names)
		rc = err_set(-ENOMEM, "no memory for the names of devices");
	for (; !rc && names->n < n; names->n++) {
		snprintf(names->names[names->n], DEV_NAME_BYTES, "%s",
			 ibv_get_device_name(list[names->n]));
		names->found |= device && dev_is_called(list[names->n], device);
	}
	ibv_free_device_list(list);
	return rc;
}

void dev_close(struct dev *dev)
{
	if (dev->siw_below)
		verbs_warn("destroy the CQ that keeps queues off an offset",
			   ibv_destroy_cq(dev->siw_below));
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
		return verbs_failed(rc, "cannot query device %s", ibv_get_device_name(device));
	}
	rc = unblock_events(dev->ctx);
	if (rc) {
		dev_close(dev);
		return verbs_failed(rc, "cannot read the async events of %s without waiting",
				    ibv_get_device_name(device));
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
			return verbs_failed(-errno, "cannot poll async events of %s",
					    dev->limits.device);
		if (!n)
			return found;
		errno = 0;
		n = ibv_get_async_event(dev->ctx, &got);
		if (n && errno == EAGAIN)
			return found;
		if (n)
			return verbs_failed(err_code(), "cannot read async event of %s",
					    dev->limits.device);
		if (!found && is_serious(dev, &got)) {
			*event = got.event_type;
			found = 1;
		}
		count_srq(&got);
		count_qp(&got);
		ibv_ack_async_event(&got);
	}
}

/* ---- why there is no device, or why one cannot be opened */


/* May this user open the file? */
static bool may_open(const char *path)
{
	return !access(path, R_OK | W_OK) || errno != EACCES;
}

/*
 * Does the directory have an entry whose name begins so? Not any: one that this user may not open.
 */
static bool has(const char *root, const char *dir, const char *begin, bool any)
{
	char path[512];
	struct dirent *e;
	bool found = false;
	DIR *d;

	snprintf(path, sizeof(path), "%s%s", root, dir);
	d = opendir(path);
	while (d && !found && (e = readdir(d))) {
		if (e->d_name[0] == '.' || strncmp(e->d_name, begin, strlen(begin)))
			continue;
		snprintf(path, sizeof(path), "%s%s/%s", root, dir, e->d_name);
		found = any || !may_open(path);
	}
	if (d)
		closedir(d);
	return found;
}

/* The kernel's devices are in infiniband, those of ib_uverbs in infiniband_verbs ("uverbs0"). */
enum remedy dev_none_cause(const char *root)
{
	if (verbs_emulated())
		return REMEDY_EMULATED;
	if (!has(root, "/sys/class/infiniband", "", true))
		return REMEDY_NO_DEVICE;
	if (!has(root, "/sys/class/infiniband_verbs", "uverbs", true))
		return REMEDY_NO_UVERBS;
	if (!has(root, "/dev/infiniband", "uverbs", true))
		return REMEDY_CONTAINER;
	return REMEDY_NO_PROVIDER;
}

int dev_none_found(const char *root)
{
	return remedy_error(-ENODEV, dev_none_cause(root), NULL, "no RDMA device found");
}

/* By the emulated HCA: softhca/meet/place.c, softhca/base/fabric.c. */
static bool is_explained(int rc)
{
	return rc == -EPERM || rc == -EACCES || rc == -EUSERS;
}

/*
 * A file that cannot be opened is looked for in /dev/char, too (rdma-core, util/open_cdev.c), so
 * that without udev -EACCES comes as -ENOENT.
 */
int dev_none_open(const char *root, int rc, const char *device, const char *file)
{
	const bool emulated = !strncmp(file, "softhca", strlen("softhca"));
	const bool rights = rc == -EACCES || rc == -EPERM ||
			    (rc == -ENOENT && has(root, "/dev/infiniband", "uverbs", false));
	enum remedy why;

	/* else the file of a device that the kernel has is not there */
	if (emulated ? !is_explained(rc) :
		       !rights && rc != -EAGAIN && rc != -ENOENT && rc != -ENXIO)
		return verbs_failed(rc, "cannot open device %s", device);
	/* EAGAIN: each open device is an hca_handle of rdma.max (verbs_error_create()) */
	why = emulated ? REMEDY_EMULATED : rights ? REMEDY_RIGHTS :
	      rc == -EAGAIN ? REMEDY_RDMA_CGROUP : REMEDY_CONTAINER;
	return remedy_error(rc, why, NULL, "cannot open device %s: %s", device, strerror(-rc));
}
