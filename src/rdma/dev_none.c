/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* See dev_none.h. Called by dev_open() and for each device that does not open. */
#include "config.h"
#include "rdma/dev_none.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/err.h"

/* May this user open the file? */
static bool is_open(const char *path)
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
		found = any || !is_open(path);
	}
	if (d)
		closedir(d);
	return found;
}

bool dev_none_emulates(void)
{
	const char *preloaded = getenv("LD_PRELOAD");

	return preloaded && strstr(preloaded, "softhca");
}

/* The kernel's devices are in infiniband, those of ib_uverbs in infiniband_verbs ("uverbs0"). */
enum remedy dev_none_cause(const char *root)
{
	if (dev_none_emulates())
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
	const enum remedy why = dev_none_cause(root);

	return err_set_cause(-ENODEV, remedy_name(why), "no RDMA device found: %s",
			     remedy_text(why));
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
		return err_set(rc, "cannot open device %s: %s", device, strerror(-rc));
	/* EAGAIN: each open device is an hca_handle of rdma.max (verbs_error_cause()) */
	why = emulated ? REMEDY_EMULATED : rights ? REMEDY_RIGHTS :
	      rc == -EAGAIN ? REMEDY_RDMA_CGROUP : REMEDY_CONTAINER;
	return err_set_cause(rc, remedy_name(why), "cannot open device %s: %s: %s", device,
			     strerror(-rc), remedy_text(why));
}
