/* SPDX-License-Identifier: BSD-2-Clause */
/* Copyright (c) 2026 The verbench developers */
/* See dev_none.h. Called by dev_open() and for each device that does not open. */
#include "config.h"
#include "rdma/dev_none.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "remedy/remedy.h"
#include "util/err.h"

/* Does the directory have an entry whose name begins so? */
static bool has(const char *root, const char *dir, const char *begin)
{
	char path[256];
	struct dirent *e;
	bool found = false;
	DIR *d;

	snprintf(path, sizeof(path), "%s%s", root, dir);
	d = opendir(path);
	while (d && !found && (e = readdir(d)))
		found = e->d_name[0] != '.' && !strncmp(e->d_name, begin, strlen(begin));
	if (d)
		closedir(d);
	return found;
}

/* The kernel's devices are in infiniband, those of ib_uverbs in infiniband_verbs ("uverbs0"). */
static enum remedy cause(const char *root)
{
	if (!has(root, "/sys/class/infiniband", ""))
		return REMEDY_NO_DEVICE;
	if (!has(root, "/sys/class/infiniband_verbs", "uverbs"))
		return REMEDY_NO_UVERBS;
	if (!has(root, "/dev/infiniband", "uverbs"))
		return REMEDY_CONTAINER;
	return REMEDY_NO_PROVIDER;
}

int dev_none_found(const char *root)
{
	return err_set(-ENODEV, "no RDMA device found: %s", remedy_text(cause(root)));
}

/* Is there a file of a device that this user may not open? */
static bool forbidden(const char *root)
{
	char path[512];
	struct dirent *e;
	bool found = false;
	DIR *d;

	snprintf(path, sizeof(path), "%s/dev/infiniband", root);
	d = opendir(path);
	while (d && !found && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/dev/infiniband/%s", root, e->d_name);
		found = !strncmp(e->d_name, "uverbs", 6) && access(path, R_OK | W_OK) &&
			errno == EACCES;
	}
	if (d)
		closedir(d);
	return found;
}

/*
 * A file that cannot be opened is looked for in /dev/char, too (rdma-core, util/open_cdev.c), so
 * that without udev -EACCES comes as -ENOENT.
 */
int dev_none_open(const char *root, int rc, const char *device)
{
	const bool rights = rc == -EACCES || rc == -EPERM || (rc == -ENOENT && forbidden(root));

	/* the file of a device that the kernel has is not there */
	if (!rights && rc != -ENOENT && rc != -ENXIO)
		return err_set(rc, "cannot open device %s: %s", device, strerror(-rc));
	return err_set(rc, "cannot open device %s: %s: %s", device, strerror(-rc),
		       remedy_text(rights ? REMEDY_RIGHTS : REMEDY_CONTAINER));
}
